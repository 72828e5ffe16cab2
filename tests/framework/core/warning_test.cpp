#include <taper/framework/core/warning.h>

#include <gmock/gmock.h>

#include <cstdlib>
#include <thread>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

TEST(Warning, GoesToStderrWithItsPlace) {
  ::testing::internal::CaptureStderr();
  detail::warn_user("look out");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("[W warning_test.cpp:"), 0u) << text;
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
    // The line if the program has debug information, else at least the program.
    EXPECT_THAT(e.backtrace(), ::testing::StartsWith("\n  at "));
    EXPECT_THAT(e.backtrace(), ::testing::AnyOf(::testing::HasSubstr("warning_test.cpp:"),
                                                ::testing::HasSubstr("taper_tests")));
    e.add_context("in a test");
    EXPECT_EQ(e.msg() + " (in a test)", e.what_without_backtrace());
    EXPECT_EQ(e.what(), e.what_without_backtrace() + e.backtrace());
  }
}

}  // namespace
}  // namespace torch::taper::testing
