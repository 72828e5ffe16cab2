#include <algorithm>
#include <cstring>
#include <vector>

#include <taper/framework/core/itemsize.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/element_parts.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/reduce/count_bytes.h>
#include <taper/ops/shared/weighted_rows.h>

#define TAPER_ISA_FILE <taper/ops/index/index_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

int64_t grain_for_rows(int64_t row_nbytes) {
  return std::max<int64_t>(1, 4 * kGrain / std::max<int64_t>(1, row_nbytes));
}

template <class I>
bool indices_fit(const I* index, int64_t n, int64_t low, int64_t size) {
  return TAPER_BY_ISA(indices_fit, index, n, low, static_cast<uint64_t>(size - low));
}
bool join_indices(int64_t* out, const int64_t* index, int64_t n, int64_t size, bool first) {
  return TAPER_BY_ISA(join_indices, out, index, n, size, first);
}

template <class I>
[[noreturn]] void throw_first_outside(const char* op, const I* index, int64_t low, int64_t size,
                                      int64_t dim, IndexWording wording) {
  while (*index >= low && *index < size) ++index;
  throw_index_out_of_range(op, *index, size, dim, wording);
}

/// Copies y[j] = x[index[j]]. Several loads come before their stores, so that they need not wait
/// for them.
template <class T, class I>
void copy_indexed(T* __restrict y, const T* __restrict x, const I* __restrict index, int64_t n) {
  constexpr int64_t kTogether = 8;
  int64_t j = 0;
  for (; j + kTogether <= n; j += kTogether) {
    T v[kTogether];
    for (int64_t k = 0; k < kTogether; ++k) v[k] = x[index[j + k]];
    for (int64_t k = 0; k < kTogether; ++k) y[j + k] = v[k];
  }
  for (; j < n; ++j) y[j] = x[index[j]];
}

/// Copies y[j] = x[index[j] * step + j * column]. If an index is not in [0, size), it writes
/// nothing and returns false. It is compiled without wide vectors, because single loads beat gather
/// instructions.
template <class T>
bool gather_row(T* __restrict y, const T* __restrict x, const int64_t* __restrict index, int64_t n,
                int64_t size, int64_t step, int64_t column) {
  if (!indices_fit(index, n, 0, size)) return false;
  if (step == 1 && column == 0)
    copy_indexed(y, x, index, n);
  else
    for (int64_t j = 0; j < n; ++j) y[j] = x[index[j] * step + j * column];
  return true;
}

template <class I>
void check_all(const char* op, const I* index, int64_t n, int64_t low, int64_t size, int64_t dim,
               IndexWording wording) {
  parallel_for(0, n, kGrain, [=](int64_t begin, int64_t end) {
    if (!indices_fit(index + begin, end - begin, low, size))
      throw_first_outside(op, index + begin, low, size, dim, wording);
  });
}

// Copies long rows whole, and prefetches a later row meanwhile.
template <class I>
void take_long_rows(char* y, const char* x, const I* rows, int64_t begin, int64_t end,
                    int64_t row_nbytes) {
  constexpr int64_t kAhead = 4;
  const int64_t lines = std::min<int64_t>(row_nbytes, 1024);
  for (int64_t i = begin; i < end; ++i) {
    if (i + kAhead < end) {
      const char* ahead = x + rows[i + kAhead] * row_nbytes;
      fetch_ahead(ahead, lines);
    }
    std::memcpy(y + i * row_nbytes, x + rows[i] * row_nbytes, static_cast<size_t>(row_nbytes));
  }
}

template <class T, class I>
void take_short_rows(T* y, const T* x, const I* rows, int64_t begin, int64_t end, int64_t inner) {
  if (inner == 1) return copy_indexed(y + begin, x, rows + begin, end - begin);
  for (int64_t i = begin; i < end; ++i) {
    const T* from = x + rows[i] * inner;
    T* to = y + i * inner;
    for (int64_t k = 0; k < inner; ++k) to[k] = from[k];
  }
}

