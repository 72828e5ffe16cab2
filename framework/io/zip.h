// Zip archives: the format of PyTorch's .pt and NumPy's .npz files.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/safetensors.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::serialize::detail {

/// One file in an archive. `position` is the position of the file's bytes in the archive, after the
/// local header.
struct ZipEntry {
  std::string name;
  bool deflated = false;
  uint32_t crc = 0;
  uint64_t compressed = 0;
  uint64_t nbytes = 0;
  uint64_t header = 0;
  uint64_t position = 0;
};

/// The entries of an archive. The archive's bytes must outlive this object. The constructor checks
/// all headers (bounds, 64-bit records, duplicate names, overlapping entries) and throws Error that
/// begins with "load: <where>". A ZipReader reads stored and deflated entries, but no encrypted
/// entries.
class ZipReader {
 public:
  ZipReader(Bytes bytes, std::string where);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Returns the entry with this name, or null.
  const ZipEntry* find(const std::string& name) const;
  /// Reads the entry's bytes into `buffer`, which has entry.nbytes bytes. Throws Error if the
  /// checksum differs.
  void read(const ZipEntry& entry, void* buffer) const;
  std::string read(const ZipEntry& entry) const;

 private:
  /// The position of the central directory and its number of entries.
  struct Directory {
    uint64_t count = 0, nbytes = 0, position = 0, end = 0;
  };
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const;
  Bytes part(uint64_t position, uint64_t nbytes, const char* what) const;
  size_t find_end() const;
  Directory find_directory() const;
  void read_zip64_directory(uint64_t end, Directory& directory) const;
  size_t read_central(Bytes at, const Directory& directory);
  void read_zip64_extra(Bytes extra, ZipEntry& entry) const;
  void read_local(ZipEntry& entry, const Directory& directory) const;
  void check_overlap() const;
  void inflate(const ZipEntry& entry, void* buffer) const;

  const Bytes bytes_;
  const std::string where_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string, size_t> index_;
};

/// Writes an archive entry by entry. Call finish() at the end.
class ZipWriter {
 public:
  /// Aligns the bytes of stored entries to multiples of `alignment`.
  ZipWriter(Sink sink, std::string where, size_t alignment = 64)
      : sink_(std::move(sink)), where_(std::move(where)), alignment_(alignment) {}
  void add(const std::string& name, const void* data, size_t nbytes, bool deflate = false);
  void finish();

 private:
  void put(const void* data, size_t nbytes);
  std::string local_header(const ZipEntry& entry) const;
  void put_central(const ZipEntry& entry, std::string& out) const;

  Sink sink_;
  const std::string where_;
  const size_t alignment_;
  uint64_t position_ = 0;
  std::vector<ZipEntry> entries_;
};

}  // namespace torch::taper::serialize::detail

#pragma GCC visibility pop
