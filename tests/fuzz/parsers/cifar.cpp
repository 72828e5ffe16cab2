// CIFAR's batches of records.
#include <taper/data/datasets/cifar.h>

#include "parser.h"

using namespace taper::data::datasets;

namespace {

template <class Set>
void read(const char* name, fuzz::Bytes bytes) {
  fuzz::file_of(name, bytes);
  fuzz::parse(bytes.size(), fuzz::kPlain, [] {
    const Set set(fuzz::folder(), Set::Mode::kTest);
    fuzz::touch(set.raw_images());
    fuzz::touch(set.targets());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  read<CIFAR10>("test_batch.bin", {data, nbytes});
  read<CIFAR100>("test.bin", {data, nbytes});
  return 0;
}
