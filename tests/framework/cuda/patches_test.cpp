// Functions whose operands do not lie as their result does: transposed, channels last, rows with
// gaps.
#include <utility>

#include "on_device.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// y = f(a, b.t()) in patches, of sizes that are no multiples of a patch's side; what is dense in
// another order of dimensions is read in packs.
TEST(CudaKernelsOfWarps, FunctionsOfTransposedOperands) {
  for (ScalarType dtype : {kByte, kFloat}) {
    const Tensor a = spread_numbers({261, 259}, kDouble).mul(20).to(dtype),
                 b = spread_numbers({259, 261}, kDouble).mul(20).to(dtype),
                 c = spread_numbers({3, 131, 176}, kDouble).mul(20).to(dtype),
                 d = spread_numbers({3, 176, 131}, kDouble).mul(20).to(dtype);
    expect_same_on_device([&](Device device) {
      const Tensor x = a.to(device), t = b.to(device).t();
      Tensor in_place = x.clone(), dense = empty({261, 259}, x.options());
      in_place.mul_(t);
      neg_out(dense, t);
      return std::vector<Tensor>{x.add(t),
                                 x.gt(t),
                                 where(x.gt(7), t, x),
                                 t.to(dtype == kFloat ? kBFloat16 : kFloat).add(x),
                                 c.to(device).maximum(d.to(device).transpose(1, 2)),
                                 t.neg(),
                                 t.logical_not(),
                                 in_place,
                                 dense};
    });
  }
}
TEST(CudaKernelsOfWarps, FunctionsOfThreeTransposedOperands) {
  const Tensor a = spread_numbers({300, 260}, kFloat), b = spread_numbers({260, 300}, kFloat);
  expect_same_on_device(
      [&](Device d) {
        const Tensor x = a.to(d), t = b.to(d).t();
        const Tensor last =
            spread_numbers({2, 7, 9, 5}, kFloat).to(d).contiguous(MemoryFormat::ChannelsLast);
        return std::vector<Tensor>{
            addcmul(x, t, x, 0.5),   lerp(x, t, t), gelu(t), gelu(last), last.exp(),
            last.sigmoid().add(last)};
      },
      1e-5);
}
// Parts of matrices, whose rows are packs or not.
TEST(CudaKernelsOfWarps, FunctionsOfRowsWithGaps) {
  for (ScalarType dtype : {kByte, kHalf, kFloat, kDouble}) {
    const Tensor x = spread_numbers({5, 7, 200}, kDouble).mul(20).to(dtype);
    expect_same_on_device([&](Device d) {
      const Tensor t = x.to(d), whole = zeros({5, 7, 200}, t.options());
      for (const auto& [first, n] : {std::pair{16, 64}, {3, 64}, {16, 61}}) {
        Tensor part = whole.narrow(2, first, n);
        neg_out(part, t.narrow(2, 32, n));
      }
      Tensor repeated = empty({35, 64}, t.options());
      neg_out(repeated, t.flatten().slice(0, 0, 64).expand({35, 64}));
      return std::vector<Tensor>{t.narrow(2, 16, 64).neg(),
                                 t.narrow(2, 16, 64).logical_not(),
                                 t.narrow(2, 3, 64).neg(),
                                 t.narrow(2, 16, 61).neg(),
                                 t.narrow(1, 2, 3).square(),
                                 whole,
                                 repeated};
    });
  }
}

}  // namespace
}  // namespace torch::taper::testing
