// Zip archives: their directories, and the bytes of every entry.
#include <taper/framework/io/zip.h>

#include "parser.h"

using namespace taper::serialize::detail;

FUZZ_REPAIRED(fuzz::repair_zip)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  fuzz::parse(nbytes, fuzz::kDeflated, [&] {
    const ZipReader zip(bytes_of(data, nbytes), "the data");
    for (const ZipEntry& entry : zip.entries()) {
      if (zip.find(entry.name) != &entry) std::abort();
      try {
        zip.read(entry);
      } catch (const taper::Error&) {  // the others are read all the same
      }
    }
  });
  return 0;
}
