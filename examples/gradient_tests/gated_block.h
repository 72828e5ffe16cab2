// A custom module that uses the op: x + down(silu(gate(n)) * up(n)), n = rms_norm(x).
#pragma once

#include "rms_norm.h"

struct GatedBlockImpl : taper::nn::Cloneable<GatedBlockImpl> {
  GatedBlockImpl(int64_t features, int64_t hidden);
  void reset() override;
  /// x and the result are (N, features).
  taper::Tensor forward(const taper::Tensor& x);

  int64_t features, hidden;
  taper::Tensor scale;
  taper::nn::Linear gate{nullptr}, up{nullptr}, down{nullptr};
};
TAPER_MODULE(GatedBlock);
