// Archives of TorchScript modules, as far as they are data. Not installed.
#pragma once

#include <string>
#include <vector>

#include <taper/framework/io/bytes.h>
#include <taper/framework/io/ivalue.h>

namespace torch::taper::serialize::detail {

/// One name of an archive, whole path: a value or a nested archive.
struct Entry {
  std::string name;
  IValue value;
  bool is_archive = false;
  optional<Device> device = nullopt;  ///< where a tensor was saved, if that was no CPU
};

/// Whether bytes that begin so are a zip archive.
bool is_zip(Bytes bytes);

/// Reads what LibTorch's torch::save or Python's torch.jit.save wrote. Returns the attributes of
/// the module and of the modules in it: tensors, numbers, texts and lists. A module is an archive,
/// which stands before what it holds. No code of the file is run. Throws Error that begins with
/// "load: <where>" for bytes that are damaged or something else.
std::vector<Entry> read_script_module(Bytes bytes, const std::string& where);

}  // namespace torch::taper::serialize::detail
