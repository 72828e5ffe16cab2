#include <taper/nn/modules/conv.h>

#include <ostream>

#include <taper/nn/functional/conv_padding.h>
#include <taper/nn/functional/padding.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

namespace {

/// Returns whether all D numbers equal `value`.
template <size_t D>
bool all(const ExpandingArray<D>& a, int64_t value) {
  for (int64_t v : *a)
    if (v != value) return false;
  return true;
}

template <size_t D>
void check_options(const detail::ConvNdOptions<D>& o) {
  const char* name = o.transposed() ? "ConvTranspose" : "Conv";
  TAPER_CHECK(o.in_channels() > 0 && o.groups() > 0 && o.out_channels() > 0, name, D,
              "d: in_channels, groups and out_channels must be a positive integer. Got ",
              o.in_channels(), ", ", o.groups(), " and ", o.out_channels());
  TAPER_CHECK(o.in_channels() % o.groups() == 0, name, D,
              "d: in_channels must be divisible by groups, got ", o.in_channels(), " and ",
              o.groups());
  TAPER_CHECK(o.out_channels() % o.groups() == 0, name, D,
              "d: out_channels must be divisible by groups, got ", o.out_channels(), " and ",
              o.groups());
  TAPER_CHECK(!std::get_if<enumtype::kSame>(&o.padding()) || all(o.stride(), 1), name, D,
              "d: padding='same' is not supported for strided convolutions, got stride ",
              o.stride());
}

/// Returns the padding before and after each spatial dimension, the last dimension first, which is
/// the order of functional::pad.
template <size_t D>
std::vector<int64_t> border(const detail::ConvNdOptions<D>& o) {
  std::vector<int64_t> r(2 * D, 0);
  const auto* numbers = std::get_if<ExpandingArray<D>>(&o.padding());
  const bool same = std::get_if<enumtype::kSame>(&o.padding());
  for (size_t d = 0; d < D; ++d) {
    int64_t* pair = &r[2 * (D - 1 - d)];
    const int64_t total = (*o.dilation())[d] * ((*o.kernel_size())[d] - 1);
    pair[0] = numbers ? (**numbers)[d] : same ? total / 2 : 0;
    pair[1] = numbers ? pair[0] : same ? total - total / 2 : 0;
  }
  return r;
}

functional::PadFuncOptions::mode_t pad_mode(const detail::conv_padding_mode_t& mode) {
  if (holds_alternative<enumtype::kReflect>(mode)) return kReflect;
  if (holds_alternative<enumtype::kReplicate>(mode)) return kReplicate;
  return kCircular;
}

template <size_t D>
void print_padding(std::ostream& stream, const detail::conv_padding_t<D>& padding) {
  if (const auto* numbers = std::get_if<ExpandingArray<D>>(&padding)) {
    if (!all(*numbers, 0)) stream << ", padding=" << *numbers;
  } else {
    stream << ", padding=" << (std::get_if<enumtype::kSame>(&padding) ? "'same'" : "'valid'");
  }
}

template <size_t D>
detail::ConvNdOptions<D> to_nd(const ConvTransposeOptions<D>& o) {
  return detail::ConvNdOptions<D>(o.in_channels(), o.out_channels(), o.kernel_size())
      .stride(o.stride())
      .padding(detail::conv_padding_t<D>(o.padding()))
      .dilation(o.dilation())
      .transposed(true)
      .output_padding(o.output_padding())
      .groups(o.groups())
      .bias(o.bias())
      .padding_mode(o.padding_mode());
}

}  // namespace

template <size_t D, class Derived>
ConvNdImpl<D, Derived>::ConvNdImpl(const detail::ConvNdOptions<D>& options_) : options(options_) {
  ConvNdImpl::reset();
}

template <size_t D, class Derived>
void ConvNdImpl<D, Derived>::reset() {
  check_options(options);
  const int64_t in = options.in_channels(), out = options.out_channels(), g = options.groups();
  std::vector<int64_t> sizes =
      options.transposed() ? std::vector<int64_t>{in, out / g} : std::vector<int64_t>{out, in / g};
  sizes.insert(sizes.end(), options.kernel_size()->begin(), options.kernel_size()->end());
  weight = this->register_parameter("weight", taper::empty(sizes));
  bias = detail::register_optional(*this, "bias", {out}, options.bias());
  reset_parameters();
}

template <size_t D, class Derived>
void ConvNdImpl<D, Derived>::reset_parameters() {
  detail::reset_by_fan_in(weight, bias);
}

