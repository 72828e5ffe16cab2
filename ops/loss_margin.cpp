#include <taper/ops/loss.h>
#include <taper/ops/loss_reduction.h>
#include <taper/ops/reduce_norm.h>

namespace taper {

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                            int64_t reduction) {
  check_reduction("hinge_embedding_loss", reduction);
  const Tensor apart = self.neg().add(margin).clamp_min(0).masked_fill(target.eq(1), 0);
  const Tensor alike = self.masked_fill(target.eq(-1), 0);
  return reduce_loss(apart.add(alike), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, int64_t reduction) {
  check_reduction("margin_ranking_loss", reduction);
  return reduce_loss(target.neg().mul(input1.sub(input2)).add(margin).clamp_min(0), reduction);
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const Tensor n1 = norm(x1, 2, {dim}).clamp_min(eps), n2 = norm(x2, 2, {dim}).clamp_min(eps);
  return x1.mul(x2).sum(dim).div(n1.mul(n2));
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin, int64_t reduction) {
  check_reduction("cosine_embedding_loss", reduction);
  TAPER_CHECK(target.dim() <= 1, "0D or 1D target tensor expected, multi-target not supported");
  TAPER_CHECK(input1.dim() == target.dim() + 1 && input2.dim() == target.dim() + 1, target.dim(),
              "D target tensor expects ", target.dim() + 1,
              "D input tensors, but found inputs with sizes ", input1.sizes(), " and ",
              input2.sizes(), ".");
  constexpr double eps = 1e-12;
  const int64_t dim = target.dim();
  const Tensor square1 = input1.mul(input1).sum(dim).add(eps);
  const Tensor square2 = input2.mul(input2).sum(dim).add(eps);
  const Tensor cosine = input1.mul(input2).sum(dim).div(square1.mul(square2).sqrt());
  const Tensor alike = cosine.neg().add(1).mul(target.eq(1));
  const Tensor apart = cosine.sub(margin).clamp_min(0).mul(target.eq(-1));
  return reduce_loss(alike.add(apart), reduction);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  return norm(x1.sub(x2).add(eps), p, {-1}, keepdim);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  check_reduction("triplet_margin_loss", reduction);
  TAPER_CHECK(anchor.dim() == positive.dim() && anchor.dim() == negative.dim(),
              "All inputs should have same dimension but got ", anchor.dim(), "D, ", positive.dim(),
              "D and ", negative.dim(), "D inputs.");
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = far.minimum(pairwise_distance(positive, negative, p, eps));
  return reduce_loss(near.sub(far).add(margin).clamp_min(0), reduction);
}

}  // namespace taper
