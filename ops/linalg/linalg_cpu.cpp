// LAPACK reads matrices by columns, so a row-major matrix counts as its transpose.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <taper/framework/core/namespaces.h>
#include <taper/framework/core/value_errors.h>
#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>
#include <taper/framework/cpu/lapack.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/linalg/linalg_kernels.h>
#include <taper/ops/linalg/linalg_pivots.h>

// Triangular equations with several right sides, by the products of framework/cpu/gemm.h.
// OpenBLAS's reach a quarter of the peak for matrices of some hundred rows.
namespace torch::taper::cpu::triangle {

/// A triangular n x n matrix. Element (i, j) is a[i * row + j * column].
template <class T>
struct Triangle {
  const T* a;
  int64_t n, row, column;
  bool upper, unit;
};

/// Limits: fewer right sides are better solved as vectors. Longer rows of A are better packed.
constexpr int64_t kLeastSides = 8, kMostRows = 1024;
inline bool takes(int64_t n, int64_t sides) { return sides >= kLeastSides && n <= kMostRows; }

/// Replaces x (n rows of `width`, `ldx` apart) by A^-1 x.
template <class T>
void solve(const Triangle<T>& t, T* x, int64_t ldx, int64_t width) {
  const int64_t n = t.n;
  // Rows in solution order. For an upper triangle, the last row comes first.
  const auto place = [&](int64_t i) { return t.upper ? n - 1 - i : i; };
  for (int64_t i = 0; i < n; i += kTileRows) {
    const int64_t m = std::min(kTileRows, n - i);
    const int64_t top = t.upper ? n - i - m : i, known = t.upper ? n - i : 0;
    const auto subtract = [&](int64_t row, int64_t rows, int64_t from, int64_t count) {
      gemm_panel(GemmPanel<T>{rows, width, count, t.a + row * t.row + from * t.column, t.row,
                              t.column, x + from * ldx, ldx, x + row * ldx, ldx, T(-1), true});
    };
    if (i > 0) subtract(top, m, known, i);
    for (int64_t k = 0; k < m; ++k) {
      const int64_t row = place(i + k);
      if (k > 0) subtract(row, 1, t.upper ? row + 1 : i, k);
      if (t.unit) continue;
      const T inverse = 1 / t.a[row * (t.row + t.column)];
      for (int64_t j = 0; j < width; ++j) x[row * ldx + j] *= inverse;
    }
  }
}

/// Calls f(begin, end) for groups of the `count` right sides. The rows of a group stay in L2 and
/// fill the tiles of a product.
template <class T, class F>
void for_some_sides(int64_t n, int64_t count, const F& f) {
  constexpr int64_t tile = 256 / sizeof(T), most = 4 * tile, in_l2 = (512 << 10) / sizeof(T);
  const int64_t share = count / usable_threads();
  const int64_t width =
      std::max(tile, std::min({share, in_l2 / std::max<int64_t>(n, 1), most}) / tile * tile);
  parallel_for(0, (count + width - 1) / width, 1, [&](int64_t b, int64_t e) {
    for (; b < e; ++b) f(b * width, std::min(count, (b + 1) * width));
  });
}

/// Replaces b by A^-1 b. b has n rows of `count` right sides without gaps.
template <class T>
void solve_rows(const Triangle<T>& t, T* x, int64_t count) {
  for_some_sides<T>(t.n, count, [&](int64_t b, int64_t e) { solve(t, x + b, count, e - b); });
}

/// Replaces b by A^-1 b, given the factors of getrf: n x n, column-major, pivots from 1. Each of
/// the `count` right sides is contiguous.
template <class T>
void solve_factored(const T* lu, const int* pivots, T* x, int64_t n, int64_t count) {
  const auto padded = [](int64_t k) {
    return (k + kTransposePad - 1) / kTransposePad * kTransposePad;
  };
  for_some_sides<T>(n, count, [&](int64_t b, int64_t e) {
    const int64_t width = e - b, ld = padded(width), back = padded(n);
    const Scratch<T> rows(n * ld), sides(width * back);
    T* const y = rows.get();
    transpose_panel(y, ld, x + b * n, n, width, n);
    for (int64_t i = 0; i < n; ++i)
      if (const int64_t other = pivots[i] - 1; other != i)
        std::swap_ranges(y + i * ld, y + i * ld + width, y + other * ld);
    solve(Triangle<T>{lu, n, 1, n, false, true}, y, ld, width);
    solve(Triangle<T>{lu, n, 1, n, true, false}, y, ld, width);
    transpose_panel(sides.get(), back, y, ld, n, width);
    for (int64_t j = 0; j < width; ++j) std::copy_n(sides.get() + j * back, n, x + (b + j) * n);
  });
}

}  // namespace torch::taper::cpu::triangle

