// Strided copies, element by element against the addresses that sizes and strides give.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "harness/check_shared.h"
#include "harness/devices.h"
#include "ops/shared/element_moves.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const std::vector<ScalarType> kDtypes = {kFloat, kDouble, kHalf, kLong, kByte, kBool};

/// Where the elements of x lie, row-major, in elements from its first.
std::vector<int64_t> places_of(const Tensor& x) {
  std::vector<int64_t> all{0};
  for (int64_t d = 0; d < x.dim(); ++d) {
    std::vector<int64_t> next;
    next.reserve(all.size() * static_cast<size_t>(x.size(d)));
    for (int64_t at : all)
      for (int64_t i = 0; i < x.size(d); ++i) next.push_back(at + i * x.stride(d));
    all = std::move(next);
  }
  return all;
}

/// The first element of dense y that differs from what lies at places[i] of x; -1: none.
int64_t first_difference(const Tensor& y, const Tensor& x, const std::vector<int64_t>& places) {
  const size_t item = elementSize(x.scalar_type());
  const char* const to = static_cast<const char*>(y.data_ptr());
  const char* const from = static_cast<const char*>(x.data_ptr());
  for (size_t i = 0; i < places.size(); ++i)
    if (std::memcmp(to + i * item, from + places[i] * static_cast<int64_t>(item), item) != 0)
      return static_cast<int64_t>(i);
  return -1;
}

void expect_copied(const Tensor& view) {
  const std::vector<int64_t> places = places_of(view);
  EXPECT_EQ(first_difference(view.contiguous(), view, places), -1)
      << view.sizes() << " of " << toString(view.scalar_type());
  // The other way: into strided memory, with everything around it left alone.
  const Tensor whole = full({view.numel() * 3 + 7}, 1, view.options());
  const Tensor to = whole.narrow(0, 2, view.numel() * 3).view({view.numel(), 3}).select(1, 1);
  to.view(view.sizes()).copy_(view);
  EXPECT_EQ(first_difference(to.contiguous(), view, places), -1) << view.sizes();
  EXPECT_TRUE(
      whole.narrow(0, 2, view.numel() * 3).view({-1, 3}).select(1, 0).eq(1).all().item<bool>());
}

// No two neighbours alike, in one byte or in sixteen.
Tensor numbered(std::vector<int64_t> sizes, ScalarType dtype) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return arange(n).remainder(251).to(dtype).view(sizes);
}

const ScalarType kItems[] = {kByte, kShort, kFloat, kDouble, kComplexDouble};

TEST(Copy, PermutedRowsOfAllLengths) {
  for (ScalarType t : kItems)
    for (int64_t n : {1, 2, 3, 5, 7, 8, 13, 16, 25, 31, 64, 129, 260})
      expect_copied(numbered({3, 11, n}, t).transpose(0, 1));
}

TEST(Copy, TransposedPlanes) {
  for (ScalarType t : kItems) {
    expect_copied(numbered({2, 70, 45}, t).transpose(1, 2));
    expect_copied(numbered({32, 144}, t).t());
    expect_copied(numbered({33, 4160}, t).t());  // rows of more than a page
    expect_copied(numbered({2, 3, 40}, t).permute({0, 2, 1}));
  }
}

// Rows of y 4096 bytes apart, or 1024: their lines share sets of L1.
TEST(Copy, TransposedRowsThatLieFarApart) {
  for (ScalarType t : kItems) {
    const auto per_kib = static_cast<int64_t>(1024 / elementSize(t));
    expect_copied(numbered({4 * per_kib, 70}, t).t());
    expect_copied(numbered({2, per_kib, 130}, t).transpose(1, 2));
    // In part, with what lies beside it left alone.
    const Tensor whole = full({150, 4 * per_kib}, 1, t), x = numbered({4 * per_kib - 37, 150}, t);
    const Tensor y = whole.narrow(1, 0, x.size(0)), beside = whole.narrow(1, x.size(0), 37);
    y.copy_(x.t());
    EXPECT_EQ(first_difference(y.contiguous(), x.t(), places_of(x.t())), -1) << toString(t);
    EXPECT_TRUE(beside.eq(1).all().item<bool>()) << toString(t);
  }
}

TEST(Copy, Steps) {
  for (ScalarType t : kItems)
    for (int64_t step : {2, 3, 4, 5}) {
      expect_copied(numbered({6, 300}, t).slice(1, 1, 290, step));
      expect_copied(numbered({60, 30}, t).slice(0, 1, 55, step));
    }
}

