// The test program: GoogleTest's own flags, and these.
//
//   --family=NAME    only the tests of one family: of a folder of tests/ (nn, framework.io), or one
//                    property of all cases of ops (cases.Value)
//   --part=I/N       only every N-th test, from the I-th on (I < N)
//   --limit=SECONDS  ends the program after this time and names the test that it was in
//   --test-limit=SECONDS  the same, for each test
//   --progress=FILE  leaves out the tests that FILE names, and adds each that starts: what died can
//   be
//                    started again and goes on behind the test that it died in. Ends with status 75
//                    where a failed test left a device that works no more (an error of a GPU
//                    stays).
//   --families       lists the families and how many tests each has
//   --avx512-only    runs nothing, and says so, on a CPU without AVX-512
//
// Each narrows what --gtest_filter leaves. The last lines name the tests that failed and tell how
// to run one; of a program that dies they name the test that it died in.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <taper/framework/fusion/fused_kernels.h>
#include <taper/framework/runtime/devices.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

// Of the sanitizers, where one is linked in.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using ::testing::TestInfo;
using ::testing::UnitTest;

std::string full_name(const TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

// ---------------------------------------------------------------------- families
/// The family of a test. Every test has exactly one.
std::string family_of(const TestInfo& test) {
  const std::string name = test.name(), file = "/" + std::string(test.file());
  if (std::strcmp(test.test_suite_name(), "Ops/OpCases") == 0)
    return "cases." + name.substr(0, name.find('/'));
  const std::string root = "/tests/";
  const size_t begin = file.rfind(root) + root.size();
  std::string folder = file.substr(begin, file.rfind('/') - begin);
  std::replace(folder.begin(), folder.end(), '/', '.');
  return folder;
}

template <class Body>
void for_each_test(const Body& body) {
  const UnitTest& all = *UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s)
    for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t)
      body(*all.GetTestSuite(s)->GetTestInfo(t));
}

int list_families() {
  std::map<std::string, int> counts;
  for_each_test([&](const TestInfo& test) { ++counts[family_of(test)]; });
  for (const auto& [family, count] : counts) std::cout << family << " " << count << "\n";
  return 0;
}

// ---------------------------------------------------------------------- arguments
struct Selection {
  std::string family, progress;
  int part = 0, parts = 1;
  unsigned limit_s = 0, test_limit_s = 0;
  bool lists_families = false, avx512_only = false;
};

[[noreturn]] void refuse(const std::string& argument) {
  std::cerr << "taper_tests: expected --family=NAME, --part=I/N with I < N, --limit=SECONDS, "
               "--test-limit=SECONDS (not both), --progress=FILE, --families, --avx512-only or a "
               "flag of GoogleTest, got '"
            << argument << "'\n";
  std::exit(2);
}

/// What follows `flag` in the argument; null for another argument.
const char* value_of(const char* argument, const char* flag) {
  const size_t length = std::strlen(flag);
  return std::strncmp(argument, flag, length) == 0 ? argument + length : nullptr;
}

Selection selection_of(int argc, char** argv) {
  Selection s;
  for (int i = 1; i < argc; ++i) {
    const char* value = nullptr;
    bool known = true;
    if ((value = value_of(argv[i], "--family=")))
      s.family = value;
    else if ((value = value_of(argv[i], "--part=")))
      known =
          std::sscanf(value, "%d/%d", &s.part, &s.parts) == 2 && 0 <= s.part && s.part < s.parts;
    else if ((value = value_of(argv[i], "--limit=")))
      known = std::sscanf(value, "%u", &s.limit_s) == 1 && s.test_limit_s == 0;
    else if ((value = value_of(argv[i], "--test-limit=")))
      known = std::sscanf(value, "%u", &s.test_limit_s) == 1 && s.limit_s == 0;
    else if ((value = value_of(argv[i], "--progress=")))
      known = !(s.progress = value).empty();
    else if (std::strcmp(argv[i], "--avx512-only") == 0)
      s.avx512_only = true;
    else
      known = s.lists_families = std::strcmp(argv[i], "--families") == 0;
    if (!known) refuse(argv[i]);
  }
  return s;
}

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

