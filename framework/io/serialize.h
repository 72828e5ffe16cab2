// save and load: anything with `operator<<(OutputArchive&, T)` and `operator>>(InputArchive&, T)`.
#pragma once

#include <taper/framework/io/archive.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Writes `value` (a tensor, module, optimizer, generator) to a file name, a stream or a function:
/// see OutputArchive::save_to. A file is replaced completely or not at all.
template <class Value, class... Target>
void save(const Value& value, Target&&... target) {
  serialize::OutputArchive archive;
  archive << value;
  archive.save_to(std::forward<Target>(target)...);
}
/// Writes a list of tensors under the names "0", "1", ...
template <class... Target>
void save(const std::vector<Tensor>& tensors, Target&&... target) {
  serialize::OutputArchive archive;
  for (size_t i = 0; i < tensors.size(); ++i) archive.write(std::to_string(i), tensors[i]);
  archive.save_to(std::forward<Target>(target)...);
}

/// Reads into `value` what `save` wrote. The arguments are those of InputArchive::load_from. If the
/// file is missing, damaged or of another kind, it throws Error, and the tensors of `value` are
/// unchanged.
template <class Value, class... Source>
void load(Value& value, Source&&... source) {
  serialize::InputArchive archive;
  archive.load_from(std::forward<Source>(source)...);
  archive.all_or_nothing([&] { archive >> value; });
}
/// Appends the file's tensors "0", "1", ... to the list. If the file has other contents and no
/// tensor "0", throws Error and leaves the list unchanged.
template <class... Source>
void load(std::vector<Tensor>& tensors, Source&&... source) {
  serialize::InputArchive archive;
  archive.load_from(std::forward<Source>(source)...);
  std::vector<Tensor> read;
  Tensor t;
  for (; archive.try_read(std::to_string(read.size()), t); t = Tensor()) read.push_back(t);
  if (read.empty() && !archive.keys().empty()) archive.read("0", t);
  tensors.insert(tensors.end(), read.begin(), read.end());
}

}  // namespace torch::taper

#pragma GCC visibility pop
