// NumPy's archives of arrays.
#include <taper/framework/io/npy.h>

#include "parser.h"

using namespace taper::serialize::detail;

FUZZ_REPAIRED(fuzz::repair_zip)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  fuzz::parse(nbytes, fuzz::kDeflated, [&] {
    for (const auto& item : read_npz(bytes_of(data, nbytes), "the data")) fuzz::touch(item.value());
  });
  return 0;
}
