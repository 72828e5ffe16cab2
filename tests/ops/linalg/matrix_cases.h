// Naive matrices, and cases of ops that take matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "test_util.h"

namespace torch::taper::testing {

using Sizes = std::vector<int64_t>;

struct Matrix {
  int64_t m, n;
  std::vector<double> v;
  Matrix(int64_t rows, int64_t columns)
      : m(rows), n(columns), v(static_cast<size_t>(rows * columns), 0) {}
  double& operator()(int64_t i, int64_t j) { return v[static_cast<size_t>(i * n + j)]; }
  double operator()(int64_t i, int64_t j) const { return v[static_cast<size_t>(i * n + j)]; }
};

inline Matrix identity(int64_t n) {
  Matrix y(n, n);
  for (int64_t i = 0; i < n; ++i) y(i, i) = 1;
  return y;
}
inline Matrix times(const Matrix& a, const Matrix& b) {
  Matrix y(a.m, b.n);
  for (int64_t i = 0; i < a.m; ++i)
    for (int64_t j = 0; j < b.n; ++j)
      for (int64_t k = 0; k < a.n; ++k) y(i, j) += a(i, k) * b(k, j);
  return y;
}
inline Matrix transposed(const Matrix& a) {
  Matrix y(a.n, a.m);
  for (int64_t i = 0; i < a.m; ++i)
    for (int64_t j = 0; j < a.n; ++j) y(j, i) = a(i, j);
  return y;
}
// Gauss and Jordan, with the largest pivot of each column; the determinant goes to `det`.
inline Matrix solved(Matrix a, Matrix b, double* det = nullptr) {
  double d = 1;
  for (int64_t k = 0; k < a.n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k; i < a.n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    if (pivot != k) d = -d;
    for (int64_t j = 0; j < a.n; ++j) std::swap(a(k, j), a(pivot, j));
    for (int64_t j = 0; j < b.n; ++j) std::swap(b(k, j), b(pivot, j));
    d *= a(k, k);
    const double p = a(k, k);
    for (int64_t j = 0; j < a.n; ++j) a(k, j) /= p;
    for (int64_t j = 0; j < b.n; ++j) b(k, j) /= p;
    for (int64_t i = 0; i < a.n; ++i) {
      if (i == k) continue;
      const double f = a(i, k);
      for (int64_t j = 0; j < a.n; ++j) a(i, j) -= f * a(k, j);
      for (int64_t j = 0; j < b.n; ++j) b(i, j) -= f * b(k, j);
    }
  }
  if (det) *det = d;
  return b;
}

inline Matrix matrix_of(const Array& x, int64_t batch) {
  Matrix a(x.size(-2), x.size(-1));
  const int64_t first = batch * a.m * a.n;
  std::copy_n(x.v.begin() + first, a.v.size(), a.v.begin());
  return a;
}
// f of each matrix (of all operands), stacked.
template <class F>
Array for_matrices(const ArrayArgs& a, const F& f) {
  const Array& x = a.t[0];
  Sizes sizes(x.sizes.begin(), x.sizes.end() - 2);
  const int64_t count = numel_of(sizes);
  std::vector<double> v;
  int64_t m = 0, n = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Matrix> list;
    for (const Array& t : a.t) list.push_back(matrix_of(t, i));
    const Matrix y = f(list);
    m = y.m;
    n = y.n;
    v.insert(v.end(), y.v.begin(), y.v.end());
  }
  sizes.insert(sizes.end(), {m, n});
  Array y(sizes);
  y.v = v;
  return y;
}

/// One number of each matrix, without the two last dimensions.
template <class F>
Array number_of_matrices(const ArrayArgs& a, const F& f) {
  Array y = for_matrices(a, [&](const auto& x) {
    Matrix one(1, 1);
    one.v[0] = f(x[0]);
    return one;
  });
  y.sizes.resize(y.sizes.size() - 2);
  return y;
}
/// What an `info` says of matrices that all went well.
inline Array zero_for_each_matrix(const ArrayArgs& a) {
  return Array(Sizes(a.t[0].sizes.begin(), a.t[0].sizes.end() - 2));
}
inline double determinant(const Matrix& x) {
  double d = 0;
  solved(x, Matrix(x.n, 0), &d);
  return d;
}
inline double trace_of(const Matrix& x) {
  double s = 0;
  for (int64_t i = 0; i < std::min(x.m, x.n); ++i) s += x(i, i);
  return s;
}
inline Matrix gram(const Matrix& x) {
  return x.m < x.n ? times(x, transposed(x)) : times(transposed(x), x);
}

// A + A^T.
inline Matrix symmetric(const Matrix& x) {
  Matrix y = transposed(x);
  for (size_t i = 0; i < y.v.size(); ++i) y.v[i] += x.v[i];
  return y;
}
/// tau (..., k) as matrices of one row.
inline ArrayArgs with_rows(ArrayArgs a) {
  a.t[1].sizes.insert(a.t[1].sizes.end() - 1, 1);
  return a;
}
inline std::vector<Args> plain_samples(const std::vector<std::vector<Sizes>>& sizes, ScalarType t) {
  std::vector<Args> list;
  for (const auto& s : sizes) list.push_back(sample_of(s, t, {-1, 1}));
  return list;
}

// Random matrices with a large diagonal: far from singular.
inline Args dominant(const std::vector<Sizes>& sizes, ScalarType t) {
  Args a = sample_of(sizes, t, {-1, 1});
  const int64_t n = a.t[0].size(-1);
  for (int64_t k = 0; k < a.t[0].numel(); k += n + 1)
    if (k / n % n == k % n) set_element(a.t[0], k, get_element(a.t[0], k) + 3);
  for (int64_t k = 0; k < a.t[0].numel(); ++k)
    if (k / n % n == k % n && std::abs(get_element(a.t[0], k)) < 2)
      set_element(a.t[0], k, get_element(a.t[0], k) + 3);
  return a;
}

inline OpCase matrix_case(std::string name, std::vector<std::vector<Sizes>> sizes,
                          std::function<Results(const Args&)> call,
                          std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [sizes](ScalarType t) {
    std::vector<Args> list;
    for (const auto& s : sizes) list.push_back(dominant(s, t));
    return list;
  };
  c.call = std::move(call);
  c.reference = std::move(reference);
  c.tolerance = 40;
  return c;
}

}  // namespace torch::taper::testing
