// cuSOLVER and cuBLAS read matrices by columns, as LAPACK does, so a row-major matrix counts as its
// transpose. Many small matrices take one call if the libraries have one, otherwise one call each.
#include <cmath>
#include <type_traits>

#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/solver.h>
#include <taper/framework/kernel/element_parts.h>
#include <taper/ops/linalg/linalg_kernels.h>
#include <taper/ops/linalg/linalg_pivots.h>

namespace torch::taper::cuda {
namespace {

using numbers::is_complex_v;
using numbers::part_t;
using solver::Triangle;

/// cuBLAS's batched LU suits matrices up to about this size.
constexpr int kMostInBatch = 512;

int narrow(int64_t n) {
  TAPER_CHECK(n <= INT32_MAX, "linalg: expected matrices with sizes and a batch below 2^31, got ",
              n);
  return static_cast<int>(n);
}

/// The matrices of a batch, m x n by columns: the transposes of the tensor's.
struct Batch {
  int m, n, count;
  explicit Batch(const Out& a)
      : m(narrow(a.sizes[a.dim() - 1])), n(narrow(a.sizes[a.dim() - 2])), count(1) {
    int64_t matrices = 1;
    for (int64_t d = 0; d + 2 < a.dim(); ++d) matrices *= a.sizes[d];
    count = narrow(matrices);
  }
  int64_t numel() const { return int64_t{m} * n; }
  int least() const { return std::min(m, n); }
};

template <class T>
struct FillPlaces {
  T** to;
  T* first;
  int64_t step;
  TAPER_DEVICE void operator()(int64_t i) const { to[i] = first + i * step; }
};

/// Pointers to the matrices of a batch, in device memory.
template <class T>
class Places {
 public:
  Places(T* first, int64_t step, int count) : places_(count) {
    for_each(count, FillPlaces<T>{places_.get(), first, step});
  }
  T* const* get() const { return places_.get(); }

 private:
  Scratch<T*> places_;
};

// ---------------------------------------------------------------------- LU
bool in_one_call(const Batch& b) { return b.count > 1 && b.m == b.n && b.m <= kMostInBatch; }

template <class T>
void factorize(const Batch& b, T* a, int* pivots, int* info) {
  if (in_one_call(b))
    return solver::getrf_batched(b.n, Places<T>(a, b.numel(), b.count).get(), pivots, info,
                                 b.count);
  for (int64_t i = 0; i < b.count; ++i)
    solver::getrf(b.m, b.n, a + i * b.numel(), pivots + i * b.least(), info + i);
}

/// Replaces x by the solution of a y = x, given the factors of square matrices a.
template <class T>
void substitute(const Batch& a, const T* lu, const int* pivots, T* x, int columns) {
  const int64_t step = int64_t{a.n} * columns;
  if (in_one_call(a)) {
    const Places<const T> from(lu, a.numel(), a.count);
    const Places<T> to(x, step, a.count);
    return solver::getrs_batched<T>(a.n, columns, from.get(), pivots, to.get(), a.count);
  }
  for (int64_t i = 0; i < a.count; ++i)
    solver::getrs(a.n, columns, lu + i * a.numel(), pivots + i * a.n, x + i * step);
}

/// Copies a away and replaces it by unit matrices.
template <class T>
struct ExchangeForUnits {
  T *to, *a;
  int64_t n;
  TAPER_DEVICE void operator()(int64_t i) const {
    to[i] = a[i];
    a[i] = i % (n * n) % (n + 1) == 0 ? T(1) : T(0);
  }
};

// ---------------------------------------------------------------------- values
/// Zeroes the elements right of the diagonal of row-major matrices.
template <class T>
struct ClearUpper {
  T* a;
  int64_t n;
  TAPER_DEVICE void operator()(int64_t i) const {
    if (i % n > i / n % n) a[i] = T(0);
  }
};

template <class T>
TAPER_DEVICE bool is_finite(T x) {
  return x - x == T(0);
}
// Several threads may write one flag, but all write the same value.
template <class T>
struct FlagNonFinite {
  int* flags;
  const T* a;
  int64_t numel;
  TAPER_DEVICE void operator()(int64_t i) const {
    if (!is_finite(a[i])) flags[i / numel] = 1;
  }
};
struct Clear {
  int* to;
  TAPER_DEVICE void operator()(int64_t i) const { to[i] = 0; }
};
struct ReportFlags {
  int* info;
  const int* flags;
  TAPER_DEVICE void operator()(int64_t i) const {
    if (flags[i]) info[i] = -4;
  }
};

/// Sets LAPACK's info for infinite and NaN elements, which Jacobi's methods do not detect. It looks
/// at the matrices when it is constructed.
template <class T>
class NonFinite {
 public:
  NonFinite(const Batch& b, const T* a) : flags_(b.count), count_(b.count) {
    for_each(b.count, Clear{flags_.get()});
    for_each(b.count * b.numel(), FlagNonFinite<T>{flags_.get(), a, b.numel()});
  }
  void report(int* info) const { for_each(count_, ReportFlags{info, flags_.get()}); }

