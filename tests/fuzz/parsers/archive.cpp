// Archives: every name and value in them, as one tensor, and as a list of tensors.
#include <taper/framework/io/serialize.h>

#include "parser.h"
#include "walk_archive.h"

using namespace taper;

FUZZ_REPAIRED(fuzz::repair_archive)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const auto* const bytes = reinterpret_cast<const char*>(data);
  if (nbytes > 1 && bytes[0] == 'P' && bytes[1] == 'K') return 0;  // LibTorch's archives: pt.cpp
  fuzz::parse(nbytes, fuzz::kPlain, [&] {
    serialize::InputArchive archive;
    archive.load_from(bytes, nbytes);
    fuzz::walk(archive);
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
