#include <vector>

#include <taper/framework/core/itemsize.h>
#include <taper/framework/cuda/bytes.h>
#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/grid.h>
#include <taper/framework/cuda/groups.h>
#include <taper/framework/kernel/element_parts.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/index/index_kernels.h>
#include <taper/ops/reduce/reduce_kernels.h>

// Kernels whose indices "are in range" still test them. On a GPU they may run after a check that
// found a bad index and could not throw.
namespace torch::taper::cuda {
namespace {

TAPER_DEVICE inline bool in_range(int64_t i, int64_t size) {
  return static_cast<uint64_t>(i) < static_cast<uint64_t>(size);
}

// ---------------------------------------------------------------- checks
template <class I>
struct CheckIndex {
  const char* op;
  const I* index;
  int64_t low, size, dim;
  IndexWording wording;
  Faults faults;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t at = index[i];
    if (at < low || at >= size)
      faults.raise(FaultKind::kIndex, at, size, dim, static_cast<int64_t>(wording), number_of(op));
  }
};

// Joins one more index to the offsets so far. -1 marks offsets out of range.
struct CombineIndex {
  const char* op;
  int64_t* rows;
  const int64_t* index;
  int64_t size, dim;
  bool first;
  Faults faults;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t given = index[i], at = given < 0 ? given + size : given;
    if (!in_range(at, size)) {
      faults.raise(FaultKind::kIndex, given, size, dim,
                   static_cast<int64_t>(IndexWording::kDimension), number_of(op));
      rows[i] = -1;
    } else if (first) {
      rows[i] = at;
    } else if (rows[i] >= 0) {
      rows[i] = rows[i] * size + at;
    }
  }
};

// ---------------------------------------------------------------- rows
template <class T, class I>
struct TakeRows {
  T* y;
  const T* x;
  const I* rows;
  int64_t n, size, inner;
  TAPER_DEVICE void operator()(int64_t o, int64_t i, int64_t k) const {
    const int64_t row = rows[i];
    if (in_range(row, size)) y[(o * n + i) * inner + k] = x[(o * size + row) * inner + k];
  }
};

template <class I>
struct RowOf {
  const I* rows;
  TAPER_DEVICE int64_t operator()(int64_t i) const { return rows[i]; }
};

// Writes one value to all rows.
template <class T, class I>
struct FillRows {
  T* x;
  Source<T> value;
  const I* rows;
  int64_t size, inner;
  TAPER_DEVICE void operator()(int64_t o, int64_t i, int64_t k) const {
    if (in_range(rows[i], size)) store_same(&x[(o * size + rows[i]) * inner + k], value.at(0));
  }
};

// The last of a group wins.
template <class T>
struct CopyRows {
  T* x;
  Source<T> values;
  GroupView groups;
  int64_t size, inner, value_step;  // value_step: bytes between values
  TAPER_DEVICE void operator()(int64_t o, int64_t i, int64_t k) const {
    const int64_t row = static_cast<int64_t>(groups.places[i]);
    if (row == size || !groups.ends(i)) return;
    const int64_t from = (o * groups.n + groups.positions[i]) * inner + k;
    x[(o * size + row) * inner + k] = values.at(from * value_step);
  }
};

template <class T>
struct AddRows {
  T* x;
  Source<T> values;
  GroupView groups;
  int64_t size, inner, value_step;
  TAPER_DEVICE void operator()(const Team& team, int64_t at) const {
    const int64_t row_of = at / inner, k = at - row_of * inner;
    const int64_t o = row_of / groups.n, i = row_of - o * groups.n;
    const int64_t row = static_cast<int64_t>(groups.places[i]);
    if (row == size || !groups.begins(i)) return;
    using M = opmath_t<T>;
    const M total = team.sum<M>(groups.size(i), [&](int64_t j) {
      const int64_t from = (o * groups.n + groups.positions[i + j]) * inner + k;
      return load(values.at(from * value_step));
    });
    T* const to = x + (o * size + row) * inner + k;
    if (team.rank == 0) *to = static_cast<T>(static_cast<M>(load(*to) + total));
  }
};

template <class T>
void put_groups(const InOut& x, const Groups& groups, const In& values, RowShape s, PutMode mode) {
  const int64_t n = groups.view().n;
  const int64_t step = values.numel == 1 ? 0 : static_cast<int64_t>(sizeof(T));
  if (mode == PutMode::kCopy)
    for_each_in_box(
        s.outer, n, s.inner,
        CopyRows<T>{x.as<T>(), Source<T>(values), groups.view(), s.size, s.inner, step});
  else  // adjacent threads take adjacent columns, if there are enough
    for_each_row(s.outer * n * s.inner, s.inner >= Team::kWarp ? 1 : Team::kWarp,
                 AddRows<T>{x.as<T>(), Source<T>(values), groups.view(), s.size, s.inner, step});
}

