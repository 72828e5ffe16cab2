// Pooling modules; shapes and errors are in functional/pooling.h.
#pragma once

#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/pooling.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// Means over windows of (N, C, L).
class AvgPool1dImpl : public Cloneable<AvgPool1dImpl> {
 public:
  AvgPool1dImpl(ExpandingArray<1> size) : AvgPool1dImpl(AvgPool1dOptions(size)) {}
  explicit AvgPool1dImpl(const AvgPool1dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  AvgPool1dOptions options;
};
TAPER_LIBRARY_MODULE(AvgPool1d);

/// Means over windows of (N, C, H, W).
class AvgPool2dImpl : public Cloneable<AvgPool2dImpl> {
 public:
  AvgPool2dImpl(ExpandingArray<2> size) : AvgPool2dImpl(AvgPool2dOptions(size)) {}
  explicit AvgPool2dImpl(const AvgPool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  AvgPool2dOptions options;
};
TAPER_LIBRARY_MODULE(AvgPool2d);

/// Means over windows of (N, C, D, H, W).
class AvgPool3dImpl : public Cloneable<AvgPool3dImpl> {
 public:
  AvgPool3dImpl(ExpandingArray<3> size) : AvgPool3dImpl(AvgPool3dOptions(size)) {}
  explicit AvgPool3dImpl(const AvgPool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  AvgPool3dOptions options;
};
TAPER_LIBRARY_MODULE(AvgPool3d);

/// Maxima over windows of (N, C, L); forward_with_indices() tells their places, too.
class MaxPool1dImpl : public Cloneable<MaxPool1dImpl> {
 public:
  MaxPool1dImpl(ExpandingArray<1> size) : MaxPool1dImpl(MaxPool1dOptions(size)) {}
  explicit MaxPool1dImpl(const MaxPool1dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool1dOptions options;
};
TAPER_LIBRARY_MODULE(MaxPool1d);

/// Maxima over windows of (N, C, H, W); forward_with_indices() tells their places, too.
class MaxPool2dImpl : public Cloneable<MaxPool2dImpl> {
 public:
  MaxPool2dImpl(ExpandingArray<2> size) : MaxPool2dImpl(MaxPool2dOptions(size)) {}
  explicit MaxPool2dImpl(const MaxPool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool2dOptions options;
};
TAPER_LIBRARY_MODULE(MaxPool2d);

/// Maxima over windows of (N, C, D, H, W); forward_with_indices() tells their places, too.
class MaxPool3dImpl : public Cloneable<MaxPool3dImpl> {
 public:
  MaxPool3dImpl(ExpandingArray<3> size) : MaxPool3dImpl(MaxPool3dOptions(size)) {}
  explicit MaxPool3dImpl(const MaxPool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool3dOptions options;
};
TAPER_LIBRARY_MODULE(MaxPool3d);

/// Means over windows that give (N, C, L) a spatial size.
class AdaptiveAvgPool1dImpl : public Cloneable<AdaptiveAvgPool1dImpl> {
 public:
  AdaptiveAvgPool1dImpl(ExpandingArray<1> size)
      : AdaptiveAvgPool1dImpl(AdaptiveAvgPool1dOptions(size)) {}
  explicit AdaptiveAvgPool1dImpl(const AdaptiveAvgPool1dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool1dOptions options;
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool1d);

/// Means over windows that give (N, C, H, W) a spatial size.
class AdaptiveAvgPool2dImpl : public Cloneable<AdaptiveAvgPool2dImpl> {
 public:
  AdaptiveAvgPool2dImpl(ExpandingArrayWithOptionalElem<2> size)
      : AdaptiveAvgPool2dImpl(AdaptiveAvgPool2dOptions(size)) {}
  explicit AdaptiveAvgPool2dImpl(const AdaptiveAvgPool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool2dOptions options;
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool2d);

/// Means over windows that give (N, C, D, H, W) a spatial size.
class AdaptiveAvgPool3dImpl : public Cloneable<AdaptiveAvgPool3dImpl> {
 public:
  AdaptiveAvgPool3dImpl(ExpandingArrayWithOptionalElem<3> size)
      : AdaptiveAvgPool3dImpl(AdaptiveAvgPool3dOptions(size)) {}
  explicit AdaptiveAvgPool3dImpl(const AdaptiveAvgPool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool3dOptions options;
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool3d);

/// Maxima over windows that give (N, C, L) a spatial size.
class AdaptiveMaxPool1dImpl : public Cloneable<AdaptiveMaxPool1dImpl> {
 public:
  AdaptiveMaxPool1dImpl(ExpandingArray<1> size)
      : AdaptiveMaxPool1dImpl(AdaptiveMaxPool1dOptions(size)) {}
  explicit AdaptiveMaxPool1dImpl(const AdaptiveMaxPool1dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool1dOptions options;
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool1d);

/// Maxima over windows that give (N, C, H, W) a spatial size.
class AdaptiveMaxPool2dImpl : public Cloneable<AdaptiveMaxPool2dImpl> {
 public:
  AdaptiveMaxPool2dImpl(ExpandingArrayWithOptionalElem<2> size)
      : AdaptiveMaxPool2dImpl(AdaptiveMaxPool2dOptions(size)) {}
  explicit AdaptiveMaxPool2dImpl(const AdaptiveMaxPool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool2dOptions options;
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool2d);

/// Maxima over windows that give (N, C, D, H, W) a spatial size.
class AdaptiveMaxPool3dImpl : public Cloneable<AdaptiveMaxPool3dImpl> {
 public:
  AdaptiveMaxPool3dImpl(ExpandingArrayWithOptionalElem<3> size)
      : AdaptiveMaxPool3dImpl(AdaptiveMaxPool3dOptions(size)) {}
  explicit AdaptiveMaxPool3dImpl(const AdaptiveMaxPool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool3dOptions options;
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool3d);

/// Maxima of windows at places that `_random_samples` (a buffer where the options give it, else
/// drawn in every call) choose. Throws Error unless one of output_size and output_ratio is given,
/// and where a ratio is not between 0 and 1.
class FractionalMaxPool2dImpl : public Cloneable<FractionalMaxPool2dImpl> {
 public:
  FractionalMaxPool2dImpl(ExpandingArray<2> size)
      : FractionalMaxPool2dImpl(FractionalMaxPool2dOptions(size)) {}
  explicit FractionalMaxPool2dImpl(const FractionalMaxPool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  FractionalMaxPool2dOptions options;
  Tensor _random_samples;
};
TAPER_LIBRARY_MODULE(FractionalMaxPool2d);

/// FractionalMaxPool2d of three spatial dimensions.
class FractionalMaxPool3dImpl : public Cloneable<FractionalMaxPool3dImpl> {
 public:
  FractionalMaxPool3dImpl(ExpandingArray<3> size)
      : FractionalMaxPool3dImpl(FractionalMaxPool3dOptions(size)) {}
  explicit FractionalMaxPool3dImpl(const FractionalMaxPool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  FractionalMaxPool3dOptions options;
  Tensor _random_samples;
};
TAPER_LIBRARY_MODULE(FractionalMaxPool3d);

/// The p-norm over windows of (N, C, L).
class LPPool1dImpl : public Cloneable<LPPool1dImpl> {
 public:
  LPPool1dImpl(double norm_type, ExpandingArray<1> size)
      : LPPool1dImpl(LPPool1dOptions(norm_type, size)) {}
  explicit LPPool1dImpl(const LPPool1dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  LPPool1dOptions options;
};
TAPER_LIBRARY_MODULE(LPPool1d);

/// The p-norm over windows of (N, C, H, W).
class LPPool2dImpl : public Cloneable<LPPool2dImpl> {
 public:
  LPPool2dImpl(double norm_type, ExpandingArray<2> size)
      : LPPool2dImpl(LPPool2dOptions(norm_type, size)) {}
  explicit LPPool2dImpl(const LPPool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  LPPool2dOptions options;
};
TAPER_LIBRARY_MODULE(LPPool2d);

/// The p-norm over windows of (N, C, D, H, W).
class LPPool3dImpl : public Cloneable<LPPool3dImpl> {
 public:
  LPPool3dImpl(double norm_type, ExpandingArray<3> size)
      : LPPool3dImpl(LPPool3dOptions(norm_type, size)) {}
  explicit LPPool3dImpl(const LPPool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);
  LPPool3dOptions options;
};
TAPER_LIBRARY_MODULE(LPPool3d);

/// The inverse of MaxPool1d: takes maxima and their places, and the size to unpool to.
class MaxUnpool1dImpl : public Cloneable<MaxUnpool1dImpl> {
 public:
  MaxUnpool1dImpl(ExpandingArray<1> kernel_size)
      : MaxUnpool1dImpl(MaxUnpool1dOptions(kernel_size)) {}
  explicit MaxUnpool1dImpl(const MaxUnpool1dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool1dOptions options;

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool1d);

/// The inverse of MaxPool2d: takes maxima and their places, and the size to unpool to.
class MaxUnpool2dImpl : public Cloneable<MaxUnpool2dImpl> {
 public:
  MaxUnpool2dImpl(ExpandingArray<2> kernel_size)
      : MaxUnpool2dImpl(MaxUnpool2dOptions(kernel_size)) {}
  explicit MaxUnpool2dImpl(const MaxUnpool2dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool2dOptions options;

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool2d);

/// The inverse of MaxPool3d: takes maxima and their places, and the size to unpool to.
class MaxUnpool3dImpl : public Cloneable<MaxUnpool3dImpl> {
 public:
  MaxUnpool3dImpl(ExpandingArray<3> kernel_size)
      : MaxUnpool3dImpl(MaxUnpool3dOptions(kernel_size)) {}
  explicit MaxUnpool3dImpl(const MaxUnpool3dOptions& options_);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool3dOptions options;

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool3d);

}  // namespace taper::nn

#pragma GCC visibility pop
