// Functions that limit elements to a range: clamp, clip, clamp_min, clamp_max.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Limits x to [min, max]. One of the bounds may be missing. NaN stays NaN. The gradient of x is 1
/// from min to max, bounds included, and 0 elsewhere. Tensor bounds broadcast. A tensor bound gets
/// the gradient of the elements that it replaced.
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
/// Limits x to at least (clamp_min) or at most (clamp_max) `bound`.
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