// Factors of small real matrices, for which a call of LAPACK would exceed the arithmetic.
// Conventions are LAPACK's: column-major (element (i, j) is a[j * n + i]), pivots from 1, equal
// `info`.
namespace torch::taper::cpu::small {

constexpr int kMostRows = 8;

/// Computes P L U = A with partial pivoting, in place. Returns the first zero on U's diagonal, or
/// 0.
template <class T>
int lu(T* a, int n, int* pivots) {
  int info = 0;
  for (int k = 0; k < n; ++k) {
    T* const column = a + k * n;
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(column[i]) > std::abs(column[best])) best = i;
    pivots[k] = best + 1;
    if (column[best] == 0) {
      if (info == 0) info = k + 1;
      continue;
    }
    if (best != k)
      for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + best]);
    for (int i = k + 1; i < n; ++i) column[i] /= column[k];
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i) a[j * n + i] -= column[i] * a[j * n + k];
  }
  return info;
}

/// Solves A x = b for `count` columns of n by the factors. b becomes x.
template <class T>
void lu_solve(const T* a, const int* pivots, T* x, int n, int count) {
  for (int c = 0; c < count; ++c, x += n) {
    for (int k = 0; k < n; ++k) std::swap(x[k], x[pivots[k] - 1]);
    for (int k = 0; k < n; ++k)
      for (int i = k + 1; i < n; ++i) x[i] -= a[k * n + i] * x[k];
    for (int k = n; k-- > 0;) {
      x[k] /= a[k * n + k];
      for (int i = 0; i < k; ++i) x[i] -= a[k * n + i] * x[k];
    }
  }
}

/// Replaces b by A^-1 b, and A by its factors. b does not change if A is singular.
template <class T>
int solve(T* a, T* x, int n, int count) {
  int pivots[kMostRows];
  const int info = lu(a, n, pivots);
  if (info == 0) lu_solve(a, pivots, x, n, count);
  return info;
}

template <class T>
int inverse(T* a, int n) {
  T unit[kMostRows * kMostRows] = {};
  for (int i = 0; i < n; ++i) unit[i * n + i] = 1;
  const int info = solve(a, unit, n, n);
  for (int i = 0; info == 0 && i < n * n; ++i) a[i] = unit[i];
  return info;
}

/// Computes U^T U = A from the upper triangle, which U replaces. Returns the order of the first
/// leading minor that is not positive, or 0.
template <class T>
int cholesky(T* a, int n) {
  for (int j = 0; j < n; ++j) {
    T* const column = a + j * n;
    for (int i = 0; i <= j; ++i) {
      T sum = column[i];
      for (int k = 0; k < i; ++k) sum -= a[i * n + k] * column[k];
      if (i < j)
        column[i] = sum / a[i * n + i];
      else if (sum > 0)
        column[j] = std::sqrt(sum);
      else
        return j + 1;
    }
  }
  return 0;
}

}  // namespace torch::taper::cpu::small

