#include <taper/framework/io/tensor_files.h>

#include <taper/framework/io/safetensors.h>

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
