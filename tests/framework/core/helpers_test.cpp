#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include <taper/framework/core/ordered_dict.h>
#include <taper/framework/core/owned.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/warning.h>
#include <taper/ops/tensor/factory.h>
#include "test_util.h"

// ---------------------------------------------------------------------- ordered_dict_test
namespace torch::taper {

namespace {

using testing::message_of;

using Dict = OrderedDict<std::string, int>;

Dict numbered(int count) {
  Dict d;
  for (int i = 0; i < count; ++i) d.insert("k" + std::to_string(i), i);
  return d;
}

TEST(OrderedDict, KeepsTheOrderOfInsertion) {
  Dict d;
  d.insert("b", 1);
  d.insert("a", 2);
  EXPECT_EQ(d.keys(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(d.values(), (std::vector<int>{1, 2}));
  EXPECT_EQ(d[0].key(), "b");
  EXPECT_EQ(*d[1], 2);
  EXPECT_EQ(d.front().key(), "b");
  EXPECT_EQ(d.back().value(), 2);
  EXPECT_EQ(d["a"], 2);
  d["a"] = 5;
  EXPECT_EQ(d.pairs()[1], std::make_pair(std::string("a"), 5));
}

// Below and above the size from which keys are hashed.
TEST(OrderedDict, FindsEveryKeyOfAnySize) {
  for (int count : {0, 1, 16, 17, 18, 100, 1000}) {
    Dict d = numbered(count);
    ASSERT_EQ(d.size(), static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      const int* found = d.find("k" + std::to_string(i));
      ASSERT_NE(found, nullptr) << count << ' ' << i;
      EXPECT_EQ(*found, i);
    }
    EXPECT_EQ(d.find("k" + std::to_string(count)), nullptr);
    EXPECT_FALSE(d.contains(""));
  }
}

TEST(OrderedDict, ErasesFromAnySize) {
  for (int count : {3, 17, 18, 40}) {
    Dict d = numbered(count);
    d.erase("k1");
    EXPECT_EQ(d.size(), static_cast<size_t>(count - 1));
    EXPECT_FALSE(d.contains("k1"));
    EXPECT_EQ(d[1].key(), "k2");
    EXPECT_EQ(d["k" + std::to_string(count - 1)], count - 1);
    d.insert("k1", 7);
    EXPECT_EQ(d.back().key(), "k1");
    d.clear();
    EXPECT_TRUE(d.is_empty());
    EXPECT_FALSE(d.contains("k2"));
  }
}

TEST(OrderedDict, UpdateAppends) {
  Dict d{{"a", 1}}, e{{"b", 2}, {"c", 3}};
  d.update(e);
  d.update(Dict{{"d", 4}});
  EXPECT_EQ(d, (Dict{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}}));
  EXPECT_FALSE((d == Dict{{"b", 2}, {"a", 1}, {"c", 3}, {"d", 4}}));
  EXPECT_EQ(message_of([&] { d.update(e); }), "Key 'b' already defined");
}

TEST(OrderedDict, ErrorsNameTheKey) {
  OrderedDict<std::string, int> d("Parameter");
  d.insert("w", 1);
  EXPECT_EQ(message_of([&] { d.insert("w", 2); }), "Parameter 'w' already defined");
  EXPECT_EQ(message_of([&] { (void)d["x"]; }), "Parameter 'x' is not defined");
  EXPECT_EQ(message_of([&] { d.erase("x"); }), "Key 'x' doesn't exist");
  EXPECT_EQ(message_of([&] { (void)d[3]; }), "Index 3 is out of bounds");
  EXPECT_EQ(message_of([] { Dict().front(); }), "Called front() on an empty OrderedDict");
  EXPECT_EQ(message_of([] { Dict().back(); }), "Called back() on an empty OrderedDict");
  EXPECT_EQ(d["w"], 1);
}

TEST(OrderedDict, BindsKeysAndValues) {
  Dict d{{"a", 1}, {"b", 2}};
  for (auto& [key, value] : d) {
    static_assert(std::is_same_v<decltype(key), const std::string>);
    value += static_cast<int>(key.size());
  }
  EXPECT_EQ(d, (Dict{{"a", 2}, {"b", 3}}));
  const Dict& fixed = d;
  int sum = 0;
  for (const auto& [key, value] : fixed) {
    static_assert(std::is_same_v<decltype(value), const int>);
    sum += value;
  }
  auto [key, value] = d.front();
  value = 9;
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(key + std::to_string(d["a"]), "a2");
}

}  // namespace

}  // namespace torch::taper

// ---------------------------------------------------------------------- owned_test
namespace torch::taper {

namespace {

struct Counted {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  virtual ~Counted() { --alive; }
  int& alive;
};
struct Derived : Counted {
  using Counted::Counted;
};

TEST(Owned, DeletesWhatItOwnsOnce) {
  int alive = 0;
  {
    detail::Owned<Counted> none;
    EXPECT_FALSE(none);
    detail::Owned<Counted> a(new Derived(alive)), b = std::make_unique<Derived>(alive);
    EXPECT_EQ(alive, 2);
    EXPECT_EQ(&a->alive, &(*b).alive);
    a = std::move(b);
    EXPECT_EQ(alive, 1);
    EXPECT_FALSE(b);
    const detail::Owned<Counted> c = std::move(a);
    EXPECT_TRUE(c);
    EXPECT_EQ(a.get(), nullptr);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Owned, GivesAway) {
  int alive = 0;
  detail::Owned<Counted> a(new Counted(alive));
  const std::unique_ptr<Counted> taken(a.release());
  EXPECT_FALSE(a);
  a.reset(new Counted(alive));
  EXPECT_EQ(alive, 2);
  a.reset();
  EXPECT_EQ(alive, 1);
}

}  // namespace

}  // namespace torch::taper

// ---------------------------------------------------------------------- scalar_fits_test
namespace torch::taper::testing {

namespace {

bool fits(const Scalar& value, ScalarType dtype) {
  return message_of([&] { detail::check_fits(value, dtype); }) == "no error";
}

TEST(ScalarFits, Integers) {
  EXPECT_TRUE(fits(255, kByte));
  EXPECT_TRUE(fits(-255, kByte));  // wraps
  EXPECT_TRUE(fits(126.9, kChar));
  EXPECT_FALSE(fits(256, kByte));
  EXPECT_FALSE(fits(-256, kByte));
  EXPECT_FALSE(fits(-0.5, kByte));
  EXPECT_FALSE(fits(127.5, kChar));
  EXPECT_FALSE(fits(1e10, kInt));
  EXPECT_FALSE(fits(1e19, kLong));
  EXPECT_FALSE(fits(std::nan(""), kLong));
}

TEST(ScalarFits, Floats) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const ScalarType t : {kHalf, kBFloat16, kFloat, kDouble}) {
    EXPECT_TRUE(fits(inf, t));
    EXPECT_TRUE(fits(std::nan(""), t));
  }
  EXPECT_TRUE(fits(65504, kHalf));
  EXPECT_FALSE(fits(65505, kHalf));
  EXPECT_FALSE(fits(-1e9, kHalf));
  EXPECT_TRUE(fits(3.3e38, kBFloat16));
  EXPECT_FALSE(fits(3.4e38, kBFloat16));
  EXPECT_FALSE(fits(1e300, kFloat));
  EXPECT_TRUE(fits(1e300, kDouble));
  for (const ScalarType t : {kFloat8_e4m3fn, kFloat8_e5m2}) EXPECT_FALSE(fits(1e6, t));
}

TEST(ScalarFits, ComplexAndBool) {
  const Scalar z(numbers::complex<double>(1, 2));
  for (const ScalarType t : {kByte, kLong, kHalf, kFloat, kDouble}) EXPECT_FALSE(fits(z, t));
  EXPECT_TRUE(fits(z, kComplexFloat));
  EXPECT_FALSE(fits(numbers::complex<double>(0, 1e39), kComplexFloat));
  EXPECT_FALSE(fits(1e39, kComplexFloat));
  EXPECT_TRUE(fits(numbers::complex<double>(0, 1e39), kComplexDouble));
  EXPECT_TRUE(fits(300, kBool));
}

}  // namespace

}  // namespace torch::taper::testing

