// Options of the padding modules and of functional::pad.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/enum.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// `padding` is what is added: before and after the last dimension, then the one before it, ...
template <size_t D>
struct ReflectionPadOptions {
  /// One number is for all sides; else there are 2 D: before and after the last dimension, then the
  /// one before it. Another count throws Error.
  ReflectionPadOptions(ExpandingArray<D * 2> padding) : padding_(padding) {}
  TAPER_ARG(ExpandingArray<D * 2>, padding);  ///< before and behind, the last dimension first
};
/// For one, two and three spatial dimensions.
///@{
using ReflectionPad1dOptions = ReflectionPadOptions<1>;
using ReflectionPad2dOptions = ReflectionPadOptions<2>;
using ReflectionPad3dOptions = ReflectionPadOptions<3>;
///@}

/// The same: the border elements are repeated.
template <size_t D>
using ReplicationPadOptions = ReflectionPadOptions<D>;
/// For one, two and three spatial dimensions.
///@{
using ReplicationPad1dOptions = ReplicationPadOptions<1>;
using ReplicationPad2dOptions = ReplicationPadOptions<2>;
using ReplicationPad3dOptions = ReplicationPadOptions<3>;
///@}

/// The same: zeros are added.
template <size_t D>
using ZeroPadOptions = ReflectionPadOptions<D>;
/// For one, two and three spatial dimensions.
///@{
using ZeroPad1dOptions = ZeroPadOptions<1>;
using ZeroPad2dOptions = ZeroPadOptions<2>;
using ZeroPad3dOptions = ZeroPadOptions<3>;
///@}

/// `value` is added around D spatial dimensions.
template <size_t D>
struct ConstantPadOptions {
  /// One number is for all sides; else there are 2 D: before and after the last dimension, then the
  /// one before it. Another count throws Error.
  ConstantPadOptions(ExpandingArray<D * 2> padding, double value)
      : padding_(padding), value_(value) {}
  TAPER_ARG(ExpandingArray<D * 2>, padding);  ///< before and behind, the last dimension first
  TAPER_ARG(double, value);                   ///< what is added
};
/// For one, two and three spatial dimensions.
///@{
using ConstantPad1dOptions = ConstantPadOptions<1>;
using ConstantPad2dOptions = ConstantPadOptions<2>;
using ConstantPad3dOptions = ConstantPadOptions<3>;
///@}

namespace functional {

/// Of padding any of the last dimensions.
struct PadFuncOptions {
  /// What is added: `value`, the input mirrored at the border element, the border element, or what
  /// is at the other end.
  using mode_t =
      Choice<enumtype::kConstant, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
  /// Two numbers for each padded dimension, the last one first; negative ones remove elements.
  PadFuncOptions(std::vector<int64_t> pad) : pad_(std::move(pad)) {}
  TAPER_ARG(std::vector<int64_t>, pad);  ///< before and behind, the last dimension first
  TAPER_ARG(mode_t, mode) = kConstant;   ///< what is added
  TAPER_ARG(double, value) = 0;          ///< what is added
};

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