namespace torch::taper::cpu {
namespace {

/// The shape of the matrices in a batch.
struct Batch {
  int rows, columns;
  int64_t count;
  explicit Batch(const Out& a)
      : rows(static_cast<int>(a.sizes[a.dim() - 2])),
        columns(static_cast<int>(a.sizes[a.dim() - 1])),
        count(1) {
    for (int64_t d = 0; d + 2 < a.dim(); ++d) count *= a.sizes[d];
  }
  int64_t numel() const { return int64_t{rows} * columns; }
  int64_t least() const { return std::min(rows, columns); }
};

template <class F>
void for_each_matrix(const Batch& batch, const F& f) {
  const int64_t work = batch.numel() * batch.least() + 1;
  parallel_for(0, batch.count, std::max<int64_t>(1, kGrain / work), [&](int64_t i, int64_t end) {
    for (; i < end; ++i) f(i);
  });
}

template <class T>
int inverse(T* a, int n) {
  if constexpr (!is_complex_v<T>)
    if (n <= small::kMostRows) return small::inverse(a, n);
  std::vector<int> pivots(static_cast<size_t>(n));
  std::vector<T> work(static_cast<size_t>(n) * 32 + 1);
  int info = 0, length = static_cast<int>(work.size());
  fortran<T>(lapack<T, "getrf">(), &n, &n, a, &n, pivots.data(), &info);
  if (info == 0)
    fortran<T>(lapack<T, "getri">(), &n, a, &n, pivots.data(), work.data(), &length, &info);
  return info;
}

template <class T>
int potrf(T* a, int n) {
  if constexpr (!is_complex_v<T>)
    if (n <= small::kMostRows) return small::cholesky(a, n);
  int info = 0;
  char upper = 'U';
  fortran<T>(lapack<T, "potrf">(), &upper, &n, a, &n, &info);
  return info;
}

template <class T>
int cholesky(T* a, int n) {
  const int info = potrf(a, n);
  for (int64_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T(0));
  return info;
}

template <class T>
int getrf(T* a, int rows, int columns, int* pivots) {
  if constexpr (!is_complex_v<T>)
    if (rows == columns && rows <= small::kMostRows) return small::lu(a, rows, pivots);
  int info = 0;
  fortran<T>(lapack<T, "getrf">(), &rows, &columns, a, &rows, pivots, &info);
  return info;
}

template <class T>
int gesv(T* a, T* x, int n, int count) {
  if constexpr (!is_complex_v<T>)
    if (n <= small::kMostRows) return small::solve(a, x, n, count);
  std::vector<int> pivots(static_cast<size_t>(n));
  int info = 0;
  if constexpr (!is_complex_v<T>)
    if (triangle::takes(n, count)) {
      fortran<T>(lapack<T, "getrf">(), &n, &n, a, &n, pivots.data(), &info);
      if (info == 0) triangle::solve_factored(a, pivots.data(), x, n, count);
      return info;
    }
  fortran<T>(lapack<T, "gesv">(), &n, &count, a, &n, pivots.data(), x, &n, &info);
  return info;
}

template <class T>
void geqrf(T* a, int rows, int columns, T* tau) {
  std::vector<T> work(static_cast<size_t>(columns) * 32 + 1);
  int info = 0, length = static_cast<int>(work.size());
  fortran<T>(lapack<T, "geqrf">(), &rows, &columns, a, &rows, tau, work.data(), &length, &info);
}

template <class T>
void orgqr(T* q, int rows, int columns, T* tau, int reflectors) {
  std::vector<T> work(static_cast<size_t>(columns) * 32 + 1);
  int info = 0, length = static_cast<int>(work.size());
  fortran<T>(lapack<T, "orgqr", "ungqr">(), &rows, &columns, &reflectors, q, &rows, tau,
             work.data(), &length, &info);
}

template <class T>
int ldl(T* a, int n, int* pivots, bool hermitian) {
  char lower = 'L';
  std::vector<T> work(static_cast<size_t>(n) * 64 + 1);
  int info = 0, length = static_cast<int>(work.size());
  void* const f = hermitian ? lapack<T, "sytrf", "hetrf">() : lapack<T, "sytrf", "sytrf">();
  fortran<T>(f, &lower, &n, a, &n, pivots, work.data(), &length, &info);
  return info;
}

/// Returns the most real numbers that gesdd uses as workspace beside complex ones.
size_t svd_reals(int rows, int columns) {
  const auto least = static_cast<size_t>(std::min(rows, columns));
  const auto most = static_cast<size_t>(std::max(rows, columns));
  return least * std::max(5 * least + 7, 2 * most + 2 * least + 1) + 1;
}

// Decomposes the transposed matrix, whose left vectors are the right ones here.
template <class T>
int svd(T* a, int rows, int columns, T* u, part_t<T>* s, T* vh, bool full) {
  const int least = std::min(rows, columns);
  char job = !u ? 'N' : full ? 'A' : 'S';
  int info = 0, vh_stride = columns, u_stride = full ? rows : least;
  std::vector<int> integers(static_cast<size_t>(least) * 8 + 1);
  std::vector<part_t<T>> reals(is_complex_v<T> ? svd_reals(rows, columns) : 0);
  with_work<T>([&](T* work, int* length) {
    if constexpr (is_complex_v<T>)
      fortran<T>(lapack<T, "gesdd">(), &job, &columns, &rows, a, &columns, s, vh, &vh_stride, u,
                 &u_stride, work, length, reals.data(), integers.data(), &info);
    else
      fortran<T>(lapack<T, "gesdd">(), &job, &columns, &rows, a, &columns, s, vh, &vh_stride, u,
                 &u_stride, work, length, integers.data(), &info);
  });
  return info;
}

// The transposed matrix is the conjugate one, so its vectors are conjugated.
template <class T>
int eigh(T* a, int n, part_t<T>* w, bool upper, bool vectors) {
  char job = vectors ? 'V' : 'N', triangle = upper ? 'L' : 'U';
  int info = 0, query = -1, integer_size = 0;
  T size = 0;
  part_t<T> real_size = 0;
  const auto run = [&](T* work, int* length, part_t<T>* reals, int* real_length, int* integers,
                       int* integer_length) {
    if constexpr (is_complex_v<T>)
      fortran<T>(lapack<T, "heevd">(), &job, &triangle, &n, a, &n, w, work, length, reals,
                 real_length, integers, integer_length, &info);
    else
      fortran<T>(lapack<T, "syevd">(), &job, &triangle, &n, a, &n, w, work, length, integers,
                 integer_length, &info);
  };
  run(&size, &query, &real_size, &query, &integer_size, &query);
  std::vector<T> work(work_size(size) + 64);
  std::vector<part_t<T>> reals(work_size(real_size) + 1);
  std::vector<int> integers(static_cast<size_t>(integer_size) + 1);
  int length = static_cast<int>(work.size()), integer_length = static_cast<int>(integers.size());
  int real_length = static_cast<int>(reals.size());
  run(work.data(), &length, reals.data(), &real_length, integers.data(), &integer_length);
  if constexpr (is_complex_v<T>)
    for (int64_t i = 0; i < int64_t{n} * n; ++i) a[i] = conj(a[i]);
  return info;
}

/// Computes the eigenvalues (parts apart) and, unless v is null, LAPACK's real form of the vectors.
template <class T>
int eig(T* a, int n, T* re, T* im, T* v) {
  char no = 'N', job = v ? 'V' : 'N';
  int info = 0, one = 1, columns = v ? n : 1;
  T none = 0;
  with_work<T>([&](T* work, int* length) {
    fortran<T>(lapack<T, "geev">(), &no, &job, &n, a, &n, re, im, &none, &one, v ? v : &none,
               &columns, work, length, &info);
  });
  return info;
}

/// For a pair of conjugate eigenvalues, LAPACK stores the parts of the first one's vector.
template <class T>
void expand_vectors(const T* v, const T* im, int n, numbers::complex<T>* to) {
  for (int j = 0; j < n; ++j) {
    const T* const re = v + int64_t{n} * (im[j] < 0 ? j - 1 : j);
    const T sign = im[j] < 0 ? T(-1) : T(1);
    for (int i = 0; i < n; ++i, ++to) *to = {re[i], im[j] == 0 ? T(0) : sign * re[n + i]};
  }
}

template <class T>
int eig_of(T* a, int n, numbers::complex<T>* w, numbers::complex<T>* v) {
  const auto count = static_cast<size_t>(n);
  std::vector<T> re(count), im(count), vectors(v ? count * count : 0);
  const int info = eig(a, n, re.data(), im.data(), v ? vectors.data() : nullptr);
  for (size_t i = 0; i < count; ++i) w[i] = {re[i], im[i]};
  if (v) expand_vectors(vectors.data(), im.data(), n, v);
  return info;
}

/// Computes the eigenvalues of a complex matrix.
template <class T>
int eig_of(numbers::complex<T>* a, int n, numbers::complex<T>* w, numbers::complex<T>* v) {
  using C = numbers::complex<T>;
  char no = 'N', job = v ? 'V' : 'N';
  int info = 0, one = 1, columns = v ? n : 1;
  C none = 0;
  std::vector<T> reals(2 * static_cast<size_t>(n));
  with_work<C>([&](C* work, int* length) {
    fortran<C>(lapack<C, "geev">(), &no, &job, &n, a, &n, w, &none, &one, v ? v : &none, &columns,
               work, length, reals.data(), &info);
  });
  return info;
}

bool all_finite(const float* x, int64_t n) {
  return std::all_of(x, x + n, [](float v) { return std::isfinite(v); });
}
bool all_finite(const double* x, int64_t n) {
  return std::all_of(x, x + n, [](double v) { return std::isfinite(v); });
}
template <class T>
bool all_finite(const numbers::complex<T>* x, int64_t n) {
  return all_finite(reinterpret_cast<const T*>(x), 2 * n);
}

}  // namespace

void linalg_inverse(InOut a, Out info) {
  const Batch b(a);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      info.as<int>()[i] = b.rows ? inverse(a.as<T>() + i * b.numel(), b.rows) : 0;
    });
  });
}