template <class I>
void take_rows_by(Out y, In x, In rows, RowShape s) {
  const int64_t n = rows.numel, itemsize = static_cast<int64_t>(elementSize(x.dtype));
  const int64_t row_nbytes = s.inner * itemsize;
  const I* index = rows.as<I>();
  for (int64_t o = 0; o < s.outer; ++o) {
    char* to = y.as<char>() + o * n * row_nbytes;
    const char* from = x.as<char>() + o * s.size * row_nbytes;
    parallel_for(0, n, grain_for_rows(row_nbytes), [&](int64_t begin, int64_t end) {
      if (row_nbytes > 64) return take_long_rows(to, from, index, begin, end, row_nbytes);
      by_itemsize(static_cast<size_t>(itemsize), [&](auto unit) {
        using T = decltype(unit);
        take_short_rows(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), index, begin,
                        end, s.inner);
      });
    });
  }
}

/// Puts elements one by one for rows of one element. The step of `from` is 0 or 1.
template <class T, class I>
void put_elements(T* __restrict x, const I* __restrict index, int64_t n, const T* __restrict from,
                  int64_t step) {
  if (step == 0) {
    const T value = *from;
    for (int64_t i = 0; i < n; ++i) x[index[i]] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) x[index[i]] = from[i];
  }
}
template <class T, class I>
void add_elements(T* __restrict x, const I* __restrict index, int64_t n, const T* __restrict from,
                  int64_t step) {
  using M = opmath_t<T>;
  for (int64_t i = 0; i < n; ++i)
    x[index[i]] = static_cast<T>(functor::add()(M(x[index[i]]), M(from[i * step])));
}

/// Adds 16-bit floats by way of floats, in tiles that stay in L1.
template <class T>
void add_narrow_row(T* to, const T* from, int64_t n) {
  constexpr int64_t kTile = 512;
  alignas(64) float sum[kTile], x[kTile];  // vectors over two lines are not forwarded
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t m = std::min(kTile, n - i);
    widen(sum, to + i, m);
    widen(x, from + i, m);
    add_row(sum, x, 1.0f, m);
    narrow(to + i, sum, m);
  }
}

template <class T>
void add_to_row(T* __restrict to, const T* __restrict from, int64_t n, int64_t step) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    if (step == 1 && n >= 16) return add_row(to, from, T(1), n);
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    if (step == 1 && n >= 16) return add_narrow_row(to, from, n);
  using M = opmath_t<T>;
  for (int64_t k = 0; k < n; ++k)
    to[k] = static_cast<T>(functor::add()(M(to[k]), M(from[k * step])));
}
template <class T>
void copy_to_row(T* __restrict to, const T* __restrict from, int64_t n, int64_t step) {
  if (step == 0)
    std::fill_n(to, n, *from);
  else if (n * sizeof(T) >= 64)
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  else
    for (int64_t k = 0; k < n; ++k) to[k] = from[k];
}

/// Puts n rows into x, or adds them, at the indexed rows.
template <class T, class I>
struct RowPut {
  T* x;
  const I* index;
  int64_t n;
  const T* values;
  int64_t step;  ///< between values, or 0 for a single value
  int64_t inner;
  bool add;

  void elements() const {
    const auto put = add ? &add_elements<T, I> : &put_elements<T, I>;
    put(x, index, n, values, step);
  }
  /// Puts columns [begin, end) of the rows whose index has remainder `part` modulo `parts`.
  void columns(int64_t begin, int64_t end, uint64_t part = 0, uint64_t parts = 1) const {
    constexpr int64_t kAhead = 4;
    const auto put = add ? &add_to_row<T> : &copy_to_row<T>;
    const int64_t lines = std::min<int64_t>((end - begin) * sizeof(T), 1024);
    const int64_t ahead = kAhead * static_cast<int64_t>(parts);
    const auto takes = [=, this](int64_t i) {
      return parts == 1 || static_cast<uint64_t>(index[i]) % parts == part;
    };
    for (int64_t i = 0; i < n; ++i) {
      if (lines >= 64 && i + ahead < n && takes(i + ahead))
        fetch_ahead(x + index[i + ahead] * inner + begin, lines);
      if (takes(i))
        put(x + index[i] * inner + begin, values + step * (i * inner + begin), end - begin, step);
    }
  }
};

