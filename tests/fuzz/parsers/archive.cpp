// Archives: every name and value in them, as one tensor, and as a list of tensors.
#include <taper/framework/io/serialize.h>

#include "parser.h"

using namespace taper;

FUZZ_REPAIRED(fuzz::repair_archive)

namespace {

void walk(serialize::InputArchive& archive, int depth) {
  for (const std::string& key : archive.keys()) {
    IValue value;
    serialize::InputArchive nested;
    if (archive.try_read(key, value)) fuzz::touch(value);
    if (depth < 100 && archive.try_read(key, nested)) walk(nested, depth + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const auto* const bytes = reinterpret_cast<const char*>(data);
  fuzz::parse(nbytes, fuzz::kPlain, [&] {
    serialize::InputArchive archive;
    archive.load_from(bytes, nbytes);
    walk(archive, 0);
  });
  fuzz::parse(nbytes, fuzz::kPlain, [&] {
    Tensor t;
    load(t, bytes, nbytes);
    fuzz::touch(t);
  });
  fuzz::parse(nbytes, fuzz::kPlain, [&] {
    std::vector<Tensor> list;
    load(list, bytes, nbytes);
    for (const Tensor& t : list) fuzz::touch(t);
  });
  return 0;
}