TEST(Copy, ResultsThatNoCacheHolds) {
  const Tensor x = numbered({2112, 2128}, kFloat);
  EXPECT_EQ(first_difference(x.t().contiguous(), x.t(), places_of(x.t())), -1);
  EXPECT_EQ(first_difference(x.narrow(0, 0, 2100).t().contiguous(), x,
                             places_of(x.narrow(0, 0, 2100).t())),
            -1);
}

// Panels and tiles of which only a part is there, and few long rows.
TEST(Copy, TransposedResultsThatNoCacheHolds) {
  for (ScalarType t : {kShort, kFloat, kDouble}) {
    const int64_t lines = 33, item = static_cast<int64_t>(elementSize(t)), line = 64 / item;
    const Tensor whole = full({18 * 1024 * 1024 / (64 * lines), (lines + 2) * line}, 1, t);
    const Tensor x = numbered({lines * line, whole.size(0)}, t), y = whole.narrow(1, 0, x.size(0));
    y.copy_(x.t());
    EXPECT_TRUE(y.equal(x.t())) << toString(t);
    EXPECT_TRUE(whole.narrow(1, x.size(0), 2 * line).eq(1).all().item<bool>()) << toString(t);
    const Tensor rows = x.t().contiguous();
    EXPECT_EQ(first_difference(rows, x.t(), places_of(x.t())), -1) << toString(t);
    EXPECT_EQ(first_difference(rows.t().contiguous(), x, places_of(x)), -1) << toString(t);
  }
}

TEST(Copy, JoinsAndRepeatsThatNoCacheHolds) {
  const Tensor x = numbered({1111, 1200}, kFloat), all = cat({x, x, x, x}, 1);
  const Tensor twice = x.repeat({2, 2}), rows = cat({x, x, x, x});
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(all.narrow(1, i * 1200, 1200).equal(x)) << i;
    EXPECT_TRUE(rows.narrow(0, i * 1111, 1111).equal(x)) << i;
    EXPECT_TRUE(twice.narrow(0, i / 2 * 1111, 1111).narrow(1, i % 2 * 1200, 1200).equal(x)) << i;
  }
}

TEST(Copy, FlipReadsBackwards) {
  for (ScalarType t : kItems) {
    const Tensor x = numbered({4, 5, 67}, t);
    const Tensor last = x.flip({2}), first = x.flip({0}), both = x.flip({0, 2});
    std::vector<int64_t> at_last, at_first, at_both;
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 5; ++j)
        for (int64_t k = 0; k < 67; ++k) {
          at_last.push_back((i * 5 + j) * 67 + 66 - k);
          at_first.push_back(((3 - i) * 5 + j) * 67 + k);
          at_both.push_back(((3 - i) * 5 + j) * 67 + 66 - k);
        }
    EXPECT_EQ(first_difference(last, x, at_last), -1);
    EXPECT_EQ(first_difference(first, x, at_first), -1);
    EXPECT_EQ(first_difference(both, x, at_both), -1);
  }
}

TEST(Copy, RollTakesADimensionTwice) {
  const Tensor x = numbered({4, 600}, kFloat);
  EXPECT_TRUE(x.roll({3, 2}, {1, 1}).equal(x.roll({5}, {1})));
  EXPECT_TRUE(x.roll({1, 2, -1}, {0, 1, 0}).equal(x.roll({2}, {1})));
  EXPECT_TRUE(x.roll({-1, 605}, {0, 1}).equal(x.roll({3}, {0}).roll({5}, {1})));
}

TEST(Copy, JoinsShortRows) {
  for (ScalarType t : kItems) {
    const Tensor x = numbered({1000, 3}, t), y = numbered({1000, 1}, t),
                 z = numbered({1000, 37}, t);
    const Tensor all = cat({x, y, z}, 1);
    EXPECT_TRUE(all.narrow(1, 0, 3).equal(x));
    EXPECT_TRUE(all.narrow(1, 3, 1).equal(y));
    EXPECT_TRUE(all.narrow(1, 4, 37).equal(z));
  }
}

/// Rows of neighbours may convert by vectors, elements that lie apart never do.
void expect_same_apart(const Tensor& x, ScalarType to) {
  const Tensor pair = x.new_zeros({x.numel(), 2}), apart = pair.select(1, 0);
  apart.copy_(x);
  const Tensor result = x.new_zeros({x.numel(), 2}).to(to), expected = result.select(1, 0);
  expected.copy_(apart);
  const Tensor found = x.to(to);
  EXPECT_TRUE(found.isnan().equal(expected.isnan()));
  EXPECT_TRUE(found.nan_to_num(7).equal(expected.nan_to_num(7)));
}

Tensor as_halves(const Tensor& bits) {
  const Tensor halves = empty(bits.sizes(), kHalf);
  std::memcpy(halves.data_ptr(), bits.data_ptr(), static_cast<size_t>(bits.numel()) * 2);
  return halves;
}