// ---------------------------------------------------------------- along a dimension
// Returns elements at the index tensor's position in another tensor, without the offset along dim.
In around_dim(In x, const Dims& sizes, int64_t dim) {
  if (x.sizes.empty()) {  // one element, for all positions
    x.strides = Dims(sizes.size(), 0);
  } else {
    x.strides[dim] = 0;
  }
  x.sizes = sizes;
  return x;
}
In at_least_1d(In x) {
  if (x.sizes.empty()) {
    x.sizes.push_back(1);
    x.strides.push_back(1);
  }
  return x;
}
In as_input(const Out& x) {
  In in;
  in.data = x.data;
  in.dtype = x.dtype;
  in.contiguous = x.contiguous;
  in.numel = x.numel;
  in.sizes = x.sizes;
  in.strides = x.strides;
  return in;
}

template <class T>
struct GatherAlong {
  const char* op;
  char* y;
  const char *x, *index;
  int64_t size, step, dim;
  Faults faults;
  TAPER_DEVICE void operator()(const int64_t (&at)[3]) const {
    const int64_t i = *reinterpret_cast<const int64_t*>(index + at[1]);
    if (!in_range(i, size))
      return faults.raise(FaultKind::kIndex, i, size, dim,
                          static_cast<int64_t>(IndexWording::kDimensionRt), number_of(op));
    *reinterpret_cast<T*>(y + at[0]) =
        *reinterpret_cast<const T*>(x + at[2] + i * step * static_cast<int64_t>(sizeof(T)));
  }
};

template <class T>
TAPER_DEVICE T put(T to, T from, PutMode mode) {
  if (mode == PutMode::kCopy) return from;
  if (mode == PutMode::kAdd) return static_cast<T>(functor::add()(load(to), load(from)));
  if (mode == PutMode::kMultiply) return static_cast<T>(functor::mul()(load(to), load(from)));
  if constexpr (!numbers::is_complex_v<T>) {
    if (mode == PutMode::kMax) return static_cast<T>(functor::maximum()(load(to), load(from)));
    return static_cast<T>(functor::minimum()(load(to), load(from)));
  }
  return to;
}

// Indices at positions that differ only along dim may have a common target. One thread processes
// them in order.
template <class T>
struct ScatterLine {
  char* x;
  const char* index;
  Source<T> src;
  int64_t n, size;                       // indices of a line; of x along dim
  int64_t x_step, index_step, src_step;  // along dim, in bytes
  PutMode mode;
  TAPER_DEVICE void operator()(const int64_t (&at)[3]) const {
    for (int64_t j = 0; j < n; ++j) {
      const int64_t i = *reinterpret_cast<const int64_t*>(index + at[0] + j * index_step);
      if (!in_range(i, size)) continue;
      T* const to = reinterpret_cast<T*>(x + at[1] + i * x_step);
      *to = put(*to, src.at(at[2] + j * src_step), mode);
    }
  }
};

/// The target of element i of the index: an offset into contiguous x.
struct ScatterPlace {
  Offsets<2, int64_t> offsets;
  const char* index;
  int64_t size, step, nowhere;
  TAPER_DEVICE int64_t operator()(int64_t i) const {
    int64_t at[2];
    offsets.at(i, at);
    const int64_t along = *reinterpret_cast<const int64_t*>(index + at[0]);
    return in_range(along, size) ? at[1] + along * step : nowhere;
  }
};

template <class T>
struct ScatterGroup {
  T* x;
  Source<T> src;
  Offsets<2, int64_t> offsets;  // of the index, and of src
  GroupView groups;
  int64_t nowhere;
  PutMode mode;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t place = static_cast<int64_t>(groups.places[i]);
    if (place == nowhere || !groups.begins(i)) return;
    const int64_t n = groups.size(i);
    T value = x[place];
    for (int64_t j = mode == PutMode::kCopy ? n - 1 : 0; j < n; ++j) {
      int64_t at[2];
      offsets.at(groups.positions[i + j], at);
      value = put(value, src.at(at[1]), mode);
    }
    x[place] = value;
  }
};