/// Rows may repeat, so they are put in order. Threads divide the target rows. For long rows they
/// divide the columns, if a share is worth the access to a row. On Zen 4, two threads take 0.42 ms
/// by columns for 8192 rows of 256 floats, which is slower than one thread.
template <class T, class I>
void put_rows_of(RowPut<T, I> rows, int64_t outer, int64_t size) {
  constexpr int64_t kLeast = 512 / sizeof(T), kLeastRow = 256 / sizeof(T),
                    kLongRow = 4096 / sizeof(T);
  const int64_t inner = rows.inner, work = rows.n * inner;
  const int64_t grain = std::max(kLeast, kGrain / std::max<int64_t>(1, rows.n));
  const int64_t parts = std::min<int64_t>(usable_threads(), 1 + work / kGrain);
  for (int64_t o = 0; o < outer; ++o, rows.x += size * inner, rows.values += rows.step * work) {
    if (inner == 1)
      rows.elements();
    else if (kLeastRow <= inner && inner < kLongRow)
      parallel_for(0, parts, 1, [=](int64_t part, int64_t end) {
        for (; part < end; ++part)
          rows.columns(0, inner, static_cast<uint64_t>(part), static_cast<uint64_t>(parts));
      });
    else
      parallel_for(0, inner, grain, [=](int64_t begin, int64_t end) { rows.columns(begin, end); });
  }
}

template <class I>
void put_rows_by(InOut x, In rows, In values, RowShape s, PutMode mode) {
  switch_dtype<dtypes::Any>(
      mode == PutMode::kAdd ? x.dtype : moved_as(x.dtype), "put_rows", [&]<class scalar_t>() {
        put_rows_of(
            RowPut<scalar_t, I>{x.as<scalar_t>(), rows.as<I>(), rows.numel, values.as<scalar_t>(),
                                values.numel == 1 ? 0 : 1, s.inner, mode == PutMode::kAdd},
            s.outer, s.size);
      });
}

/// Walks the rows (along the last dimension) of an index tensor and gives the offset of each row's
/// first element in another tensor.
class RowWalk {
 public:
  RowWalk(const Dims& sizes, const Dims& strides, int64_t start)
      : sizes_(sizes), steps_(strides), at_(sizes.size(), 0) {
    for (int64_t d = sizes_.size() - 2; d >= 0; --d) {
      at_[d] = start % sizes_[d];
      start /= sizes_[d];
      offset_ += at_[d] * steps_[d];
    }
  }
  int64_t offset() const { return offset_; }
  void next() {
    for (int64_t d = sizes_.size() - 2; d >= 0; --d) {
      offset_ += steps_[d];
      if (++at_[d] < sizes_[d]) return;
      offset_ -= at_[d] * steps_[d];
      at_[d] = 0;
    }
  }

 private:
  Dims sizes_, steps_, at_;
  int64_t offset_ = 0;
};

/// Returns strides for a walk whose position along `dim` comes from an index.
Dims without_step(Dims strides, int64_t dim) {
  strides[dim] = 0;
  return strides;
}

/// Returns the tensor with at least one dimension.
template <class View>
View at_least_1d(View v) {
  if (v.sizes.empty()) {
    v.sizes.push_back(1);
    v.strides.push_back(1);
  }
  return v;
}

