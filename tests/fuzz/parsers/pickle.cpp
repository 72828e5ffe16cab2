// Pickles: instructions, the memo, tensors in storages.
#include <taper/framework/io/pickle.h>

#include "parser.h"

using namespace taper;
using namespace taper::serialize::detail;

namespace {

// Any name has a storage, of the size that is asked for.
Tensor storage(const std::string&, ScalarType dtype, int64_t numel) {
  TAPER_CHECK(numel <= 4096, "no such storage");
  const Tensor t = taper::detail::make_tensor(numel, dtype, Device());
  if (t.nbytes() > 0) std::memset(t.data_ptr(), 0, t.nbytes());
  return t;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  fuzz::parse(nbytes, fuzz::kPlain,
              [&] { fuzz::touch(unpickle(bytes_of(data, nbytes), storage, "the data")); });
  return 0;
}
