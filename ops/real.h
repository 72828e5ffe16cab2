// The functions of complex numbers, for real ones: there are no complex tensors.
#pragma once

#include <taper/framework/tensor.h>

namespace taper {

/// x itself.
inline Tensor real(const Tensor& x) { return x; }
inline Tensor conj(const Tensor& x) { return x; }
inline Tensor conj_physical(const Tensor& x) { return x; }
inline Tensor resolve_conj(const Tensor& x) { return x; }
inline Tensor resolve_neg(const Tensor& x) { return x; }
/// x itself; throws for bools.
Tensor positive(const Tensor& x);
/// Throws: there is no imaginary part.
Tensor imag(const Tensor& x);
/// True everywhere, in the shape of x.
Tensor isreal(const Tensor& x);
/// -1, 0 or 1, as sign().
Tensor sgn(const Tensor& x);
/// The matrices in the last two dimensions transposed (as there is nothing to conjugate): a view.
Tensor adjoint(const Tensor& x);
/// Whether each element is +infinity, -infinity.
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);

inline bool is_conj(const Tensor&) { return false; }
inline bool is_neg(const Tensor&) { return false; }

}  // namespace taper
