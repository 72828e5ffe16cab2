// Padding modules. They pad the last 1 to 3 dimensions of (N, C, spatial...) or (C, spatial...)
// with functional::pad. ZeroPad1d to 3d and ConstantPad1d to 3d also accept inputs with other
// numbers of dimensions.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/padding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Pads (N, C, L) with its mirror image, without repeating the edge.
class ReflectionPad1dImpl : public Cloneable<ReflectionPad1dImpl> {
 public:
  /// Sets the padding: {left, right}, or one number for all sides. Negative numbers remove
  /// elements.
  ///@{
  ReflectionPad1dImpl(ExpandingArray<2> padding)
      : ReflectionPad1dImpl(ReflectionPad1dOptions(padding)) {}
  explicit ReflectionPad1dImpl(const ReflectionPad1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (N, C, L) or (C, L). Throws Error for other numbers of dimensions, and unless each pad is
  /// smaller than the dimension's size.
  Tensor forward(const Tensor& input);
  ReflectionPad1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReflectionPad1d);

/// Pads (N, C, H, W) with its mirror image, without repeating the edge.
class ReflectionPad2dImpl : public Cloneable<ReflectionPad2dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom}, or one number for all sides. Negative numbers
  /// remove elements.
  ///@{
  ReflectionPad2dImpl(ExpandingArray<4> padding)
      : ReflectionPad2dImpl(ReflectionPad2dOptions(padding)) {}
  explicit ReflectionPad2dImpl(const ReflectionPad2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (N, C, H, W) or (C, H, W). Throws Error for other numbers of dimensions, and unless each
  /// pad is smaller than the dimension's size.
  Tensor forward(const Tensor& input);
  ReflectionPad2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReflectionPad2d);

/// Pads (N, C, D, H, W) with its mirror image, without repeating the edge.
class ReflectionPad3dImpl : public Cloneable<ReflectionPad3dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom, front, back}, or one number for all sides.
  /// Negative numbers remove elements.
  ///@{
  ReflectionPad3dImpl(ExpandingArray<6> padding)
      : ReflectionPad3dImpl(ReflectionPad3dOptions(padding)) {}
  explicit ReflectionPad3dImpl(const ReflectionPad3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (N, C, D, H, W) or (C, D, H, W). Throws Error for other numbers of dimensions, and unless
  /// each pad is smaller than the dimension's size.
  Tensor forward(const Tensor& input);
  ReflectionPad3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReflectionPad3d);

/// Pads (N, C, L) by repeating its edges.
class ReplicationPad1dImpl : public Cloneable<ReplicationPad1dImpl> {
 public:
  /// Sets the padding: {left, right}, or one number for all sides. Negative numbers remove
  /// elements.
  ///@{
  ReplicationPad1dImpl(ExpandingArray<2> padding)
      : ReplicationPad1dImpl(ReplicationPad1dOptions(padding)) {}
  explicit ReplicationPad1dImpl(const ReplicationPad1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (N, C, L) or (C, L). Throws Error for other numbers of dimensions.
  Tensor forward(const Tensor& input);
  ReplicationPad1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReplicationPad1d);

/// Pads (N, C, H, W) by repeating its edges.
class ReplicationPad2dImpl : public Cloneable<ReplicationPad2dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom}, or one number for all sides. Negative numbers
  /// remove elements.
  ///@{
  ReplicationPad2dImpl(ExpandingArray<4> padding)
      : ReplicationPad2dImpl(ReplicationPad2dOptions(padding)) {}
  explicit ReplicationPad2dImpl(const ReplicationPad2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (N, C, H, W) or (C, H, W). Throws Error for other numbers of dimensions.
  Tensor forward(const Tensor& input);
  ReplicationPad2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReplicationPad2d);

