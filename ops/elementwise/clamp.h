// Limits: clamp, clip, clamp_min, clamp_max.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x limited to [min, max]; either bound may be missing, not both. NaN stays NaN. The gradient is 1
/// within the bounds (them included), else 0. Bounds that are tensors broadcast, and get a gradient
/// where they were taken.
Tensor clamp(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max = nullopt);
Tensor& clamp_(Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max = nullopt);
Tensor& clamp_out(Tensor& out, const Tensor& x, const optional<Scalar>& min,
                  const optional<Scalar>& max = nullopt);
Tensor clamp(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max = nullopt);
Tensor& clamp_(Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max = nullopt);
Tensor& clamp_out(Tensor& out, const Tensor& x, const optional<Tensor>& min,
                  const optional<Tensor>& max = nullopt);
Tensor clip(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max = nullopt);
Tensor& clip_(Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max = nullopt);
Tensor& clip_out(Tensor& out, const Tensor& x, const optional<Scalar>& min,
                 const optional<Scalar>& max = nullopt);
Tensor clip(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max = nullopt);
Tensor& clip_(Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max = nullopt);
Tensor& clip_out(Tensor& out, const Tensor& x, const optional<Tensor>& min,
                 const optional<Tensor>& max = nullopt);
/// clamp with one bound.
Tensor clamp_min(const Tensor& x, const Scalar& bound);
Tensor& clamp_min_(Tensor& x, const Scalar& bound);
Tensor& clamp_min_out(Tensor& out, const Tensor& x, const Scalar& bound);
Tensor clamp_min(const Tensor& x, const Tensor& bound);
Tensor& clamp_min_(Tensor& x, const Tensor& bound);
Tensor& clamp_min_out(Tensor& out, const Tensor& x, const Tensor& bound);
Tensor clamp_max(const Tensor& x, const Scalar& bound);
Tensor& clamp_max_(Tensor& x, const Scalar& bound);
Tensor& clamp_max_out(Tensor& out, const Tensor& x, const Scalar& bound);
Tensor clamp_max(const Tensor& x, const Tensor& bound);
Tensor& clamp_max_(Tensor& x, const Tensor& bound);
Tensor& clamp_max_out(Tensor& out, const Tensor& x, const Tensor& bound);

}  // namespace torch::taper

#pragma GCC visibility pop