 private:
  Scratch<int> flags_;
  int64_t count_;
};

/// Converts to complex numbers. T may be complex. Infinite and NaN elements, already reported,
/// become 0.
template <class T>
struct Widen {
  numbers::complex<part_t<T>>* to;
  const T* from;
  TAPER_DEVICE void operator()(int64_t i) const {
    to[i] = numbers::complex<part_t<T>>(is_finite(from[i]) ? from[i] : T(0));
  }
};

template <class T>
struct Conjugate {
  T* a;
  TAPER_DEVICE void operator()(int64_t i) const { a[i] = numbers::conjugate(a[i]); }
};

// ---------------------------------------------------------------------- SVD
/// Takes the first `columns` columns, of `rows` elements, of matrices that are `step` apart. They
/// become row-major and conjugated in `to`, or stay unchanged with `transposed`.
template <class T>
struct TakeColumns {
  T* to;
  const T* from;
  int64_t rows, columns, step;
  bool transposed;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t at = i % (rows * columns), from_matrix = i / (rows * columns) * step;
    const int64_t row = transposed ? at % rows : at / columns;
    const int64_t column = transposed ? at / rows : at % columns;
    const T v = from[from_matrix + column * rows + row];
    to[i] = transposed ? v : numbers::conjugate(v);
  }
};

// Decomposes the transposed matrices, m x n. Left and right vectors are exchanged: a^T = l s r^H
// means a = conj(r) s l^T.
template <class T>
void svd(const Batch& b, T* a, const Out& u, const Out& s, const Out& vh, bool full, int* info) {
  const bool vectors = u.defined();
  const bool small = b.count > 1 && b.m <= solver::kSmall && b.n <= solver::kSmall;
  const bool thin = !full && !small;
  const int64_t left_step = int64_t{b.m} * (thin ? b.least() : b.m);
  const int64_t right_step = int64_t{b.n} * (thin ? b.least() : b.n);
  const Scratch<T> left(b.count * left_step), right(b.count * right_step);
  const NonFinite<T> non_finite(b, a);
  if (small)
    solver::gesvdj_batched(vectors, b.m, b.n, a, s.as<part_t<T>>(), left.get(), right.get(), info,
                           b.count);
  for (int64_t i = 0; !small && i < b.count; ++i)
    solver::gesvdj(vectors, thin, b.m, b.n, a + i * b.numel(), s.as<part_t<T>>() + i * b.least(),
                   left.get() + i * left_step, right.get() + i * right_step, info + i);
  non_finite.report(info);
  if (!vectors) return;
  for_each(vh.numel,
           TakeColumns<T>{vh.as<T>(), left.get(), b.m, full ? b.m : b.least(), left_step, true});
  for_each(u.numel,
           TakeColumns<T>{u.as<T>(), right.get(), b.n, full ? b.n : b.least(), right_step, false});
}

// ---------------------------------------------------------------------- pivots
/// Converts the pivots of matrix i to cuSOLVER's type.
struct WidenPivots {
  int64_t* to;
  const int* from;
  int64_t n;
  Faults faults;
  TAPER_DEVICE void operator()(int64_t i) const {
    if (!copy_ldl_pivots(to + i * n, from + i * n, n)) faults.raise(FaultKind::kLdlPivots);
  }
};

struct Permute {
  int64_t* rows;
  const int* pivots;
  int64_t k, m;
  const char* op;
  Faults faults;
  TAPER_DEVICE void operator()(int64_t i) const {
    bool wrong = false;
    const int64_t first = permute_by_pivots(rows + i * m, pivots + i * k, k, m, &wrong);
    if (wrong)
      faults.raise(FaultKind::kIndex, first, m, -2,
                   static_cast<int64_t>(IndexWording::kDimensionRt), number_of(op));
  }
};

}  // namespace

void linalg_inverse(InOut a, Out info) {
  const Batch b(a);
  for_each(info.numel, Clear{info.as<int>()});
  if (a.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    const Scratch<T> lu(a.numel);
    const Scratch<int> pivots(int64_t{b.count} * b.n);
    for_each(a.numel, ExchangeForUnits<T>{lu.get(), a.as<T>(), b.n});
    factorize(b, lu.get(), pivots.get(), info.as<int>());
    substitute(b, lu.get(), pivots.get(), a.as<T>(), b.n);
  });
}

void linalg_lu(InOut a, Out pivots, Out info) {
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    factorize(Batch(a), a.as<T>(), pivots.as<int>(), info.as<int>());
  });
}

void linalg_permutation(Out rows, In pivots) {
  const int64_t m = rows.sizes[rows.dim() - 1], k = pivots.sizes[pivots.dim() - 1];
  if (m > 0)
    for_each(rows.numel / m,
             Permute{rows.as<int64_t>(), pivots.as<int>(), k, m, "lu_unpack", Faults()});
}

void linalg_solve(InOut a, InOut x, Out info) {
  const Batch b(a);
  for_each(info.numel, Clear{info.as<int>()});
  if (a.numel == 0 || x.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    const Scratch<int> pivots(int64_t{b.count} * b.n);
    factorize(b, a.as<T>(), pivots.get(), info.as<int>());
    substitute(b, a.as<T>(), pivots.get(), x.as<T>(), Batch(x).n);
  });
}