// Returns the tensor with bytes as elements, so that a plan's offsets count elements.
In in_elements(In x) {
  x.dtype = kByte;
  return x;
}

struct ScatterArgs {
  InOut x;
  In index, src;  // src has index's dimensions
  int64_t dim;
  PutMode mode;
};

template <class T>
void scatter_lines(const ScatterArgs& a) {
  const auto nbytes = static_cast<int64_t>(sizeof(T));
  Dims lines = a.index.sizes;
  lines[a.dim] = 1;
  const In x = around_dim(as_input(a.x), lines, a.dim);
  const In index = around_dim(a.index, lines, a.dim), src = around_dim(a.src, lines, a.dim);
  for_each_place(
      plan_over(lines, index, x, src),
      ScatterLine<T>{a.x.as<char>(), static_cast<const char*>(index.data), Source<T>(a.src),
                     a.index.sizes[a.dim], a.x.sizes[a.dim], a.x.strides[a.dim] * nbytes,
                     a.index.strides[a.dim] * static_cast<int64_t>(sizeof(int64_t)),
                     a.src.strides[a.dim] * nbytes, a.mode});
}

template <class T>
void scatter_groups(const ScatterArgs& a) {
  const Dims& sizes = a.index.sizes;
  const In around = in_elements(around_dim(as_input(a.x), sizes, a.dim));
  const Groups groups(a.index.numel, a.x.numel,
                      ScatterPlace{Offsets<2, int64_t>(plan_over(sizes, a.index, around)),
                                   static_cast<const char*>(a.index.data), a.x.sizes[a.dim],
                                   a.x.strides[a.dim], a.x.numel});
  for_each(a.index.numel, ScatterGroup<T>{a.x.as<T>(), Source<T>(a.src),
                                          Offsets<2, int64_t>(plan_over(sizes, a.index, a.src)),
                                          groups.view(), a.x.numel, a.mode});
}

// ---------------------------------------------------------------- what is not zero
/// Returns the bits of an element that make it nonzero. A float's sign is not one of them.
uint64_t bits_of_nonzero(ScalarType dtype) {
  const uint64_t sign = uint64_t{1} << (elementSize(dtype) * 8 - 1);
  return isFloatingType(dtype) ? sign - 1 : ~uint64_t{0};
}

template <class T>
struct MarkRun {
  bool* first;
  const T* rows;
  int64_t width;
  TAPER_DEVICE void operator()(int64_t i) const {
    const T* const x = rows + i * width;
    bool differ = i == 0;
    for (int64_t k = 0; k < width && !differ; ++k) differ = load(x[k]) != load(x[k - width]);
    first[i] = differ;
  }
};

template <class Index>
struct Unravel {
  int64_t* coordinates;
  const int64_t* positions;
  int64_t rank;
  Index sizes[kMaxDims];
  TAPER_DEVICE void operator()(int64_t i) const {
    Index rest = static_cast<Index>(positions[i]);
    for (int64_t d = rank - 1; d >= 0; --d) {
      const Index above = rest / sizes[d];
      coordinates[i * rank + d] = static_cast<int64_t>(rest - above * sizes[d]);
      rest = above;
    }
  }
};
template <class Index>
void unravel(const Out& coordinates, const In& positions, const Dims& sizes) {
  Unravel<Index> f{coordinates.as<int64_t>(), positions.as<int64_t>(), sizes.size(), {}};
  for (int64_t d = 0; d < sizes.size(); ++d) f.sizes[d] = static_cast<Index>(sizes[d]);
  for_each(positions.numel, f);
}

}  // namespace

void check_index(const char* op, In index, int64_t low, int64_t size, int64_t dim,
                 IndexWording wording) {
  switch_dtype<dtypes::Index>(index.dtype, "index", [&]<class scalar_t>() {
    for_each(index.numel,
             CheckIndex<scalar_t>{op, index.as<scalar_t>(), low, size, dim, wording, Faults()});
  });
}

void combine_indices(const char* op, Out rows, std::vector<In> indices, Dims sizes, Dims dims) {
  for (size_t k = 0; k < indices.size(); ++k) {
    const auto d = static_cast<int64_t>(k);
    for_each(rows.numel, CombineIndex{op, rows.as<int64_t>(), indices[k].as<int64_t>(), sizes[d],
                                      dims[d], k == 0, Faults()});
  }
}

