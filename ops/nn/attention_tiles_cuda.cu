// Attention of 16-bit floats on CUDA. Each warp has 16 queries (for a gradient of keys: 16 keys)
// and goes through the keys in tiles of 16. Scores and weights stay in registers. All sums have 32
// bits.
//
// Dao: FlashAttention-2 (arXiv 2307.08691), algorithms 1 and 2, without shared memory. A lane reads
// its operands 16 bytes at a time. For this, columns of products are numbered in memory order
// (framework/cuda/mma.h). The warps of a block go through the same keys and find them in L1.
//
// Complete tiles that are fully visible test no element and have no branch. A test per load and
// score took five times as many instructions as the products and exponentials.
#include <atomic>
#include <cmath>

#include <taper/framework/cuda/mma.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/runtime/runtime.h>
#include <taper/ops/nn/attention_kernels.h>

namespace torch::taper::cuda {
namespace {

constexpr float kLog2E = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

/// A tensor (N, H, rows, width).
template <class T>
struct Matrices {
  T* data;
  int64_t sample, head, step, rows, width;
  template <class X>
  explicit Matrices(const X& x)
      : data(static_cast<T*>(const_cast<void*>(static_cast<const void*>(x.data)))),
        sample(x.strides[0]),
        head(x.strides[1]),
        step(x.sizes[2] == 1 ? x.sizes[3] : x.strides[2]),
        rows(x.sizes[2]),
        width(x.sizes[3]) {}
  TAPER_DEVICE Matrix<T> of(int64_t n, int64_t h) const {
    return {data + n * sample + h * head, step, rows, width};
  }
};

/// Numbers added to the scores of a head, or nothing.
template <class T>
struct Mask {
  const T* data;
  int64_t step, column;
  TAPER_DEVICE float at(int64_t i, int64_t j) const {
    return data ? static_cast<float>(data[i * step + j * column]) : 0.0f;
  }
};
template <class T>
struct Masks {
  const T* data = nullptr;
  int64_t sample = 0, head = 0, step = 0, column = 0;
  explicit Masks(const In& m) {
    if (!m.defined()) return;
    data = m.as<T>();
    sample = m.strides[0], head = m.strides[1], step = m.strides[2], column = m.strides[3];
  }
  TAPER_DEVICE Mask<T> of(int64_t n, int64_t h) const {
    return {data ? data + n * sample + h * head : nullptr, step, column};
  }
};

/// Joins the four lanes that hold a row.
template <class Op>
TAPER_DEVICE float of_row(float v, const Op& op, Here here = Here::current()) {
  v = op(v, shuffle_xor(v, 1, here));
  return op(v, shuffle_xor(v, 2, here));
}

/// Returns 2^x, or 0 below 2^-126.
TAPER_DEVICE inline float power_of_two(float x) {
#ifdef __CUDACC__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::exp2(x);
#endif
}

/// The bounds of a tile of 16 queries and 16 keys. `distance` tells how far its first query is
/// after its first key, if queries see no later keys.
struct Edge {
  int queries, keys, distance;
  TAPER_DEVICE bool sees(int query, int key) const {
    return query < queries && key < keys && key <= query + distance;
  }
};
TAPER_DEVICE inline int at_most_a_tile(int64_t n) {
  return static_cast<int>(n < kTile ? n : kTile);
}

/// The shared part of the kernels: operands, and the head and the 16 rows of a warp. Plain: no
/// mask, and matrices as wide as a warp multiplies.
template <class T, bool Plain>
struct Attention {
  Matrices<T> q, k, v;
  Masks<T> masks;
  int64_t heads;
  float scale, scale_of_two;  // of products, also times log2(e)
  bool causal;
  Attention(const In& q, const In& k, const In& v, const In& mask, const AttentionForm& form)
      : q(q),
        k(k),
        v(v),
        masks(mask),
        heads(q.sizes[1]),
        scale(static_cast<float>(form.scale)),
        scale_of_two(static_cast<float>(form.scale * kLog2E)),
        causal(form.causal) {}
  TAPER_DEVICE Edge edge(int64_t i, int64_t j) const {
    return {at_most_a_tile(q.rows - i), at_most_a_tile(k.rows - j),
            causal ? at_most_a_tile(i - j) : kTile};
  }
  /// Returns the score of query i and key j, which is visible, in units of the logarithm to base 2.
  TAPER_DEVICE float score(float product, const Mask<T>& mask, int64_t i, int64_t j) const {
    const float s = product * scale_of_two;
    if constexpr (Plain) return s;
    return s + mask.at(i, j) * kLog2E;
  }
  /// Returns the end of the keys that one of the 16 queries from `first` on sees.
  TAPER_DEVICE int64_t keys_for(int64_t first) const {
    return causal && first + kTile < k.rows ? first + kTile : k.rows;
  }
  /// Returns the end of the complete tiles of keys that all of these queries see.
  TAPER_DEVICE int64_t whole_keys_for(int64_t first) const {
    const int64_t whole = k.rows / kTile * kTile;
    return !Plain ? 0 : causal && first < whole ? first : whole;
  }
};
/// The work of a warp.
struct Place {
  int64_t n, h, head, first;  // head: of all samples
  TAPER_DEVICE Place(int64_t at, int64_t rows, int64_t heads) {
    const int64_t tiles = (rows + kTile - 1) / kTile;
    head = at / tiles;
    first = (at - head * tiles) * kTile;
    n = head / heads;
    h = head - n * heads;
  }
};
int64_t tiles_of(const Dims& sizes) {
  return sizes[0] * sizes[1] * ((sizes[2] + kTile - 1) / kTile);
}

/// Exponentials relative to the largest score so far, for rows g and g + 8. The sums are this
/// lane's part.
struct RunningMax {
  float max[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
  /// Turns scores into exponentials. Earlier results must be multiplied by `factor`.
  TAPER_DEVICE void take(Square& s, const WarpPlace& at, float (&factor)[2]) {
    const auto larger = [](float a, float b) { return std::fmax(a, b); };  // sums keep a NaN
    float greatest[2] = {max[0], max[1]};
    s.each(at, [&](float v, int r, int) { greatest[r] = larger(greatest[r], v); });
    for (int r = 0; r < 2; ++r) {
      greatest[r] = of_row(greatest[r], larger);
      const float base = greatest[r] == -INFINITY ? 0.0f : greatest[r];
      factor[r] = power_of_two(max[r] - base);
      max[r] = greatest[r];
      greatest[r] = base;
      sum[r] *= factor[r];
    }
    s.each(at, [&](float& v, int r, int) {
      v = power_of_two(v - greatest[r]);
      sum[r] += v;
    });
  }
};

/// A row without visible keys is 0, with a logarithm of 0.
template <class T, int G, bool Plain>
struct AttentionForward {
  static constexpr int kMostThreads = kThreads;
  using Rows = LeftRows<T, 2 * G>;
  Attention<T, Plain> in;
  Matrices<T> y;
  float* lse;  // (N, H, L)
  TAPER_DEVICE void operator()(const Team& team, int64_t index) const {
    const WarpPlace at(team);
    const Place place(index, in.q.rows, in.heads);
    const Rows q(in.q.of(place.n, place.h), place.first, at);
    WideRows<T, G> sums;
    RunningMax running;
    const int64_t whole = in.whole_keys_for(place.first);
    if (whole > 0) see_all(sums, running, q, place, at, whole);
    see_rest(sums, running, q, place, at, whole);
    finish(sums, running, place, at);
  }
  /// Processes the keys before `end`, in complete tiles. The next tile is loaded while this one is
  /// computed.
  TAPER_DEVICE void see_all(WideRows<T, G>& sums, RunningMax& running, const Rows& q,
                            const Place& place, const WarpPlace& at, int64_t end) const {
    TileReader<T, 2 * G, 2, true> keys(in.k.of(place.n, place.h), 0, at);
    TileReader<T, G, 4, true> values(in.v.of(place.n, place.h), 0, at);
    Words k[2 * G][2], v[G][4];
    keys.template read<true>(k);
    TAPER_ROLLED
    for (int64_t j = 0; j < end; j += kTile) {
      values.template read<true>(v);
      values.next();
      Square s;
      multiply_rows<T>(s, q, k);
      if (j + kTile < end) keys.next();  // the last tile is read twice
      keys.template read<true>(k);
      s.each(at, [&](float& x, int, int) { x *= in.scale_of_two; });
      float factor[2];
      running.take(s, at, factor);
      sums.scale(factor);
      sums.add(s, v);
    }
  }
  TAPER_DEVICE void see_rest(WideRows<T, G>& sums, RunningMax& running, const Rows& q,
                             const Place& place, const WarpPlace& at, int64_t from) const {
    const Mask<T> mask = in.masks.of(place.n, place.h);
    TileReader<T, 2 * G, 2, Plain> keys(in.k.of(place.n, place.h), from, at);
    TileReader<T, G, 4, Plain> values(in.v.of(place.n, place.h), from, at);
    const int64_t end = in.keys_for(place.first);
    TAPER_ROLLED
    for (int64_t j = from; j < end; j += kTile) {
      const Edge edge = in.edge(place.first, j);
      Words k[2 * G][2], v[G][4];
      keys.template read<false>(k, edge.keys);
      values.template read<false>(v, edge.keys);
      keys.next(), values.next();
      Square s;
      multiply_rows<T>(s, q, k);
      s.each(at, [&](float& x, int r, int column) {
        const int row = at.g + 8 * r;
        x = edge.sees(row, column) ? in.score(x, mask, place.first + row, j + column) : -INFINITY;
      });
      float factor[2];
      running.take(s, at, factor);
      sums.scale(factor);
      sums.add(s, v);
    }
  }
  TAPER_DEVICE void finish(WideRows<T, G>& sums, const RunningMax& running, const Place& place,
                           const WarpPlace& at) const {
    float factor[2];
    for (int r = 0; r < 2; ++r) {
      const float total = of_row(running.sum[r], Plus());
      const int64_t i = place.first + at.g + 8 * r;
      factor[r] = total > 0 ? 1 / total : total == 0 ? 0.0f : total;
      if (at.t == 0 && i < in.q.rows)
        lse[place.head * in.q.rows + i] =
            total == 0 ? 0.0f : running.max[r] * kLn2 + std::log(total);
    }
    sums.scale(factor);
    sums.store(y.of(place.n, place.h), place.first, at);
  }
};

/// Values of a query for the gradients: lse in units of the logarithm to base 2, and delta, the sum
/// over its row of gy y times the scale of products.
struct alignas(8) OfQuery {
  float lse = 0, delta = 0;
};
template <class T>
struct RowDelta {
  Matrices<T> gy, y;
  const float* lse;  // (N, H, L)
  int64_t heads;
  float scale;
  OfQuery* queries;  // (N, H, L)
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t head = row / y.rows, i = row - head * y.rows, n = head / heads;
    const Matrix<T> a = gy.of(n, head - n * heads), b = y.of(n, head - n * heads);
    float sum = 0;
    team.each(y.width / 8, [&](int64_t e) {
      const Words x = a.at(i, 8 * e), z = b.at(i, 8 * e);
      for (int k = 0; k < 4; ++k)
        for (int shift = 0; shift < 32; shift += 16)
          sum += part(x.w[k], shift) * part(z.w[k], shift);
    });
    sum = team.combine(sum, Plus());
    if (team.rank == 0) queries[row] = {lse[row] * kLog2E, sum * scale};
  }
  TAPER_DEVICE static float part(uint32_t w, int shift) {
    return static_cast<float>(T(static_cast<uint16_t>(w >> shift), T::from_bits()));
  }
};

/// Further operands of both gradients.
template <class T, bool Plain>
struct Backward {
  Attention<T, Plain> in;
  Matrices<T> gy;
  const OfQuery* queries;  // (N, H, L)
  /// Returns the gradient of the product behind a score, from its weight and that weight's
  /// gradient.
  TAPER_DEVICE float slope(float weight, float g, float delta) const {
    return weight * (g * in.scale - delta);
  }
};

template <class T, int G, bool Plain>
struct GradientOfQueries {
  static constexpr int kMostThreads = kThreads;
  using Rows = LeftRows<T, 2 * G>;
  Backward<T, Plain> b;
  Matrices<T> gq;
  TAPER_DEVICE void operator()(const Team& team, int64_t index) const {
    const WarpPlace at(team);
    const Place place(index, b.in.q.rows, b.in.heads);
    const Rows q(b.in.q.of(place.n, place.h), place.first, at);
    const Rows gy(b.gy.of(place.n, place.h), place.first, at);
    OfQuery rows[2];
    for (int r = 0; r < 2; ++r)
      if (place.first + at.g + 8 * r < b.in.q.rows)
        rows[r] = b.queries[place.head * b.in.q.rows + place.first + at.g + 8 * r];
    WideRows<T, G> sums;
    const int64_t whole = b.in.whole_keys_for(place.first);
    if constexpr (Plain) add<true>(sums, q, gy, rows, place, at, 0, whole);
    add<false>(sums, q, gy, rows, place, at, whole, b.in.keys_for(place.first));
    sums.store(gq.of(place.n, place.h), place.first, at);
  }
  /// Adds the contributions of the keys from `first` to `end`. Whole: tiles are complete and fully
  /// visible.
  template <bool Whole>
  TAPER_DEVICE void add(WideRows<T, G>& sums, const Rows& q, const Rows& gy,
                        const OfQuery (&rows)[2], const Place& place, const WarpPlace& at,
                        int64_t first, int64_t end) const {
    const Matrix<T> k = b.in.k.of(place.n, place.h);
    const Mask<T> mask = b.in.masks.of(place.n, place.h);
    TileReader<T, 2 * G, 2, Plain> keys(k, first, at);
    TileReader<T, 2 * G, 2, Plain> values(b.in.v.of(place.n, place.h), first, at);
    TileReader<T, G, 4, Plain> factors(k, first, at);
    TAPER_ROLLED
    for (int64_t j = first; j < end; j += kTile) {
      const Edge edge = b.in.edge(place.first, j);
      Words of_k[2 * G][2], of_v[2 * G][2], factor[G][4];
      keys.template read<Whole>(of_k, edge.keys);
      values.template read<Whole>(of_v, edge.keys);
      factors.template read<Whole>(factor, edge.keys);
      keys.next(), values.next(), factors.next();
      Square s, g;
      multiply_rows<T>(s, q, of_k);
      multiply_rows<T>(g, gy, of_v);
      s.each(at, [&](float& x, int r, int column) {
        const int row = at.g + 8 * r;
        const bool seen = Whole || edge.sees(row, column);
        x = !seen ? 0.0f
                  : power_of_two(b.in.score(x, mask, place.first + row, j + column) - rows[r].lse);
      });
      for (int c = 0; c < 2; ++c)
        for (int e = 0; e < 4; ++e) g.s[c][e] = b.slope(s.s[c][e], g.s[c][e], rows[e / 2].delta);
      sums.add(g, factor);
    }
  }
};

/// A warp has 16 keys and goes through the queries that see one of them. Rows are held in
/// registers, in order, although some of 128 columns are spilled. Reading them at each use took as
/// many registers, plus copies, and a third more instructions.
template <class T, int G, bool Plain>
struct GradientOfKeys {
  static constexpr int kMostThreads = kThreads;
  using Rows = LeftRows<T, 2 * G>;
  Backward<T, Plain> b;
  Matrices<T> gk, gv;
  struct Sums {
    WideRows<T, G> of_k, of_v;
  };
  TAPER_DEVICE void operator()(const Team& team, int64_t index) const {
    const WarpPlace at(team);
    const Place place(index, b.in.k.rows, b.in.heads);
    const Matrix<T> keys = b.in.k.of(place.n, place.h), values = b.in.v.of(place.n, place.h);
    const Rows k(keys, place.first, at), v(values, place.first, at);
    Sums sums;
    const int64_t rows = b.in.q.rows;
    int64_t first = b.in.causal ? place.first : 0;
    if constexpr (Plain) {
      // In a causal form, the first tile has queries that do not see all keys.
      const int64_t seen = !b.in.causal ? first : first + kTile < rows ? first + kTile : rows;
      const int64_t whole = rows / kTile * kTile < seen ? seen : rows / kTile * kTile;
      add<false>(sums, k, v, place, at, first, seen);
      add<true>(sums, k, v, place, at, seen, whole);
      first = whole;
    }
    add<false>(sums, k, v, place, at, first, rows);
    sums.of_k.store(gk.of(place.n, place.h), place.first, at);
    sums.of_v.store(gv.of(place.n, place.h), place.first, at);
  }
  /// Adds the contributions of the queries from `first` to `end`. Whole: tiles are complete and see
  /// all keys.
  template <bool Whole>
  TAPER_DEVICE void add(Sums& sums, const Rows& k, const Rows& v, const Place& place,
                        const WarpPlace& at, int64_t first, int64_t end) const {
    const Matrix<T> q = b.in.q.of(place.n, place.h), gy = b.gy.of(place.n, place.h);
    const Mask<T> mask = b.in.masks.of(place.n, place.h);
    TileReader<T, 2 * G, 2, Plain> queries(q, first, at), slopes(gy, first, at);
    TileReader<T, G, 4, Plain> query_factors(q, first, at), slope_factors(gy, first, at);
    const OfQuery* of_query = b.queries + place.head * q.rows + first + 2 * at.t;
    TAPER_ROLLED
    for (int64_t i = first; i < end; i += kTile, of_query += kTile) {
      const Edge edge = b.in.edge(i, place.first);
      Words of_q[2 * G][2], of_gy[2 * G][2], q_factor[G][4], gy_factor[G][4];
      queries.template read<Whole>(of_q, edge.queries);
      slopes.template read<Whole>(of_gy, edge.queries);
      queries.next(), slopes.next();
      const auto read_factors = [&] {
        slope_factors.template read<Whole>(gy_factor, edge.queries);
        query_factors.template read<Whole>(q_factor, edge.queries);
        slope_factors.next(), query_factors.next();
      };
      if constexpr (G == 1) read_factors();  // there are registers for all at once
      OfQuery columns[2][2];
      for (int c = 0; c < 2; ++c)
        for (int e = 0; e < 2; ++e)
          if (Whole || 8 * c + 2 * at.t + e < edge.queries) columns[c][e] = of_query[8 * c + e];
      Square s, g;
      multiply_rows<T>(s, k, of_q);
      multiply_rows<T>(g, v, of_gy);
      for (int c = 0; c < 2; ++c)
        for (int e = 0; e < 4; ++e) {
          const int row = at.g + e / 2 * 8, column = 8 * c + 2 * at.t + e % 2;
          float& x = s.s[c][e];
          x = !Whole && !edge.sees(column, row)
                  ? 0.0f
                  : power_of_two(b.in.score(x, mask, i + column, place.first + row) -
                                 columns[c][e % 2].lse);
          g.s[c][e] = b.slope(x, g.s[c][e], columns[c][e % 2].delta);
        }
      if constexpr (G > 1) read_factors();
      sums.of_v.add(s, gy_factor);
      sums.of_k.add(g, q_factor);
    }
  }
};

/// Calls f.operator()<T, G, Plain>() for the dtype, the groups of 64 columns that heads of this
/// width need, and whether they are complete and without a mask.
template <class F>
void by_width(const In& q, const In& v, const In& mask, const char* name, const F& f) {
  const int64_t E = q.sizes[3], V = v.sizes[3];
  const bool plain = !mask.defined() && E == V;
  switch_dtype<TypeList<Half, BFloat16>>(q.dtype, name, [&]<class T>() {
    if (plain && E == 64) return f.template operator()<T, 1, true>();
    if (plain && E == 128) return f.template operator()<T, 2, true>();
    if (std::max(E, V) <= 64) return f.template operator()<T, 1, false>();
    f.template operator()<T, 2, false>();
  });
}

}  // namespace

bool has_attention_tiles([[maybe_unused]] DeviceIndex device) {
#ifdef __CUDACC__
  // A GPU may run code that was compiled for an older one, whose multiply_add traps.
  using Kernel = ForEachRow<AttentionForward<BFloat16, 1, true>>;
  static std::atomic<int> of_device[kMaxDevices] = {};
  std::atomic<int>& known = of_device[device];
  if (known.load(std::memory_order_relaxed) == 0)
    known = compiled_architecture(reinterpret_cast<const void*>(&run_thread<Kernel>), device);
  return known.load(std::memory_order_relaxed) >= kProductArchitecture;
#else
  return has_warps();
#endif
}

void attention_tiles(Out y, Out lse, In q, In k, In v, In mask, AttentionForm form) {
  by_width(q, v, mask, "attention", [&]<class T, int G, bool Plain>() {
    for_each_row(tiles_of(q.sizes), Team::kWarp,
                 AttentionForward<T, G, Plain>{Attention<T, Plain>(q, k, v, mask, form),
                                               Matrices<T>(y), lse.as<float>()});
  });
}

void attention_tiles_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
                              In mask, AttentionForm form) {
  const Scratch<OfQuery> queries(lse.numel);
  by_width(q, v, mask, "attention_backward", [&]<class T, int G, bool Plain>() {
    const Attention<T, Plain> in(q, k, v, mask, form);
    for_each_row(lse.numel, Team::kWarp,
                 RowDelta<T>{Matrices<T>(gy), Matrices<T>(y), lse.as<float>(), q.sizes[1], in.scale,
                             queries.get()});
    const Backward<T, Plain> b{in, Matrices<T>(gy), queries.get()};
    for_each_row(tiles_of(q.sizes), Team::kWarp,
                 GradientOfQueries<T, G, Plain>{b, Matrices<T>(gq)});
    for_each_row(tiles_of(k.sizes), Team::kWarp,
                 GradientOfKeys<T, G, Plain>{b, Matrices<T>(gk), Matrices<T>(gv)});
  });
}

}  // namespace torch::taper::cuda