/// Combines the old element with the new one.
template <class T, PutMode mode>
T combined(T there, T given) {
  using M = opmath_t<T>;
  const auto a = static_cast<M>(there), b = static_cast<M>(given);
  if constexpr (mode == PutMode::kCopy) return given;
  if constexpr (mode == PutMode::kAdd) return static_cast<T>(functor::add()(a, b));
  if constexpr (mode == PutMode::kMultiply) return static_cast<T>(functor::mul()(a, b));
  if constexpr ((mode == PutMode::kMax || mode == PutMode::kMin) && !numbers::is_complex_v<T>) {
    // Which value stays is unpredictable, so no branch chooses it. A NaN is rare, so a branch tests
    // for it.
    const M low = a < b ? a : b, high = a > b ? a : b;
    return a != a ? there : static_cast<T>(mode == PutMode::kMax ? high : low);
  }
  return there;  // complex numbers have no order, so this is not reached
}

/// One row of indices: index[j] addresses x[index[j] * step + j * column].
struct RowSteps {
  int64_t step, column, src_column;
};
template <PutMode mode, class T>
void scatter_row(T* __restrict x, const int64_t* __restrict index, int64_t n,
                 const T* __restrict src, RowSteps s) {
  const auto put = [x](int64_t at, T v) { x[at] = combined<T, mode>(x[at], v); };
  if (s.step == 1 && s.column == 0 && s.src_column == 1)
    for (int64_t j = 0; j < n; ++j) put(index[j], src[j]);
  else
    for (int64_t j = 0; j < n; ++j) put(index[j] * s.step + j * s.column, src[j * s.src_column]);
}
template <class T>
auto row_scatter(PutMode mode) {
  if (mode == PutMode::kCopy) return &scatter_row<PutMode::kCopy, T>;
  if (mode == PutMode::kAdd) return &scatter_row<PutMode::kAdd, T>;
  if (mode == PutMode::kMultiply) return &scatter_row<PutMode::kMultiply, T>;
  return mode == PutMode::kMax ? &scatter_row<PutMode::kMax, T> : &scatter_row<PutMode::kMin, T>;
}

template <class T>
void scatter_rows(T* x, const Dims& x_strides, In index, const T* src, const Dims& src_strides,
                  int64_t dim, PutMode mode, int64_t begin, int64_t end) {
  const int64_t last = index.dim() - 1, n = index.sizes[last];
  const RowSteps steps{x_strides[dim], dim == last ? 0 : x_strides[last], src_strides[last]};
  RowWalk to(index.sizes, without_step(x_strides, dim), begin);
  RowWalk from(index.sizes, src_strides, begin);
  const auto row = row_scatter<T>(mode);
  const int64_t* at = index.as<int64_t>() + begin * n;
  for (int64_t r = begin; r < end; ++r, at += n, to.next(), from.next())
    row(x + to.offset(), at, n, src + from.offset(), steps);
}

/// Sets first[i] if row i differs from row i - 1, in rows of `width`.
template <class T>
void mark_rows(bool* first, const T* x, int64_t n, int64_t width) {
  using M = opmath_t<T>;
  for (int64_t i = 0; i < n; ++i, x += width) {
    bool differ = i == 0;
    for (int64_t k = 0; k < width && !differ; ++k) differ = M(x[k]) != M(x[k - width]);
    first[i] = differ;
  }
}
template <class T>
void mark_elements(bool* first, const T* x, int64_t n) {
  return TAPER_BY_ISA(mark_changes, first, x, n);
}

constexpr int64_t kBlock = 4096;

/// Returns a word whose bit i tells whether byte i of 8 is nonzero.
uint64_t bits_of_bytes(const void* p) {
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  const uint64_t top = (((word & kLow) + kLow) | word) & ~kLow;
  return ((top >> 7) * 0x0102040810204080) >> 56;
}
uint64_t bits_of_64_bytes(const char* p) {
  uint64_t bits = 0;
  for (int k = 0; k < 8; ++k) bits |= bits_of_bytes(p + 8 * k) << (8 * k);
  return bits;
}

