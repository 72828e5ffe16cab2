// Kernels of embedding_bag. Not installed.
#pragma once

#include <taper/framework/core/host_device.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The reductions of a bag, with LibTorch's numbers.
enum class BagMode : int8_t { kSum, kMean, kMax };

/// The bounds of each of `count` bags among `length` indices. check_bag_offsets reports wrong
/// offsets. This struct clamps them.
struct BagBounds {
  const int64_t* offsets;
  int64_t count, length;

  BagBounds(const In& offsets, const In& indices)
      : offsets(offsets.as<int64_t>()), count(offsets.numel), length(indices.numel) {}
  TAPER_HD int64_t begin(int64_t bag) const {
    const int64_t at = offsets[bag];
    return at < 0 ? 0 : at > length ? length : at;
  }
  TAPER_HD int64_t end(int64_t bag) const { return bag + 1 < count ? begin(bag + 1) : length; }
  /// Returns the last bag whose begin is at most i.
  TAPER_HD int64_t bag_of(int64_t i) const {
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (offsets[middle] <= i)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }
};

// All tensors are contiguous. indices, offsets, bags, sizes and `largest` are int64. All indices
// are valid rows of `weight`. padding_idx is -1 if there is no padding.

/// Throws unless offsets[0] is 0, offsets do not decrease, and the last offset is at most `length`.
TAPER_KERNEL(check_bag_offsets, In offsets, int64_t length)
/// Sets bag_of[i] to the bag of index i, and bag_size[b] to the number of bag b's indices that are
/// not padding.
TAPER_KERNEL(fill_bags, Out bag_of, Out bag_size, In indices, In offsets, int64_t padding_idx)
/// Sets y[b, :] to the sum or mean of weight[indices[i], :] * factors[i] over all i of bag b with
/// indices[i] != padding_idx. If `factors` is undefined, all factors are 1.
TAPER_KERNEL(embedding_bag_sum, Out y, In weight, In indices, In offsets, In factors,
             int64_t padding_idx, BagMode mode)
/// Sets y to the maxima and `largest` to the rows of `weight` that hold them. Both are 0 for empty
/// bags. As in LibTorch, no comparison with NaN is true, so only a NaN in a bag's first row is
/// returned.
TAPER_KERNEL(embedding_bag_max, Out y, Out largest, In weight, In indices, In offsets,
             int64_t padding_idx)
/// Computes g[i] = sum over k of gy[bag_of[i], k] * weight[indices[i], k]. g[i] is 0 for padding
/// and for indices in no bag.
TAPER_KERNEL(embedding_bag_dot, Out g, In gy, In weight, In indices, In bag_of, int64_t padding_idx)

}  // namespace torch::taper
