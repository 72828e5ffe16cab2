// Linear layers, dropout and distances.
#include <taper/nn/modules/linear.h>

#include <cmath>
#include <ostream>

#include <taper/nn/functional/distance.h>
#include <taper/nn/functional/dropout.h>
#include <taper/nn/functional/linear.h>
#include <taper/nn/init.h>
#include <taper/nn/modules/distance.h>
#include <taper/nn/modules/dropout.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn {

using detail::text_of;

// ---------------------------------------------------------------------- Linear
TAPER_DEFINE_LIBRARY_MODULE(Linear);

LinearImpl::LinearImpl(const LinearOptions& options_) : options(options_) { LinearImpl::reset(); }

void LinearImpl::reset() {
  weight = register_parameter("weight", empty({options.out_features(), options.in_features()}));
  bias = detail::register_optional(*this, "bias", {options.out_features()}, options.bias());
  reset_parameters();
}

void LinearImpl::reset_parameters() { detail::reset_by_fan_in(weight, bias); }

void LinearImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Linear(in_features=" << options.in_features()
         << ", out_features=" << options.out_features() << ", bias=" << text_of(options.bias())
         << ")";
}

Tensor LinearImpl::forward(const Tensor& input) {
  return detail::in_module(*this, [&] { return linear(input, weight, bias); });
}

// ---------------------------------------------------------------------- Bilinear
TAPER_DEFINE_LIBRARY_MODULE(Bilinear);

BilinearImpl::BilinearImpl(const BilinearOptions& options_) : options(options_) {
  BilinearImpl::reset();
}

void BilinearImpl::reset() {
  weight = register_parameter(
      "weight", empty({options.out_features(), options.in1_features(), options.in2_features()}));
  bias = detail::register_optional(*this, "bias", {options.out_features()}, options.bias());
  reset_parameters();
}

void BilinearImpl::reset_parameters() {
  const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}

void BilinearImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Bilinear(in1_features=" << options.in1_features()
         << ", in2_features=" << options.in2_features()
         << ", out_features=" << options.out_features() << ", bias=" << text_of(options.bias())
         << ")";
}

Tensor BilinearImpl::forward(const Tensor& input1, const Tensor& input2) {
  return detail::in_module(*this,
                           [&] { return functional::bilinear(input1, input2, weight, bias); });
}

// ---------------------------------------------------------------------- Identity
TAPER_DEFINE_LIBRARY_MODULE(Identity);

void IdentityImpl::reset() {}
void IdentityImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::Identity()"; }
Tensor IdentityImpl::forward(const Tensor& input) { return input; }

// ---------------------------------------------------------------------- Flatten
TAPER_DEFINE_LIBRARY_MODULE(Flatten);

FlattenImpl::FlattenImpl(const FlattenOptions& options_) : options(options_) {}
void FlattenImpl::reset() {}
void FlattenImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Flatten(start_dim=" << options.start_dim()
         << ", end_dim=" << options.end_dim() << ")";
}
Tensor FlattenImpl::forward(const Tensor& input) {
  return input.flatten(options.start_dim(), options.end_dim());
}

// ---------------------------------------------------------------------- Unflatten
TAPER_DEFINE_LIBRARY_MODULE(Unflatten);

UnflattenOptions::UnflattenOptions(const std::string& dimname, const namedshape_t& namedshape) {
  throw NotImplementedError(taper::detail::concat(
      "UnflattenOptions: expected the number of a dimension and sizes, got the name '", dimname,
      "' and ", namedshape.size(),
      " named sizes; Taper's dimensions have no names: give UnflattenOptions(dim, {sizes})"));
}

UnflattenImpl::UnflattenImpl(UnflattenOptions options_) : options(std::move(options_)) {}
void UnflattenImpl::reset() {}
void UnflattenImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Unflatten(dim=" << options.dim() << ", unflattened_size={";
  for (size_t i = 0; i < options.sizes().size(); ++i)
    stream << (i > 0 ? ", " : "") << options.sizes()[i];
  stream << "})";
}
Tensor UnflattenImpl::forward(const Tensor& input) {
  return input.unflatten(options.dim(), options.sizes());
}

}  // namespace torch::taper::nn

namespace torch::taper::nn {

namespace F = functional;

#define TAPER_DEFINE_DROPOUT(Name, function, FuncOptions)                                        \
  TAPER_DEFINE_LIBRARY_MODULE(Name);                                                             \
  Name##Impl::Name##Impl(const DropoutOptions& options_) : options(options_) {                   \
    Name##Impl::reset();                                                                         \
  }                                                                                              \
  void Name##Impl::reset() {                                                                     \
    TAPER_CHECK(options.p() >= 0 && options.p() <= 1,                                            \
                #Name ": dropout probability has to be between 0 and 1, but got ", options.p()); \
  }                                                                                              \
  void Name##Impl::pretty_print(std::ostream& stream) const {                                    \
    stream << "torch::nn::" #Name "(p=" << options.p()                                           \
           << ", inplace=" << detail::text_of(options.inplace()) << ")";                         \
  }                                                                                              \
  Tensor Name##Impl::forward(Tensor input) {                                                     \
    return F::function(                                                                          \
        std::move(input),                                                                        \
        F::FuncOptions().p(options.p()).training(is_training()).inplace(options.inplace()));     \
  }

TAPER_DEFINE_DROPOUT(Dropout, dropout, DropoutFuncOptions)
TAPER_DEFINE_DROPOUT(Dropout2d, dropout2d, DropoutFuncOptions)
TAPER_DEFINE_DROPOUT(Dropout3d, dropout3d, DropoutFuncOptions)
TAPER_DEFINE_DROPOUT(AlphaDropout, alpha_dropout, AlphaDropoutFuncOptions)
TAPER_DEFINE_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout, FeatureAlphaDropoutFuncOptions)

}  // namespace torch::taper::nn

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(CosineSimilarity);

CosineSimilarityImpl::CosineSimilarityImpl(const CosineSimilarityOptions& options_)
    : options(options_) {}
void CosineSimilarityImpl::reset() {}
void CosineSimilarityImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::CosineSimilarity(dim=" << options.dim() << ", eps=" << options.eps() << ")";
}
Tensor CosineSimilarityImpl::forward(const Tensor& x1, const Tensor& x2) {
  return functional::cosine_similarity(x1, x2, options);
}

TAPER_DEFINE_LIBRARY_MODULE(PairwiseDistance);

PairwiseDistanceImpl::PairwiseDistanceImpl(const PairwiseDistanceOptions& options_)
    : options(options_) {}
void PairwiseDistanceImpl::reset() {}
void PairwiseDistanceImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::PairwiseDistance(p=" << options.p() << ", eps=" << options.eps()
         << ", keepdim=" << detail::text_of(options.keepdim()) << ")";
}
Tensor PairwiseDistanceImpl::forward(const Tensor& x1, const Tensor& x2) {
  return functional::pairwise_distance(x1, x2, options);
}

}  // namespace torch::taper::nn
