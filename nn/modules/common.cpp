#include <taper/nn/modules/common.h>

#include <cmath>
#include <sstream>

#include <taper/nn/init.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::detail {

Tensor register_optional(Module& module, const char* name, IntArrayRef sizes, bool wanted) {
  return module.register_parameter(name, wanted ? empty(sizes) : Tensor(), wanted);
}

void reset_by_fan_in(const Tensor& weight, const Tensor& bias) {
  init::kaiming_uniform_(weight, std::sqrt(5.0));  // this `a` gives the bound 1/sqrt(fan_in)
  if (!bias.defined()) return;
  const int64_t fan_in = std::get<0>(init::_calculate_fan_in_and_fan_out(weight));
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  init::uniform_(bias, -bound, bound);
}

size_t checked_index(const char* container, size_t index, size_t size) {
  TAPER_CHECK(index < size, container, ": Index out of range: expected an index below ", size,
              ", got ", index);
  return index;
}

void add_module(Error& error, const Module& module) {
  std::ostringstream text;
  text << "in ";
  if (!module.registered_name().empty()) text << '"' << module.registered_name() << "\", a ";
  module.pretty_print(text);
  error.add_context(text.str());
}

void reset_affine(const Tensor& weight, const Tensor& bias) {
  if (weight.defined()) init::ones_(weight);
  if (bias.defined()) init::zeros_(bias);
}

}  // namespace torch::taper::nn::detail