std::set<std::string> lines_of(const std::string& file) {
  std::set<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

/// Takes the tests that are not selected out of GoogleTest's filter.
void apply(const Selection& s) {
  const std::set<std::string> ran = lines_of(s.progress);
  std::string filter = GTEST_FLAG_GET(filter);
  char separator = filter.find('-') == std::string::npos ? '-' : ':';
  int count = 0;
  for_each_test([&](const TestInfo& test) {
    const bool of_family = s.family.empty() || family_of(test) == s.family;
    if (of_family && count++ % s.parts == s.part && !ran.contains(full_name(test))) return;
    filter += separator + full_name(test);
    separator = ':';
  });
  if (count == 0) refuse("--family=" + s.family);
  GTEST_FLAG_SET(filter, filter);
}

// ---------------------------------------------------------------------- a death
// What a signal handler may read: the running test, and the process that runs it (not a child).
char running[256] = "no test";
pid_t runner = 0;
struct sigaction former[NSIG];

void say(const char* text) { [[maybe_unused]] auto n = write(STDERR_FILENO, text, strlen(text)); }
void name_the_dead() {
  if (getpid() != runner) return;
  say("\n[   DIED   ] ");
  say(running);
  say("\n");
  runner = 0;  // once
}
void on_signal(int signal, siginfo_t* info, void*) {
  name_the_dead();
  if (signal == SIGALRM) {
    say("It was still running when the time of its limit had passed.\n");
    _exit(1);
  }
  // What was to happen: a sanitizer's report, or a core. The instruction that failed does so again.
  sigaction(signal, &former[signal], nullptr);
  if (info->si_code <= 0) raise(signal);  // sent, by abort for instance
}

void on_exit_in_a_test() {
  if (getpid() != runner) return;
  name_the_dead();
  _exit(1);  // the tests behind it have not run
}

/// An illegal access of a kernel stays the error of all calls that the process makes from then on.
bool devices_work() {
  try {
    for (int i = 0; i < taper::cuda::device_count(); ++i) taper::cuda::synchronize(i);
    return true;
  } catch (const std::exception& e) {
    std::cout << "[ SPOILED  ] " << e.what() << std::endl;
    return false;
  }
}

class Watch : public ::testing::EmptyTestEventListener {
 public:
  explicit Watch(const Selection& s) : test_limit_s_(s.test_limit_s) {
    if (!s.progress.empty()) progress_.open(s.progress, std::ios::app);
  }

 private:
  void OnTestStart(const TestInfo& test) override {
    std::snprintf(running, sizeof running, "%s.%s", test.test_suite_name(), test.name());
    if (progress_.is_open()) progress_ << full_name(test) << std::endl;
    if (test_limit_s_) alarm(test_limit_s_);
  }
  void OnTestEnd(const TestInfo& test) override {
    if (progress_.is_open() && test.result()->Failed() && !devices_work()) _exit(75);
    std::strcpy(running, "no test");
  }
  unsigned test_limit_s_;
  std::ofstream progress_;
};

void watch(const Selection& selection) {
  static char stack[1 << 16];  // a test may die of a full stack
  const stack_t other{stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
    sigaction(signal, &action, &former[signal]);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(name_the_dead);
  std::atexit(on_exit_in_a_test);
  runner = getpid();
  alarm(selection.limit_s);
  UnitTest::GetInstance()->listeners().Append(new Watch(selection));
}

// ---------------------------------------------------------------------- files
/// Gives this process a new folder for `testing::TempDir()` and removes it at the end.
/// Entries of CTest run one test at the same time: a shared file of a fixed name would mix them.
/// A child of a death test inherits the folder.
class OwnTempDir {
 public:
  OwnTempDir() {
    std::string pattern = std::filesystem::temp_directory_path() / "taper_tests_XXXXXX";
    if (!::mkdtemp(pattern.data())) return;
    path_ = pattern;
    ::setenv("TEST_TMPDIR", path_.c_str(), 1);
  }
  ~OwnTempDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  OwnTempDir(const OwnTempDir&) = delete;
  OwnTempDir& operator=(const OwnTempDir&) = delete;

 private:
  std::string path_;
};

// ---------------------------------------------------------------------- the end
/// The variables that make this run another than the plain one, as in A=1 B=2.
std::string variables() {
  std::string text;
  for (char** v = environ; *v; ++v)
    if (value_of(*v, "TAPER_") || value_of(*v, "CUDA_LAUNCH_BLOCKING"))
      text += std::string(*v) + " ";
  return text;
}

void name_failures(const char* program) {
  std::vector<std::string> failed;
  for_each_test([&](const TestInfo& test) {
    if (test.result()->Failed()) failed.push_back(full_name(test));
  });
  if (failed.empty()) return;
  std::cout << "\n" << failed.size() << " failed:\n";
  for (const std::string& name : failed) std::cout << "[  FAILED  ] " << name << "\n";
  std::cout << "To run one: " << variables() << program << " --gtest_filter='" << failed[0]
            << "'\n";
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const Selection selection = selection_of(argc, argv);
  if (selection.lists_families) return list_families();
  if (selection.avx512_only && !has_avx512()) {
    std::cout
        << "not run: this CPU has no AVX-512, so that all other entries ran the kernels for AVX2\n";
    return 77;
  }
  // A child that dies for a test of EXPECT_EXIT has the parent's arguments and its own filter.
  const bool is_child = !GTEST_FLAG_GET(internal_run_death_test).empty();
  std::optional<OwnTempDir> folder;
  if (!is_child) {
    folder.emplace();
    apply(selection);
  }
  if (!is_child && !GTEST_FLAG_GET(list_tests)) watch(selection);
  // Each case would have NVRTC compile for half a second: tests that are about it turn it on.
  taper::cuda::set_fuses_pointwise(false);
  const int status = RUN_ALL_TESTS();
  name_failures(argv[0]);
  runner = 0;
  return status;
}