void linalg_lu(InOut a, Out pivots, Out info) {
  const Batch b(a);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      info.as<int>()[i] = getrf(a.as<T>() + i * b.numel(), b.columns, b.rows,  // by columns
                                pivots.as<int>() + i * b.least());
    });
  });
}

void linalg_permutation(Out rows, In pivots) {
  const int64_t m = rows.sizes[rows.dim() - 1], k = pivots.sizes[pivots.dim() - 1];
  for (int64_t i = 0; m > 0 && i < rows.numel / m; ++i) {
    bool wrong = false;
    const int64_t first =
        permute_by_pivots(rows.as<int64_t>() + i * m, pivots.as<int>() + i * k, k, m, &wrong);
    if (wrong) throw_index_out_of_range("lu_unpack", first, m, -2, IndexWording::kDimensionRt);
  }
}

void linalg_solve(InOut a, InOut x, Out info) {
  const Batch m(a), r(x);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(m, [&](int64_t i) {
      const bool none = m.rows == 0 || r.rows == 0;
      info.as<int>()[i] =
          none ? 0 : gesv(a.as<T>() + i * m.numel(), x.as<T>() + i * r.numel(), m.rows, r.rows);
    });
  });
}

void linalg_cholesky(InOut a, Out info) {
  const Batch b(a);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      info.as<int>()[i] = b.rows ? cholesky(a.as<T>() + i * b.numel(), b.rows) : 0;
    });
  });
}

