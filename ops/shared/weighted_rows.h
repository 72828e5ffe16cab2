// Weighted sums of elements and of rows, computed with the CPU's best instruction set. Not
// installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

// T is float or double.

/// Computes y[o] = sum over k < count of weight[k n + o] * x[index[k n + o]], for o < n.
template <class T>
void gather_row(T* y, const T* x, const int32_t* index, const T* weight, int64_t n, int count);
/// Computes y[o] = sum over k < count of weight[k] * rows[k][o].
template <class T>
void blend_rows(T* y, const T* const* rows, const T* weight, int64_t count, int64_t n);
/// Adds weight * x[o] to y[o], for o < n.
template <class T>
void add_row(T* y, const T* x, T weight, int64_t n);

}  // namespace torch::taper::cpu
