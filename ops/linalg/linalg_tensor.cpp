#include <taper/ops/linalg/linalg_tensor.h>

#include <cmath>
#include <limits>

#include <taper/framework/autograd/door.h>
#include <taper/generated/linalg_names.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/linalg/linalg_check.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/reduce/scan.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::linalg {

using namespace detail;

// ---------------------------------------------------------------------- tensors as matrices
namespace {

int64_t product_of(IntArrayRef sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}
Dims joined(IntArrayRef a, IntArrayRef b) {
  Dims all = a;
  for (int64_t s : b) all.push_back(s);
  return all;
}

}  // namespace

Tensor tensorinv(const Tensor& self, int64_t ind) {
  if (auto done = at_door<"linalg_tensorinv">(self, ind)) return done;
  check_defined("linalg.tensorinv", self, "self");
  TAPER_CHECK(ind > 0, "tensorinv: Expected a strictly positive integer for 'ind', but got ", ind);
  const size_t rows = static_cast<size_t>(std::min(ind, self.dim()));
  const IntArrayRef first = self.sizes().slice(0, rows);
  const IntArrayRef last = self.sizes().slice(rows, self.sizes().size() - rows);
  TAPER_CHECK(product_of(first) == product_of(last),
              "tensorinv: Expected self to satisfy the requirement prod(self.shape[ind:]) == "
              "prod(self.shape[:ind]), but got ",
              product_of(last), " != ", product_of(first));
  return inv(self.reshape({product_of(last), product_of(first)})).reshape(joined(last, first));
}

Tensor tensorsolve(const Tensor& self, const Tensor& other, OptionalIntArrayRef dims) {
  if (auto done = at_door<"linalg_tensorsolve">(self, other, dims)) return done;
  check_defined("linalg.tensorsolve", self, "self");
  check_defined("linalg.tensorsolve", other, "other");
  Tensor a = self;
  if (dims) {
    std::vector<int64_t> to(dims->size());
    for (size_t i = 0; i < to.size(); ++i)
      to[i] = self.dim() - static_cast<int64_t>(to.size()) + static_cast<int64_t>(i);
    a = self.movedim(*dims, to);
  }
  const size_t rows = static_cast<size_t>(std::min(other.dim(), a.dim()));
  const Dims last = a.sizes().slice(rows, a.sizes().size() - rows);
  const int64_t columns = product_of(last), equations = product_of(a.sizes().slice(0, rows));
  TAPER_CHECK(
      columns == equations,
      "tensorsolve: Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
      "prod(self.shape[:other.ndim]), but got ",
      columns, " != ", equations);
  return solve(a.reshape({columns, columns}), other.flatten()).reshape(last);
}

// ---------------------------------------------------------------------- vectors
Tensor vander(const Tensor& x, optional<int64_t> N) {
  if (auto done = at_door<"linalg_vander">(x, N)) return done;
  check_defined("linalg.vander", x, "x");
  TAPER_CHECK(x.scalar_type() != kBool,
              "linalg.vander supports floating point, complex, and integer tensors, but got ",
              toString(x.scalar_type()));
  const Tensor vectors = x.dim() == 0 ? x.unsqueeze(-1) : x;
  const int64_t powers = N.value_or(vectors.size(-1));
  TAPER_CHECK(powers > 1, "vander: N must be greater than 1.");
  Dims sizes = vectors.sizes();
  sizes.push_back(powers - 1);
  const Tensor products = cumprod(vectors.unsqueeze(-1).expand(sizes), -1);
  sizes[sizes.size() - 1] = 1;
  return cat({ones(sizes, products.options().requires_grad(false)), products}, -1);
}

Tensor vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
  if (auto done = at_door<"linalg_vecdot">(x, y, dim)) return done;
  check_defined("linalg.vecdot", x, "x");
  check_defined("linalg.vecdot", y, "y");
  TAPER_CHECK(isFloatingOrComplexType(x.scalar_type()),
              "linalg.vecdot: Expected a floating point or complex tensor as input. Got ",
              toString(x.scalar_type()));
  TAPER_CHECK(x.scalar_type() == y.scalar_type(),
              "linalg.vecdot: Expected x and y to have the same dtype, but found x of type ",
              toString(x.scalar_type()), " and y of type ", toString(y.scalar_type()), " instead");
  return (x.conj() * y).sum({dim});
}

// ---------------------------------------------------------------------- condition
namespace {

Tensor condition_of_nothing(const Tensor& A) { return make_real(A, batch_with(A, {})).zero_(); }

// Returns the condition number if the norm needs an inverse. `order` is matrix_norm's argument.
template <class Order>
Tensor condition_by_inverse(const Tensor& A, const Order& order, const std::string& text) {
  check_square(("linalg.cond(ord=" + text + ")").c_str(), A);
  const auto [inverse, info] = inv_ex(A);
  const Tensor product = linalg::matrix_norm(A, order) * linalg::matrix_norm(inverse, order);
  // A singular matrix has no inverse.
  return where(info.ne(0), Scalar(std::numeric_limits<double>::infinity()), product)
      .to(toRealValueType(A.scalar_type()));
}

}  // namespace

Tensor cond(const Tensor& A, const optional<Scalar>& p) {
  if (auto done = at_door<"linalg_cond">(A, p)) return done;
  check_matrices("linalg.cond", A);
  const double order = p ? p->to<double>() : 2, size = std::abs(order);
  TAPER_CHECK(size == 1 || size == 2 || std::isinf(size),
              "linalg.cond got an invalid norm type: ", order);
  if (A.numel() == 0) return condition_of_nothing(A);
  if (size != 2) return condition_by_inverse(A, Scalar(order), taper::detail::concat(order));
  const Tensor s = svdvals(A), most = s.select(-1, 0), least = s.select(-1, -1);
  return order > 0 ? most / least : least / most;
}

Tensor cond(const Tensor& A, std::string_view p) {
  if (auto done = at_door<"linalg_cond">(A, p)) return done;
  check_matrices("linalg.cond", A);
  TAPER_CHECK(p == "fro" || p == "nuc", "linalg.cond got an invalid norm type: ", std::string(p));
  if (A.numel() == 0) return condition_of_nothing(A);
  return condition_by_inverse(A, p, std::string(p));
}

}  // namespace torch::taper::linalg

namespace torch::taper {

// ---------------------------------------------------------------- out forms
TAPER_OUT(linalg_vecdot, (out, x, y, dim), linalg_vecdot(x, y, dim), (x, y), const Tensor& x,
          const Tensor& y, int64_t dim)
TAPER_OUT(linalg_cond, (out, A, p), linalg::cond(A, p), (A), const Tensor& A,
          const optional<Scalar>& p)
TAPER_OUT(linalg_tensorinv, (out, A, ind), linalg::tensorinv(A, ind), (A), const Tensor& A,
          int64_t ind)
TAPER_OUT(linalg_tensorsolve, (out, A, other, dims), linalg::tensorsolve(A, other, dims),
          (A, other), const Tensor& A, const Tensor& other, OptionalIntArrayRef dims)

}  // namespace torch::taper
