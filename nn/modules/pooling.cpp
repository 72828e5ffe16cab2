#include <taper/nn/modules/pooling.h>

#include <ostream>

#include <taper/nn/functional/pooling.h>

namespace torch::taper::nn {

namespace F = functional;

#define TAPER_DEFINE_POOL(Name, function, ...)                                            \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                      \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}            \
  void Name##Impl::reset() {}                                                             \
  Tensor Name##Impl::forward(const Tensor& input) { return F::function(input, options); } \
  void Name##Impl::pretty_print(std::ostream& stream) const {                             \
    stream << "torch::nn::" #Name "(" << __VA_ARGS__ << ")";                              \
  }
#define TAPER_DEFINE_WITH_INDICES(Name, function)                                    \
  std::tuple<Tensor, Tensor> Name##Impl::forward_with_indices(const Tensor& input) { \
    return F::function(input, options);                                              \
  }

#define TAPER_AVG_TEXT                                                       \
  "kernel_size=" << options.kernel_size() << ", stride=" << options.stride() \
                 << ", padding=" << options.padding()
#define TAPER_MAX_TEXT                                  \
  TAPER_AVG_TEXT << ", dilation=" << options.dilation() \
                 << ", ceil_mode=" << detail::text_of(options.ceil_mode())
#define TAPER_ADAPTIVE_TEXT "output_size=" << options.output_size()

TAPER_DEFINE_POOL(AvgPool1d, avg_pool1d, TAPER_AVG_TEXT)
TAPER_DEFINE_POOL(AvgPool2d, avg_pool2d, TAPER_AVG_TEXT)
TAPER_DEFINE_POOL(AvgPool3d, avg_pool3d, TAPER_AVG_TEXT)
TAPER_DEFINE_POOL(MaxPool1d, max_pool1d, TAPER_MAX_TEXT)
TAPER_DEFINE_POOL(MaxPool2d, max_pool2d, TAPER_MAX_TEXT)
TAPER_DEFINE_POOL(MaxPool3d, max_pool3d, TAPER_MAX_TEXT)
TAPER_DEFINE_POOL(AdaptiveAvgPool1d, adaptive_avg_pool1d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveAvgPool2d, adaptive_avg_pool2d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveAvgPool3d, adaptive_avg_pool3d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveMaxPool1d, adaptive_max_pool1d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveMaxPool2d, adaptive_max_pool2d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_POOL(AdaptiveMaxPool3d, adaptive_max_pool3d, TAPER_ADAPTIVE_TEXT)
TAPER_DEFINE_WITH_INDICES(MaxPool1d, max_pool1d_with_indices)
TAPER_DEFINE_WITH_INDICES(MaxPool2d, max_pool2d_with_indices)
TAPER_DEFINE_WITH_INDICES(MaxPool3d, max_pool3d_with_indices)
TAPER_DEFINE_WITH_INDICES(AdaptiveMaxPool1d, adaptive_max_pool1d_with_indices)
TAPER_DEFINE_WITH_INDICES(AdaptiveMaxPool2d, adaptive_max_pool2d_with_indices)
TAPER_DEFINE_WITH_INDICES(AdaptiveMaxPool3d, adaptive_max_pool3d_with_indices)

namespace {

template <class Options>
void check_fractional(const char* name, const Options& o) {
  TAPER_CHECK(o.output_size() || o.output_ratio(), name,
              " requires specifying either an output size, or a pooling ratio");
  TAPER_CHECK(!o.output_size() || !o.output_ratio(),
              "only one of output_size and output_ratio may be specified");
  if (!o.output_ratio()) return;
  for (double ratio : **o.output_ratio())
    TAPER_CHECK(0 < ratio && ratio < 1, "output_ratio must be between 0 and 1 (got ",
                *o.output_ratio(), ")");
}

}  // namespace

// The options of a clone share the samples, so the buffer is a separate tensor.
#define TAPER_DEFINE_FRACTIONAL(Name, function)                                         \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                    \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {           \
    Name##Impl::reset();                                                                \
  }                                                                                     \
  void Name##Impl::reset() {                                                            \
    check_fractional(#Name, options);                                                   \
    const Tensor& given = options._random_samples();                                    \
    _random_samples =                                                                   \
        register_buffer("_random_samples", given.defined() ? given.detach() : given);   \
  }                                                                                     \
  Tensor Name##Impl::forward(const Tensor& input) {                                     \
    return std::get<0>(forward_with_indices(input));                                    \
  }                                                                                     \
  std::tuple<Tensor, Tensor> Name##Impl::forward_with_indices(const Tensor& input) {    \
    return F::function(input, Name##Options(options)._random_samples(_random_samples)); \
  }                                                                                     \
  void Name##Impl::pretty_print(std::ostream& stream) const { stream << "torch::nn::" #Name "()"; }
TAPER_DEFINE_FRACTIONAL(FractionalMaxPool2d, fractional_max_pool2d_with_indices)
TAPER_DEFINE_FRACTIONAL(FractionalMaxPool3d, fractional_max_pool3d_with_indices)

#define TAPER_LP_TEXT                                                              \
  "norm_type=" << options.norm_type() << ", kernel_size=" << options.kernel_size() \
               << ", stride=" << options.stride()                                  \
               << ", ceil_mode=" << detail::text_of(options.ceil_mode())
TAPER_DEFINE_POOL(LPPool1d, lp_pool1d, TAPER_LP_TEXT)
TAPER_DEFINE_POOL(LPPool2d, lp_pool2d, TAPER_LP_TEXT)
TAPER_DEFINE_POOL(LPPool3d, lp_pool3d, TAPER_LP_TEXT)

#define TAPER_DEFINE_UNPOOL(Name, function)                                                \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                       \
  TAPER_DEFINE_LIBRARY_DEFAULT_ARGS(Name, {2, AnyValue(optional<std::vector<int64_t>>())}) \
  Name##Impl::Name##Impl(const Name##Options& options_) : options(options_) {}             \
  void Name##Impl::reset() {}                                                              \
  void Name##Impl::pretty_print(std::ostream& stream) const {                              \
    stream << "torch::nn::" #Name "(" << TAPER_AVG_TEXT << ")";                            \
  }                                                                                        \
  Tensor Name##Impl::forward(const Tensor& input, const Tensor& indices,                   \
                             const optional<std::vector<int64_t>>& output_size) {          \
    return F::function(input, indices,                                                     \
                       F::Name##FuncOptions(options.kernel_size())                         \
                           .stride(options.stride())                                       \
                           .padding(options.padding())                                     \
                           .output_size(output_size));                                     \
  }
TAPER_DEFINE_UNPOOL(MaxUnpool1d, max_unpool1d)
TAPER_DEFINE_UNPOOL(MaxUnpool2d, max_unpool2d)
TAPER_DEFINE_UNPOOL(MaxUnpool3d, max_unpool3d)

}  // namespace torch::taper::nn