// ---------------------------------------------------------------------- warning_test
namespace torch::taper::testing {

namespace {

TEST(Warning, GoesToStderrWithItsPlace) {
  ::testing::internal::CaptureStderr();
  detail::warn_user("look out");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("[W helpers_test.cpp:"), 0u) << text;
  EXPECT_NE(text.find("] Warning: look out (function TestBody)\n"), std::string::npos) << text;
}

TEST(Warning, GoesToTheHandlerOfItsThread) {
  EXPECT_EQ(warnings_of([] {
              detail::warn_user("mine");
              ::testing::internal::CaptureStderr();
              std::thread([] { detail::warn_user("another thread's"); }).join();
            }),
            std::vector<std::string>{"mine"});
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("another thread's"), std::string::npos);
}

/// A handler as LibTorch 1.13 declares it.
struct OldHandler : WarningHandler {
  void process(const SourceLocation& place, const std::string& text, const bool verbatim) override {
    seen += detail::concat(place.function, "|", text, "|", verbatim, ";");
  }
  std::string seen;
};

TEST(Warning, HandlersOfLibTorch1AreCalledToo) {
  OldHandler handler;
  WarningHandler* const before = Warning::get_warning_handler();
  Warning::set_warning_handler(&handler);
  warn(Warning(DeprecationWarning(), {"f", "a.cpp", 7}, "old", true));
  Warning::warn({"g", "b.cpp", 8}, "new", false);
  EXPECT_EQ(Warning::get_warning_handler(), &handler);
  Warning::set_warning_handler(before);
  EXPECT_EQ(handler.seen, "f|old|1;g|new|0;");
}

