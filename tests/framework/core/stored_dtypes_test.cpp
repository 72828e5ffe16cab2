// u16, u32, u64 and floats of 8 bits: converted, moved, compared, printed and kept in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <sstream>

#include <taper/framework/core/float8.h>
#include <taper/framework/io/pt.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/taper.h>

#include "expect_error.h"

namespace torch::taper {
namespace {

using taper::testing::expect_error;
using ::testing::HasSubstr;
namespace idx = indexing;

constexpr ScalarType kUnsigned[] = {kUInt16, kUInt32, kUInt64};
constexpr ScalarType kFloat8[] = {kFloat8_e5m2, kFloat8_e4m3fn, kFloat8_e5m2fnuz, kFloat8_e4m3fnuz,
                                  kFloat8_e8m0fnu};
constexpr ScalarType kStored[] = {kUInt16,          kUInt32,        kUInt64,
                                  kFloat8_e5m2,     kFloat8_e4m3fn, kFloat8_e5m2fnuz,
                                  kFloat8_e4m3fnuz, kFloat8_e8m0fnu};
constexpr ScalarType kComputed[] = {kBool,  kByte,   kChar,         kShort,
                                    kInt,   kLong,   kHalf,         kBFloat16,
                                    kFloat, kDouble, kComplexFloat, kComplexDouble};
const Device kDevices[] = {Device(kCPU), Device(kCUDA, 0)};

/// The dtype of the same size whose elements kernels compute with.
ScalarType bits_of(ScalarType t) {
  const size_t n = elementSize(t);
  return n == 1 ? kByte : n == 2 ? kShort : n == 4 ? kInt : kLong;
}
/// Elements with all kinds of bits.
Tensor any_bits(IntArrayRef sizes, ScalarType t) {
  manual_seed(1);
  return randint(0, 1 << 20, sizes, kLong).mul(0x9E3779B97F4A7C15).to(bits_of(t)).view(t);
}
void expect_same_bits(const Tensor& got, const Tensor& want, ScalarType t) {
  ASSERT_EQ(got.scalar_type(), t);
  EXPECT_TRUE(equal(got.view(bits_of(t)), want)) << t;
}

template <class T>
void check_codes(const char* name) {
  for (int code = 0; code < 256; ++code) {
    const T x(static_cast<uint8_t>(code), T::from_bits());
    const float f = x;
    EXPECT_EQ(x.isnan(), std::isnan(f)) << name << code;
    EXPECT_EQ(x.isinf(), std::isinf(f)) << name << code;
    if (!std::isnan(f)) EXPECT_EQ(int{T(f).x}, code) << name;
    if (code == 0 || std::isnan(f) || std::isinf(f)) continue;
    const float before = T(static_cast<uint8_t>(code - 1), T::from_bits());
    if (std::isnan(before) || before == f || (before < 0) != (f < 0)) continue;
    // Between two neighbours a quarter goes to the near one (of e8m0fnu's first two to the other).
    if (!std::is_same<T, Float8_e8m0fnu>::value || code != 1)
      EXPECT_EQ(int{T(before + (f - before) * 0.25f).x}, code - 1) << name << code;
    EXPECT_EQ(int{T(before + (f - before) * 0.75f).x}, code) << name << code;
  }
}

TEST(StoredDtypes, Float8HasItsCodes) {
  check_codes<Float8_e5m2>("e5m2 ");
  check_codes<Float8_e4m3fn>("e4m3fn ");
  check_codes<Float8_e5m2fnuz>("e5m2fnuz ");
  check_codes<Float8_e4m3fnuz>("e4m3fnuz ");
  check_codes<Float8_e8m0fnu>("e8m0fnu ");
  const auto value = [](auto zero, int code) {
    return static_cast<float>(
        decltype(zero)(static_cast<uint8_t>(code), decltype(zero)::from_bits()));
  };
  // The tables of the two OFP8 formats; PyTorch 2.15's for the others.
  EXPECT_EQ(value(Float8_e5m2(), 0x7b), 57344.f);
  EXPECT_EQ(value(Float8_e5m2(), 0x01), 0x1p-16f);
  EXPECT_EQ(value(Float8_e5m2(), 0xfc), -INFINITY);
  EXPECT_EQ(value(Float8_e4m3fn(), 0x7e), 448.f);
  EXPECT_EQ(value(Float8_e4m3fn(), 0x01), 0x1p-9f);
  EXPECT_EQ(value(Float8_e4m3fn(), 0x08), 0x1p-6f);
  EXPECT_EQ(value(Float8_e5m2fnuz(), 0x7f), 57344.f);
  EXPECT_EQ(value(Float8_e4m3fnuz(), 0x7f), 240.f);
  EXPECT_EQ(value(Float8_e8m0fnu(), 0x7f), 1.f);
  EXPECT_EQ(value(Float8_e8m0fnu(), 0x00), 0x1p-127f);
}

TEST(StoredDtypes, Float8RoundsToEvenAndEndsAtItsLargest) {
  EXPECT_EQ(Float8_e4m3fn(1.0625f).x, 0x38);  // half way between 1 and 1.125
  EXPECT_EQ(Float8_e4m3fn(1.1875f).x, 0x3a);
  EXPECT_EQ(Float8_e4m3fn(0x1p-10f).x, 0x00);
  EXPECT_EQ(Float8_e4m3fn(-0x1p-10f).x, 0x80);
  EXPECT_EQ(Float8_e4m3fn(0x1.8p-9f).x, 0x02);
  EXPECT_EQ(Float8_e4m3fn(1e9f).x, 0x7e);
  EXPECT_EQ(Float8_e4m3fn(-INFINITY).x, 0xfe);
  EXPECT_EQ(Float8_e5m2(61439.f).x, 0x7b);
  EXPECT_EQ(Float8_e5m2(61440.f).x, 0x7c);
  EXPECT_EQ(Float8_e5m2fnuz(1e9f).x, 0x80);
  EXPECT_EQ(Float8_e4m3fnuz(-0.f).x, 0x00);
  EXPECT_EQ(Float8_e8m0fnu(1.49f).x, 0x7f);
  EXPECT_EQ(Float8_e8m0fnu(-1.5f).x, 0x80);
  EXPECT_EQ(Float8_e8m0fnu(0.f).x, 0x00);
  EXPECT_EQ(Float8_e8m0fnu(INFINITY).x, 0xff);
}

TEST(StoredDtypes, PromotionIsPyTorchs) {
  EXPECT_EQ(promoteTypes(kUInt32, kHalf), kHalf);
  EXPECT_EQ(promoteTypes(kFloat, kUInt64), kFloat);
  EXPECT_EQ(promoteTypes(kUInt16, kUInt16), kUInt16);
  expect_error(
      "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote UInt16 "
      "and "
      "Long",
      [] { promoteTypes(kUInt16, kLong); });
  expect_error(
      "Promotion for Float8 Types is not supported, attempted to promote Float and "
      "Float8_e5m2",
      [] { promoteTypes(kFloat, kFloat8_e5m2); });
  EXPECT_FALSE(canCast(kFloat8_e4m3fn, kUInt16));
  EXPECT_TRUE(canCast(kUInt64, kByte));
}

// Numbers that each of two dtypes can hold are the same after a conversion, dense or with gaps.
TEST(StoredDtypes, ConversionsKeepWhatBothDtypesHold) {
  const Tensor numbers = tensor({0, 1, 2, 4, 8, 64, 1, 16}, kLong);
  for (const Device device : kDevices)
    for (const ScalarType from : kStored)
      for (const ScalarType to : kComputed) {
        SCOPED_TRACE(detail::concat(from, " ", to, " ", device));
        Tensor want = numbers.repeat({130}).to(device);
        if (to == kBool) want = want.ne(0);
        if (from == kFloat8_e8m0fnu) want = want.fill_(1);  // it has no zero
        const Tensor stored = want.to(kLong).to(from);
        EXPECT_EQ(stored.scalar_type(), from);
        EXPECT_TRUE(equal(stored.to(to), want.to(to)));
        EXPECT_TRUE(equal(want.to(to).to(from).to(kDouble), want.to(kDouble)));
        const Tensor gaps = stored.view({-1, 2}).select(1, 1);
        EXPECT_TRUE(equal(gaps.to(to), want.view({-1, 2}).select(1, 1).to(to)));
        Tensor target = zeros({8, 130}, TensorOptions(from).device(device)).t();
        target.copy_(want.view({130, 8}).to(to));
        EXPECT_TRUE(equal(target.to(kDouble), want.view({130, 8}).to(kDouble)));
      }
}

TEST(StoredDtypes, UnsignedNumbersAreWhole) {
  const uint64_t high = 0xffffffffffffff00, half = uint64_t{1} << 63;
  for (const Device device : kDevices) {
    Tensor x = tensor({0, 0, 0, 5}, TensorOptions(kUInt64).device(device));
    x[0].fill_(Scalar(high));
    x[1].fill_(Scalar(half));
    x[2].fill_(Scalar(UINT64_MAX));
    EXPECT_EQ(x[0].item<uint64_t>(), high);
    EXPECT_EQ(x[2].item().type(), kUInt64);
    EXPECT_EQ(x.to(kDouble)[1].item<double>(), 0x1p63);
    EXPECT_EQ(x.to(kFloat)[2].item<float>(), 0x1p64f);
    EXPECT_EQ(x.to(kLong)[0].item<int64_t>(), -256);
    EXPECT_EQ(x.to(kHalf)[3].item<float>(), 5.f);
    EXPECT_EQ(x.to(kUInt16)[0].item<int>(), 0xff00);
    // Rounded once: by way of a double it would become 2^63.
    const Tensor y =
        zeros({1}, TensorOptions(kUInt64).device(device)).fill_(Scalar(half + (1ull << 39) + 1));
    EXPECT_EQ(y.to(kFloat).item<float>(), 0x1.000002p63f);
    const Tensor d = tensor({0x1p63, 3.9, 1.8e19}, TensorOptions(kDouble).device(device));
    const Tensor back = d.to(kUInt64);
    EXPECT_EQ(back[0].item<uint64_t>(), half);
    EXPECT_EQ(back[1].item<int>(), 3);
    EXPECT_EQ(back[2].item<uint64_t>(), 18000000000000000000u);
    EXPECT_EQ(tensor({-1}, TensorOptions(kInt).device(device)).to(kUInt32).item<int64_t>(),
              4294967295);
  }
}

// What moves elements moves bits: the result is that of a dtype of the same size.
TEST(StoredDtypes, ElementsAreMoved) {
  for (const Device device : kDevices)
    for (const ScalarType t : kStored) {
      SCOPED_TRACE(detail::concat(t, " ", device));
      const Tensor x = any_bits({5, 6}, t).to(device), b = x.view(bits_of(t));
      const Tensor rows = tensor({4, 0, 4}, TensorOptions(kLong).device(device));
      const Tensor places = tensor({{0, 5, 1}, {2, 2, 0}}, TensorOptions(kLong).device(device));
      const Tensor mask = b.bitwise_and(1).eq(1);
      const std::function<Tensor(const Tensor&)> moves[] = {
          [](const Tensor& v) { return v.t().contiguous(); },
          [](const Tensor& v) { return v.clone(); },
          [](const Tensor& v) {
            return v.index({idx::Slice(1, 4, 2), idx::Slice()}).contiguous();
          },
          [](const Tensor& v) {
            return cat({v, v.flip({0})}, 1);
          },
          [](const Tensor& v) {
            return stack({v, v.roll(1, 0)});
          },
          [](const Tensor& v) {
            return v.repeat({2, 3});
          },
          [](const Tensor& v) {
            return v.expand({3, 5, 6}).contiguous();
          },
          [](const Tensor& v) { return v.cpu(); },
          [&](const Tensor& v) { return v.index_select(0, rows); },
          [&](const Tensor& v) { return v.index({rows}); },
          [&](const Tensor& v) { return v.gather(1, places); },
          [&](const Tensor& v) { return v.masked_select(mask); },
          [&](const Tensor& v) { return where(mask, v, v.flip({1})); },
          [&](const Tensor& v) { return v.clone().masked_fill_(mask, 1); },
          [&](const Tensor& v) {
            return v.clone().index_put_({rows.slice(0, 0, 2)}, v.slice(0, 1, 3));
          },
          [&](const Tensor& v) {
            return v.clone().index_copy_(0, rows.slice(0, 0, 2), v.slice(0, 1, 3));
          },
          [&](const Tensor& v) { return v.clone().scatter_(1, places, v.flip({0})); },
          [&](const Tensor& v) { return v.take(places); },
          [](const Tensor& v) { return v.tril(); },
      };
      int i = 0;
      for (const auto& move : moves) {
        SCOPED_TRACE(i++);
        if (i == 14) continue;  // a number is not the same bits in both
        expect_same_bits(move(x), move(b), t);
      }
      EXPECT_TRUE(equal(x.clone().masked_fill_(mask, 1).masked_select(mask).to(kFloat),
                        ones({mask.sum().item<int64_t>()}, TensorOptions(kFloat).device(device))));
    }
}

TEST(StoredDtypes, AreFilledAndMade) {
  for (const Device device : kDevices)
    for (const ScalarType t : kStored) {
      SCOPED_TRACE(detail::concat(t, " ", device));
      const TensorOptions options = TensorOptions(t).device(device);
      EXPECT_EQ(full({3}, 4, options)[2].item<float>(), 4);
      EXPECT_EQ(ones({2, 2}, options).to(kFloat).sum().item<float>(), 4);
      EXPECT_EQ(tensor({1, 2}, options)[1].item<int>(), 2);
      EXPECT_EQ(zeros({3}, options).view(bits_of(t))[1].item<int>(), 0);
      EXPECT_EQ(empty_like(ones({2}, options)).scalar_type(), t);
      EXPECT_EQ(ones({1}, options).fill_(2).item().isFloatingPoint(), isFloat8Type(t));
    }
}

TEST(StoredDtypes, AreCompared) {
  for (const Device device : kDevices) {
    for (const ScalarType t : kStored) {
      SCOPED_TRACE(detail::concat(t, " ", device));
      const TensorOptions options = TensorOptions(t).device(device);
      const Tensor a = tensor({1, 2, 4, 8}, options), b = tensor({2, 2, 2, 16}, options);
      EXPECT_TRUE(equal(a.eq(b).cpu(), tensor({false, true, false, false})));
      EXPECT_TRUE(equal(a.lt(b).cpu(), tensor({true, false, false, true})));
      EXPECT_TRUE(equal(a.ge(4).cpu(), tensor({false, false, true, true})));
      EXPECT_TRUE(equal(a, a.clone()));
      EXPECT_FALSE(equal(a, b));
    }
    Tensor big = tensor({1, 2}, TensorOptions(kUInt64).device(device));
    big[1].fill_(Scalar(UINT64_MAX));
    EXPECT_TRUE(big.gt(5)[1].item<bool>());
    EXPECT_TRUE(big.lt(Scalar(UINT64_MAX))[0].item<bool>());
    EXPECT_TRUE(big.gt(-1).all().item<bool>());
    EXPECT_TRUE(big[0].lt(big[1]).item<bool>());
  }
}

TEST(StoredDtypes, WhatTheyCannotIsRefused) {
  for (const ScalarType t : kStored) {
    SCOPED_TRACE(t);
    const Tensor x = ones({3}, t);
    EXPECT_THROW(x.add(x), NotImplementedError);
    EXPECT_THROW(x.mul(2), NotImplementedError);
    EXPECT_THROW(x.sum(), NotImplementedError);
    if (isFloat8Type(t)) EXPECT_THROW(x.exp(), NotImplementedError);
    EXPECT_THROW(matmul(x, x), Error);
    EXPECT_THROW(x.clone().scatter_add_(0, zeros({3}, kLong), x), Error);
  }
  for (const ScalarType t : kUnsigned) {
    EXPECT_THROW(ones({3}, t).requires_grad_(), Error);
    expect_error("without overflow", [&] { ones({1}, t).fill_(1e30); });
  }
  expect_error("without overflow", [] { full({1}, 70000, kUInt16); });
  expect_error("without overflow", [] { full({1}, 500, kFloat8_e4m3fn); });
  EXPECT_THROW(ones({1}, kFloat).data_ptr<uint32_t>(), Error);
  EXPECT_EQ(*ones({1}, kUInt32).data_ptr<uint32_t>(), 1u);
  EXPECT_THROW(set_default_dtype(kFloat8_e5m2), TypeError);
}

TEST(StoredDtypes, AreSignedWhereTheyHoldNumbersBelowZero) {
  for (const ScalarType t : kUnsigned) EXPECT_FALSE(ones({1}, t).is_signed()) << t;
  for (const ScalarType t : kFloat8) EXPECT_EQ(ones({1}, t).is_signed(), t != kFloat8_e8m0fnu) << t;
  EXPECT_TRUE(ones({1}, kChar).is_signed() && ones({1}, kComplexFloat).is_signed());
  EXPECT_FALSE(ones({1}, kByte).is_signed() || ones({1}, kBool).is_signed());
  EXPECT_THROW(Tensor().is_signed(), Error);
}

TEST(StoredDtypes, GradientsPassThroughFloat8) {
  for (const ScalarType t : kFloat8) {
    const Tensor x = tensor({1., 2., 3.}, kFloat).requires_grad_();
    const Tensor stored = x.to(t);
    EXPECT_TRUE(stored.requires_grad());
    (stored.to(kFloat) * tensor({1., 2., 4.})).sum().backward();
    EXPECT_TRUE(equal(x.grad(), tensor({1., 2., 4.}))) << t << x.grad();
  }
}

TEST(StoredDtypes, ArePrinted) {
  std::ostringstream out;
  out << tensor({1, 40000}, kUInt16) << '\n' << tensor({0.5, -2.}, kFloat8_e4m3fn);
  EXPECT_EQ(out.str(),
            "     1\n 40000\n[ CPUUInt16Type{2} ]\n 0.5000\n-2.0000\n[ CPUFloat8_e4m3fnType{2} ]");
  Tensor big = zeros({1}, kUInt64).fill_(Scalar(UINT64_MAX));
  EXPECT_EQ(repr(big), "tensor([18446744073709551615], dtype=torch.uint64)");
  EXPECT_EQ(repr(tensor({0.5, 1.}, kFloat8_e5m2)),
            "tensor([0.5000, 1.0000], dtype=torch.float8_e5m2)");
}

TEST(StoredDtypes, AreKeptInFiles) {
  const std::string path = ::testing::TempDir() + "stored_dtypes";
  StateDict dict;
  for (const ScalarType t : kStored) dict.insert(toString(t), any_bits({4, 3}, t));
  dict.insert("view", dict["UInt16"].t());
  save_safetensors(path + ".safetensors", dict);
  const StateDict back = load_safetensors(path + ".safetensors");
  for (const ScalarType t : kStored)
    expect_same_bits(back[toString(t)], dict[toString(t)].view(bits_of(t)), t);
  for (const ScalarType t : kUnsigned) {
    save_npy(path + ".npy", dict[toString(t)]);
    expect_same_bits(load_npy(path + ".npy"), dict[toString(t)].view(bits_of(t)), t);
  }
  EXPECT_THROW(save_npy(path + ".npy", dict["Float8_e5m2"]), TypeError);
  for (const ScalarType t : kStored) {
    const Tensor x = dict[toString(t)], part = x.slice(0, 1, 3);
    const std::vector<char> bytes = pickle_save(std::vector<Tensor>{x, part.t()});
    const std::vector<Tensor> read = pickle_load(bytes).toTensorVector();
    expect_same_bits(read.at(0), x.view(bits_of(t)), t);
    expect_same_bits(read.at(1).contiguous(), part.t().contiguous().view(bits_of(t)), t);
    EXPECT_TRUE(read[0].is_alias_of(read[1]));
  }
  for (const char* ending : {".safetensors", ".npy"}) std::remove((path + ending).c_str());
}

}  // namespace
}  // namespace torch::taper