void linalg_triangular(In a, InOut x, bool upper, bool unit) {
  const Batch b(x);
  if (x.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      // By columns the equation is x^T a^T = b^T.
      char side = 'R', triangle = upper ? 'L' : 'U', plain = 'N', diagonal = unit ? 'U' : 'N';
      int n = b.rows, count = b.columns;
      if constexpr (!is_complex_v<T>)
        if (triangle::takes(n, count))
          return triangle::solve_rows<T>({a.as<T>() + i * n * n, n, n, 1, upper, unit},
                                         x.as<T>() + i * b.numel(), count);
      T one = 1;
      fortran<T>(lapack<T, "trsm">(), &side, &triangle, &plain, &diagonal, &count, &n, &one,
                 const_cast<T*>(a.as<T>()) + i * n * n, &n, x.as<T>() + i * b.numel(), &count);
    });
  });
}

void linalg_geqrf(InOut a, Out tau) {
  const Batch b(a);
  if (a.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      geqrf(a.as<T>() + i * b.numel(), b.columns, b.rows, tau.as<T>() + i * b.least());
    });
  });
}

void linalg_orgqr(InOut q, In tau) {
  const Batch b(q);
  if (q.numel == 0) return;
  const int64_t reflectors = tau.sizes[tau.dim() - 1];
  for_matrix_dtype(q.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      orgqr(q.as<T>() + i * b.numel(), b.columns, b.rows,
            const_cast<T*>(tau.as<T>()) + i * reflectors, static_cast<int>(reflectors));
    });
  });
}

