// Archives of TorchScript modules, read as data. Not installed.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/ivalue.h>

namespace torch::taper::serialize::detail {

/// A value or a nested archive, with its full name in the archive.
struct Entry {
  std::string name;
  IValue value;
  bool is_archive = false;
  optional<Device> device = nullopt;  ///< device when saved, if not the CPU
};

/// Returns whether `bytes` start like a zip archive.
bool is_zip(Bytes bytes);

/// Reads files of LibTorch's torch::save or Python's torch.jit.save. Returns the attributes of the
/// module and its submodules: tensors, numbers, texts and lists. The entry of a module is a nested
/// archive. It precedes the entries of the module's attributes. No code of the file is run. Throws
/// Error that begins with "load: <where>" for damaged bytes and for other kinds of files.
std::vector<Entry> read_script_module(Bytes bytes, const std::string& where);

}  // namespace torch::taper::serialize::detail