TEST(Copy, EveryHalfConvertsAndRoundsAlike) {
  const Tensor bits = arange(65536, kLong).sub(32768).to(kShort);
  const Tensor halves = as_halves(bits);
  expect_same_apart(halves, kFloat);
  const Tensor all = halves.to(kFloat), finite = all.masked_select(all.isfinite());
  EXPECT_TRUE(finite.to(kHalf).to(kFloat).equal(finite));
  for (const double part : {0.5, 0.25, 0.75}) {  // between neighbours: ties, and either side
    const Tensor next = as_halves(bits + 1).to(kFloat);
    expect_same_apart(all + (next - all) * part, kHalf);
  }
  expect_same_apart(tensor({65519.f, 65520.f, 1e30f, -1e30f, 2e-8f, 3e-8f, -1e-40f, INFINITY, NAN}),
                    kHalf);
}

std::vector<Args> any_shape(ScalarType t) { return samples_of_one(t, {-3, 3}); }

Array filled(const Array& x, double value) { return Array(x.sizes, value); }
TAPER_OP_CASES(copies_with_other_values, {
  OpCase all;
  all.name = "fill";
  all.fills = true;
  all.dtypes = kDtypes;
  all.samples = &any_shape;
  all.call = [](const Args& a) { return fill(a.t[0], 1); };
  all.inplace = [](const Args& a) { return a.t[0].fill_(1); };
  all.reference = [](const ArrayArgs& a) { return filled(a.t[0], 1); };
  all.errors = {
      error<Error>("fill_ only supports 0-dimension value tensor but got tensor with 1 "
                   "dimensions.",
                   [] { fill(numbers({2}), numbers({2})); })};
  OpCase zeros = all;
  zeros.name = "zero";
  zeros.fills = true;
  zeros.call = [](const Args& a) { return zero(a.t[0]); };
  zeros.inplace = [](const Args& a) { return a.t[0].zero_(); };
  zeros.reference = [](const ArrayArgs& a) { return filled(a.t[0], 0); };
  zeros.errors = {};
  OpCase same = all;
  same.name = "clone";
  same.call = [](const Args& a) { return taper::clone(a.t[0]); };
  same.inplace = {};
  same.reference = [](const ArrayArgs& a) { return a.t[0]; };
  same.errors = {};
  OpCase by_tensor = all;
  by_tensor.name = "fill_tensor";
  by_tensor.fills = true;
  by_tensor.samples = [](ScalarType t) {
    std::vector<Args> list;
    for (const std::vector<int64_t>& sizes : {Sizes{}, {0}, {3}, {2, 3}, {1025}})
      list.push_back(sample_of({sizes, {}}, t));
    return list;
  };
  by_tensor.call = [](const Args& a) { return fill(a.t[0], a.t[1]); };
  by_tensor.inplace = [](const Args& a) { return a.t[0].fill_(a.t[1]); };
  by_tensor.reference = [](const ArrayArgs& a) { return filled(a.t[0], a.t[1].v[0]); };
  return std::vector<OpCase>{all, zeros, same, by_tensor};
});

TAPER_OP_CASES(copies, {
  OpCase c;
  c.name = "copy";
  c.dtypes = kDtypes;
  // The second tensor broadcasts to the first.
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {2, 3}}, t), sample_of({{2, 3}, {3}}, t),
                             sample_of({{4, 2}, {4, 1}}, t), sample_of({{}, {}}, t),
                             sample_of({{33}, {}}, t),       sample_of({{0, 2}, {1, 2}}, t)};
  };
  c.call = [](const Args& a) { return taper::copy(a.t[0], a.t[1]); };
  c.inplace = [](const Args& a) { return a.t[0].copy_(a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for_each_index(y.sizes, [&](const Sizes& index) { y.at(index) = a.t[1].broadcast_at(index); });
    return y;
  };
  c.errors = {error<Error>("The size of tensor a (2) must match the size of tensor b (3)",
                           [] { taper::copy(numbers({2}), numbers({3})); })};
  return std::vector<OpCase>{c};
});

