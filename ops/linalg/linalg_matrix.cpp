// Functions and norms of matrices. See linalg_solve.cpp for equations and linalg_factor.cpp for
// factors.
#include <taper/ops/linalg/linalg_matrix.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/warning.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

// ---------------------------------------------------------------------- products of many matrices
namespace {

Tensor multiply_range(TensorList m, const std::vector<std::vector<size_t>>& split, size_t i,
                      size_t j) {
  if (i == j) return m[i];
  return mm(multiply_range(m, split, i, split[i][j]), multiply_range(m, split, split[i][j] + 1, j));
}

/// Returns the product of matrices in the cheapest order.
Tensor multiply_chain(TensorList matrices) {
  const size_t n = matrices.size();
  TAPER_CHECK(n > 0, "chain_matmul(): Expected one or more matrices");
  for (const Tensor& m : matrices)
    TAPER_CHECK(m.dim() == 2, "multi_dot: Tensor dimension is ", m.dim(), ", expected 2 instead.");
  // Dynamic programming: cost[i][j] is the least work for matrices i to j.
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<size_t>> split(n, std::vector<size_t>(n, 0));
  for (size_t length = 1; length < n; ++length)
    for (size_t i = 0; i + length < n; ++i) {
      const size_t j = i + length;
      for (size_t k = i; k < j; ++k) {
        const double work = cost[i][k] + cost[k + 1][j] +
                            static_cast<double>(matrices[i].size(0)) *
                                static_cast<double>(matrices[k].size(1)) *
                                static_cast<double>(matrices[j].size(1));
        if (k > i && work >= cost[i][j]) continue;
        cost[i][j] = work;
        split[i][j] = k;
      }
    }
  return multiply_range(matrices, split, 0, n - 1);
}

}  // namespace

Tensor chain_matmul(TensorList matrices) {
  if (auto done = at_door<"chain_matmul">(matrices)) return done;
  detail::warn_once([] {
    return "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
           "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather "
           "than "
           "multiple parameters.";
  });
  return multiply_chain(matrices);
}