TEST(Warning, CarriesItsKindAndPlace) {
  struct Handler : WarningHandler {
    void process(const Warning& w) override {
      EXPECT_TRUE(std::holds_alternative<DeprecationWarning>(w.type()));
      EXPECT_EQ(detail::concat(w.source_location()), "f at a.cpp:7");
      EXPECT_EQ(w.msg(), "old");
      EXPECT_TRUE(w.verbatim());
    }
  } handler;
  const WarningUtils::WarningHandlerGuard guard(&handler);
  warn(Warning(DeprecationWarning(), {"f", "a.cpp", 7}, "old", true));
}

TEST(Warning, OnceMeansOnceUnlessAsked) {
  std::atomic<bool> given{false};
  EXPECT_TRUE(detail::is_first(given));
  EXPECT_FALSE(detail::is_first(given));
  {
    const Warning::WarnAlways always(true);
    EXPECT_TRUE(WarningUtils::get_warnAlways());
    EXPECT_TRUE(detail::is_first(given));
  }
  EXPECT_FALSE(detail::is_first(given));
}

TEST(Warning, NullStandsForTheFirstHandler) {
  WarningHandler* const first = WarningUtils::get_warning_handler();
  WarningUtils::set_warning_handler(nullptr);
  EXPECT_EQ(WarningUtils::get_warning_handler(), first);
}

/// Sets a variable of the environment for its lifetime.
struct Variable {
  explicit Variable(const char* name) : name(name) { setenv(name, "1", 1); }
  ~Variable() { unsetenv(name); }
  const char* name;
};

TEST(Error, ShowsItsCallerIfAsked) {
  EXPECT_EQ(message_of([] { ones({2}).view({3}); }).find('\n'), std::string::npos);
  const Variable show("TAPER_SHOW_CALLER");
  try {
    ones({2}).view({3});
    FAIL() << "no error";
  } catch (Error& e) {
    // The line if the program has debug information, else at least the function or the program.
    EXPECT_THAT(e.backtrace(), ::testing::StartsWith("\n  at "));
    EXPECT_THAT(e.backtrace(), ::testing::AnyOf(::testing::HasSubstr("ShowsItsCaller"),
                                                ::testing::HasSubstr("taper_tests")));
    e.add_context("in a test");
    EXPECT_EQ(e.msg() + " (in a test)", e.what_without_backtrace());
    EXPECT_EQ(e.what(), e.what_without_backtrace() + e.backtrace());
  }
}

}  // namespace

}  // namespace torch::taper::testing
