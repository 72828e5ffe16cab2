// Bytes of a file in memory, and numbers in them.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include <taper/framework/core/check.h>

namespace torch::taper::serialize::detail {

using Bytes = std::span<const unsigned char>;

inline Bytes bytes_of(const void* data, size_t nbytes) {
  return {static_cast<const unsigned char*>(data), nbytes};
}

/// Returns the unsigned number in `nbytes` (at most 8) little-endian bytes.
inline uint64_t little_endian(const unsigned char* p, size_t nbytes) {
  uint64_t v = 0;
  for (size_t i = 0; i < nbytes; ++i) v |= static_cast<uint64_t>(p[i]) << (8 * i);
  return v;
}

/// Appends the low `nbytes` bytes of a number, lowest first.
inline void put_little_endian(std::string& out, uint64_t v, size_t nbytes) {
  for (size_t i = 0; i < nbytes; ++i) out += static_cast<char>(v >> (8 * i));
}

/// Reverses the bytes of each element. This turns big-endian numbers into little-endian numbers.
inline void swap_bytes(void* data, size_t nbytes, size_t itemsize) {
  if (itemsize < 2) return;
  auto* p = static_cast<unsigned char*>(data);
  for (size_t i = 0; i + itemsize <= nbytes; i += itemsize) std::reverse(p + i, p + i + itemsize);
}

/// Returns the reason why `path` must not be opened for reading: "Is a directory" or "not a regular
/// file". (Opening a pipe waits for a writer, and a device has no end.) Returns null if `path` may
/// be opened.
const char* why_not_regular(const std::string& path);

/// An open file descriptor, closed by the destructor. Negative means none.
struct Descriptor {
  int fd;
  ~Descriptor();
};

#pragma GCC visibility push(default)  // for taper::program
/// Maps a regular file. Writing to the memory changes a private copy, never the file. If another
/// program shortens the file, an access to the lost bytes ends this program.
class MappedFile {
 public:
  /// Maps a file. Throws Error ("load: cannot open ...") for a path that is no readable regular
  /// file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  unsigned char* data() const { return data_; }
  Bytes bytes() const { return {data_, nbytes_}; }

 private:
  unsigned char* data_ = nullptr;
  size_t nbytes_ = 0;
};
#pragma GCC visibility pop

}  // namespace torch::taper::serialize::detail
