#include <taper/framework/io/tensor_files.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/safetensors.h>

// ---------------------------------------------------------------------- tensor_files
namespace torch::taper {

using namespace serialize::detail;

namespace {

// Names of metadata that begin with "taper." belong to Taper's own archives.
bool is_own(const std::string& key) { return key.rfind("taper.", 0) == 0; }

}  // namespace

StateDict load_safetensors(const std::string& path, FileMetadata* metadata) {
  FileContents contents = map_safetensors(path);
  StateDict dict;
  for (auto& [name, tensor] : contents.tensors) dict.insert(name, std::move(tensor));
  if (!metadata) return dict;
  metadata->clear();
  for (auto& [key, text] : contents.metadata)
    if (!is_own(key)) metadata->insert(key, std::move(text));
  return dict;
}

void save_safetensors(const std::string& path, const StateDict& dict,
                      const FileMetadata& metadata) {
  FileContents contents;
  for (const auto& item : dict) {
    TAPER_CHECK(item.value().defined(), "save: '", path, "': expected defined tensors, got an ",
                "undefined one as '", item.key(), "'");
    contents.tensors.emplace_back(item.key(), item.value());
  }
  for (const auto& item : metadata) {
    TAPER_CHECK(!is_own(item.key()), "save: '", path, "': expected names of metadata that do not ",
                "begin with 'taper.', got '", item.key(), "'");
    contents.metadata.emplace_back(item.key(), item.value());
  }
  write_file(path, [&](const Sink& sink) { write_safetensors(contents, sink, "'" + path + "'"); });
}

}  // namespace torch::taper

// ---------------------------------------------------------------------- mapped_file
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
