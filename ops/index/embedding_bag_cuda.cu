#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/map.h>
#include <taper/ops/index/embedding_bag_kernels.h>

namespace torch::taper::cuda {
namespace {

struct CheckOffsets {
  const int64_t* offsets;
  int64_t length;
  Faults faults;
  TAPER_DEVICE void operator()(int64_t b) const {
    const int64_t at = offsets[b], before = b == 0 ? 0 : offsets[b - 1];
    if ((b == 0 && at != 0) || at < before || at > length)
      faults.raise(FaultKind::kBagOffset, b, at, before, length);
  }
};

struct FillBagOf {
  int64_t* bag_of;
  BagBounds bounds;
  TAPER_DEVICE void operator()(int64_t i) const { bag_of[i] = bounds.bag_of(i); }
};
struct FillBagSize {
  int64_t* bag_size;
  const int64_t* indices;
  BagBounds bounds;
  int64_t padding_idx;
  TAPER_DEVICE void operator()(int64_t b) const {
    int64_t n = 0;
    for (int64_t i = bounds.begin(b); i < bounds.end(b); ++i) n += indices[i] != padding_idx;
    bag_size[b] = n;
  }
};

/// The rows of a bag. Bad indices, which have been reported, are skipped.
template <class T>
struct BagRows {
  const T* weight;
  const int64_t* indices;
  BagBounds bounds;
  int64_t table, width, padding_idx;

  BagRows(const In& weight, const In& indices, const In& offsets, int64_t padding_idx)
      : weight(weight.as<T>()),
        indices(indices.as<int64_t>()),
        bounds(offsets, indices),
        table(weight.sizes[0]),
        width(weight.sizes[1]),
        padding_idx(padding_idx) {}
  TAPER_DEVICE bool counts(int64_t v) const { return v != padding_idx && v >= 0 && v < table; }
};

// One thread per element of the result. The threads of a bag read a row together.
template <class T>
struct SumBags {
  T* y;
  const T* factors;
  BagRows<T> rows;
  bool mean;
  TAPER_DEVICE void operator()(int64_t at) const {
    using L = opmath_t<T>;
    const int64_t b = at / rows.width, k = at - b * rows.width, end = rows.bounds.end(b);
    L sum = 0;
    int64_t n = 0;
    for (int64_t i = rows.bounds.begin(b); i < end; ++i) {
      const int64_t v = rows.indices[i];
      if (!rows.counts(v)) continue;
      const L factor = factors ? load(factors[i]) : L(1);
      sum += factor * load(rows.weight[v * rows.width + k]);
      ++n;
    }
    y[at] = static_cast<T>(mean && n > 1 ? sum / static_cast<L>(n) : sum);
  }
};

template <class T>
struct MaxBags {
  T* y;
  int64_t* largest;
  BagRows<T> rows;
  TAPER_DEVICE void operator()(int64_t at) const {
    using L = opmath_t<T>;
    const int64_t b = at / rows.width, k = at - b * rows.width, end = rows.bounds.end(b);
    L most = 0;
    int64_t from = -1;
    for (int64_t i = rows.bounds.begin(b); i < end; ++i) {
      const int64_t v = rows.indices[i];
      if (!rows.counts(v)) continue;
      const L x = load(rows.weight[v * rows.width + k]);
      if (from >= 0 && !(x > most)) continue;
      most = x;
      from = v;
    }
    y[at] = static_cast<T>(most);
    largest[at] = from < 0 ? 0 : from;
  }
};

template <class T>
struct DotRows {
  T* g;
  const T* gy;
  const T* weight;
  const int64_t* indices;
  const int64_t* bag_of;
  int64_t bags, table, width, padding_idx;
  TAPER_DEVICE void operator()(const Team& team, int64_t i) const {
    using L = opmath_t<T>;
    const int64_t v = indices[i], b = bag_of[i];
    const bool used = v != padding_idx && v >= 0 && v < table && b >= 0 && b < bags;
    const L dot = team.sum<L>(used ? width : 0, [&](int64_t k) {
      return load(gy[b * width + k]) * load(weight[v * width + k]);
    });
    if (team.rank == 0) g[i] = static_cast<T>(dot);
  }
};

}  // namespace

void check_bag_offsets(In offsets, int64_t length) {
  for_each(offsets.numel, CheckOffsets{offsets.as<int64_t>(), length, Faults()});
}

void fill_bags(Out bag_of, Out bag_size, In indices, In offsets, int64_t padding_idx) {
  const BagBounds bounds(offsets, indices);
  for_each(bag_of.numel, FillBagOf{bag_of.as<int64_t>(), bounds});
  for_each(bag_size.numel,
           FillBagSize{bag_size.as<int64_t>(), indices.as<int64_t>(), bounds, padding_idx});
}

void embedding_bag_sum(Out y, In weight, In indices, In offsets, In factors, int64_t padding_idx,
                       BagMode mode) {
  switch_dtype<dtypes::Floating>(y.dtype, "embedding_bag", [&]<class scalar_t>() {
    const BagRows<scalar_t> rows(weight, indices, offsets, padding_idx);
    const scalar_t* by = factors.defined() ? factors.as<scalar_t>() : nullptr;
    for_each(y.numel, SumBags<scalar_t>{y.as<scalar_t>(), by, rows, mode == BagMode::kMean});
  });
}

void embedding_bag_max(Out y, Out largest, In weight, In indices, In offsets, int64_t padding_idx) {
  switch_dtype<dtypes::Floating>(y.dtype, "embedding_bag", [&]<class scalar_t>() {
    const BagRows<scalar_t> rows(weight, indices, offsets, padding_idx);
    for_each(y.numel, MaxBags<scalar_t>{y.as<scalar_t>(), largest.as<int64_t>(), rows});
  });
}

void embedding_bag_dot(Out g, In gy, In weight, In indices, In bag_of, int64_t padding_idx) {
  const int64_t bags = gy.sizes[0], table = weight.sizes[0], width = gy.sizes[1];
  switch_dtype<dtypes::Floating>(g.dtype, "embedding_bag", [&]<class scalar_t>() {
    for_each_row(indices.numel, team_for(width),
                 DotRows<scalar_t>{g.as<scalar_t>(), gy.as<scalar_t>(), weight.as<scalar_t>(),
                                   indices.as<int64_t>(), bag_of.as<int64_t>(), bags, table, width,
                                   padding_idx});
  });
}

}  // namespace torch::taper::cuda
