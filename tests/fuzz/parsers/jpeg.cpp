// JPEG files. An image of one colour takes a few bits for 64 pixels, or none where a scan is
// missing, so the size that the header says is what bounds the memory.
#include <taper/data/image_file.h>

#include <algorithm>

#include "parser.h"

namespace {

// The most that any frame header in the bytes may say.
uint64_t pixels_of(const uint8_t* data, size_t nbytes) {
  uint64_t most = 0;
  for (size_t i = 0; i + 9 <= nbytes; ++i)
    if (data[i] == 0xff && data[i + 1] >= 0xc0 && data[i + 1] <= 0xcf)
      most = std::max(most, (uint64_t{data[i + 5]} << 8 | data[i + 6]) *
                                (uint64_t{data[i + 7]} << 8 | data[i + 8]));
  return most;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const uint64_t pixels = pixels_of(data, nbytes);
  if (pixels > 1 << 16) return 0;  // slow, but right
  fuzz::parse(nbytes + pixels, fuzz::kPlain, [&] {
    fuzz::touch(taper::data::decode_image({reinterpret_cast<const char*>(data), nbytes}));
  });
  return 0;
}
