#include <taper/ops/nn/loss_margin.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/index/index_dim.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/linalg/distance.h>
#include <taper/ops/nn/loss_reduction.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/shared/no_derivative.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {
// Tests whether the values can be read without synchronization and outside of a capture.
bool may_look(const Tensor& x) {
  return x.is_cpu() && x.numel() > 0 && !detail::is_captured(x.device());
}
}  // namespace

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                            int64_t reduction) {
  if (auto done = at_door<"hinge_embedding_loss">(self, target, margin, reduction)) return done;
  check_reduction("hinge_embedding_loss", reduction);
  const Tensor apart = self.neg().add(margin).clamp_min(0).masked_fill(target.eq(1), 0);
  const Tensor alike = self.masked_fill(target.eq(-1), 0);
  return reduce_loss(apart.add(alike), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, int64_t reduction) {
  if (auto done = at_door<"margin_ranking_loss">(input1, input2, target, margin, reduction))
    return done;
  check_reduction("margin_ranking_loss", reduction);
  return reduce_loss(target.neg().mul(input1.sub(input2)).add(margin).clamp_min(0), reduction);
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin, int64_t reduction) {
  if (auto done = at_door<"cosine_embedding_loss">(input1, input2, target, margin, reduction))
    return done;
  check_reduction("cosine_embedding_loss", reduction);
  TAPER_CHECK(target.dim() <= 1,
              "cosine_embedding_loss: 0D or 1D target tensor expected, multi-target not supported");
  TAPER_CHECK(input1.dim() == target.dim() + 1 && input2.dim() == target.dim() + 1,
              "cosine_embedding_loss: ", target.dim(), "D target tensor expects ", target.dim() + 1,
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

Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p,
                         const Scalar& margin, const optional<Tensor>& weight, int64_t reduction) {
  if (auto done = at_door<"multi_margin_loss">(self, target, p, margin, weight, reduction))
    return done;
  check_reduction("multi_margin_loss", reduction);
  const double power = p.to<double>();
  TAPER_CHECK(power == 1 || power == 2, "multi_margin_loss: only p == 1 and p == 2 supported");
  TAPER_CHECK((self.dim() == 1 || self.dim() == 2) && self.size(-1) > 0,
              "multi_margin_loss: Expected non-empty vector or matrix with optional 0-dim batch "
              "size, but got: ",
              self.sizes());
  const Tensor x = self.dim() == 1 ? self.unsqueeze(0) : self;
  TAPER_CHECK(target.dim() <= 1 && target.numel() == x.size(0),
              "multi_margin_loss: inconsistent target size, expected ", x.size(0), " but got ",
              target.sizes());
  const bool weighted = weight && weight->defined();
  TAPER_CHECK(!weighted || (weight->dim() == 1 && weight->size(0) == x.size(1)),
              "multi_margin_loss: inconsistent weight size, expected ", x.size(1), " but got ",
              weighted ? weight->sizes() : IntArrayRef());
  const Tensor t = target.reshape({x.size(0), 1});
  Tensor miss = (x - gather(x, 1, t)).add(margin).relu();
  if (power == 2) miss = miss.square();
  miss = scatter(miss, 1, t, Scalar(0));
  if (weighted) detail::check_wants_no_gradient("multi_margin_loss", "weight", *weight);
  if (weighted) miss = miss * index_select(*weight, 0, t.squeeze(1)).unsqueeze(1);
  const Tensor loss = miss.sum(1) / x.size(1);
  return reduce_loss(self.dim() == 1 ? loss.squeeze(0) : loss, reduction);
}

Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  if (auto done = at_door<"multilabel_margin_loss">(self, target, reduction)) return done;
  check_reduction("multilabel_margin_loss", reduction);
  TAPER_CHECK((self.dim() == 1 || self.dim() == 2) && self.size(-1) > 0,
              "multilabel_margin_loss: Expected non-empty vector or matrix with optional 0-dim "
              "batch size, but got: ",
              self.sizes());
  TAPER_CHECK(target.sizes() == self.sizes(),
              "multilabel_margin_loss: inconsistent target size: ", target.sizes(),
              " for input of size: ", self.sizes());
  const Tensor x = self.dim() == 1 ? self.unsqueeze(0) : self;
  const Tensor given = self.dim() == 1 ? target.unsqueeze(0) : target;
  // Classes below -1 are invalid. gather finds classes that are too large, on devices too.
  TAPER_CHECK(
      !may_look(given) || given.ge(-1).all().item<bool>(),
      "multilabel_margin_loss: argument #2 'target' is out of range: expected classes of 0 to ",
      x.size(1) - 1, ", ended by -1, got ", given.min().item());
  const Tensor valid = given.ge(0).to(kLong).cumprod(1), t = given.clamp_min(0);
  const Tensor others = scatter_add(valid.new_zeros(valid.sizes()), 1, t, valid).eq(0);
  const Tensor miss = (x.unsqueeze(1) - gather(x, 1, t).unsqueeze(2)).add(1).relu();
  const Tensor counted = valid.unsqueeze(2) * others.unsqueeze(1);
  const Tensor loss = (miss * counted).sum({1, 2}) / x.size(1);
  return reduce_loss(self.dim() == 1 ? loss.squeeze(0) : loss, reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  if (auto done = at_door<"triplet_margin_loss">(anchor, positive, negative, margin, p, eps, swap,
                                                 reduction))
    return done;
  check_reduction("triplet_margin_loss", reduction);
  TAPER_CHECK(anchor.dim() == positive.dim() && anchor.dim() == negative.dim(),
              "triplet_margin_loss: All inputs should have same dimension but got ", anchor.dim(),
              "D, ", positive.dim(), "D and ", negative.dim(), "D inputs.");
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = far.minimum(pairwise_distance(positive, negative, p, eps));
  return reduce_loss(near.sub(far).add(margin).clamp_min(0), reduction);
}

}  // namespace torch::taper
