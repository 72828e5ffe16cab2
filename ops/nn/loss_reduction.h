// What the losses share: checking and applying a reduction.
#pragma once

#include <taper/ops/nn/loss.h>

namespace taper {

inline void check_reduction(const char* op, int64_t reduction) {
  TAPER_CHECK(reduction >= Reduction::None && reduction < Reduction::END, op,
              ": expected a reduction of None, Mean or Sum, got ", reduction);
}

/// Element-wise losses to what was asked for.
inline Tensor reduce_loss(const Tensor& loss, int64_t reduction) {
  if (reduction == Reduction::Mean) return loss.mean();
  if (reduction == Reduction::Sum) return loss.sum();
  return loss;
}

}  // namespace taper
