// Files of Python's torch.save, from memory and, as state dicts, from a file. Archives of
// TorchScript, as LibTorch's torch::save writes them.
#include <taper/framework/io/pt.h>

#include "parser.h"
#include "walk_archive.h"

FUZZ_REPAIRED(fuzz::repair_zip)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const std::vector<char> bytes(data, data + nbytes);
  fuzz::parse(nbytes, fuzz::kDeflated, [&] { fuzz::touch(taper::pickle_load(bytes)); });
  fuzz::parse(nbytes, fuzz::kDeflated, [&] {
    const std::string path = fuzz::file_of("file.pt", {data, nbytes});
    for (const auto& item : taper::load_state_dict(path)) fuzz::touch(item.value());
  });
  fuzz::parse(nbytes, fuzz::kDeflated, [&] {
    taper::serialize::InputArchive archive;
    archive.load_from(bytes.data(), nbytes);
    fuzz::walk(archive);
  });
  return 0;
}
