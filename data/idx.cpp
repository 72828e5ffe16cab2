#include <taper/data/idx.h>
#include <taper/framework/io/bytes.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace torch::taper::data {
namespace {

/// Reads bytes from a file, compressed or not.
class Source {
 public:
  virtual ~Source() = default;
  /// Reads up to n bytes, and fewer only at the end of the file.
  virtual size_t read(void* to, size_t n) = 0;
  /// Returns the maximum number of bytes in the uncompressed file.
  virtual uint64_t size_limit() const = 0;
};

class PlainFile final : public Source {
 public:
  PlainFile(const std::string& path, int fd) : path_(path), fd_(fd) {}
  ~PlainFile() override { ::close(fd_); }
  size_t read(void* to, size_t n) override {
    size_t done = 0;
    while (done < n) {
      const ssize_t got = ::read(fd_, static_cast<char*>(to) + done, n - done);
      if (got < 0 && errno == EINTR) continue;
      TAPER_CHECK(got >= 0, path_, ": cannot be read: ", std::strerror(errno));
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }
  uint64_t size_limit() const override {
    struct stat info {};
    return ::fstat(fd_, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
  }

 private:
  const std::string path_;
  const int fd_;
};

class GzipFile final : public Source {
 public:
  GzipFile(const std::string& path, gzFile file, uint64_t compressed)
      : path_(path), file_(file), compressed_(compressed) {
    gzbuffer(file_, 1 << 17);
  }
  ~GzipFile() override { gzclose(file_); }
  size_t read(void* to, size_t n) override {
    size_t done = 0;
    while (done < n) {
      const size_t piece = std::min<size_t>(n - done, 1u << 30);
      const int got = gzread(file_, static_cast<char*>(to) + done, static_cast<unsigned>(piece));
      int code = Z_OK;
      const char* text = gzerror(file_, &code);
      TAPER_CHECK(code != Z_BUF_ERROR, path_, ": the file is cut, its compressed data ends early");
      TAPER_CHECK(got >= 0 && code >= 0, path_, ": the compressed data is damaged: ", text);
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }
  // Deflate expands one byte to at most 1032 bytes.
  uint64_t size_limit() const override { return compressed_ * 1032; }

 private:
  const std::string path_;
  gzFile file_;
  const uint64_t compressed_;
};

std::unique_ptr<Source> open_gzip(const std::string& path, int fd) {
  struct stat info {};
  ::fstat(fd, &info);
  gzFile file = gzdopen(fd, "rb");
  if (!file) ::close(fd);
  TAPER_CHECK(file, path, ": cannot be opened as a gzip file");
  auto source = std::make_unique<GzipFile>(path, file, static_cast<uint64_t>(info.st_size));
  TAPER_CHECK(!gzdirect(file), path, ": expected a gzip file, got something else");
  return source;
}

/// Opens a regular file. Returns a negative number, with the reason in errno, if it cannot be
/// opened.
int open_regular(const std::string& path, const char* kind) {
  if (const char* why = serialize::detail::why_not_regular(path))
    throw Error(detail::concat("Error opening ", kind, " file at ", path, ": ", why));
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

/// Opens `path`, or `path`.gz, and sets `path` to the file that exists.
std::unique_ptr<Source> open_idx(std::string& path, const char* kind) {
  int fd = open_regular(path, kind);
  if (fd >= 0) return std::make_unique<PlainFile>(path, fd);
  const int error = errno;
  if (error == ENOENT) {
    const std::string compressed = path + ".gz";
    fd = open_regular(compressed, kind);
    if (fd >= 0) {
      path = compressed;
      return open_gzip(path, fd);
    }
  }
  throw Error(detail::concat("Error opening ", kind, " file at ", path, ": ", std::strerror(error),
                             " (nor is there ", path, ".gz)"));
}

uint32_t big_endian(const unsigned char* b) {
  return uint32_t{b[0]} << 24 | uint32_t{b[1]} << 16 | uint32_t{b[2]} << 8 | b[3];
}

/// Reads the header and returns the sizes.
Dims read_header(Source& source, const std::string& path, int dims, const char* kind) {
  unsigned char header[4 + 4 * 4];
  const size_t nbytes = 4 + 4 * static_cast<size_t>(dims);
  const size_t got = source.read(header, nbytes);
  TAPER_CHECK(got == nbytes, path, ": the file is cut: expected an IDX header of ", nbytes,
              " bytes, got ", got, " bytes");
  const uint32_t magic = big_endian(header), expected = 0x800 + static_cast<uint32_t>(dims);
  TAPER_CHECK(magic == expected, path, ": expected an IDX file of ", kind, ", which starts with ",
              expected, ", got a file that starts with ", magic);
  Dims sizes;
  for (int d = 0; d < dims; ++d) sizes.push_back(big_endian(header + 4 + 4 * d));
  return sizes;
}

/// Returns the number of bytes for `sizes`, if the file can hold them.
uint64_t checked_numel(const Dims& sizes, const Source& source, const std::string& path) {
  unsigned __int128 numel = 1;
  for (int64_t s : sizes) numel *= static_cast<unsigned __int128>(s);
  TAPER_CHECK(numel > 0, path, ": expected at least one example, got sizes ", sizes);
  const uint64_t limit = source.size_limit();
  TAPER_CHECK(numel <= limit, path, ": the file is cut or damaged: its header promises ", sizes,
              " bytes, more than there can be in it");
  return static_cast<uint64_t>(numel);
}

}  // namespace

Tensor read_idx(const std::string& name, int dims, const char* kind) {
  std::string path = name;
  const std::unique_ptr<Source> source = open_idx(path, kind);
  const Dims sizes = read_header(*source, path, dims, kind);
  const uint64_t numel = checked_numel(sizes, *source, path);
  Tensor values = detail::make_tensor(sizes, kByte, Device(kCPU));
  const size_t got = source->read(values.data_ptr(), numel);
  TAPER_CHECK(got == numel, path, ": the file is cut: expected ", numel, " bytes of ", kind,
              ", got ", got);
  unsigned char more;
  TAPER_CHECK(source->read(&more, 1) == 0, path, ": expected ", numel, " bytes of ", kind,
              ", got more");
  return values;
}

}  // namespace torch::taper::data
