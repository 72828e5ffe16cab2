// Archives of optimizers: options, groups and the states of parameters.
#include <taper/framework/io/serialize.h>
#include <taper/ops/tensor/factory.h>
#include <taper/optim/optim.h>

#include "parser.h"

FUZZ_REPAIRED(fuzz::repair_archive)

namespace {

std::vector<taper::Tensor> parameters() {
  return {taper::ones({2, 3}).set_requires_grad(true), taper::ones({3}).set_requires_grad(true)};
}

template <class Optimizer>
void read(const uint8_t* data, size_t nbytes) {
  Optimizer optimizer(parameters(), 0.1);
  fuzz::parse(nbytes, fuzz::kPlain,
              [&] { taper::load(optimizer, reinterpret_cast<const char*>(data), nbytes); });
  for (taper::Tensor& p : optimizer.param_groups()[0].params())
    p.mutable_grad() = taper::ones_like(p);
  try {
    optimizer.step();
  } catch (const taper::Error&) {  // options may be out of range
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t nbytes) {
  read<taper::optim::SGD>(data, nbytes);
  read<taper::optim::Adam>(data, nbytes);
  return 0;
}