void linalg_cholesky(InOut a, Out info) {
  const Batch b(a);
  for_each(info.numel, Clear{info.as<int>()});
  if (a.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    if (b.count == 1)
      solver::potrf(Triangle::upper, b.n, a.as<T>(), info.as<int>());
    else
      solver::potrf_batched(Triangle::upper, b.n, Places<T>(a.as<T>(), b.numel(), b.count).get(),
                            info.as<int>(), b.count);
    for_each(a.numel, ClearUpper<T>{a.as<T>(), b.n});
  });
}

// By columns the equation is x^T a^T = b^T.
void linalg_triangular(In a, InOut x, bool upper, bool unit) {
  const Batch b(x);
  if (x.numel == 0) return;
  const Triangle triangle = upper ? Triangle::lower : Triangle::upper;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    if (b.count == 1) return solver::trsm(triangle, unit, b.m, b.n, a.as<T>(), x.as<T>());
    const Places<const T> from(a.as<T>(), int64_t{b.n} * b.n, b.count);
    const Places<T> to(x.as<T>(), b.numel(), b.count);
    solver::trsm_batched<T>(triangle, unit, b.m, b.n, from.get(), to.get(), b.count);
  });
}

void linalg_geqrf(InOut a, Out tau) {
  const Batch b(a);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < b.count; ++i)
      solver::geqrf(b.m, b.n, a.as<T>() + i * b.numel(), tau.as<T>() + i * b.least());
  });
}

void linalg_orgqr(InOut q, In tau) {
  const Batch b(q);
  const int reflectors = narrow(tau.sizes[tau.dim() - 1]);
  if (q.numel == 0) return;
  for_matrix_dtype(q.dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < b.count; ++i)
      solver::orgqr(b.m, b.n, reflectors, q.as<T>() + i * b.numel(), tau.as<T>() + i * reflectors);
  });
}

// The public function refuses complex Hermitian matrices.
void linalg_ldl(InOut a, Out pivots, bool, Out info) {
  const Batch b(a);
  for_each(info.numel, Clear{info.as<int>()});
  if (a.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < b.count; ++i)
      solver::sytrf(b.n, a.as<T>() + i * b.numel(), pivots.as<int>() + i * b.n, info.as<int>() + i);
  });
}

void linalg_ldl_solve(In ld, In pivots, InOut x, bool) {
  const Batch b(x);
  if (x.numel == 0) return;
  const Scratch<int64_t> wide(pivots.numel);
  for_each(b.count, WidenPivots{wide.get(), pivots.as<int>(), b.m, Faults()});
  for_matrix_dtype(x.dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < b.count; ++i)
      solver::sytrs(b.m, b.n, ld.as<T>() + i * b.m * b.m, wide.get() + i * b.m,
                    x.as<T>() + i * b.numel());
  });
}

void linalg_svd(InOut a, Out u, Out s, Out vh, bool full, Out info) {
  if (a.numel == 0) return;
  for_matrix_dtype(a.dtype,
                   [&]<class T>(T) { svd(Batch(a), a.as<T>(), u, s, vh, full, info.as<int>()); });
}

// The transposed matrix is the conjugate one, so its vectors are conjugated.
void linalg_eigh(InOut a, Out w, bool upper, bool vectors, Out info) {
  const Batch b(a);
  for_each(info.numel, Clear{info.as<int>()});
  if (a.numel == 0) return;
  const Triangle triangle = upper ? Triangle::lower : Triangle::upper;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    const NonFinite<T> non_finite(b, a.as<T>());
    auto* const values = w.as<part_t<T>>();
    if (b.count > 1 && b.n <= solver::kSmall)
      solver::syevj_batched(vectors, triangle, b.n, a.as<T>(), values, info.as<int>(), b.count);
    else
      for (int64_t i = 0; i < b.count; ++i)
        solver::syevd(vectors, triangle, b.n, a.as<T>() + i * b.numel(), values + i * b.n,
                      info.as<int>() + i);
    if (is_complex_v<T> && vectors) for_each(a.numel, Conjugate<T>{a.as<T>()});
    non_finite.report(info.as<int>());
  });
}

// cuSOLVER returns complex eigenvectors for a complex matrix. For a real matrix it uses LAPACK's
// packed form.
void linalg_eig(InOut a, Out w, Out v, Out info) {
  const Batch b(a);
  for_each(info.numel, Clear{info.as<int>()});
  if (a.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    using C = numbers::complex<part_t<T>>;
    const NonFinite<T> non_finite(b, a.as<T>());
    const Scratch<C> wide(a.numel);
    for_each(a.numel, Widen<T>{wide.get(), a.as<T>()});
    for (int64_t i = 0; i < b.count; ++i)
      solver::geev<part_t<T>>(b.n, wide.get() + i * b.numel(), w.as<C>() + i * b.n,
                              v.defined() ? v.as<C>() + i * b.numel() : nullptr,
                              info.as<int>() + i);
    non_finite.report(info.as<int>());
  });
}

}  // namespace torch::taper::cuda
