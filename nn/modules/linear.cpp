#include <taper/nn/modules/linear.h>

#include <cmath>
#include <ostream>

#include <taper/nn/functional/linear.h>
#include <taper/nn/init.h>
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
