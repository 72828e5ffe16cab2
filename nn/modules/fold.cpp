#include <taper/nn/modules/fold.h>

#include <ostream>

#include <taper/nn/functional/fold.h>

namespace torch::taper::nn {

TAPER_DEFINE_LIBRARY_MODULE(Fold);

FoldImpl::FoldImpl(const FoldOptions& options_) : options(options_) {}
void FoldImpl::reset() {}
void FoldImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Fold(output_size=" << options.output_size()
         << ", kernel_size=" << options.kernel_size() << ", dilation=" << options.dilation()
         << ", padding=" << options.padding() << ", stride=" << options.stride() << ")";
}
Tensor FoldImpl::forward(const Tensor& input) { return functional::fold(input, options); }

TAPER_DEFINE_LIBRARY_MODULE(Unfold);

UnfoldImpl::UnfoldImpl(const UnfoldOptions& options_) : options(options_) {}
void UnfoldImpl::reset() {}
void UnfoldImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Unfold(kernel_size=" << options.kernel_size()
         << ", dilation=" << options.dilation() << ", padding=" << options.padding()
         << ", stride=" << options.stride() << ")";
}
Tensor UnfoldImpl::forward(const Tensor& input) { return functional::unfold(input, options); }

}  // namespace torch::taper::nn
