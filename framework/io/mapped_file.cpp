#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <taper/framework/io/bytes.h>

namespace torch::taper::serialize::detail {
namespace {

[[noreturn]] void fail(const std::string& path, const char* why) {
  throw Error(taper::detail::concat("load: cannot open '", path, "': ", why));
}

}  // namespace

const char* why_not_regular(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return nullptr;
  return S_ISDIR(info.st_mode) ? "Is a directory" : "not a regular file";
}

Descriptor::~Descriptor() {
  if (fd >= 0) ::close(fd);
}

MappedFile::MappedFile(const std::string& path) {
  if (const char* why = why_not_regular(path)) fail(path, why);
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info;
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0) fail(path, std::strerror(errno));
  nbytes_ = static_cast<size_t>(info.st_size);
  if (nbytes_ == 0) return;
  void* p = ::mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.fd, 0);
  if (p == MAP_FAILED) fail(path, std::strerror(errno));
  data_ = static_cast<unsigned char*>(p);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, nbytes_);
}

}  // namespace torch::taper::serialize::detail
