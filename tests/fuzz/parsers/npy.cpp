// NumPy's arrays.
#include <taper/framework/io/npy.h>

#include "parser.h"

using namespace taper::serialize::detail;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  fuzz::parse(nbytes, fuzz::kPlain,
              [&] { fuzz::touch(read_npy(bytes_of(data, nbytes), "the data")); });
  return 0;
}