template <size_t D, class Derived>
void ConvNdImpl<D, Derived>::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Conv" << (options.transposed() ? "Transpose" : "") << D << "d("
         << options.in_channels() << ", " << options.out_channels()
         << ", kernel_size=" << options.kernel_size() << ", stride=" << options.stride();
  print_padding<D>(stream, options.padding());
  if (!all(options.dilation(), 1)) stream << ", dilation=" << options.dilation();
  if (!all(options.output_padding(), 0)) stream << ", output_padding=" << options.output_padding();
  if (options.groups() != 1) stream << ", groups=" << options.groups();
  if (!options.bias()) stream << ", bias=false";
  if (!pads_with_zeros())
    stream << ", padding_mode=" << enumtype::get_enum_name(options.padding_mode());
  stream << ")";
}

template <size_t D, class Derived>
Tensor ConvNdImpl<D, Derived>::with_border(const Tensor& input) const {
  return functional::pad(
      input, functional::PadFuncOptions(border(options)).mode(pad_mode(options.padding_mode())));
}

template <size_t D, class Derived>
ExpandingArray<D> ConvNdImpl<D, Derived>::output_padding_for(
    const Tensor& input, const optional<IntArrayRef>& output_size) const {
  if (!output_size) return options.output_padding();
  const size_t given = output_size->size();
  TAPER_CHECK(given == D || given == D + 2, "output_size must have ", D, " or ", D + 2,
              " elements (got ", given, ")");
  const auto& padding = *std::get<ExpandingArray<D>>(options.padding());
  ExpandingArray<D> extra(0);
  for (size_t d = 0; d < D; ++d) {
    const auto from_end = static_cast<int64_t>(d) - static_cast<int64_t>(D);
    const int64_t stride = (*options.stride())[d];
    const int64_t least = (input.size(from_end) - 1) * stride - 2 * padding[d] +
                          (*options.dilation())[d] * ((*options.kernel_size())[d] - 1) + 1;
    (*extra)[d] = (*output_size)[given - D + d] - least;
    TAPER_CHECK((*extra)[d] >= 0 && (*extra)[d] < stride, "requested an output size of ",
                *output_size, ", but valid sizes of dimension ", d, " range from ", least, " to ",
                least + stride - 1, " (for an input of ", input.sizes(), ")");
  }
  return extra;
}

#define TAPER_DEFINE_CONV(D)                                                                     \
  template class ConvNdImpl<D, Conv##D##dImpl>;                                                  \
  TAPER_DEFINE_LIBRARY_MODULE(Conv##D##d);                                                       \
  Conv##D##dImpl::Conv##D##dImpl(const Conv##D##dOptions& options_) : ConvNdImpl(options_) {}    \
  Tensor Conv##D##dImpl::forward(const Tensor& input) {                                          \
    return detail::in_module(*this, [&] {                                                        \
      if (!pads_with_zeros())                                                                    \
        return conv##D##d(with_border(input), weight, bias, options.stride(),                    \
                          ExpandingArray<D>(0), options.dilation(), options.groups());           \
      return functional::detail::with_padding<D>(options.padding(), [&](const auto& padding) {   \
        return conv##D##d(input, weight, bias, options.stride(), padding, options.dilation(),    \
                          options.groups());                                                     \
      });                                                                                        \
    });                                                                                          \
  }                                                                                              \
                                                                                                 \
  template class ConvNdImpl<D, ConvTranspose##D##dImpl>;                                         \
  TAPER_DEFINE_LIBRARY_MODULE(ConvTranspose##D##d);                                              \
  TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(ConvTranspose##D##d, {1, AnyValue(optional<IntArrayRef>())}) \
  ConvTranspose##D##dImpl::ConvTranspose##D##dImpl(const ConvTranspose##D##dOptions& options_)   \
      : ConvNdImpl(to_nd(options_)) {}                                                           \
  Tensor ConvTranspose##D##dImpl::forward(const Tensor& input,                                   \
                                          const optional<IntArrayRef>& output_size) {            \
    TAPER_CHECK(pads_with_zeros(),                                                               \
                "Only `zeros` padding mode is supported for ConvTranspose" #D "d");              \
    return detail::in_module(*this, [&] {                                                        \
      return conv_transpose##D##d(                                                               \
          input, weight, bias, options.stride(), std::get<ExpandingArray<D>>(options.padding()), \
          output_padding_for(input, output_size), options.groups(), options.dilation());         \
    });                                                                                          \
  }
TAPER_DEFINE_CONV(1)
TAPER_DEFINE_CONV(2)
TAPER_DEFINE_CONV(3)

}  // namespace torch::taper::nn
