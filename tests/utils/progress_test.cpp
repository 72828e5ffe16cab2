#include <taper/utils/progress.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>

#include <string>

#include "test_util.h"

namespace torch::taper {
namespace {

using utils::Progress;
using utils::ProgressOptions;

// What `run` prints to a file.
template <class Run>
std::string printed(Run run) {
  std::FILE* file = std::tmpfile();
  run(file);
  std::string text(static_cast<size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Progress, FourLinesWhereTheOutputIsNoTerminal) {
  int asked = 0;
  const std::string text = printed([&](std::FILE* out) {
    Progress progress("epoch 1/3", 100, ProgressOptions().unit("images").out(out));
    for (int64_t done = 10; done <= 100; done += 10)
      progress.update(done, [&] { return ++asked, 0.25; });
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(text.find("epoch 1/3  30/100  loss 0.2500  "), 0u) << text;
  EXPECT_NE(text.find(" images/s  0:00 left\n"), std::string::npos) << text;
  EXPECT_NE(text.find("epoch 1/3  100/100  loss"), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, TheRateCountsWhatThisRunDid) {
  // 50 were done before: had they counted, there would be no time left to speak of.
  const std::string text = printed([](std::FILE* out) {
    Progress progress("x", 1000000, ProgressOptions().first(999000).lines(1000).out(out));
    const timespec pause = {0, 20000000};
    nanosleep(&pause, nullptr);
    progress.update(999001, [] { return 0.; });
  });
  // 999 are left at 50 a second at the most: 20 seconds or more.
  EXPECT_EQ(text.find("  0:00 left"), std::string::npos) << text;
}

TEST(Progress, ABarOnATerminal) {
  const int control = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (control < 0) GTEST_SKIP() << "not run: this system gives no terminal";
  ASSERT_EQ(::grantpt(control), 0);
  ASSERT_EQ(::unlockpt(control), 0);
  std::FILE* terminal = std::fopen(::ptsname(control), "r+");
  ASSERT_NE(terminal, nullptr);
  {
    Progress progress("epoch 2/3", 4, ProgressOptions().out(terminal));
    progress.update(2, [] { return 1.5; });
    progress.update(4, [] { return 1.; });
  }
  // What was written comes in pieces.
  std::string seen;
  for (pollfd ready{control, POLLIN, 0}; ::poll(&ready, 1, 500) > 0;) {
    char text[1024];
    const ssize_t n = ::read(control, text, sizeof text);
    ASSERT_GT(n, 0);
    seen.append(text, static_cast<size_t>(n));
    if (seen.back() == '\n') break;
  }
  ASSERT_FALSE(seen.empty());
  EXPECT_NE(seen.find("\repoch 2/3 [============>           ]  50%  loss 1.5000  "),
            std::string::npos)
      << seen;
  EXPECT_NE(seen.find("\repoch 2/3 [========================] 100%  loss 1.0000  "),
            std::string::npos)
      << seen;
  EXPECT_EQ(seen.back(), '\n');
  std::fclose(terminal);
  ::close(control);
}

TEST(Progress, Errors) {
  EXPECT_THROW(Progress("x", -1), ValueError);
  EXPECT_THROW(Progress("x", 1, ProgressOptions().lines(0)), ValueError);
}

}  // namespace
}  // namespace torch::taper
