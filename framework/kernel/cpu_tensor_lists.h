// Loops over lists of tensors, one element at a time, for simulated devices. A GPU has
// for_each_in_lists of framework/cuda/tensor_lists.h instead. Not installed.
#pragma once

#include <taper/framework/core/dtype.h>
#include <taper/framework/core/tensor_lists.h>

namespace torch::taper::cpu {

/// Calls visit(v) for each element, like the GPU's function. v holds the values of N operands, and
/// the changed values are stored. kReads and kWrites have a bit for each operand. Operands in
/// kReads are not stored. The values of operands in kWrites are zero before the call.
template <class T, int N, unsigned kReads, unsigned kWrites = 0, class Visit>
void for_each_in_lists(const TensorLists& lists, const Visit& visit) {
  for (int entry = 0; entry < lists.size(); ++entry) {
    const auto here = visit.of_entry(lists, entry);
    T* p[N];
    for (int k = 0; k < N; ++k) p[k] = reinterpret_cast<T*>(lists.data(entry, k));
    for (int64_t i = 0; i < lists.numel(entry); ++i) {
      opmath_t<T> v[N];
      for (int k = 0; k < N; ++k)
        v[k] = kWrites >> k & 1 ? opmath_t<T>(0) : static_cast<opmath_t<T>>(p[k][i]);
      here(v);
      for (int k = 0; k < N; ++k)
        if (!(kReads >> k & 1)) p[k][i] = static_cast<T>(v[k]);
    }
  }
}

}  // namespace torch::taper::cpu
