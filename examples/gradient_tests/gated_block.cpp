#include "gated_block.h"

GatedBlockImpl::GatedBlockImpl(int64_t features, int64_t hidden)
    : features(features), hidden(hidden) {
  reset();
}

void GatedBlockImpl::reset() {
  using taper::nn::Linear;
  scale = register_parameter("scale", taper::ones({features}));
  gate = register_module("gate", Linear(features, hidden));
  up = register_module("up", Linear(features, hidden));
  down = register_module("down", Linear(hidden, features));
}

taper::Tensor GatedBlockImpl::forward(const taper::Tensor& x) {
  const taper::Tensor n = rms_norm(x, scale);
  return x + down(taper::silu(gate(n)) * up(n));
}
