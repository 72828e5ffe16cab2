// Sorts rows. For *_cuda.cu files only. Not installed.
#pragma once

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/library.h>
#include <taper/ops/reduce/sort_keys.h>

namespace torch::taper::cuda {

template <class T>
struct FillSortKeys {
  key_of<T>* keys;
  uint32_t* positions;
  const T* x;
  int64_t n;
  key_of<T> flip;
  TAPER_DEVICE void operator()(int64_t i) const {
    keys[i] = sort_key(x[i]) ^ flip;
    positions[i] = static_cast<uint32_t>(i % n);
  }
};

/// Sorts the elements of each row of n elements. NaN is the largest value. Equal elements keep
/// their order.
template <class T>
class SortedRows {
 public:
  using Key = key_of<T>;
  SortedRows(const T* x, int64_t rows, int64_t n, bool descending)
      : keys_(rows * n), positions_(rows * n) {
    if (rows * n == 0) return;
    const Scratch<Key> keys(rows * n);
    const Scratch<uint32_t> positions(rows * n);
    const Key flip = descending ? static_cast<Key>(~Key(0)) : Key(0);
    for_each(rows * n, FillSortKeys<T>{keys.get(), positions.get(), x, n, flip});
    sort_rows_of_pairs<Key>({keys_.get(), positions_.get()}, {keys.get(), positions.get()}, rows,
                            n);
  }
  /// keys() returns the sort_keys of the elements in sorted order, complemented for descending
  /// order. positions() returns the indices of these elements in their rows.
  const Key* keys() const { return keys_.get(); }
  const uint32_t* positions() const { return positions_.get(); }

 private:
  Scratch<Key> keys_;
  Scratch<uint32_t> positions_;
};

}  // namespace torch::taper::cuda
