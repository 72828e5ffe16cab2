// A module with parameters and buffers, for the fuzzers of what is saved of modules and optimizers.
#pragma once

#include <taper/nn/modules.h>

namespace fuzz {

struct ExampleModuleImpl : taper::nn::Module {
  taper::nn::Linear linear{2, 3};
  taper::nn::BatchNorm1d norm{3};
  ExampleModuleImpl() {
    register_module("linear", linear);
    register_module("norm", norm);
  }
};
TAPER_MODULE(ExampleModule);

}  // namespace fuzz
