// Safetensors files, read from a source and mapped into memory: both give the same or throw.
#include <taper/framework/io/safetensors.h>

#include <optional>

#include "parser.h"

using namespace taper::serialize::detail;

FUZZ_REPAIRED(fuzz::repair_archive)

namespace {

std::optional<FileContents> read(Bytes bytes) {
  std::optional<FileContents> contents;
  const Source source = [bytes](uint64_t position, void* buffer, size_t nbytes) {
    const size_t n = position > bytes.size() ? 0 : std::min(nbytes, bytes.size() - position);
    if (n > 0) std::memcpy(buffer, bytes.data() + position, n);
    return n;
  };
  fuzz::parse(bytes.size(), fuzz::kPlain,
              [&] { contents = read_safetensors(source, bytes.size(), "the data"); });
  return contents;
}

std::optional<FileContents> map(Bytes bytes) {
  std::optional<FileContents> contents;
  const std::string path = fuzz::file_of("file.safetensors", bytes);
  fuzz::parse(bytes.size(), fuzz::kPlain, [&] { contents = map_safetensors(path); });
  return contents;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const auto a = read({data, nbytes}), b = map({data, nbytes});
  if (a.has_value() != b.has_value()) std::abort();
  if (!a) return 0;
  if (a->tensors.size() != b->tensors.size() || a->metadata != b->metadata) std::abort();
  for (size_t i = 0; i < a->tensors.size(); ++i) {
    const auto& [name, x] = a->tensors[i];
    const auto& [same_name, y] = b->tensors[i];
    fuzz::touch(x);
    fuzz::touch(y);
    if (name != same_name || x.sizes() != y.sizes() || x.nbytes() != y.nbytes()) std::abort();
    if (x.nbytes() && std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) != 0) std::abort();
  }
  return 0;
}
