// Products of Householder's reflections I - tau_i v_i v_i^T, as computed by QR. In v_i, the
// elements before i are zero and element i is 1. Column i of a matrix holds the elements after i.
// Matrices are (..., m, n) of f32 or f64. Leading dimensions are a batch.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace linalg {
/// Returns the first n columns of the product of the reflections in `input` (..., m, n) with tau
/// (..., k). It must be m >= n >= k.
Tensor householder_product(const Tensor& input, const Tensor& tau);
}  // namespace linalg

/// Returns one matrix with the QR decomposition, and tau. The matrix has the reflections below the
/// diagonal, and R on and above it. There is no gradient, but linalg::qr has one.
std::tuple<Tensor, Tensor> geqrf(const Tensor& self);
/// Calls linalg::householder_product.
Tensor orgqr(const Tensor& self, const Tensor& input2);
/// Returns Q input3, or input3 Q if `left` is false. With `transpose`, it uses Q^T. Q is the
/// product of the reflections in `self` with tau `input2`, with all its m columns.
Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left = true,
             bool transpose = false);

// ---------------------------------------------------------------- out forms
/// Writes linalg::householder_product into `out`, which is resized. No gradient is recorded.
/// ops/shared/out.h has the rules.
Tensor& linalg_householder_product_out(Tensor& out, const Tensor& input, const Tensor& tau);

}  // namespace torch::taper

#pragma GCC visibility pop
