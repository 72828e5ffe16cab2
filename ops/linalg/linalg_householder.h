// Products of Householder's reflections I - tau_i v_i v_i^T, as computed by QR. In v_i, the
// elements before i are zero and element i is 1. The others are in column i of a matrix. Matrices
// are (..., m, n) of f32 or f64. Leading dimensions are a batch.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace linalg {
/// Returns the first n columns of the product of the reflections in `input` (..., m, n), m >= n,
/// with tau (..., k), k <= n.
Tensor householder_product(const Tensor& input, const Tensor& tau);
}  // namespace linalg

/// Returns tau and the QR decomposition in one matrix: the reflections below the diagonal, R in the
/// rest. There is no gradient. linalg::qr has one.
std::tuple<Tensor, Tensor> geqrf(const Tensor& self);
/// Calls linalg::householder_product.
Tensor orgqr(const Tensor& self, const Tensor& input2);
/// Returns Q other, or other Q unless `left`. With `transpose` it uses Q^T. Q, of all m columns, is
/// the product of the reflections in `self` with tau `input2`.
Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left = true,
             bool transpose = false);

// ---------------------------------------------------------------- out forms
/// Writes linalg::householder_product into `out`, which is resized. No gradient is recorded.
/// ops/shared/out.h has the rules.
Tensor& linalg_householder_product_out(Tensor& out, const Tensor& input, const Tensor& tau);

}  // namespace torch::taper

#pragma GCC visibility pop