// C++ leaves it open, and a GPU's instruction gives something else than a CPU's.
TEST(Copy, FloatsThatNoIntegerHoldsAreTheSameOnEveryDevice) {
  const std::vector<double> given{NAN,  INFINITY, -INFINITY, 1e30,  -1e30,  3e9, -3e9,
                                  -1.5, 300.75,   -129,      65537, 0x1p60, 0.5};
  for (ScalarType from : {kFloat, kDouble})
    for (ScalarType to : {kByte, kChar, kShort, kInt, kLong}) {
      const Tensor x = values(given, from);
      const Array got = read(x.to(to));
      for (size_t i = 0; i < given.size(); ++i) {
        const double v = given[i], limit = to == kLong ? 0x1p63 : 0x1p31;
        const int64_t whole = v >= -limit && v < limit ? static_cast<int64_t>(v)
                              : to == kLong            ? std::numeric_limits<int64_t>::min()
                                                       : std::numeric_limits<int32_t>::min();
        const double want = to == kByte    ? static_cast<uint8_t>(whole)
                            : to == kChar  ? static_cast<int8_t>(whole)
                            : to == kShort ? static_cast<int16_t>(whole)
                                           : static_cast<double>(whole);
        EXPECT_EQ(got.v[i], want) << v << " as " << to;
      }
      if (cuda::is_available()) {
        EXPECT_EQ(read(x.to(Device(kCUDA, 0)).to(to)).v, got.v) << from << " to " << to;
      }
    }
}

TEST(LargeResults, OfTransposedCopiesHaveEveryElement) {
  for (ScalarType t : {kByte, kHalf, kFloat, kDouble}) {
    for (int64_t rows : {int64_t{3001}, int64_t{67}}) {
      const Tensor x = randint(0, 100, {rows, 2053}, TensorOptions(kLong)).to(t);
      const Tensor y = x.t().contiguous();
      EXPECT_TRUE(y.t().equal(x)) << toString(t) << ' ' << rows;
    }
  }
}

TEST(Copy, WarnsWhereImaginaryPartsAreLost) {
  const Tensor z = zeros({2}, kComplexFloat), x = zeros({2});
  const std::string text = "Casting complex values to real discards the imaginary part";
  expect_warning(text, [&] { z.to(kFloat); });
  expect_warning(text, [&] { x.copy_(z); });
  EXPECT_TRUE(warnings_of([&] {
                z.to(kBool);
                z.copy_(x);
                z.to(kComplexDouble);
              }).empty());
  // A real input of a complex result gets the real part without a warning.
  const Tensor w = ones({2}).requires_grad_();
  EXPECT_TRUE(warnings_of([&] { view_as_real(w * z).sum().backward(); }).empty());
}

TEST(To, RefusesOptionsThatRequireAGradient) {
  const Tensor x = ones({2}).requires_grad_();
  const std::string text =
      "Operators taking TensorOptions cannot take a TensorOptions with options.requires_grad set "
      "as true";
  expect_error(text, [&] { x.to(TensorOptions().requires_grad(true)); });
  expect_error(text, [&] { x.to(dtype(kDouble).requires_grad(true)); });
  EXPECT_TRUE(x.to(TensorOptions().requires_grad(false)).is_same(x));
  EXPECT_EQ(zeros({1}).to(x.options()).scalar_type(), kFloat);
  EXPECT_FALSE(x.options().has_requires_grad());
}

TEST(Copy, OfALeafToItselfIsAWriteIntoIt) {
  const Tensor x = ones({3}).requires_grad_();
  EXPECT_THROW(x.copy_(x), Error);
  NoGradGuard no_grad;
  EXPECT_TRUE(x.copy_(x).is_same(x));
}

TEST(Copy, OfAnExpandedTensorToItselfDoesNothing) {
  const Tensor wide = counting({3}).expand({2, 3});
  EXPECT_TRUE(wide.copy_(wide).is_same(wide));
  expect_values(wide, {2, 3}, {0, 1, 2, 0, 1, 2});
}

TEST(MatrixTranspose, OfANumberIsItself) {
  const Tensor x = ones({});
  EXPECT_TRUE(x.mT().is_same(x));
  EXPECT_THROW(ones({2}).mT(), Error);
}

// Rows that begin at any element, of whole units of bytes or not, and what lies around them.
TEST(CudaKernelsOfWarps, CopiesOfRows) {
  TAPER_NEEDS_DEVICES(1);
  for (ScalarType dtype : kItems)
    for (int64_t first : {0, 1, 2, 8})
      for (int64_t width : {16, 6, 3}) {
        SCOPED_TRACE(::testing::Message() << dtype << " " << first << " " << width);
        const auto copied = [&](Device d) {
          const Tensor x = numbered({2, 5, 48}, dtype).to(d).narrow(2, first, width);
          const Tensor y = zeros({5, 2, 40}, x.options());
          y.narrow(2, 8, width).copy_(x.transpose(0, 1));
          return std::vector<Tensor>{x.contiguous().cpu(), x.transpose(0, 1).contiguous().cpu(),
                                     y.cpu()};
        };
        const auto got = copied(device_at(0)), want = copied(kCPU);
        for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(got[i].equal(want[i])) << i;
      }
}

}  // namespace
}  // namespace torch::taper::testing
