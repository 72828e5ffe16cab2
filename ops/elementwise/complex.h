// Complex tensors: conversion from and to real tensors, and functions of complex numbers. Unless a
// comment says otherwise, the functions take real tensors too: conj(x) is x.
//
// Gradients follow PyTorch. For a real loss L, the gradient of z = a + ib is dL/da + i dL/db.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

// ---------------------------------------------------------------- parts
/// Returns real + i imag. real and imag must have one dtype, f32 or f64. They broadcast.
/// Errors: "Expected object of scalar type Float but got scalar type Double for second argument".
Tensor complex(const Tensor& real, const Tensor& imag);
Tensor& complex_out(Tensor& out, const Tensor& real, const Tensor& imag);
/// Returns abs (cos angle + i sin angle). Dtypes and errors are as for complex().
Tensor polar(const Tensor& abs, const Tensor& angle);
Tensor& polar_out(Tensor& out, const Tensor& abs, const Tensor& angle);
/// Returns a real view of a complex x. The view's last dimension has size 2 and holds the two parts
/// of each element. Throws for real tensors. If history is recorded, the view may not be changed in
/// place (see view_as_complex).
Tensor view_as_real(const Tensor& x);
/// Returns a complex view of a real x, the inverse of view_as_real. x's last dimension must have
/// size 2 and stride 1. Its other strides and its storage offset must be even. If history is
/// recorded, views of view_as_real and view_as_complex may not be changed in place. If the base of
/// such a view was changed, using the view throws, too.
Tensor view_as_complex(const Tensor& x);
/// Returns the real part as a view, or x itself if it is real. If history is recorded, the view may
/// not be changed in place.
Tensor real(const Tensor& x);
/// Returns the imaginary part as a view. Throws for real tensors.
Tensor imag(const Tensor& x);

// ---------------------------------------------------------------- functions
/// Returns a new tensor with negated imaginary parts, or x itself if it is real. The result is
/// never lazy: is_conj() is false.
Tensor conj(const Tensor& x);
inline Tensor conj_physical(const Tensor& x) { return conj(x); }
inline Tensor resolve_conj(const Tensor& x) { return x; }  ///< Returns x itself
inline Tensor resolve_neg(const Tensor& x) { return x; }   ///< Returns x itself
inline bool is_conj(const Tensor&) { return false; }       ///< Returns false
inline bool is_neg(const Tensor&) { return false; }        ///< Returns false
/// Returns the argument (phase) of x in (-pi, pi]. For a real x the argument is pi if x is
/// negative, else 0.
Tensor angle(const Tensor& x);
Tensor& angle_out(Tensor& out, const Tensor& x);
/// Returns x / |x|, or 0 if x is 0. For a real x this is the sign.
Tensor sgn(const Tensor& x);
/// Writes sgn(x) into `out`, a tensor of x's dtype.
Tensor& sgn_out(Tensor& out, const Tensor& x);
/// Tests whether the imaginary part is 0. For a real x this is always true.
Tensor isreal(const Tensor& x);
/// Returns x itself. Throws for bools.
Tensor positive(const Tensor& x);
/// Transposes and conjugates the matrices in the last two dimensions. For a real x this is a view.
Tensor adjoint(const Tensor& x);
/// Tests whether each element of a real x is +infinity (isposinf) or -infinity (isneginf).
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);

/// Negates the imaginary parts in place. A real self does not change.
inline Tensor& conj_physical_(Tensor& self) { return self.conj_physical_(); }

}  // namespace torch::taper

#pragma GCC visibility pop
