// Pointwise loops over strided operands, against the same over contiguous ones.
#include <taper/ops/binary.h>
#include <taper/ops/compare.h>
#include <taper/ops/factory.h>
#include <taper/ops/functions.h>
#include <taper/ops/reduce.h>
#include <taper/ops/unary.h>
#include <taper/ops/view.h>

#include "test_util.h"

namespace taper::testing {
namespace {

/// rows x n elements of some dtype, no two neighbours alike, with `step` from one to the next.
Tensor stepped(int64_t rows, int64_t n, int64_t step, ScalarType t, int64_t seed) {
  const Tensor all = arange(rows * n * step).add(seed).remainder(113).to(t);
  return all.view({rows, n * step}).slice(1, step - 1, n * step, step);
}

void expect_like_contiguous(const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor da = a.contiguous(), db = b.contiguous(), dc = c.contiguous();
  EXPECT_TRUE(a.square().equal(da.square())) << a.strides() << toString(a.scalar_type());
  EXPECT_TRUE(a.add(b).equal(da.add(db))) << a.strides() << toString(a.scalar_type());
  EXPECT_TRUE(a.addcmul(b, c).equal(da.addcmul(db, dc))) << a.strides();
}

TEST(Loops, StridedOperandsOfAllSteps) {
  for (ScalarType t : {kByte, kShort, kInt, kFloat, kDouble, kBFloat16})
    for (int64_t step : {1, 2, 3, 4, 5})
      for (int64_t n : {1, 7, 64, 511, 1300})
        expect_like_contiguous(stepped(3, n, step, t, 0), stepped(3, n, 6 - step, t, 1),
                               stepped(3, n, 3, t, 2));
}

TEST(Loops, StridedOperandsPastTheCaches) {
  for (int64_t step : {2, 3})
    expect_like_contiguous(stepped(1500, 2100, step, kFloat, 0), stepped(1500, 2100, 2, kFloat, 1),
                           stepped(1500, 2100, 5, kFloat, 2));
}

}  // namespace
}  // namespace taper::testing