void linalg_ldl(InOut a, Out pivots, bool hermitian, Out info) {
  const Batch b(a);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      info.as<int>()[i] =
          b.rows ? ldl(a.as<T>() + i * b.numel(), b.rows, pivots.as<int>() + i * b.rows, hermitian)
                 : 0;
    });
  });
}

void linalg_ldl_solve(In ld, In pivots, InOut x, bool hermitian) {
  const Batch r(x);
  if (x.numel == 0) return;
  for_matrix_dtype(x.dtype, [&]<class T>(T) {
    void* const f = hermitian ? lapack<T, "sytrs", "hetrs">() : lapack<T, "sytrs", "sytrs">();
    for_each_matrix(r, [&](int64_t i) {
      char lower = 'L';
      int n = r.columns, count = r.rows, info = 0;
      std::vector<int> swaps(static_cast<size_t>(n));
      if (!copy_ldl_pivots(swaps.data(), pivots.as<int>() + i * n, n)) throw_not_ldl_pivots();
      fortran<T>(f, &lower, &n, &count, const_cast<T*>(ld.as<T>()) + i * n * n, &n, swaps.data(),
                 x.as<T>() + i * r.numel(), &n, &info);
    });
  });
}

void linalg_svd(InOut a, Out u, Out s, Out vh, bool full, Out info) {
  const Batch b(a);
  if (a.numel == 0) return;
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    const int64_t u_numel = b.rows * (full ? b.rows : b.least());
    const int64_t vh_numel = b.columns * (full ? b.columns : b.least());
    for_each_matrix(b, [&](int64_t i) {
      T* const from = a.as<T>() + i * b.numel();
      // LAPACK may never return if numbers are infinite or NaN.
      info.as<int>()[i] =
          all_finite(from, b.numel())
              ? svd(from, b.rows, b.columns, u.defined() ? u.as<T>() + i * u_numel : nullptr,
                    s.as<part_t<T>>() + i * b.least(),
                    vh.defined() ? vh.as<T>() + i * vh_numel : nullptr, full)
              : -4;
    });
  });
}

void linalg_eigh(InOut a, Out w, bool upper, bool vectors, Out info) {
  const Batch b(a);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    for_each_matrix(b, [&](int64_t i) {
      T* const from = a.as<T>() + i * b.numel();
      info.as<int>()[i] = b.rows == 0 ? 0
                          : all_finite(from, b.numel())
                              ? eigh(from, b.rows, w.as<part_t<T>>() + i * b.rows, upper, vectors)
                              : -4;
    });
  });
}

void linalg_eig(InOut a, Out w, Out v, Out info) {
  const Batch b(a);
  for_matrix_dtype(a.dtype, [&]<class T>(T) {
    using C = numbers::complex<part_t<T>>;
    for_each_matrix(b, [&](int64_t i) {
      T* const from = a.as<T>() + i * b.numel();
      C* const vectors = v.defined() ? v.as<C>() + i * b.numel() : nullptr;
      info.as<int>()[i] = b.rows == 0 ? 0
                          : !all_finite(from, b.numel())
                              ? -4
                              : eig_of(from, b.rows, w.as<C>() + i * b.rows, vectors);
    });
  });
}

}  // namespace torch::taper::cpu
