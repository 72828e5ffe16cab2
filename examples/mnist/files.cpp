#include "files.h"

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

extern char** environ;

namespace mnist {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}
[[noreturn]] void fail_errno(const std::string& path, const char* what) {
  fail(path, std::string(what) + ": " + std::strerror(errno));
}

void write_all(int fd, const std::string& path, const void* data, size_t nbytes) {
  const char* p = static_cast<const char*>(data);
  while (nbytes > 0) {
    const ssize_t n = ::write(fd, p, nbytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_errno(path, "cannot be written");
    p += n, nbytes -= static_cast<size_t>(n);
  }
}

}  // namespace

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

void make_folders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(path, "the folder cannot be made: " + error.message());
}

void check_writable(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "cannot be written: it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (::access(path.c_str(), W_OK) != 0) fail_errno(path, "cannot be written");
    return;
  }
  // A new file replaces the old one, so the folder must be writable.
  const std::string target =
      fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : fs::path(path);
  const std::string probe = target + ".try-" + std::to_string(::getpid());
  const int fd = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) fail_errno(path, "cannot be written");
  ::close(fd);
  ::unlink(probe.c_str());
}

void write_file(const std::string& path, const std::string& head,
                const std::vector<uint8_t>& rest) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail_errno(path, "cannot be made");
  try {
    write_all(fd, path, head.data(), head.size());
    write_all(fd, path, rest.data(), rest.size());
    if (::fsync(fd) != 0) fail_errno(path, "cannot be written");
  } catch (...) {
    ::close(fd);
    throw;
  }
  if (::close(fd) != 0) fail_errno(path, "cannot be written");
}

std::string cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/taper";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/taper";
  const passwd* user = ::getpwuid(::getuid());
  if (user && user->pw_dir) return std::string(user->pw_dir) + "/.cache/taper";
  return "/tmp/taper-" + std::to_string(::getuid());
}

int run_program(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int fd : {1, 2}) posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TemporaryFolder::TemporaryFolder(std::string final_path)
    : final_path_(std::move(final_path)),
      path_(final_path_ + ".part-" + std::to_string(::getpid())) {
  make_folders(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!kept_) fs::remove_all(path_, error);
}

void TemporaryFolder::keep() {
  std::error_code error;
  fs::rename(path_, final_path_, error);
  // Another process may have made the folder already. Then use that folder.
  if (error && !exists(final_path_)) fail(final_path_, "cannot be made: " + error.message());
  kept_ = !error;
}

}  // namespace mnist
