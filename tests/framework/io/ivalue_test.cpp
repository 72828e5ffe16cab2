// The text of an IValue is LibTorch's.
#include <taper/framework/io/ivalue.h>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

std::string text(const IValue& v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

TEST(IValueText, OfOneValue) {
  EXPECT_EQ(text(IValue()), "None");
  EXPECT_EQ(text(1.0), "1.");
  EXPECT_EQ(text(-2.0), "-2.");
  EXPECT_EQ(text(0.1), "0.10000000000000001");
  EXPECT_EQ(text(1e10), "10000000000.");
  EXPECT_EQ(text(1.5e300), "1.5000000000000001e+300");
  EXPECT_EQ(text(std::nan("")), "nan");
  EXPECT_EQ(text(HUGE_VAL), "inf");
  EXPECT_EQ(text(7), "7");
  EXPECT_EQ(text(true), "True");
  EXPECT_EQ(text("a b"), "a b");
  EXPECT_EQ(text(ones({1})), " 1\n[ CPUFloatType{1} ]");
}

TEST(IValueText, OfManyValues) {
  EXPECT_EQ(text(std::vector<int64_t>{1, 2}), "[1, 2]");
  EXPECT_EQ(text(std::vector<double>{1, 2.5}), "[1., 2.5]");
  EXPECT_EQ(text(std::vector<double>{}), "[]");
  EXPECT_EQ(text(ivalue::Tuple::create({1.0})), "(1.,)");
  EXPECT_EQ(text(ivalue::Tuple::create({1.0, "x"})), "(1., x)");
  EXPECT_EQ(text(GenericList({IValue(1), IValue(GenericList())})), "[1, []]");
  GenericDict dict;
  dict.insert("k", 1);
  dict.insert("j", false);
  EXPECT_EQ(text(dict), "{k: 1, j: False}");
}

TEST(IValueText, LeavesTheStreamsPrecision) {
  std::ostringstream out;
  out << IValue(0.1) << " " << 0.123456789;
  EXPECT_EQ(out.str(), "0.10000000000000001 0.123457");
}

TEST(IValueComparison, ComparesValuesOfOneKind) {
  EXPECT_EQ(IValue(), IValue());
  EXPECT_TRUE(IValue(1.5) == IValue(1.5) && !(IValue(1.5) == IValue(2.5)));
  EXPECT_TRUE(IValue(3) == IValue(3) && !(IValue(3) == IValue(3.0)));
  EXPECT_TRUE(IValue(true) == IValue(true) && !(IValue(true) == IValue(false)));
  EXPECT_TRUE(IValue("a") == IValue("a") && !(IValue("a") == IValue("b")));
  const IValue list(std::vector<int64_t>{1});
  EXPECT_TRUE(list == list && !(list == IValue(std::vector<int64_t>{1})));  // as objects
}

TEST(IValueComparison, NumbersAndKinds) {
  EXPECT_EQ(IValue(Scalar(2.5)).toDouble(), 2.5);
  EXPECT_EQ(IValue(Scalar(true)).toBool(), true);
  EXPECT_EQ(IValue(Scalar(7)).toInt(), 7);
  EXPECT_THROW(IValue(Scalar(numbers::complex<double>(2.5, 0))), Error);
  EXPECT_STREQ(IValue(std::vector<int64_t>{1}).tagKind(), "IntList");
  EXPECT_STREQ(IValue(ivalue::Tuple::create({1.0, 2})).tagKind(), "Tuple");
  EXPECT_EQ(ivalue::Tuple::create({1.0, 2})->size(), 2u);
}

TEST(Dict, InsertOrAssignTellsWhereAndWhetherItIsNew) {
  const Dict<std::string, int64_t> dict;
  EXPECT_TRUE(dict.insert_or_assign("a", 1).second);
  dict.insert("b", 2);
  const auto [where, is_new] = dict.insert_or_assign("a", 3);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(where, dict.begin());
  EXPECT_EQ(where->value(), 3);
  EXPECT_EQ(dict.size(), 2u);
}

}  // namespace
}  // namespace torch::taper
