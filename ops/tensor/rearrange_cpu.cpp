#include <algorithm>
#include <cstring>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/ops/tensor/copy_kernels.h>
#include <taper/ops/tensor/rearrange_kernels.h>

namespace torch::taper::cpu {
namespace {

constexpr int64_t kGrainBytes = kGrain * 4;

int64_t nbytes_of(int64_t numel, ScalarType t) {
  return numel * static_cast<int64_t>(elementSize(t));
}

// Short copies dominate the cost of joining small tensors.
inline void copy_bytes(char* to, const char* from, int64_t n) {
  if (n == 4) {
    std::memcpy(to, from, 4);
  } else {
    std::memcpy(to, from, static_cast<size_t>(n));
  }
}

/// The rows of one tensor, each of `nbytes`, without gaps.
struct Rows {
  const char* data;
  int64_t nbytes;
};

/// Fills the rows [begin, end) of y, each of `row` bytes, tensor by tensor. y's rows stay in L1.
/// One call copies several rows.
void join_rows(char* y, const std::vector<Rows>& xs, int64_t row, int64_t begin, int64_t end) {
  const int64_t block = std::max<int64_t>(1, 16384 / row);
  for (int64_t r = begin; r < end; r += block) {
    char* to = y + r * row;
    for (const Rows& x : xs) {
      copy_rows(to, row, x.data + r * x.nbytes, x.nbytes, std::min(block, end - r), x.nbytes);
      to += x.nbytes;
    }
  }
}

}  // namespace

void join(Out y, std::vector<In> xs, int64_t outer) {
  if (y.numel == 0) return;
  char* to = y.as<char>();
  const int64_t row = nbytes_of(y.numel, y.dtype) / outer;
  const bool past =
      streams(row * outer, row * outer) && row >= 4096 * static_cast<int64_t>(xs.size());
  if (outer >= 8 && row <= 8192 && !past) {
    std::vector<Rows> rows;
    for (const In& x : xs) rows.push_back({x.as<char>(), nbytes_of(x.numel, x.dtype) / outer});
    return parallel_for(0, outer, 1 + kGrainBytes / row,
                        [&](int64_t begin, int64_t end) { join_rows(to, rows, row, begin, end); });
  }
  // Pieces are byte ranges of y, so one long row splits as well as many short ones.
  parallel_for(0, row * outer, kGrainBytes, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin / row, at = r * row; at < end; ++r) {
      for (const In& x : xs) {
        const int64_t part = nbytes_of(x.numel, x.dtype) / outer;
        const int64_t from = std::max(at, begin), until = std::min(at + part, end);
        const char* const bytes = x.as<char>() + r * part + (from - at);
        if (from < until && past)
          stream(to + from, bytes, until - from);
        else if (from < until)
          copy_bytes(to + from, bytes, until - from);
        at += part;
      }
    }
    if (past) end_stream();
  });
}

void flip(Out y, In x, uint32_t dims) {
  if (y.numel == 0) return;
  const int64_t itemsize = static_cast<int64_t>(elementSize(x.dtype));
  In reversed = x;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (!((dims >> d) & 1u)) continue;
    reversed.data =
        static_cast<const char*>(reversed.data) + (x.sizes[d] - 1) * x.strides[d] * itemsize;
    reversed.strides[d] = -x.strides[d];
  }
  reversed.contiguous = false;
  copy(y, reversed);
}

void triangle(Out y, In x, int64_t diagonal, bool upper) {
  if (y.numel == 0) return;
  const int64_t rank = y.dim(), rows = y.sizes[rank - 2], cols = y.sizes[rank - 1];
  const int64_t itemsize = static_cast<int64_t>(elementSize(y.dtype));
  parallel_for(0, y.numel / cols, std::max<int64_t>(1, kGrain / cols), [&](int64_t b, int64_t e) {
    for (int64_t r = b; r < e; ++r) {
      char* to = y.as<char>() + r * cols * itemsize;
      const char* from = x.as<char>() + r * cols * itemsize;
      const int64_t edge = r % rows + diagonal + (upper ? 0 : 1);
      const auto split = static_cast<size_t>(std::clamp<int64_t>(edge, 0, cols) * itemsize);
      const size_t rest = static_cast<size_t>(cols * itemsize) - split;
      if (upper) {
        std::memset(to, 0, split);
        std::memcpy(to + split, from + split, rest);
      } else {
        std::memcpy(to, from, split);
        std::memset(to + split, 0, rest);
      }
    }
  });
}

void repeat_indices(Out y, In repeats) {
  int64_t* to = y.as<int64_t>();
  switch_dtype<dtypes::Index>(repeats.dtype, "repeat_interleave_cpu", [&]<class scalar_t>() {
    const scalar_t* count = repeats.as<scalar_t>();
    for (int64_t i = 0; i < repeats.numel; ++i)
      if (count[i] == 1)
        *to++ = i;
      else
        to = std::fill_n(to, count[i], i);
  });
}

}  // namespace torch::taper::cpu