/// Pads (N, C, D, H, W) by repeating its edges.
class ReplicationPad3dImpl : public Cloneable<ReplicationPad3dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom, front, back}, or one number for all sides.
  /// Negative numbers remove elements.
  ///@{
  ReplicationPad3dImpl(ExpandingArray<6> padding)
      : ReplicationPad3dImpl(ReplicationPad3dOptions(padding)) {}
  explicit ReplicationPad3dImpl(const ReplicationPad3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (N, C, D, H, W) or (C, D, H, W). Throws Error for other numbers of dimensions.
  Tensor forward(const Tensor& input);
  ReplicationPad3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ReplicationPad3d);

/// Pads the last dimension with zeros.
class ZeroPad1dImpl : public Cloneable<ZeroPad1dImpl> {
 public:
  /// Sets the padding: {left, right}, or one number for all sides. Negative numbers remove
  /// elements.
  ///@{
  ZeroPad1dImpl(ExpandingArray<2> padding) : ZeroPad1dImpl(ZeroPad1dOptions(padding)) {}
  explicit ZeroPad1dImpl(const ZeroPad1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (..., L) with zeros. Throws Error for an input without dimensions.
  Tensor forward(const Tensor& input);
  ZeroPad1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ZeroPad1d);

/// Pads the last 2 dimensions with zeros.
class ZeroPad2dImpl : public Cloneable<ZeroPad2dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom}, or one number for all sides. Negative numbers
  /// remove elements.
  ///@{
  ZeroPad2dImpl(ExpandingArray<4> padding) : ZeroPad2dImpl(ZeroPad2dOptions(padding)) {}
  explicit ZeroPad2dImpl(const ZeroPad2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (..., H, W) with zeros. Throws Error for fewer than 2 dimensions.
  Tensor forward(const Tensor& input);
  ZeroPad2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ZeroPad2d);

/// Pads the last 3 dimensions with zeros.
class ZeroPad3dImpl : public Cloneable<ZeroPad3dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom, front, back}, or one number for all sides.
  /// Negative numbers remove elements.
  ///@{
  ZeroPad3dImpl(ExpandingArray<6> padding) : ZeroPad3dImpl(ZeroPad3dOptions(padding)) {}
  explicit ZeroPad3dImpl(const ZeroPad3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (..., D, H, W) with zeros. Throws Error for fewer than 3 dimensions.
  Tensor forward(const Tensor& input);
  ZeroPad3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ZeroPad3d);

/// Pads the last dimension with a number.
class ConstantPad1dImpl : public Cloneable<ConstantPad1dImpl> {
 public:
  /// Sets the padding: {left, right}, or one number for all sides. Negative numbers remove
  /// elements.
  ///@{
  ConstantPad1dImpl(ExpandingArray<2> padding, double value)
      : ConstantPad1dImpl(ConstantPad1dOptions(padding, value)) {}
  explicit ConstantPad1dImpl(const ConstantPad1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (..., L) with the value. Throws Error for an input without dimensions.
  Tensor forward(const Tensor& input);
  ConstantPad1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ConstantPad1d);

/// Pads the last 2 dimensions with a number.
class ConstantPad2dImpl : public Cloneable<ConstantPad2dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom}, or one number for all sides. Negative numbers
  /// remove elements.
  ///@{
  ConstantPad2dImpl(ExpandingArray<4> padding, double value)
      : ConstantPad2dImpl(ConstantPad2dOptions(padding, value)) {}
  explicit ConstantPad2dImpl(const ConstantPad2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (..., H, W) with the value. Throws Error for fewer than 2 dimensions.
  Tensor forward(const Tensor& input);
  ConstantPad2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ConstantPad2d);

/// Pads the last 3 dimensions with a number.
class ConstantPad3dImpl : public Cloneable<ConstantPad3dImpl> {
 public:
  /// Sets the padding: {left, right, top, bottom, front, back}, or one number for all sides.
  /// Negative numbers remove elements.
  ///@{
  ConstantPad3dImpl(ExpandingArray<6> padding, double value)
      : ConstantPad3dImpl(ConstantPad3dOptions(padding, value)) {}
  explicit ConstantPad3dImpl(const ConstantPad3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Pads (..., D, H, W) with the value. Throws Error for fewer than 3 dimensions.
  Tensor forward(const Tensor& input);
  ConstantPad3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(ConstantPad3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
