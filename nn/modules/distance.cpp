#include <taper/nn/modules/distance.h>

#include <ostream>

#include <taper/nn/functional/distance.h>

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
