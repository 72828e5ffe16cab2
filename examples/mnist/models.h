// The networks. They map images [B, 1, 28, 28] to log-probabilities [B, 10].
#pragma once

#include <taper/taper.h>

#include <memory>
#include <string>

namespace mnist {

struct Network : taper::nn::Module {
  virtual taper::Tensor forward(taper::Tensor x) = 0;
};

/// "mlp", "cnn" or "lenet".
std::shared_ptr<Network> make_network(const std::string& name);

}  // namespace mnist
