// PNG files.
#include <taper/data/image_file.h>

#include "parser.h"

FUZZ_REPAIRED(fuzz::repair_png)

namespace {

// As libpng finds it: four bytes each, after the signature and the chunk's length and name.
uint64_t pixels_of(const uint8_t* data, size_t nbytes) {
  const auto number = [data](size_t at) {
    return uint64_t{data[at]} << 24 | uint64_t{data[at + 1]} << 16 | uint64_t{data[at + 2]} << 8 |
           data[at + 3];
  };
  return nbytes < 24 ? 0 : number(16) * number(20);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  // A pixel of one bit becomes four bytes. What is slow, but right, is left out.
  if (nbytes > 0 && pixels_of(data, nbytes) > 1 << 18 && pixels_of(data, nbytes) / nbytes < 8256)
    return 0;
  const std::string path = fuzz::file_of("image", {data, nbytes});
  fuzz::parse(nbytes, 8 * 4 * fuzz::kDeflated, [&] { fuzz::touch(taper::data::read_image(path)); });
  return 0;
}
