// Eigenvalues and eigenvectors of matrices that need not be symmetric.
#include <taper/ops/linalg/linalg_eig.h>

#include <taper/framework/autograd/door.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/linalg_kernels.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::linalg {

using detail::batch_with;
using detail::check_info;
using detail::copy_of;

namespace {

struct Eigen {
  Tensor values, vectors;
};

Eigen compute(const Tensor& A, bool with_vectors) {
  detail::check_square("linalg.eig", A);
  detail::check_may_wait("linalg.eig", A);
  const NoGradGuard values_only;
  const ScalarType dtype = toComplexType(A.scalar_type());
  const int64_t n = A.size(-1);
  const Tensor a = copy_of(A.mT()), info = detail::make_info(A);
  const Tensor w = taper::detail::make_tensor(batch_with(A, {n}), dtype, A.device());
  const Tensor v = with_vectors
                       ? taper::detail::make_tensor(batch_with(A, {n, n}), dtype, A.device())
                       : Tensor();
  TAPER_ON_DEVICE(a, linalg_eig, a, w, v, info);
  check_info("linalg.eig", info, [](const std::string& prefix, int i) {
    TAPER_CHECK(i != -4, "torch.linalg.eig: input tensor should not contain infs or NaNs.");
    throw LinAlgError(taper::detail::concat(
        prefix,
        "The algorithm failed to converge because the input matrix is ill-conditioned or "
        "has too many repeated eigenvalues (error code: ",
        i, ")."));
  });
  return {w, with_vectors ? copy_of(v.mT()) : Tensor()};
}

// Returns the X with A X = B for complex matrices, by a real system of twice the size.
Tensor complex_solve(const Tensor& A, const Tensor& B) {
  const Tensor re = real(A), im = imag(A);
  const Tensor whole = cat({cat({re, -im}, -1), cat({im, re}, -1)}, -2);
  const Tensor x = solve(whole, cat({real(B), imag(B)}, -2));
  const int64_t n = A.size(-1);
  return complex(x.narrow(-2, 0, n), x.narrow(-2, n, n));
}

// Returns V^-H (G + diag(gl)) V^H. G is V^H gv, without the part that changes lengths, divided by
// the conjugated differences of the eigenvalues. (Giles, "Collected matrix derivative results for
// forward and reverse mode algorithmic differentiation", 2008, section 3.1, for real matrices and
// free lengths.)
Tensor gradient(const Tensor& gl, const Tensor& gv, const Tensor& L, const Tensor& V) {
  const Tensor vh = V.adjoint();
  const Tensor unit =
      eye(L.size(-1), TensorOptions(toRealValueType(L.scalar_type())).device(L.device()));
  Tensor inner;
  if (gv.defined()) {
    const Tensor g = matmul(vh, gv);
    const Tensor lengths = real((g * unit).sum(OptionalIntArrayRef(-2), true));
    const Tensor gaps = (L.unsqueeze(-2) - L.unsqueeze(-1)).conj() + unit;
    inner = (g - matmul(vh, V * lengths)) / gaps * (1 - unit);
  }
  if (gl.defined()) {
    const Tensor diagonal = gl.unsqueeze(-1) * unit;
    inner = inner.defined() ? inner + diagonal : diagonal;
  }
  return complex_solve(vh, matmul(inner, vh));
}

}  // namespace

std::tuple<Tensor, Tensor> eig(const Tensor& A) {
  if (auto done = at_door<"linalg_eig">(A)) return done;
  const Eigen e = compute(A, true);
  if (needs_grad(A))
    record("LinalgEigBackward0", {e.values, e.vectors}, {A},
           [l = saved_output(e.values, 0), v = saved_output(e.vectors, 1),
            is_complex = A.is_complex()](Grads& g) {
             const Tensor ga = gradient(g[0], g[1], l.get(), v.get());
             return std::array<Tensor, 1>{is_complex ? ga : real(ga)};
           });
  return {e.values, e.vectors};
}

Tensor eigvals(const Tensor& A) {
  if (auto done = at_door<"linalg_eigvals">(A)) return done;
  return needs_grad(A) ? std::get<0>(eig(A)) : compute(A, false).values;
}

}  // namespace torch::taper::linalg

namespace torch::taper {

// ---------------------------------------------------------------- out forms
TAPER_OUT(linalg_eigvals, (out, A), linalg::eigvals(A), (A), const Tensor& A)
TAPER_OUT_PAIR(linalg_eig, (eigenvalues, eigenvectors, self), eigenvalues, eigenvectors,
               linalg::eig(self), const Tensor& self)

}  // namespace torch::taper
