#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/safetensors.h>

namespace torch::taper::serialize::detail {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int error) {
  throw Error(taper::detail::concat(what, " '", path, "': ", std::strerror(error)));
}

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

// Returns the target of a symbolic link, so that the link stays. The target need not exist yet.
std::string resolve(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // the limit of Linux
  fs::path target = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  return target;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Returns a name that no other process or thread uses.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(count++);
}

// Returns whether `name` is a temporary name of `path`, made by a process that has ended.
bool is_left_behind(const std::string& name, const std::string& path) {
  int pid = 0, end = 0;
  unsigned number = 0;
  const std::string start = path + ".tmp.";
  if (name.compare(0, start.size(), start) != 0) return false;
  const char* const rest = name.c_str() + start.size();
  if (std::sscanf(rest, "%d.%u%n", &pid, &number, &end) != 2 || rest[end] || pid <= 0) return false;
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

// Returns whether a process, perhaps on another machine, has locked the file to write it. Returns
// true if the file system has no locks.
bool is_being_written(const std::string& file) {
  const Descriptor d{::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  return d.fd < 0 || ::flock(d.fd, LOCK_EX | LOCK_NB) != 0;
}

// Removes the files that killed saves to `path` have left.
void remove_left_behind(const std::string& path) noexcept try {
  namespace fs = std::filesystem;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_of(path)))
    if (is_left_behind(entry.path().filename(), fs::path(path).filename()) &&
        !is_being_written(entry.path()))
      fs::remove(entry.path());
} catch (const std::exception&) {
  // The save itself reports errors of the folder.
}

// A rename reaches the disk only when its directory is synced.
void sync_directory(const std::string& path) {
  const int fd = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// Writes with `write` and closes the file. Throws the error of the first step that fails.
void fill(File file, const std::string& path, const std::function<void(const Sink&)>& write,
          bool sync) {
  std::FILE* f = file.get();
  write([&](const void* data, size_t nbytes) {
    errno = 0;
    const size_t n = std::fwrite(data, 1, nbytes, f);
    if (n != nbytes) fail("save: cannot write", path, errno);
    return n;
  });
  if (std::fflush(f) != 0) fail("save: cannot write", path, errno);
  if (sync && ::fsync(::fileno(f)) != 0) fail("save: cannot write", path, errno);
  if (std::fclose(file.release()) != 0) fail("save: cannot write", path, errno);
}

void write_directly(const std::string& path, const std::function<void(const Sink&)>& write) {
  File file(std::fopen(path.c_str(), "wbe"));
  if (!file) fail("save: cannot open", path, errno);
  fill(std::move(file), path, write, false);
}

/// Removes the temporary file unless it was renamed.
struct Temporary {
  std::string name;
  bool done = false;
  ~Temporary() {
    if (!done) ::unlink(name.c_str());
  }
};

}  // namespace

void write_file(const std::string& path, const std::function<void(const Sink&)>& write) {
  const std::string target = resolve(path);
  struct stat before;
  const bool exists = ::stat(target.c_str(), &before) == 0;
  if (!exists && errno == ELOOP) fail("save: cannot open", path, ELOOP);
  if (exists && S_ISDIR(before.st_mode)) fail("save: cannot open", path, EISDIR);
  if (exists && !S_ISREG(before.st_mode)) return write_directly(path, write);

  remove_left_behind(target);
  const std::string name = temporary_name(target);
  const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) fail("save: cannot open", path, errno);
  Temporary temporary{name};
  ::flock(fd, LOCK_EX | LOCK_NB);  // see is_being_written
  if (exists) (void)!::fchmod(fd, before.st_mode & 07777);
  File file(::fdopen(fd, "wb"));
  if (!file) {
    const int error = errno;
    ::close(fd);
    fail("save: cannot open", path, error);
  }
  fill(std::move(file), path, write, true);
  if (::rename(name.c_str(), target.c_str()) != 0) fail("save: cannot write", path, errno);
  temporary.done = true;
  sync_directory(target);
}

void read_file(const std::string& path, const std::function<void(const Source&, uint64_t)>& read) {
  if (const char* why = why_not_regular(path))
    throw Error(taper::detail::concat("load: cannot open '", path, "': ", why));
  File file(std::fopen(path.c_str(), "rbe"));
  if (!file) fail("load: cannot open", path, errno);
  std::FILE* f = file.get();
  struct stat info;
  if (::fstat(::fileno(f), &info) != 0) fail("load: cannot open", path, errno);
  uint64_t at = 0;
  read(
      [&](uint64_t position, void* buffer, size_t nbytes) {
        if (position != at && ::fseeko(f, static_cast<off_t>(position), SEEK_SET) != 0)
          fail("load: cannot read", path, errno);
        const size_t n = std::fread(buffer, 1, nbytes, f);
        if (n != nbytes && std::ferror(f)) fail("load: cannot read", path, errno);
        at = position + n;
        return n;
      },
      static_cast<uint64_t>(info.st_size));
}

}  // namespace torch::taper::serialize::detail
