// Convolutions: Conv1d to Conv3d, ConvTranspose1d to ConvTranspose3d. Shapes are in
// ops/spatial/conv.h.
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/conv.h>

#pragma GCC visibility push(default)

namespace taper::nn {

/// What the convolutions share. The weight is (out_channels, in_channels / groups, kernel...),
/// transposed (in_channels, out_channels / groups, kernel...), the bias (out_channels). Both start
/// uniform in +-1/sqrt(weight.size(1) * kernel elements).
template <size_t D, class Derived>
class ConvNdImpl : public Cloneable<Derived> {
 public:
  /// Throws unless in_channels and out_channels are divisible by groups, and for kSame with a
  /// stride.
  explicit ConvNdImpl(const detail::ConvNdOptions<D>& options_);

  void reset() override;
  /// Draws new values: first the weight's, then the bias's.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  detail::ConvNdOptions<D> options;
  Tensor weight;
  Tensor bias;

 protected:
  /// The input with a border of its own values, for the padding modes other than zeros.
  Tensor with_border(const Tensor& input) const;
  bool pads_with_zeros() const { return options.padding_mode().index() == 0; }
  /// The output padding that makes a transposed convolution's output of the given size, which may
  /// have the dimensions of batch and channels in front. Throws when the stride does not allow it.
  ExpandingArray<D> output_padding_for(const Tensor& input,
                                       const optional<IntArrayRef>& output_size) const;
};

#define TAPER_CONV(D)                                                                        \
  class Conv##D##dImpl : public ConvNdImpl<D, Conv##D##dImpl> {                              \
   public:                                                                                   \
    Conv##D##dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size) \
        : Conv##D##dImpl(Conv##D##dOptions(in_channels, out_channels, kernel_size)) {}       \
    explicit Conv##D##dImpl(const Conv##D##dOptions& options_);                              \
    Tensor forward(const Tensor& input);                                                     \
  };                                                                                         \
  extern template class ConvNdImpl<D, Conv##D##dImpl>;                                       \
  TAPER_LIBRARY_MODULE(Conv##D##d);                                                          \
                                                                                             \
  class ConvTranspose##D##dImpl : public ConvNdImpl<D, ConvTranspose##D##dImpl> {            \
   public:                                                                                   \
    ConvTranspose##D##dImpl(int64_t in_channels, int64_t out_channels,                       \
                            ExpandingArray<D> kernel_size)                                   \
        : ConvTranspose##D                                                                   \
          ##dImpl(ConvTranspose##D##dOptions(in_channels, out_channels, kernel_size)) {}     \
    explicit ConvTranspose##D##dImpl(const ConvTranspose##D##dOptions& options_);            \
    Tensor forward(const Tensor& input, const optional<IntArrayRef>& output_size = nullopt); \
                                                                                             \
   protected:                                                                                \
    TAPER_LIBRARY_DEFAULT_ARGS();                                                            \
  };                                                                                         \
  extern template class ConvNdImpl<D, ConvTranspose##D##dImpl>;                              \
  TAPER_LIBRARY_MODULE(ConvTranspose##D##d)

TAPER_CONV(1);
TAPER_CONV(2);
TAPER_CONV(3);

#undef TAPER_CONV

}  // namespace taper::nn

#pragma GCC visibility pop