namespace linalg {

using namespace detail;

// ---------------------------------------------------------------------- pseudo-inverse, rank
namespace {

// Golub and Pereyra, "The differentiation of pseudo-inverses", 1973.
Tensor pinv_gradient(const Tensor& g, const Tensor& A, const Tensor& P) {
  const Tensor gt = g.mH(), pt = P.mH();
  const Tensor first = matmul(pt, matmul(g, pt));
  const Tensor left = matmul(gt, matmul(P, pt)), right = matmul(pt, matmul(P, gt));
  return left - matmul(A, matmul(P, left)) + right - matmul(matmul(right, P), A) - first;
}

double precision_of(ScalarType t) {
  return toRealValueType(t) == kDouble ? std::numeric_limits<double>::epsilon()
                                       : static_cast<double>(std::numeric_limits<float>::epsilon());
}

/// Selects the singular values that count: above absolute, and above relative times the largest.
struct Limit {
  Tensor absolute, relative;
  Tensor of(const Tensor& s) const { return maximum(absolute, s.amax({-1}, true) * relative); }
};

// Singular values are real.
TensorOptions real_options(const Tensor& A) {
  return A.options().dtype(toRealValueType(A.scalar_type())).requires_grad(false);
}
Tensor number_like(const Tensor& A, double v) { return full({}, v, real_options(A)); }
Tensor as_limit(const Tensor& A, const Tensor& t) { return t.to(real_options(A)).unsqueeze(-1); }
double default_relative(const Tensor& A) {
  return static_cast<double>(std::max(A.size(-1), A.size(-2))) * precision_of(A.scalar_type());
}
Limit limit_of(const Tensor& A, optional<double> atol, optional<double> rtol) {
  const double absolute = atol.value_or(0);
  const double relative = rtol ? *rtol : absolute > 0 ? 0 : default_relative(A);
  return {number_like(A, absolute), number_like(A, relative)};
}
Limit limit_of(const Tensor& A, const optional<Tensor>& atol, const optional<Tensor>& rtol) {
  const Tensor absolute = atol ? as_limit(A, *atol) : number_like(A, 0);
  if (rtol) return {absolute, as_limit(A, *rtol)};
  return {absolute, absolute.le(0).to(absolute.scalar_type()) * default_relative(A)};
}

// Returns left diag(1 / values) right, without the values that do not count.
Tensor product_of_inverse(const Tensor& left, const Tensor& values, const Tensor& right,
                          const Limit& limit) {
  const Tensor s = values.abs();
  const Tensor inverse =
      where(s.gt(limit.of(s)), values.reciprocal(), Scalar(0)).to(s.scalar_type());
  return matmul(left * inverse.unsqueeze(-2), right);
}

Tensor pinv_value(const Tensor& A, const Limit& limit, bool hermitian) {
  const NoGradGuard values_only;
  if (A.numel() == 0) return zeros(A.mT().sizes(), A.options().requires_grad(false));
  if (hermitian) {
    const auto [values, vectors] = linalg::eigh(A);
    return product_of_inverse(vectors, values, vectors.mH(), limit);
  }
  const auto [u, s, vh] = linalg::svd(A, false);
  return product_of_inverse(vh.mH(), s, u.mH(), limit);
}

Tensor pinv_of(const Tensor& A, const Limit& limit, bool hermitian = false) {
  if (hermitian) check_square_sizes("linalg.eigh", A);
  Tensor y = pinv_value(A, limit, hermitian);
  if (needs_grad(A))
    record("LinalgPinvBackward0", y, {A}, [a = saved(A), y = saved_output(y)](const Tensor& g) {
      return pinv_gradient(g, a.get(), y.get());
    });
  return y;
}

Tensor rank_of(const Tensor& A, const Limit& limit, bool hermitian) {
  const NoGradGuard values_only;
  const Tensor s = hermitian ? eigvalsh(A).abs() : svdvals(A);
  if (s.numel() == 0)
    return zeros(batch_with(A, {}), A.options().dtype(kLong).requires_grad(false));
  return s.gt(limit.of(s)).sum({-1});
}

}  // namespace

Tensor pinv(const Tensor& A, double rcond, bool hermitian) {
  if (auto done = at_door<"linalg_pinv">(A, rcond, hermitian)) return done;
  return pinv(A, optional<double>(0.0), optional<double>(rcond), hermitian);
}
Tensor pinv(const Tensor& A, const optional<Tensor>& atol, const optional<Tensor>& rtol,
            bool hermitian) {
  if (auto done = at_door<"linalg_pinv">(A, atol, rtol, hermitian)) return done;
  check_matrices("linalg.pinv", A);
  return pinv_of(A, limit_of(A, atol, rtol), hermitian);
}
Tensor pinv(const Tensor& A, optional<double> atol, optional<double> rtol, bool hermitian) {
  if (auto done = at_door<"linalg_pinv">(A, atol, rtol, hermitian)) return done;
  check_matrices("linalg.pinv", A);
  return pinv_of(A, limit_of(A, atol, rtol), hermitian);
}

Tensor matrix_rank(const Tensor& A, const optional<Tensor>& atol, const optional<Tensor>& rtol,
                   bool hermitian) {
  if (auto done = at_door<"linalg_matrix_rank">(A, atol, rtol, hermitian)) return done;
  check_matrices("torch.linalg.matrix_rank", A);
  return rank_of(A, limit_of(A, atol, rtol), hermitian);
}
Tensor matrix_rank(const Tensor& A, optional<double> atol, optional<double> rtol, bool hermitian) {
  if (auto done = at_door<"linalg_matrix_rank">(A, atol, rtol, hermitian)) return done;
  check_matrices("torch.linalg.matrix_rank", A);
  return rank_of(A, limit_of(A, atol, rtol), hermitian);
}
Tensor matrix_rank(const Tensor& A, double tol, bool hermitian) {
  if (auto done = at_door<"linalg_matrix_rank">(A, tol, hermitian)) return done;
  return matrix_rank(A, optional<double>(tol), optional<double>(0.0), hermitian);
}
Tensor matrix_rank(const Tensor& A, const Tensor& tol, bool hermitian) {
  if (auto done = at_door<"linalg_matrix_rank">(A, tol, hermitian)) return done;
  check_matrices("torch.linalg.matrix_rank", A);
  return rank_of(A, {as_limit(A, tol), number_like(A, 0)}, hermitian);
}

// ---------------------------------------------------------------------- least squares
namespace {

struct LeastSquares {
  Tensor x, rank, singular_values;
};

// The factors of A or, if A is wide, of its conjugate transpose.
struct TallFactors {
  bool tall;
  Tensor q, r;
};
TallFactors tall_factors(const Tensor& A) {
  const bool tall = A.size(-2) >= A.size(-1);
  const auto [q, r] = linalg::qr(tall ? A : A.mH());
  return {tall, q, r};
}

// Solves for matrices of full rank. For wide ones it returns the solution of least norm.
Tensor solve_by_qr(const TallFactors& f, const Tensor& b) {
  if (f.tall) return solve_triangular(f.r, matmul(f.q.mH(), b), true);
  return matmul(f.q, solve_triangular(f.r.mH(), b, false));
}

// Tests that no singular value of any matrix is near the relative limit, without computing them.
// They lie between 1 / |R^-1| and |R|.
bool surely_full_rank(const Tensor& r, const Limit& limit) {
  const NoGradGuard values_only;
  if (r.numel() == 0) return false;
  const Tensor inverse = solve_triangular(r, eye(r.size(-1), r.options()).expand(r.sizes()), true);
  const auto size = [](const Tensor& x) { return x.abs().square().sum({-2, -1}).sqrt(); };
  return (size(r) * size(inverse) * limit.relative).lt(1).all().item<bool>();
}

LeastSquares solve_by_svd(const Tensor& A, const Tensor& b, const Limit& limit, bool tell_values) {
  LeastSquares y;
  y.x = matmul(pinv_of(A, limit), b);
  const NoGradGuard values_only;
  const Tensor s = svdvals(A);
  y.rank = s.numel() ? s.gt(limit.of(s)).sum({-1})
                     : zeros(batch_with(A, {}), A.options().dtype(kLong).requires_grad(false));
  y.singular_values = tell_values ? s : make_real(A, {0});
  return y;
}

// "gelsy" uses QR if it is sure to be right, which is several times as fast as the SVD.
LeastSquares solve_by_either(const Tensor& A, const Tensor& b, const Limit& limit) {
  const TallFactors f = tall_factors(A);
  if (!surely_full_rank(f.r, limit)) return solve_by_svd(A, b, limit, false);
  const Tensor rank =
      full(batch_with(A, {}), f.r.size(-1), A.options().dtype(kLong).requires_grad(false));
  return {solve_by_qr(f, b), rank, make_real(A, {0})};
}

std::string_view choose_driver(const Tensor& A, const optional<std::string_view>& driver) {
  const std::string_view name = driver.value_or(A.is_cuda() ? "gels" : "gelsy");
  TAPER_CHECK(
      name == "gels" || name == "gelsy" || name == "gelsd" || name == "gelss",
      "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  TAPER_CHECK(
      !A.is_cuda() || name == "gels",
      "torch.linalg.lstsq: parameter `driver` should be one of (gels) for CUDA tensors, got ",
      std::string(name));
  return name;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(const Tensor& A, const Tensor& B,
                                                 optional<double> rcond,
                                                 optional<std::string_view> driver) {
  if (auto done = at_door<"linalg_lstsq">(A, B, rcond, driver)) return done;
  check_matrices("torch.linalg.lstsq", A, "input");
  check_defined("torch.linalg.lstsq", B, "B");
  const bool vectors = B.dim() == A.dim() - 1;
  const Tensor b = vectors ? B.unsqueeze(-1) : B;
  TAPER_CHECK(b.dim() >= 2 && b.size(-2) == A.size(-2),
              "torch.linalg.lstsq: input.size(-2) should match other.size(-2)");
  TAPER_CHECK(
      A.scalar_type() == B.scalar_type(),
      "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's "
      "dtype ",
      toString(A.scalar_type()), " and other's dtype ", toString(B.scalar_type()));
  const std::string_view name = choose_driver(A, driver);
  const bool by_qr = name == "gels";
  const Limit limit = limit_of(A, optional<double>(0.0), rcond);
  LeastSquares y;
  if (by_qr)
    y = {solve_by_qr(tall_factors(A), b), make_real(A, {0}).to(kLong), make_real(A, {0})};
  else
    y = name == "gelsy" ? solve_by_either(A, b, limit) : solve_by_svd(A, b, limit, true);
  const NoGradGuard values_only;
  const int64_t n = A.size(-1);
  Tensor residuals = make_real(A, {0});
  if (A.size(-2) > n && (by_qr || (name != "gelsy" && y.rank.eq(n).all().item<bool>())))
    residuals = (matmul(A, y.x) - b).abs().square().sum({-2});
  return {vectors ? y.x.squeeze(-1) : y.x, residuals, y.rank, y.singular_values};
}

// ---------------------------------------------------------------------- powers, chains
Tensor matrix_power(const Tensor& A, int64_t n) {
  if (auto done = at_door<"linalg_matrix_power">(A, n)) return done;
  if (n < 0) return linalg::matrix_power(inv(A), -n);
  check_square_sizes("linalg.matrix_power", A);
  if (n == 0) return A.clone().copy_(identity_like(A, A.size(-1)));  // a gradient of zeros
  Tensor result, square = A;
  for (int64_t left = n; left > 0; left /= 2) {
    if (left % 2) result = result.defined() ? matmul(result, square) : square;
    if (left > 1) square = matmul(square, square);
  }
  return result.is_same(A) ? A.clone() : result;
}

Tensor multi_dot(TensorList tensors) {
  if (auto done = at_door<"linalg_multi_dot">(tensors)) return done;
  const size_t n = tensors.size();
  TAPER_CHECK(n >= 2, "multi_dot(): expected at least 2 tensors but got ", n);
  std::vector<Tensor> matrices;
  for (size_t i = 0; i < n; ++i) {
    const Tensor& t = tensors[i];
    const bool end = i == 0 || i + 1 == n;
    TAPER_CHECK(!end || t.dim() == 1 || t.dim() == 2, "multi_dot(): the ", i ? "last" : "first",
                " tensor must be 1D or 2D but got ", t.dim(), "D");
    TAPER_CHECK(end || t.dim() == 2, "multi_dot(): tensor ", i, " must be 2D but got ", t.dim(),
                "D");
    matrices.push_back(t.dim() == 1 ? t.unsqueeze(i == 0 ? 0 : 1) : t);
    if (i == 0) continue;
    TAPER_CHECK(matrices[i - 1].size(1) == matrices[i].size(0), "multi_dot(): tensors ", i - 1,
                " and ", i, " with shapes ", tensors[i - 1].sizes(), " and ", t.sizes(),
                " cannot be multiplied");
  }
  Dims sizes;
  if (tensors[0].dim() == 2) sizes.push_back(tensors[0].size(0));
  if (tensors[n - 1].dim() == 2) sizes.push_back(tensors[n - 1].size(1));
  return multiply_chain(matrices).reshape(sizes);
}

// ---------------------------------------------------------------------- norms
namespace {

struct Plane {
  int64_t rows, columns;
};
Plane plane_of(const Tensor& A, IntArrayRef dim) {
  TAPER_CHECK(A.dim() >= 2,
              "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
  TAPER_CHECK(isFloatingOrComplexType(A.scalar_type()),
              "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got ",
              toString(A.scalar_type()));
  TAPER_CHECK(dim.size() == 2, "linalg.matrix_norm: dim must be a 2-tuple. Got ", dim);
  const Plane p{wrap_dim("linalg.matrix_norm", dim[0], A.dim()),
                wrap_dim("linalg.matrix_norm", dim[1], A.dim())};
  TAPER_CHECK(p.rows != p.columns, "linalg.matrix_norm: dims must be different. Got (", dim[0],
              ", ", dim[1], ")");
  return p;
}

// Returns a reduction of the singular values of the matrices in the two dimensions.
template <class Reduce>
Tensor of_singular_values(const Tensor& A, const Plane& p, bool keepdim, const Reduce& reduce) {
  const Tensor y = reduce(svdvals(A.movedim({p.rows, p.columns}, {-2, -1})));
  if (!keepdim) return y;
  return y.unsqueeze(std::min(p.rows, p.columns)).unsqueeze(std::max(p.rows, p.columns));
}

}  // namespace

Tensor matrix_norm(const Tensor& A, const Scalar& ord, IntArrayRef dim, bool keepdim,
                   optional<ScalarType> dtype) {
  if (auto done = at_door<"linalg_matrix_norm">(A, ord, dim, keepdim, dtype)) return done;
  check_defined("linalg.matrix_norm", A, "A");
  const Plane p = plane_of(A, dim);
  const double order = ord.to<double>(), size = std::abs(order);
  TAPER_CHECK(size == 1 || size == 2 || std::isinf(size), "linalg.matrix_norm: Order ", order,
              " not supported.");
  const Tensor x = dtype ? A.to(*dtype) : A;
  if (size == 2)
    return of_singular_values(
        x, p, keepdim, [&](const Tensor& s) { return order > 0 ? s.amax({-1}) : s.amin({-1}); });
  const int64_t summed = size == 1 ? p.rows : p.columns, other = size == 1 ? p.columns : p.rows;
  const Tensor sums = x.abs().sum({summed}, true);
  const Tensor y = order > 0 ? sums.amax({other}, true) : sums.amin({other}, true);
  if (keepdim) return y;
  return y.squeeze(std::max(p.rows, p.columns)).squeeze(std::min(p.rows, p.columns));
}

Tensor matrix_norm(const Tensor& A, std::string_view ord, IntArrayRef dim, bool keepdim,
                   optional<ScalarType> dtype) {
  if (auto done = at_door<"linalg_matrix_norm">(A, ord, dim, keepdim, dtype)) return done;
  check_defined("linalg.matrix_norm", A, "A");
  TAPER_CHECK(ord == "fro" || ord == "nuc", "linalg.matrix_norm: Order ", std::string(ord),
              " not supported.");
  const Plane p = plane_of(A, dim);
  if (ord == "fro") return linalg_vector_norm(A, 2, dim, keepdim, dtype);
  const Tensor x = dtype ? A.to(*dtype) : A;
  return of_singular_values(x, p, keepdim, [](const Tensor& s) { return s.sum({-1}); });
}

Tensor vector_norm(const Tensor& x, const Scalar& ord, OptionalIntArrayRef dim, bool keepdim,
                   optional<ScalarType> dtype) {
  return linalg_vector_norm(x, ord, dim, keepdim, dtype);
}

namespace {

// Checks the dimensions of a matrix norm. Throws unless there are one or two.
void check_norm(const Tensor& A, const OptionalIntArrayRef& dim) {
  check_defined("linalg.norm", A, "A");
  TAPER_CHECK(!dim || dim->size() == 1 || dim->size() == 2,
              "linalg.norm: If dim is specified, it must be of length 1 or 2. Got ", *dim);
  TAPER_CHECK(dim || A.dim() == 1 || A.dim() == 2,
              "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ",
              A.dim(), "D.");
}

}  // namespace

Tensor norm(const Tensor& A, const optional<Scalar>& ord, OptionalIntArrayRef dim, bool keepdim,
            optional<ScalarType> dtype) {
  check_defined("linalg.norm", A, "A");
  if (!ord) return linalg_vector_norm(A, 2, dim, keepdim, dtype);
  check_norm(A, dim);
  if ((dim ? static_cast<int64_t>(dim->size()) : A.dim()) == 1)
    return linalg_vector_norm(A, *ord, dim, keepdim, dtype);
  return matrix_norm(A, *ord, dim ? *dim : IntArrayRef{0, 1}, keepdim, dtype);
}

Tensor norm(const Tensor& A, std::string_view ord, OptionalIntArrayRef dim, bool keepdim,
            optional<ScalarType> dtype) {
  if (auto done = at_door<"linalg_norm">(A, ord, dim, keepdim, dtype)) return done;
  check_norm(A, dim);
  return matrix_norm(A, ord, dim ? *dim : IntArrayRef{0, 1}, keepdim, dtype);
}

}  // namespace linalg

Tensor pinverse(const Tensor& self, double rcond) {
  if (auto done = at_door<"pinverse">(self, rcond)) return done;
  return linalg::pinv(self, rcond);
}
Tensor matrix_power(const Tensor& self, int64_t n) {
  if (auto done = at_door<"matrix_power">(self, n)) return done;
  return linalg::matrix_power(self, n);
}

// ---------------------------------------------------------------- methods
Tensor Tensor::pinverse(double rcond) const { return taper::pinverse(*this, rcond); }
Tensor Tensor::matrix_power(int64_t n) const { return taper::matrix_power(*this, n); }
Tensor Tensor::matrix_H() const {
  if (auto done = at_door<"matrix_H">(*this)) return done;
  TAPER_CHECK(dim() == 2 || dim() == 0,
              "matrix_H: tensor.H is only supported on matrices (2-D tensors). Got ", dim(),
              "-D tensor.", dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return dim() == 0 ? *this : mH();
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(linalg_matrix_power, (out, A, n), linalg::matrix_power(A, n), (A), const Tensor& A,
          int64_t n)
TAPER_OUT_LIST(linalg_multi_dot, linalg::multi_dot(tensors))
TAPER_OUT(linalg_pinv, (out, A, rcond, hermitian), linalg::pinv(A, rcond, hermitian), (A),
          const Tensor& A, double rcond, bool hermitian)
TAPER_OUT(linalg_pinv, (out, A, atol, rtol, hermitian), linalg::pinv(A, atol, rtol, hermitian), (A),
          const Tensor& A, optional<double> atol, optional<double> rtol, bool hermitian)
TAPER_OUT(linalg_matrix_rank, (out, A, tol, hermitian), linalg::matrix_rank(A, tol, hermitian), (A),
          const Tensor& A, double tol, bool hermitian)
TAPER_OUT(linalg_matrix_rank, (out, A, atol, rtol, hermitian),
          linalg::matrix_rank(A, atol, rtol, hermitian), (A), const Tensor& A,
          optional<double> atol, optional<double> rtol, bool hermitian)
TAPER_OUT(linalg_matrix_norm, (out, A, ord, dim, keepdim, dtype),
          linalg::matrix_norm(A, ord, dim, keepdim, dtype), (A), const Tensor& A, const Scalar& ord,
          IntArrayRef dim, bool keepdim, optional<ScalarType> dtype)

}  // namespace torch::taper
