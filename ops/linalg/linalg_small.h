// Factors of small real matrices, for which a call of LAPACK would exceed the arithmetic.
// Conventions are LAPACK's: column-major (element (i, j) is a[j * n + i]), pivots from 1, equal
// `info`. Not installed.
#pragma once

#include <cmath>
#include <utility>

#include <taper/framework/core/namespaces.h>

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
