// Names of devices: what is accepted prints as the text that it was read from.
#include <taper/framework/core/device.h>

#include "parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  const std::string text(reinterpret_cast<const char*>(data), nbytes);
  fuzz::parse(nbytes, fuzz::kPlain, [&] {
    if (taper::Device(text).str() != text) std::abort();
  });
  return 0;
}