/// Writes the positions of nonzero bytes from i on, in stretches of 64 bytes with few of them.
/// Returns the index after the last stretch.
int64_t sparse_positions(int64_t*& out, const char* p, int64_t i, int64_t n) {
  for (; i + 64 <= n; i += 64) {
    uint64_t bits = bits_of_64_bytes(p + i);
    if (__builtin_popcountll(bits) > 12) break;
    for (; bits != 0; bits &= bits - 1) *out++ = i + __builtin_ctzll(bits);
  }
  return i;
}

template <class T>
bool is_true(T v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
    return (v.x & 0x7fff) != 0;
  else
    return v != T(0);
}

}  // namespace

void check_index(const char* op, In index, int64_t low, int64_t size, int64_t dim,
                 IndexWording wording) {
  switch_dtype<dtypes::Index>(index.dtype, "index", [&]<class scalar_t>() {
    check_all(op, index.as<scalar_t>(), index.numel, low, size, dim, wording);
  });
}

void combine_indices(const char* op, Out rows, std::vector<In> indices, Dims sizes, Dims dims) {
  int64_t* out = rows.as<int64_t>();
  for (size_t k = 0; k < indices.size(); ++k) {
    const int64_t* index = indices[k].as<int64_t>();
    const int64_t size = sizes[k];
    parallel_for(0, rows.numel, kGrain, [=](int64_t begin, int64_t end) {
      if (!join_indices(out + begin, index + begin, end - begin, size, k == 0))
        throw_first_outside(op, index + begin, -size, size, dims[k], IndexWording::kDimension);
    });
  }
}

void take_rows(Out y, In x, In rows, RowShape shape) {
  switch_dtype<dtypes::Index>(rows.dtype, "take_rows",
                              [&]<class scalar_t>() { take_rows_by<scalar_t>(y, x, rows, shape); });
}

void put_rows(InOut x, In rows, In values, RowShape shape, PutMode mode) {
  if (rows.dtype == kInt) return put_rows_by<int32_t>(x, rows, values, shape, mode);
  put_rows_by<int64_t>(x, rows, values, shape, mode);
}

void gather_along(Out y, In x, In index, int64_t dim) {
  if (y.numel == 0) return;
  x = at_least_1d(x);
  index = at_least_1d(index);
  Dims sizes = index.sizes, strides = without_step(x.strides, dim);
  // With one index per row, such as an action or a label, all rows merge into one.
  if (sizes.size() > 1 && sizes.back() == 1 && strides.back() == 0) {
    sizes.resize(sizes.size() - 1);
    strides.resize(strides.size() - 1);
  }
  const int64_t n = sizes.back(), size = x.sizes[dim];
  const int64_t step = x.strides[dim], column = strides.back();
  by_itemsize(elementSize(x.dtype), [&](auto unit) {
    using T = decltype(unit);
    const int64_t grain = std::max<int64_t>(1, kGrain / n);
    parallel_for(0, index.numel / n, grain, [&](int64_t begin, int64_t end) {
      RowWalk walk(sizes, strides, begin);
      for (int64_t r = begin; r < end; ++r, walk.next())
        for (int64_t j = 0; j < n; j += kBlock) {
          // Each block is checked while its indices are in the cache.
          const int64_t* at = index.as<int64_t>() + r * n + j;
          const int64_t count = std::min(kBlock, n - j);
          if (!gather_row(y.as<T>() + r * n + j, x.as<T>() + walk.offset() + j * column, at, count,
                          size, step, column))
            check_all("gather", at, count, 0, size, dim, IndexWording::kDimensionRt);
        }
    });
  });
}

