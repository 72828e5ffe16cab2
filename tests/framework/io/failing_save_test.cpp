// Saving where the disk is full or the folder may not be written: one clear error, and the old file
// is whole.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// No file of this process can become longer: what a full disk does, but for the error's number.
class LimitedFiles {
 public:
  explicit LimitedFiles(rlim_t nbytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = nbytes;
    works_ = ::setrlimit(RLIMIT_FSIZE, &now) == 0;
  }
  ~LimitedFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  bool works() const { return works_; }

 private:
  void (*signal_)(int);
  rlimit before_;
  bool works_;
};

/// Without root's right to write everywhere, if the process had it.
class OrdinaryUser {
 public:
  OrdinaryUser() : before_(::geteuid()) {
    constexpr uid_t kNobody = 65534;
    works_ = before_ != 0 || ::seteuid(kNobody) == 0;
  }
  ~OrdinaryUser() { EXPECT_EQ(::seteuid(before_), 0); }
  bool works() const { return works_; }

 private:
  uid_t before_;
  bool works_;
};

/// A folder with one file, which must outlive what the test does.
class FailingSave : public ::testing::Test {
 protected:
  FailingSave() {
    save(counting({3}), path_);
    before_ = bytes_of(path_);
  }
  void expect_old_file() const {
    EXPECT_EQ(bytes_of(path_), before_);
    EXPECT_EQ(folder_.size(), 1u) << "something else was left in the folder";
    Tensor back;
    load(back, path_);
    expect_values(back, {3}, {0, 1, 2});
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path("t");
  std::string before_;
};

TEST_F(FailingSave, AFullDiskLeavesTheOldFile) {
  // Fails in the header, in the first tensor, in the last one, at the last byte.
  const std::vector<Tensor> large{counting({20000}), counting({40000})};
  std::ostringstream whole;
  save(large, whole);
  const size_t total = whole.str().size();
  for (size_t room : {size_t{0}, size_t{100}, size_t{50000}, size_t{200000}, total - 1}) {
    std::string message;
    {
      LimitedFiles limited(room);
      if (!limited.works()) GTEST_SKIP() << "the size of files cannot be limited here";
      message = message_of([&] { save(large, path_); });
    }
    EXPECT_EQ(message, "save: cannot write '" + path_ + "': File too large") << room;
    expect_old_file();
  }
  LimitedFiles limited(total);
  EXPECT_EQ(message_of([&] { save(large, path_); }), "no error");
}

// The formats of other programs too, and checkpoints of modules and optimizers.
TEST_F(FailingSave, AFullDiskLeavesTheOldFileWhateverIsWritten) {
  const Tensor x = counting({20000});
  StateDict dict, noise;
  dict.insert("x", x);
  noise.insert("x", rand({20000}));
  nn::Linear layer(100, 100);
  optim::Adam adam(layer->parameters(), 0.1);
  layer->forward(ones({1, 100})).sum().backward();
  adam.step();
  const std::vector<std::pair<const char*, std::function<void()>>> writers = {
      {"save_npy", [&] { save_npy(path_, x); }},
      {"save_npz", [&] { save_npz(path_, dict); }},
      {"save_npz, compressed", [&] { save_npz(path_, noise, true); }},
      {"save_pt", [&] { save_pt(path_, x); }},
      {"save_safetensors", [&] { save_safetensors(path_, dict); }},
      {"save_state_dict", [&] { save_state_dict(path_, dict); }},
      {"a module", [&] { save(layer, path_); }},
      {"an optimizer", [&] { save(adam, path_); }}};
  for (const auto& [name, write] : writers)
    for (size_t room : {size_t{0}, size_t{5000}}) {
      LimitedFiles limited(room);
      if (!limited.works()) GTEST_SKIP() << "the size of files cannot be limited here";
      EXPECT_NE(message_of(write).find("File too large"), std::string::npos) << name;
      EXPECT_EQ(bytes_of(path_), before_) << name;
      EXPECT_EQ(folder_.size(), 1u) << name;
    }
}

TEST_F(FailingSave, AFullDeviceIsNamed) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_EQ(message_of([] { save(counting({100000}), "/dev/full"); }),
            "save: cannot write '/dev/full': No space left on device");
}

TEST_F(FailingSave, AFolderThatMayNotBeWrittenKeepsTheOldFile) {
  ::chmod(folder_.path().c_str(), 0555);
  std::string replaced, fresh;
  {
    OrdinaryUser user;
    if (!user.works()) GTEST_SKIP() << "root may write everywhere, and cannot become another user";
    replaced = message_of([&] { save(counting({9}), path_); });
    fresh = message_of([&] { save(counting({9}), folder_.path("new")); });
  }
  EXPECT_EQ(replaced, "save: cannot open '" + path_ + "': Permission denied");
  EXPECT_EQ(fresh, "save: cannot open '" + folder_.path("new") + "': Permission denied");
  expect_old_file();
  ::chmod(folder_.path().c_str(), 0755);
}

TEST_F(FailingSave, AMissingFolderIsNamed) {
  const std::string path = folder_.path("no/such/t");
  EXPECT_EQ(message_of([&] { save(counting({9}), path); }),
            "save: cannot open '" + path + "': No such file or directory");
  expect_old_file();
}

// A number that no process has: one that has ended.
std::string ended_process() {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  return std::to_string(pid);
}

TEST_F(FailingSave, WhatAKilledProcessLeftIsRemovedByTheNextSave) {
  const auto left = [&](const std::string& name) {
    const std::string path = folder_.path(name);
    std::ofstream(path) << "part";
    return path;
  };
  const std::string name = std::filesystem::path(path_).filename(), gone = ended_process();
  const std::string stale = left(name + ".tmp." + gone + ".0");
  // A process of another machine, or of another container, has a number that ours lacks.
  const std::string locked = left(name + ".tmp." + gone + ".1");
  const int writer = ::open(locked.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  const std::vector<std::string> kept = {locked,
                                         left(name + ".tmp." + std::to_string(::getpid()) + ".99"),
                                         left(name + ".tmp." + gone + ".0.txt"),
                                         left(name + ".tmp."), left("other.tmp." + gone + ".0")};
  save(counting({9}), path_);
  EXPECT_FALSE(std::filesystem::exists(stale));
  for (const std::string& path : kept) EXPECT_TRUE(std::filesystem::exists(path)) << path;
  ::close(writer);
  save(counting({9}), path_);
  EXPECT_FALSE(std::filesystem::exists(locked));
}

}  // namespace
}  // namespace torch::taper::testing
