#include <taper/nn/modules/batchnorm.h>

#include <ostream>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/functional/batchnorm.h>
#include <taper/nn/init.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

namespace {

void check_batch_norm_dims(int64_t spatial, const Tensor& input) {
  const int64_t dim = input.dim();
  if (spatial == 1)
    TAPER_CHECK(dim == 2 || dim == 3, "BatchNorm1d: expected 2D or 3D input (got ", dim,
                "D input)");
  else
    TAPER_CHECK(dim == spatial + 2, "BatchNorm", spatial, "d: expected ", spatial + 2,
                "D input (got ", dim, "D input)");
}

void check_instance_norm_dims(int64_t spatial, const Tensor& input) {
  const int64_t dim = input.dim();
  TAPER_CHECK(dim == spatial + 1 || dim == spatial + 2, "InstanceNorm", spatial, "d: expected ",
              spatial + 1, "D or ", spatial + 2, "D input (got ", dim, "D input)");
}

void print_momentum(std::ostream& stream, const optional<double>& momentum) {
  if (momentum)
    stream << *momentum;
  else
    stream << "None";
}

const char* family(const BatchNormOptions&) { return "BatchNorm"; }
const char* family(const InstanceNormOptions&) { return "InstanceNorm"; }

}  // namespace

template <class Derived, class Options>
NormImplBase<Derived, Options>::NormImplBase(const Options& options_) : options(options_) {
  NormImplBase::reset();
}

template <class Derived, class Options>
void NormImplBase<Derived, Options>::reset() {
  const int64_t n = options.num_features();
  const bool affine = options.affine(), tracked = options.track_running_stats();
  weight = detail::register_optional(*this, "weight", {n}, affine);
  bias = detail::register_optional(*this, "bias", {n}, affine);
  running_mean = this->register_buffer("running_mean", tracked ? zeros({n}) : Tensor());
  running_var = this->register_buffer("running_var", tracked ? ones({n}) : Tensor());
  num_batches_tracked =
      this->register_buffer("num_batches_tracked", tracked ? zeros({}, kLong) : Tensor());
  reset_parameters();
}

template <class Derived, class Options>
void NormImplBase<Derived, Options>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  init::zeros_(running_mean);
  init::ones_(running_var);
  init::zeros_(num_batches_tracked);
}

template <class Derived, class Options>
void NormImplBase<Derived, Options>::reset_parameters() {
  reset_running_stats();
  detail::reset_affine(weight, bias);
}

template <class Derived, class Options>
void NormImplBase<Derived, Options>::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::" << family(options) << Derived::kSpatialDims << "d("
         << options.num_features() << ", eps=" << options.eps() << ", momentum=";
  print_momentum(stream, options.momentum());
  stream << ", affine=" << detail::text_of(options.affine())
         << ", track_running_stats=" << detail::text_of(options.track_running_stats()) << ")";
}

namespace {

/// Returns the weight of this batch in the running statistics. Without a momentum, they are
/// cumulative averages.
double weight_of_batch(const BatchNormOptions& options, const Tensor& batches_before, bool counts) {
  if (options.momentum()) return *options.momentum();
  return counts ? 1.0 / (batches_before.item().toDouble() + 1) : 0.0;
}

void count_batch(Tensor& batches) {
  NoGradGuard no_grad;
  batches.add_(1);
}

}  // namespace

#define TAPER_DEFINE_BATCH_NORM(Name)                                                       \
  template class NormImplBase<Name##Impl, BatchNormOptions>;                                \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                        \
  Name##Impl::Name##Impl(const BatchNormOptions& options_) : NormImplBase(options_) {}      \
  Tensor Name##Impl::forward(const Tensor& input) {                                         \
    return detail::in_module(*this, [&] {                                                   \
      check_batch_norm_dims(kSpatialDims, input);                                           \
      const bool counts = is_training() && num_batches_tracked.defined();                   \
      const auto how = functional::BatchNormFuncOptions()                                   \
                           .weight(weight)                                                  \
                           .bias(bias)                                                      \
                           .training(uses_input_stats())                                    \
                           .momentum(weight_of_batch(options, num_batches_tracked, counts)) \
                           .eps(options.eps());                                             \
      const Tensor y = is_training() && training_norm                                       \
                           ? training_norm(input, running_mean, running_var, how)           \
                           : functional::batch_norm(input, running_mean, running_var, how); \
      if (counts) count_batch(num_batches_tracked);                                         \
      return y;                                                                             \
    });                                                                                     \
  }
TAPER_DEFINE_BATCH_NORM(BatchNorm1d)
TAPER_DEFINE_BATCH_NORM(BatchNorm2d)
TAPER_DEFINE_BATCH_NORM(BatchNorm3d)

#define TAPER_DEFINE_INSTANCE_NORM(Name)                                                  \
  template class NormImplBase<Name##Impl, InstanceNormOptions>;                           \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                      \
  Name##Impl::Name##Impl(const InstanceNormOptions& options_) : NormImplBase(options_) {} \
  Tensor Name##Impl::forward(const Tensor& input) {                                       \
    check_instance_norm_dims(kSpatialDims, input);                                        \
    const bool batched = input.dim() == kSpatialDims + 2;                                 \
    const Tensor y = functional::instance_norm(batched ? input : input.unsqueeze(0),      \
                                               functional::InstanceNormFuncOptions()      \
                                                   .running_mean(running_mean)            \
                                                   .running_var(running_var)              \
                                                   .weight(weight)                        \
                                                   .bias(bias)                            \
                                                   .use_input_stats(uses_input_stats())   \
                                                   .momentum(options.momentum())          \
                                                   .eps(options.eps()));                  \
    return batched ? y : y.squeeze(0);                                                    \
  }
TAPER_DEFINE_INSTANCE_NORM(InstanceNorm1d)
TAPER_DEFINE_INSTANCE_NORM(InstanceNorm2d)
TAPER_DEFINE_INSTANCE_NORM(InstanceNorm3d)

}  // namespace torch::taper::nn
