// Rules that hold for many ops alike or at the edges of single ones: strides of results, dtypes,
// infinities and nothing.
#include <cmath>

#include <taper/taper.h>

#include "test_util.h"

namespace taper::testing {
namespace {

const double kInf = INFINITY;

TEST(Strides, OfDenseInputsStayThroughPointwiseFunctions) {
  const Tensor x = counting({3, 4}).div(20).t(), reference = x.contiguous();
  ASSERT_FALSE(x.is_contiguous());
#define TAPER_KEEPS(...)                                                    \
  {                                                                         \
    const auto f = [](const Tensor& v) { return __VA_ARGS__; };             \
    EXPECT_EQ(f(x).strides(), x.strides()) << #__VA_ARGS__;                 \
    EXPECT_TRUE(f(x).allclose(f(reference))) << #__VA_ARGS__;               \
    EXPECT_EQ(f(reference).strides(), IntArrayRef({3, 1})) << #__VA_ARGS__; \
  }
  TAPER_KEEPS(sinc(v))
  TAPER_KEEPS(angle(v))
  TAPER_KEEPS(logit(v))
  TAPER_KEEPS(nan_to_num(v))
  TAPER_KEEPS(nan_to_num(v, 1, 2, 3))
  TAPER_KEEPS(hardswish(v))
  TAPER_KEEPS(gelu(v))
  TAPER_KEEPS(elu(v))
  TAPER_KEEPS(softplus(v))
  TAPER_KEEPS(silu(v.to(kBFloat16)))
  TAPER_KEEPS(where(v.gt(0.2), v, 0))
#undef TAPER_KEEPS
  const Tensor gaps = counting({3, 8}).slice(1, 0, 8, 2);
  EXPECT_TRUE(gelu(gaps).is_contiguous() && gelu(gaps).equal(gelu(gaps.contiguous())));
}

TEST(Strides, OfActivationsDoNotReachGradients) {
  Tensor a = counting({3, 4}).div(7).requires_grad_(), b = a.detach().clone().requires_grad_();
  const Tensor weights = counting({4, 3});
  (silu(a.t()) * weights).sum().backward();
  (silu(b.t().contiguous()) * weights).sum().backward();
  EXPECT_TRUE(a.grad().equal(b.grad()));
}

TEST(Hardswish, OfMinusInfinityIsNaN) {
  const Tensor y = hardswish(values({-kInf, kInf, -5, 3}));
  EXPECT_TRUE(std::isnan(y[0].item<float>()));
  expect_values(y.slice(0, 1), {3}, {kInf, -0.0, 3});
}

TEST(Norm, OfNothingNeedsAnIdentity) {
  for (double p : {kInf, -kInf, -1.0}) {
    expect_error("norm on an empty tensor because", [&] { norm(values({}), p); });
    expect_error("norm on the dimension 0 because this dimension is empty", [&] {
      norm(counting({0, 3}), p, IntArrayRef{0});
    });
    EXPECT_EQ(norm(counting({0, 3}), p, IntArrayRef{1}).sizes(), IntArrayRef({0}));
  }
  for (double p : {0.0, 1.0, 2.0, 3.0}) expect_values(norm(values({}), p), {}, {0});
  expect_error("cannot compute the inf norm on an empty tensor",
               [] { linalg::vector_norm(values({}), kInf); });
}

TEST(Square, OfBoolsGoesIntoWholeNumbers) {
  const Tensor x = values({1, 0}, kBool);
  Tensor whole = values({}, kLong), bools = values({}, kBool);
  expect_values(square_out(whole, x), {2}, {1, 0});
  expect_error("Found dtype Bool but expected Long", [&] { square_out(bools, x); });
}

TEST(Addr, PromotesDtypes) {
  const Tensor m = counting({2, 2}, kLong), v = values({1, 2}), w = values({1, 3}, kDouble);
  const Tensor y = addr(m, v, w);
  EXPECT_EQ(y.scalar_type(), kDouble);
  expect_values(y, {2, 2}, {1, 4, 4, 9});
  EXPECT_EQ(addr(m, v, v).scalar_type(), kFloat);
  expect_error("can't be cast to the desired output type Long", [&] { m.addr_(v, v); });
  expect_values(m, {2, 2}, {0, 1, 2, 3});
}

TEST(Pinv, OfHermitianMatricesReadsTheLowerTriangle) {
  const Tensor A = tensor_of({2, 2}, {1, 5, 2, 3}, kDouble);
  const Tensor expected = tensor_of({2, 2}, {-3, 2, 2, -1}, kDouble);
  EXPECT_TRUE(linalg::pinv(A, 1e-15, true).allclose(expected));
  const Tensor half = tensor_of({2, 2}, {-0.5, 0, 0, 0}, kDouble);
  EXPECT_TRUE(linalg::pinv(half, 1e-15, true).allclose(half.mul(4)));
  expect_error("linalg.eigh: A must be batches of square matrices, but they are 2 by 3 matrices",
               [] {
                 linalg::pinv(counting({2, 3}), 1e-15, true);
               });
}

TEST(CholeskyInverse, RefusesSingularFactors) {
  const Tensor L = tensor_of({2, 2, 2}, {1, 0, 1, 1, 1, 0, 1, 0}, kDouble);
  EXPECT_TRUE(cholesky_inverse(L[0]).allclose(tensor_of({2, 2}, {2, -1, -1, 1}, kDouble)));
  expect_error<LinAlgError>(
      "cholesky_inverse: The diagonal element 2 is zero, the inversion could "
      "not be completed because the input matrix is singular.",
      [&] { cholesky_inverse(L[1]); });
  expect_error<LinAlgError>("cholesky_inverse: (Batch element 1): The diagonal element 2 is zero",
                            [&] { cholesky_inverse(L); });
}

TEST(Hooks, ThatWereNeverThereAreNotRemoved) {
  const Tensor x = values({1}).requires_grad_();
  const unsigned id = x.register_hook([](const Tensor& g) { return g * 2; });
  expect_error("Invalid index, no hook at position", [&] { x.remove_hook(id + 1); });
  x.remove_hook(id);
  x.remove_hook(id);
  x.sum().backward();
  expect_values(x.grad(), {1}, {1});
}

TEST(SetRequiresGrad, LeavesResultsOfOpsAlone) {
  const Tensor y = values({1}).requires_grad_().mul(2);
  EXPECT_TRUE(y.set_requires_grad(false).requires_grad());
  expect_error("you can only change requires_grad flags of leaf variables",
               [&] { y.requires_grad_(false); });
}

TEST(InferenceTensors, HaveNoVersion) {
  const InferenceMode inference;
  expect_error("Inference tensors do not track version counter.", [] { values({1})._version(); });
}

}  // namespace
}  // namespace taper::testing
