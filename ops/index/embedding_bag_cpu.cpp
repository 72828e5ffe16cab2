#include <algorithm>

#include <taper/framework/core/value_errors.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/ops/index/embedding_bag_kernels.h>

#define TAPER_ISA_FILE <taper/ops/index/embedding_bag_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void check_bag_offsets(In offsets, int64_t length) {
  const int64_t* at = offsets.as<int64_t>();
  for (int64_t b = 0; b < offsets.numel; ++b) {
    const int64_t before = b == 0 ? 0 : at[b - 1];
    if ((b == 0 && at[b] != 0) || at[b] < before || at[b] > length)
      throw_wrong_bag_offset(b, at[b], before, length);
  }
}

void fill_bags(Out bag_of, Out bag_size, In indices, In offsets, int64_t padding_idx) {
  const BagBounds bounds(offsets, indices);
  int64_t *bag = bag_of.as<int64_t>(), *size = bag_size.as<int64_t>();
  const int64_t* row = indices.as<int64_t>();
  int64_t begin = 0;
  for (int64_t b = 0; b < bag_size.numel; ++b) {
    const int64_t end = bounds.end(b);
    std::fill(bag + begin, bag + end, b);
    size[b] = end - begin - (padding_idx < 0 ? 0 : std::count(row + begin, row + end, padding_idx));
    begin = end;
  }
  std::fill(bag + begin, bag + indices.numel, bag_size.numel);
}

void embedding_bag_sum(Out y, In weight, In indices, In offsets, In factors, int64_t padding_idx,
                       BagMode mode) {
  return TAPER_BY_ISA(embedding_bag_sum, y, weight, indices, offsets, factors, padding_idx, mode);
}
void embedding_bag_max(Out y, Out largest, In weight, In indices, In offsets, int64_t padding_idx) {
  return TAPER_BY_ISA(embedding_bag_max, y, largest, weight, indices, offsets, padding_idx);
}
void embedding_bag_dot(Out g, In gy, In weight, In indices, In bag_of, int64_t padding_idx) {
  return TAPER_BY_ISA(embedding_bag_dot, g, gy, weight, indices, bag_of, padding_idx);
}

}  // namespace torch::taper::cpu
