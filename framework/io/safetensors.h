// The file format of archives: reads and writes whole safetensors files.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::serialize::detail {

/// Contents of a file: tensors in order, and text by name.
struct FileContents {
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// Takes bytes and returns how many it took. A smaller number than given is a failure.
using Sink = std::function<size_t(const void*, size_t)>;
/// Copies `nbytes` bytes, starting at `position`, to `buffer`. Returns how many bytes it copied.
using Source = std::function<size_t(uint64_t position, void* buffer, size_t nbytes)>;

/// Writes header and data. `where` names the target in error messages.
void write_safetensors(const FileContents& contents, const Sink& sink, const std::string& where);

/// Reads and checks a file of `nbytes` bytes: the header's bounds and syntax, duplicate names,
/// dtypes, sizes and the checksum. The tensors' bytes must follow each other without gap, overlap
/// or rest. Throws Error that begins with "load: <where>".
FileContents read_safetensors(const Source& source, uint64_t nbytes, const std::string& where);

/// Reads and checks a file that is mapped into memory. The tensors use the mapped bytes.
FileContents map_safetensors(const std::string& path);

/// Calls `write` with a sink to a temporary file beside `path`, syncs the file and renames it to
/// `path`. On any failure it removes the temporary file and throws Error. A path that is no regular
/// file (a pipe, a device) is written directly.
void write_file(const std::string& path, const std::function<void(const Sink&)>& write);
/// Calls `read` with a source over the file and its size. Throws Error if the file cannot be
/// opened.
void read_file(const std::string& path, const std::function<void(const Source&, uint64_t)>& read);

}  // namespace torch::taper::serialize::detail

#pragma GCC visibility pop
