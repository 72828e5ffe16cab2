#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <taper/framework/io/bytes.h>

namespace taper::serialize::detail {
namespace {

[[noreturn]] void fail(const std::string& path, const char* why) {
  throw Error(taper::detail::concat("load: cannot open '", path, "': ", why));
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd >= 0) ::close(fd);
}

MappedFile::MappedFile(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat info;
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0) fail(path, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) fail(path, std::strerror(EISDIR));
  if (!S_ISREG(info.st_mode)) fail(path, "not a regular file");
  nbytes_ = static_cast<size_t>(info.st_size);
  if (nbytes_ == 0) return;
  void* p = ::mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.fd, 0);
  if (p == MAP_FAILED) fail(path, std::strerror(errno));
  data_ = static_cast<unsigned char*>(p);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, nbytes_);
}

}  // namespace taper::serialize::detail