void scatter_along(InOut x, In index, In src, int64_t dim, PutMode mode) {
  if (index.numel == 0) return;
  static_cast<Out&>(x) = at_least_1d(static_cast<Out>(x));
  index = at_least_1d(index);
  const Dims src_strides = src.sizes.empty() ? Dims(index.dim(), 0) : src.strides;
  const int64_t n = index.sizes.back(), rows = index.numel / n;
  // Rows with equal indices before `dim` may have common targets, so one thread processes them in
  // order.
  int64_t together = 1;
  for (int64_t d = dim; d + 1 < index.dim(); ++d) together *= index.sizes[d];
  switch_dtype<dtypes::Any>(
      mode == PutMode::kAdd ? x.dtype : moved_as(x.dtype), "scatter", [&]<class scalar_t>() {
        const int64_t grain = std::max<int64_t>(1, kGrain / (together * n));
        parallel_for(0, rows / together, grain, [&](int64_t begin, int64_t end) {
          scatter_rows(x.as<scalar_t>(), x.strides, index, src.as<scalar_t>(), src_strides, dim,
                       mode, begin * together, end * together);
        });
      });
}

void count_true(Out count, In x) {
  int64_t total = 0;
  switch_dtype<dtypes::Real>(x.dtype, "nonzero", [&]<class scalar_t>() {
    const scalar_t* p = x.as<scalar_t>();
    if constexpr (sizeof(scalar_t) == 1)
      total = count_bytes(reinterpret_cast<const uint8_t*>(p), x.numel);
    else
      for (int64_t i = 0; i < x.numel; ++i) total += is_true(p[i]);
  });
  *count.as<int64_t>() = total;
}

void true_positions(Out positions, In x) {
  int64_t* out = positions.as<int64_t>();
  switch_dtype<dtypes::Real>(x.dtype, "nonzero", [&]<class scalar_t>() {
    const scalar_t* p = x.as<scalar_t>();
    int64_t found[256];
    for (int64_t i = 0; i < x.numel; i += 255) {
      if (sizeof(scalar_t) == 1)
        i = sparse_positions(out, reinterpret_cast<const char*>(p), i, x.numel);
      // Branch-free: a position is always written, and counted only if its element is nonzero.
      const int64_t end = std::min(i + 255, x.numel);
      int64_t count = 0;
      if (sizeof(scalar_t) == 1 && i < end &&
          !std::memchr(p + i, 0, static_cast<size_t>(end - i))) {
        for (int64_t k = i; k < end; ++k) *out++ = k;
        continue;
      }
      for (int64_t k = i; k < end; ++k) {
        found[count] = k;
        count += is_true(p[k]);
      }
      out = std::copy_n(found, count, out);
    }
  });
}

void mark_runs(Out first, In rows) {
  const int64_t n = first.numel, width = n == 0 ? 0 : rows.numel / n;
  bool* const to = first.as<bool>();
  switch_dtype<dtypes::Real>(rows.dtype, "unique", [&]<class scalar_t>() {
    const scalar_t* x = rows.as<scalar_t>();
    if constexpr (std::is_same_v<scalar_t, opmath_t<scalar_t>>)
      if (width == 1) return mark_elements(to, x, n);
    mark_rows(to, x, n, width);
  });
}

void unravel_positions(Out coordinates, In positions, Dims sizes) {
  const int64_t rank = sizes.size();
  if (rank == 0) return;
  const int64_t* flat = positions.as<int64_t>();
  const int64_t width = sizes.back();
  int64_t* out = coordinates.as<int64_t>();
  Dims at(rank, 0);
  int64_t row_end = 0;  // positions below it have the leading coordinates `at`
  for (int64_t i = 0; i < positions.numel; ++i, out += rank) {
    if (flat[i] >= row_end) {
      int64_t rest = flat[i] / width;
      row_end = (rest + 1) * width;
      for (int64_t d = rank - 2; d >= 0; --d) {
        at[d] = rest % sizes[d];
        rest /= sizes[d];
      }
    }
    for (int64_t d = 0; d + 1 < rank; ++d) out[d] = at[d];
    out[rank - 1] = flat[i] - (row_end - width);
  }
}

}  // namespace torch::taper::cpu
