// Loops over lists of tensors. For *_cuda.cu files only, not installed.
#pragma once

#include <taper/framework/core/tensor_lists.h>
#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

/// A chunk of the lists' entry number `entry`: n elements, starting at element `first`.
struct ListPart {
  int entry;
  int64_t first, n;
};
TAPER_DEVICE inline ListPart part_of(const TensorLists& lists, int64_t chunk) {
  const int entry = lists.entry_of(chunk);
  const int64_t first = (chunk - lists.first_chunk(entry)) * TensorLists::kChunk;
  const int64_t rest = lists.numel(entry) - first;
  return {entry, first, rest < TensorLists::kChunk ? rest : TensorLists::kChunk};
}

/// Calls visit(v) for each element. v holds the values of N operands, in the type that functors
/// compute in. Afterwards the changed values are stored. kReads and kWrites have a bit for each
/// operand. Operands in kReads are not stored. Operands in kWrites are not loaded: their values are
/// zero before the call. If visit has a function of_entry(lists, entry), the functor that of_entry
/// returns is called for the elements of this entry, instead of visit.
template <class T, int N, unsigned kReads, class Visit, unsigned kWrites = 0>
struct VisitLists {
  static constexpr int V = 16 / sizeof(T);
  TensorLists lists;
  Visit visit;

  template <int W>
  TAPER_DEVICE static void apply(const Visit& visit, char* const (&base)[N], int64_t at) {
    Pack<T, W> packs[N];
    for (int k = 0; k < N; ++k)
      if (!(kWrites >> k & 1)) packs[k] = reinterpret_cast<const Pack<T, W>*>(base[k])[at];
    for (int j = 0; j < W; ++j) {
      opmath_t<T> v[N];
      for (int k = 0; k < N; ++k)
        if (kWrites >> k & 1)
          v[k] = opmath_t<T>();
        else
          v[k] = load(packs[k].v[j]);
      visit(v);
      for (int k = 0; k < N; ++k) packs[k].v[j] = static_cast<T>(v[k]);
    }
    for (int k = 0; k < N; ++k)
      if (!(kReads >> k & 1)) reinterpret_cast<Pack<T, W>*>(base[k])[at] = packs[k];
  }
  /// Processes chunk number `chunk`, as a row of for_each_row.
  TAPER_DEVICE void operator()(const Team& team, int64_t chunk) const {
    const ListPart part = part_of(lists, chunk);
    char* base[N];
    uintptr_t places = 0;
    for (int k = 0; k < N; ++k) {
      base[k] = lists.data(part.entry, k) + part.first * int64_t{sizeof(T)};
      places |= reinterpret_cast<uintptr_t>(base[k]);
    }
    const int64_t packed = places % 16 == 0 ? part.n / V : 0;
    const Visit here = of_entry(part.entry);
    team.each(packed, [&](int64_t i) { apply<V>(here, base, i); });
    team.each(part.n - packed * V, [&](int64_t i) { apply<1>(here, base, packed * V + i); });
  }

 private:
  TAPER_DEVICE Visit of_entry(int entry) const {
    if constexpr (requires { visit.of_entry(lists, entry); })
      return visit.of_entry(lists, entry);
    else
      return visit;
  }
};

/// Processes all elements of all entries with one launch.
template <class T, int N, unsigned kReads, unsigned kWrites = 0, class Visit>
void for_each_in_lists(const TensorLists& lists, const Visit& visit) {
  using Body = VisitLists<T, N, kReads, Visit, kWrites>;
  static_assert(sizeof(Body) <= 4000, "the arguments of a launch are at most 4 KiB");
  for_each_row(lists.chunks(), kThreads, Body{lists, visit});
}

}  // namespace torch::taper::cuda
