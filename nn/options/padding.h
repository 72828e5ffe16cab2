// Options of the padding modules and of functional::pad.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/enum.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures reflection padding of the last D dimensions, which mirrors the input at its border
/// elements.
template <size_t D>
struct ReflectionPadOptions {
  /// Sets the padding: one number for all sides, or 2 D numbers. The first two numbers are for the
  /// start and the end of the last dimension. The next two are for the second to last dimension.
  /// Throws Error for another number of values.
  ReflectionPadOptions(ExpandingArray<D * 2> padding) : padding_(padding) {}
  TAPER_ARG(ExpandingArray<D * 2>, padding);  ///< pads at start and end, last dimension first
};
/// Configure ReflectionPad1d, ReflectionPad2d and ReflectionPad3d.
///@{
using ReflectionPad1dOptions = ReflectionPadOptions<1>;
using ReflectionPad2dOptions = ReflectionPadOptions<2>;
using ReflectionPad3dOptions = ReflectionPadOptions<3>;
///@}

/// Configures replication padding, which repeats the border elements.
template <size_t D>
using ReplicationPadOptions = ReflectionPadOptions<D>;
/// Configure ReplicationPad1d, ReplicationPad2d and ReplicationPad3d.
///@{
using ReplicationPad1dOptions = ReplicationPadOptions<1>;
using ReplicationPad2dOptions = ReplicationPadOptions<2>;
using ReplicationPad3dOptions = ReplicationPadOptions<3>;
///@}

/// Configures padding with zeros.
template <size_t D>
using ZeroPadOptions = ReflectionPadOptions<D>;
/// Configure ZeroPad1d, ZeroPad2d and ZeroPad3d.
///@{
using ZeroPad1dOptions = ZeroPadOptions<1>;
using ZeroPad2dOptions = ZeroPadOptions<2>;
using ZeroPad3dOptions = ZeroPadOptions<3>;
///@}

/// Configures padding of the last D dimensions with `value`.
template <size_t D>
struct ConstantPadOptions {
  /// Sets the padding: one number for all sides, or 2 D numbers. The first two numbers are for the
  /// start and the end of the last dimension. The next two are for the second to last dimension.
  /// Throws Error for another number of values.
  ConstantPadOptions(ExpandingArray<D * 2> padding, double value)
      : padding_(padding), value_(value) {}
  TAPER_ARG(ExpandingArray<D * 2>, padding);  ///< pads at start and end, last dimension first
  TAPER_ARG(double, value);                   ///< the value of the added elements
};
/// Configure ConstantPad1d, ConstantPad2d and ConstantPad3d.
///@{
using ConstantPad1dOptions = ConstantPadOptions<1>;
using ConstantPad2dOptions = ConstantPadOptions<2>;
using ConstantPad3dOptions = ConstantPadOptions<3>;
///@}

namespace functional {

/// Configures functional::pad.
struct PadFuncOptions {
  /// Names the source of the added elements. kConstant adds `value`. kReflect mirrors the input at
  /// its border element. kReplicate repeats the border element. kCircular copies from the other end
  /// of the input.
  using mode_t =
      Choice<enumtype::kConstant, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
  /// Sets the padding: two numbers for each padded dimension, the last dimension first. Negative
  /// numbers remove elements.
  PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}
  TAPER_ARG(std::vector<int64_t>, pad);  ///< pads at start and end, last dimension first
  TAPER_ARG(mode_t, mode) = kConstant;   ///< the source of the added elements
  TAPER_ARG(double, value) = 0;          ///< the value of elements that kConstant adds
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
