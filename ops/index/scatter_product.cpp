#include <taper/ops/index/scatter_product.h>

#include <taper/framework/autograd/record.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_scatter.h>

namespace torch::taper {

namespace {

// The elements `s`, and sums and products over the others of each element's target. Targets have
// the shape of `like`.
struct Targets {
  const Tensor& like;
  int64_t dim;
  const Tensor& index;
  Tensor s, zero, others;  // `others`: s with 1 for 0

  Targets(const Tensor& like_, int64_t dim_, const Tensor& index_, const Tensor& s_)
      : like(like_),
        dim(dim_),
        index(index_),
        s(s_),
        zero(s_.eq(0)),
        others(s_.masked_fill(zero, 1)) {}

  // Returns for each element the sum of v over its target.
  Tensor sum(const Tensor& v) const {
    return gather(v.new_zeros(like.sizes()).scatter_add(dim, index, v), dim, index);
  }
  // Returns for each element the product of the nonzero elements of its target, divided by the
  // element.
  Tensor product() const {
    const Tensor all = others.new_ones(like.sizes()).scatter(dim, index, others, "multiply");
    return gather(all, dim, index) / others;
  }
  // Returns for each element how many others of its target are 0.
  Tensor zeros() const {
    const Tensor own = zero.to(toRealValueType(s.scalar_type()));
    return sum(own) - own;
  }
};

// With W_j the product of the others, returns the sum over j != m of c_j dW_j / ds_m.
Tensor pair_sums(const Tensor& c, const Targets& t) {
  const Tensor of_zeros = c.masked_fill(t.zero.logical_not(), 0), zeros = t.zeros();
  const Tensor quotients = (c / t.others).masked_fill(t.zero, 0);
  const Tensor none = t.sum(quotients) - quotients;  // if none of the others is 0
  const Tensor one = t.sum(of_zeros) - of_zeros;     // if exactly one is, its term remains
  const Tensor total = where(zeros.eq(0), none, where(zeros.eq(1), one, Scalar(0)));
  return total * t.product();
}

}  // namespace

Tensor scatter_product_of_others(const Tensor& h, int64_t dim, const Tensor& index,
                                 const Tensor& src) {
  Tensor y;
  {
    const NoGradGuard values_only;
    const Targets t(h, dim, index, src);
    y = (gather(h, dim, index) * t.product()).masked_fill(t.zeros().gt(0), 0);
  }
  if (needs_grad(h, src))
    record("ScatterProductOfOthersBackward0", y, {h, src},
           [h = saved(h), src = saved(src), index = saved(index), dim](Grads& g) {
             std::array<Tensor, 2> out;
             const Tensor at = index.get(), s = src.get().conj(), start = h.get().conj();
             if (g.needs(0)) {
               const Tensor ones = start.new_ones(start.sizes());
               const Tensor weighted = g[0] * scatter_product_of_others(ones, dim, at, s);
               out[0] = start.new_zeros(start.sizes()).scatter_add(dim, at, weighted);
             }
             if (g.needs(1))
               out[1] = gather(start, dim, at) * pair_sums(g[0], Targets(start, dim, at, s));
             return out;
           });
  return y;
}

}  // namespace torch::taper
