// c10::TempFile and c10::TempDir: their destructors remove a temporary file or folder.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <c10/util/Exception.h>

namespace c10 {

/// Holds a temporary file. The destructor removes and closes it.
struct TempFile {
  explicit TempFile(std::string_view name, int fd = -1) noexcept : fd(fd), name(name) {}
  TempFile(TempFile&& o) noexcept : fd(std::exchange(o.fd, -1)), name(std::move(o.name)) {
    o.name.clear();
  }
  TempFile& operator=(TempFile&& o) noexcept {
    std::swap(fd, o.fd);
    std::swap(name, o.name);
    return *this;
  }
  ~TempFile() {
    if (!name.empty()) ::unlink(name.c_str());
    if (fd >= 0) ::close(fd);
  }
  int fd;
  std::string name;
};

/// Holds a temporary folder. The destructor removes the folder if it is empty.
struct TempDir {
  explicit TempDir(std::string_view name) noexcept : name(name) {}
  TempDir(TempDir&& o) noexcept : name(std::exchange(o.name, {})) {}
  TempDir& operator=(TempDir&& o) noexcept {
    std::swap(name, o.name);
    return *this;
  }
  ~TempDir() {
    if (!name.empty()) ::rmdir(name.c_str());
  }
  std::string name;
};

namespace detail {
inline std::string temporary_pattern(std::string_view prefix) {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* folder = getenv(variable))
      return std::string(folder) + "/" + std::string(prefix) + "XXXXXX";
  return "/tmp/" + std::string(prefix) + "XXXXXX";
}
}  // namespace detail

inline std::optional<TempFile> try_make_tempfile(std::string_view name_prefix = "torch-file-") {
  std::string name = detail::temporary_pattern(name_prefix);
  const int fd = ::mkstemp(name.data());
  if (fd < 0) return std::nullopt;
  return TempFile(name, fd);
}
inline TempFile make_tempfile(std::string_view name_prefix = "torch-file-") {
  if (auto file = try_make_tempfile(name_prefix)) return std::move(*file);
  TORCH_CHECK(false, "Error generating temporary file, is the temporary folder writable?");
}
inline std::optional<TempDir> try_make_tempdir(std::string_view name_prefix = "torch-dir-") {
  std::string name = detail::temporary_pattern(name_prefix);
  if (!::mkdtemp(name.data())) return std::nullopt;
  return TempDir(name);
}
inline TempDir make_tempdir(std::string_view name_prefix = "torch-dir-") {
  if (auto dir = try_make_tempdir(name_prefix)) return std::move(*dir);
  TORCH_CHECK(false, "Error generating temporary directory, is the temporary folder writable?");
}

}  // namespace c10