void take_rows(Out y, In x, In rows, RowShape s) {
  const int64_t row_nbytes = s.inner * static_cast<int64_t>(elementSize(x.dtype));
  const int64_t unit =
      common_unit(static_cast<uint64_t>(row_nbytes) | address_of(y.data) | address_of(x.bytes()));
  switch_dtype<dtypes::Index>(rows.dtype, "take_rows", [&]<class I>() {
    by_unit(unit, [&](auto one) {
      using T = decltype(one);
      const int64_t inner = row_nbytes / unit;
      for_each_in_box(
          s.outer, rows.numel, inner,
          TakeRows<T, I>{y.as<T>(), x.as<T>(), rows.as<I>(), rows.numel, s.size, inner});
    });
  });
}

void put_rows(InOut x, In rows, In values, RowShape s, PutMode mode) {
  if (rows.numel == 0 || s.outer * s.inner == 0) return;
  switch_dtype<dtypes::Index>(rows.dtype, "put_rows", [&]<class I>() {
    if (mode == PutMode::kCopy && values.numel == 1)
      return by_size(x.dtype, [&](auto bits) {
        using T = decltype(bits);
        for_each_in_box(
            s.outer, rows.numel, s.inner,
            FillRows<T, I>{x.as<T>(), Source<T>(values), rows.as<I>(), s.size, s.inner});
      });
    if (isComplexType(x.dtype)) {
      x.dtype = values.dtype = toRealValueType(x.dtype);  // both parts are added separately
      values.numel *= 2;
      s.inner *= 2;
    }
    const Groups groups(rows.numel, s.size, RowOf<I>{rows.as<I>()});
    const ScalarType dtype = mode == PutMode::kAdd ? x.dtype : moved_as(x.dtype);
    switch_dtype<dtypes::Real>(dtype, "put_rows", [&]<class scalar_t>() {
      put_groups<scalar_t>(x, groups, values, s, mode);
    });
  });
}

void gather_along(Out y, In x, In index, int64_t dim) {
  if (y.numel == 0) return;
  x = at_least_1d(x);
  index = at_least_1d(index);
  const In around = around_dim(x, index.sizes, dim);
  by_size(x.dtype, [&](auto bits) {
    using T = decltype(bits);
    for_each_place(plan_over(index.sizes, y, index, around),
                   GatherAlong<T>{"gather", y.as<char>(), x.as<char>(), index.as<char>(),
                                  x.sizes[dim], x.strides[dim], dim, Faults()});
  });
}

void scatter_along(InOut x, In index, In src, int64_t dim, PutMode mode) {
  if (index.numel == 0) return;
  ScatterArgs a{x, at_least_1d(index), src, dim, mode};
  if (x.sizes.empty()) {
    a.x.sizes.push_back(1);
    a.x.strides.push_back(1);
  }
  if (src.sizes.empty()) a.src.strides = Dims(a.index.dim(), 0);
  a.src.sizes = a.index.sizes;
  // Few long lines would leave a GPU idle, so targets are sorted instead.
  const int64_t n = a.index.sizes[dim];
  const bool by_lines = n <= 32 || a.index.numel / n >= (1 << 14);
  switch_dtype<dtypes::Any>(mode == PutMode::kAdd ? x.dtype : moved_as(x.dtype), "scatter",
                            [&]<class scalar_t>() {
                              by_lines ? scatter_lines<scalar_t>(a) : scatter_groups<scalar_t>(a);
                            });
}

void count_true(Out count, In x) {
  x.sizes = Dims{x.numel};
  x.strides = Dims{1};
  count_nonzero(count, x, 1);
}

void true_positions(Out positions, In x) {
  if (isComplexType(x.dtype)) taper::detail::unsupported_dtype("nonzero", x.dtype);
  select_positions(positions.as<int64_t>(),
                   {x.bytes(), x.numel, elementSize(x.dtype), bits_of_nonzero(x.dtype)});
}

void mark_runs(Out first, In rows) {
  if (first.numel == 0) return;
  const int64_t width = rows.numel / first.numel;
  switch_dtype<dtypes::Real>(rows.dtype, "unique", [&]<class scalar_t>() {
    for_each(first.numel, MarkRun<scalar_t>{first.as<bool>(), rows.as<scalar_t>(), width});
  });
}

void unravel_positions(Out coordinates, In positions, Dims sizes) {
  int64_t numel = 1;
  for (int64_t s : sizes) numel *= s;
  if (sizes.empty()) return;
  if (numel < (int64_t{1} << 31))
    unravel<uint32_t>(coordinates, positions, sizes);
  else
    unravel<int64_t>(coordinates, positions, sizes);
}

}  // namespace torch::taper::cuda
