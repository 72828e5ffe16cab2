// Products of Householder's reflections I - tau_i v_i v_i^T, as QR makes them: v_i has zeros above
// its element i, which is 1, and below it what column i of a matrix has. Matrices (..., m, n), f32
// or f64; leading dimensions are a batch.
#pragma once

#include <tuple>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace linalg {
/// The first n columns of the product of the reflections in `input` (..., m, n), m >= n, with tau
/// (..., k), k <= n.
Tensor householder_product(const Tensor& input, const Tensor& tau);
}  // namespace linalg

/// The reflections (below the diagonal) and R (the rest) of the QR decomposition, and tau. No
/// gradient: linalg::qr has one.
std::tuple<Tensor, Tensor> geqrf(const Tensor& self);
/// linalg::householder_product.
Tensor orgqr(const Tensor& self, const Tensor& input2);
/// Q other (other Q unless `left`; with Q^T where `transpose`): Q, of all m columns, is the product
/// of the reflections in `self` with tau `input2`.
Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left = true,
             bool transpose = false);

// ---------------------------------------------------------------- out forms
/// linalg::householder_product; `out` is resized and no gradient is recorded (ops/shared/out.h has
/// the rules).
Tensor& linalg_householder_product_out(Tensor& out, const Tensor& input, const Tensor& tau);

}  // namespace torch::taper

#pragma GCC visibility pop
