// Complex tensors: made of two real ones and taken apart, and the functions that only they need.
// What is said of a complex tensor and holds for a real one too is true of it (conj(x) is x).
//
// Gradients are PyTorch's: of a real loss L, that of z = a + ib is dL/da + i dL/db.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

// ---------------------------------------------------------------- parts
/// re + i im: f32 or f64, of one dtype, broadcast.
/// Errors: "Expected object of scalar type Float but got scalar type Double for second argument".
Tensor complex(const Tensor& real, const Tensor& imag);
Tensor& complex_out(Tensor& out, const Tensor& real, const Tensor& imag);
/// abs (cos angle + i sin angle): as complex().
Tensor polar(const Tensor& abs, const Tensor& angle);
Tensor& polar_out(Tensor& out, const Tensor& abs, const Tensor& angle);
/// The two numbers of each element in a last dimension of 2, over the same memory. Throws for real
/// tensors. Where history is recorded the result may not be changed in place (see view_as_complex).
Tensor view_as_real(const Tensor& x);
/// The way back: x has a last dimension of 2 with stride 1, even strides and an even storage
/// offset. Where history is recorded, neither view may be changed in place, nor used after its base
/// was: that throws.
Tensor view_as_complex(const Tensor& x);
/// The real part, a view of the tensor (itself for a real one). As for view_as_real, no changes in
/// place where history is recorded.
Tensor real(const Tensor& x);
/// The imaginary part, a view. Throws for real tensors.
Tensor imag(const Tensor& x);

// ---------------------------------------------------------------- functions
/// A new tensor with the imaginary parts negated; a real x itself. (It is never lazy: is_conj() is
/// false.)
Tensor conj(const Tensor& x);
inline Tensor conj_physical(const Tensor& x) { return conj(x); }
inline Tensor resolve_conj(const Tensor& x) { return x; }  ///< x itself
inline Tensor resolve_neg(const Tensor& x) { return x; }   ///< x itself
inline bool is_conj(const Tensor&) { return false; }       ///< false
inline bool is_neg(const Tensor&) { return false; }        ///< false
/// The argument in (-pi, pi]; of a real x 0, or pi where it is negative.
Tensor angle(const Tensor& x);
Tensor& angle_out(Tensor& out, const Tensor& x);
/// x / |x|, 0 where x is 0; of a real x its sign.
Tensor sgn(const Tensor& x);
/// Into a tensor of x's dtype.
Tensor& sgn_out(Tensor& out, const Tensor& x);
/// Where the imaginary part is 0; everywhere for a real x.
Tensor isreal(const Tensor& x);
/// x itself; throws for bools.
Tensor positive(const Tensor& x);
/// The matrices in the last two dimensions transposed and conjugated (a view of a real x).
Tensor adjoint(const Tensor& x);
/// Whether each element of a real x is +infinity, -infinity.
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);

/// Negates the imaginary parts in place; a real self stays as it is.
inline Tensor& conj_physical_(Tensor& self) { return self.conj_physical_(); }

}  // namespace torch::taper

#pragma GCC visibility pop
