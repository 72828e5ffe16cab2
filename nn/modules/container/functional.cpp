#include <taper/nn/modules/container/functional.h>

#include <ostream>

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(Functional);

FunctionalImpl::FunctionalImpl(Function function) : function_(std::move(function)) {}
void FunctionalImpl::reset() {}
void FunctionalImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Functional()";
}
Tensor FunctionalImpl::forward(Tensor input) { return function_(std::move(input)); }
bool FunctionalImpl::is_serializable() const { return false; }

}  // namespace torch::taper::nn
