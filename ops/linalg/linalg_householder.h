// Products of Householder's reflections I - tau_i v_i v_i^T, as computed by QR. In v_i, the
// elements before i are zero and element i is 1. Column i of a matrix of reflections holds the
// elements of v_i after i. (For complex matrices, ^T is the conjugate transpose.) Matrices are
// (..., m, n) of f32, f64 or their complex dtypes. Leading dimensions are a batch.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace linalg {
/// Returns the first n columns of the product of the reflections in `input` (..., m, n) with tau
/// (..., k). Requires m >= n >= k.
Tensor householder_product(const Tensor& input, const Tensor& tau);
}  // namespace linalg

/// Returns one matrix with the QR decomposition, and tau. The matrix holds the reflections below
/// the diagonal, and R on and above the diagonal. geqrf has no gradient, but linalg::qr has one.
std::tuple<Tensor, Tensor> geqrf(const Tensor& self);
/// Calls linalg::householder_product.
Tensor orgqr(const Tensor& self, const Tensor& input2);
/// Returns Q input3, or input3 Q if `left` is false. With `transpose`, Q^T replaces Q. Q (m x m) is
/// the product of the reflections in `self`, whose factors tau are `input2`.
Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left = true,
             bool transpose = false);

// ---------------------------------------------------------------- out forms
/// Writes the result of linalg::householder_product into `out`, which is resized. No gradient is
/// recorded. ops/shared/out.h has the rules.
Tensor& linalg_householder_product_out(Tensor& out, const Tensor& input, const Tensor& tau);

}  // namespace torch::taper

#pragma GCC visibility pop
