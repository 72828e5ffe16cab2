// IDX files, as the images or the labels of a data set whose other file is good.
#include <taper/data/datasets/mnist.h>

#include <cstdio>

#include "parser.h"

using namespace taper::data::datasets;

namespace {

constexpr const char *kImages = "t10k-images-idx3-ubyte", *kLabels = "t10k-labels-idx1-ubyte";
constexpr uint8_t kGoodImages[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4};
constexpr uint8_t kGoodLabels[] = {0, 0, 8, 1, 0, 0, 0, 2, 9, 0};

void write(const char* name, fuzz::Bytes bytes) {
  const bool gzip = bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  fuzz::file_of(std::string(name) + (gzip ? ".gz" : ""), bytes);
  std::remove((fuzz::folder() + "/" + name + (gzip ? "" : ".gz")).c_str());
}

void read(fuzz::Bytes images, fuzz::Bytes labels, size_t nbytes) {
  write(kImages, images);
  write(kLabels, labels);
  fuzz::parse(nbytes, fuzz::kDeflated, [] {
    const MNIST set(fuzz::folder(), MNIST::Mode::kTest);
    fuzz::touch(set.raw_images());
    fuzz::touch(set.targets());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  read({data, nbytes}, kGoodLabels, nbytes);
  read(kGoodImages, {data, nbytes}, nbytes);
  return 0;
}
