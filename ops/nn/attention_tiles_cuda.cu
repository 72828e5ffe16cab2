// Attention of 16-bit floats on CUDA: each warp has 16 queries (of a gradient of keys: 16 keys) and
// goes through the keys in tiles of 16. Scores and weights stay in registers, and all sums are of
// 32 bits.
//
// Dao: FlashAttention-2 (arXiv 2307.08691), algorithms 1 and 2, without shared memory: a lane reads
// what it multiplies 16 bytes at a time, for which columns of products are numbered as they lie
// (framework/cuda/mma.h), and a block's warps, which go through the same keys, find them in L1.
#include <cmath>

#include <taper/framework/cuda/mma.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/nn/attention_kernels.h>

namespace taper::cuda {
namespace {

constexpr int kTile = 16;
constexpr float kLog2E = 1.4426950408889634f, kLn2 = 0.6931471805599453f;

/// The matrix of a head: rows at a distance of `step` elements.
template <class T>
struct Matrix {
  T* data;
  int64_t step, rows, width;
  /// Elements e to e + 7 of a row; zeros outside. Widths are multiples of 8.
  TAPER_DEVICE Words at(int64_t row, int64_t e) const {
    if (row < rows && e < width) return *reinterpret_cast<const Words*>(data + row * step + e);
    return Words{};
  }
  TAPER_DEVICE void put(int64_t row, int64_t e, const Words& words) const {
    if (row < rows && e < width) *reinterpret_cast<Words*>(data + row * step + e) = words;
  }
};

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

/// What is added to the scores of a head, or nothing.
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

/// Of 16 rows, what a lane holds as the left factor: C chunks of 32 columns.
template <class T, int C>
struct LeftRows {
  Words w[C][2];
  TAPER_DEVICE LeftRows(const Matrix<T>& m, int64_t first, const WarpPlace& at) {
    for (int c = 0; c < C; ++c)
      for (int r = 0; r < 2; ++r) w[c][r] = m.at(first + at.g + 8 * r, 32 * c + 8 * at.t);
  }
  TAPER_DEVICE const Words& get(int c, int r) const { return w[c][r]; }
};
/// The same, read again at each use: for kernels that lack registers.
template <class T, int C>
struct LeftRowsInMemory {
  const Matrix<T>& m;
  int64_t first;
  const WarpPlace& at;
  TAPER_DEVICE LeftRowsInMemory(const Matrix<T>& m, int64_t first, const WarpPlace& at)
      : m(m), first(first), at(at) {}
  TAPER_DEVICE Words get(int c, int r) const {
    return m.at(first + at.g + 8 * r, 32 * c + 8 * at.t);
  }
};

/// 16 x 16 sums, as two products of 8 columns have them.
struct Square {
  float s[2][4] = {};
  /// f(value, r, column) for what this lane holds, of rows g + 8 r.
  template <class F>
  TAPER_DEVICE void each(const WarpPlace& at, const F& f) {
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 4; ++k) f(s[j][k], k / 2, 8 * j + 2 * at.t + k % 2);
  }
};

/// s += rows of `left` times rows of m, from `first` on.
template <template <class, int> class Left, class T, int C>
TAPER_DEVICE void multiply_rows(Square& s, const Left<T, C>& left, const Matrix<T>& m,
                                int64_t first, const WarpPlace& at) {
  for (int c = 0; c < C; ++c) {
    const Words top = left.get(c, 0), bottom = left.get(c, 1);
    for (int j = 0; j < 2; ++j) {
      const Words right = m.at(first + 8 * j + at.g, 32 * c + 8 * at.t);
      for (int half = 0; half < 4; half += 2) {
        const uint32_t a[4] = {top.w[half], bottom.w[half], top.w[half + 1], bottom.w[half + 1]};
        multiply_add<T>(s.s[j], a, right.w[half], right.w[half + 1]);
      }
    }
  }
}

/// 16 rows of G groups of 64 columns: sums of 32 bits. The lane at (g, t) has columns 16t to 16t +
/// 15 of each group, of rows g and g + 8.
template <class T, int G>
struct WideRows {
  float s[G][8][4] = {};
  /// += p times the rows of m from `first` on.
  TAPER_DEVICE void add(Square& p, const Matrix<T>& m, int64_t first, const WarpPlace& at) {
    const uint32_t a[4] = {word_of<T>(p.s[0][0], p.s[0][1]), word_of<T>(p.s[0][2], p.s[0][3]),
                           word_of<T>(p.s[1][0], p.s[1][1]), word_of<T>(p.s[1][2], p.s[1][3])};
    const int64_t row = first + 2 * at.t;
    for (int group = 0; group < G; ++group) {
      const int64_t column = 64 * group + 8 * at.g;
      const Words m0 = m.at(row, column), m1 = m.at(row + 1, column);
      const Words m8 = m.at(row + 8, column), m9 = m.at(row + 9, column);
      for (int k = 0; k < 8; ++k)
        multiply_add<T>(s[group][k], a, word_of_both(m0, m1, k), word_of_both(m8, m9, k));
    }
  }
  /// Rows g and g + 8 times a factor each.
  TAPER_DEVICE void scale(const float (&factor)[2]) {
    for (int group = 0; group < G; ++group)
      for (int k = 0; k < 8; ++k)
        for (int v = 0; v < 4; ++v) s[group][k][v] *= factor[v / 2];
  }
  TAPER_DEVICE void store(const Matrix<T>& m, int64_t first, const WarpPlace& at) const {
    for (int group = 0; group < G; ++group)
      for (int v = 0; v < 4; ++v) {
        Words words;
        for (int k = 0; k < 4; ++k)
          words.w[k] = word_of<T>(s[group][2 * k][v], s[group][2 * k + 1][v]);
        m.put(first + at.g + 8 * (v / 2), 64 * group + 16 * at.t + 8 * (v % 2), words);
      }
  }
};

/// Of the four lanes that hold a row.
template <class Op>
TAPER_DEVICE float of_row(float v, const Op& op, Here here = Here::current()) {
  v = op(v, shuffle_xor(v, 1, here));
  return op(v, shuffle_xor(v, 2, here));
}

/// What the kernels have in common: operands, and which head and which 16 rows a warp has.
template <class T>
struct Attention {
  Matrices<T> q, k, v;
  Masks<T> masks;
  int64_t heads;
  float scale;
  bool causal;
  Attention(const In& q, const In& k, const In& v, const In& mask, const AttentionForm& form)
      : q(q),
        k(k),
        v(v),
        masks(mask),
        heads(q.sizes[1]),
        scale(static_cast<float>(form.scale)),
        causal(form.causal) {}
  /// The score of query i and key j, in units of the logarithm to base 2; -infinity where i does
  /// not see j.
  TAPER_DEVICE float score(float product, const Mask<T>& mask, int64_t i, int64_t j) const {
    if (i >= q.rows || j >= k.rows || (causal && j > i)) return -INFINITY;
    return (product * scale + mask.at(i, j)) * kLog2E;
  }
  TAPER_DEVICE int64_t keys_for(int64_t first) const {
    return causal && first + kTile < k.rows ? first + kTile : k.rows;
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

/// Exponentials relative to the greatest score so far, of rows g and g + 8. The sums are this
/// lane's part.
struct RunningMax {
  float max[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
  /// Scores become exponentials; what came before is to be multiplied by `factor`.
  TAPER_DEVICE void take(Square& s, const WarpPlace& at, float (&factor)[2]) {
    float greatest[2] = {max[0], max[1]};
    s.each(at, [&](float v, int r, int) { greatest[r] = Larger()(greatest[r], v); });
    for (int r = 0; r < 2; ++r) {
      greatest[r] = of_row(greatest[r], Larger());
      factor[r] = max[r] == -INFINITY ? 0.0f : std::exp2(max[r] - greatest[r]);
      max[r] = greatest[r];
      sum[r] *= factor[r];
    }
    s.each(at, [&](float& v, int r, int) {
      v = std::exp2(v - (max[r] == -INFINITY ? 0.0f : max[r]));
      sum[r] += v;
    });
  }
};

/// A row that may see nothing is 0, with a logarithm of 0.
template <class T, int G>
struct AttentionForward {
  static constexpr int kMostThreads = kThreads;
  Attention<T> in;
  Matrices<T> y;
  float* lse;  // (N, H, L)
  TAPER_DEVICE void operator()(const Team& team, int64_t index) const {
    const WarpPlace at(team);
    const Place place(index, in.q.rows, in.heads);
    const Matrix<T> k = in.k.of(place.n, place.h), v = in.v.of(place.n, place.h);
    const Mask<T> mask = in.masks.of(place.n, place.h);
    const LeftRows<T, 2 * G> q(in.q.of(place.n, place.h), place.first, at);
    WideRows<T, G> sums;
    RunningMax running;
    const int64_t keys = in.keys_for(place.first);
    TAPER_ROLLED
    for (int64_t j = 0; j < keys; j += kTile) {
      Square s;
      multiply_rows(s, q, k, j, at);
      s.each(at, [&](float& x, int r, int column) {
        x = in.score(x, mask, place.first + at.g + 8 * r, j + column);
      });
      float factor[2];
      running.take(s, at, factor);
      sums.scale(factor);
      sums.add(s, v, j, at);
    }
    finish(sums, running, place, at);
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

/// delta = sum over a row of gy y.
template <class T>
struct RowDelta {
  Matrices<T> gy, y;
  int64_t heads;
  float* delta;  // (N, H, L)
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
    if (team.rank == 0) delta[row] = sum;
  }
  TAPER_DEVICE static float part(uint32_t w, int shift) {
    return static_cast<float>(T(static_cast<uint16_t>(w >> shift), T::from_bits()));
  }
};

/// What both gradients need besides.
template <class T>
struct Backward {
  Attention<T> in;
  Matrices<T> gy;
  const float *lse, *delta;  // (N, H, L)
  /// The weight of a score, and the gradient of its product from that of the weight.
  TAPER_DEVICE float weight(float score, float lse) const {
    return std::exp2(score - lse * kLog2E);
  }
  TAPER_DEVICE float slope(float weight, float g, float delta) const {
    return weight * (g - delta) * in.scale;
  }
};

template <class T, int G>
struct GradientOfQueries {
  static constexpr int kMostThreads = kThreads;
  Backward<T> b;
  Matrices<T> gq;
  TAPER_DEVICE void operator()(const Team& team, int64_t index) const {
    const WarpPlace at(team);
    const Place place(index, b.in.q.rows, b.in.heads);
    const Matrix<T> k = b.in.k.of(place.n, place.h), v = b.in.v.of(place.n, place.h);
    const Mask<T> mask = b.in.masks.of(place.n, place.h);
    const LeftRows<T, 2 * G> q(b.in.q.of(place.n, place.h), place.first, at);
    const LeftRows<T, 2 * G> gy(b.gy.of(place.n, place.h), place.first, at);
    float lse[2], delta[2];
    for (int r = 0; r < 2; ++r) {
      const int64_t i = place.first + at.g + 8 * r;
      const bool is_row = i < b.in.q.rows;
      lse[r] = is_row ? b.lse[place.head * b.in.q.rows + i] : 0.0f;
      delta[r] = is_row ? b.delta[place.head * b.in.q.rows + i] : 0.0f;
    }
    WideRows<T, G> sums;
    const int64_t keys = b.in.keys_for(place.first);
    TAPER_ROLLED
    for (int64_t j = 0; j < keys; j += kTile) {
      Square s, g;
      multiply_rows(s, q, k, j, at);
      multiply_rows(g, gy, v, j, at);
      s.each(at, [&](float& x, int r, int column) {
        x = b.weight(b.in.score(x, mask, place.first + at.g + 8 * r, j + column), lse[r]);
      });
      for (int c = 0; c < 2; ++c)
        for (int e = 0; e < 4; ++e) g.s[c][e] = b.slope(s.s[c][e], g.s[c][e], delta[e / 2]);
      sums.add(g, k, j, at);
    }
    sums.store(gq.of(place.n, place.h), place.first, at);
  }
};

/// A warp has 16 keys, and goes through the queries that see one of them.
template <class T, int G>
struct GradientOfKeys {
  static constexpr int kMostThreads = kThreads;
  Backward<T> b;
  Matrices<T> gk, gv;
  TAPER_DEVICE void operator()(const Team& team, int64_t index) const {
    const WarpPlace at(team);
    const Place place(index, b.in.k.rows, b.in.heads);
    const Matrix<T> q = b.in.q.of(place.n, place.h), gy = b.gy.of(place.n, place.h);
    const Mask<T> mask = b.in.masks.of(place.n, place.h);
    using Rows = std::conditional_t<G == 1, LeftRows<T, 2 * G>, LeftRowsInMemory<T, 2 * G>>;
    const Matrix<T> keys = b.in.k.of(place.n, place.h), values = b.in.v.of(place.n, place.h);
    const Rows k(keys, place.first, at), v(values, place.first, at);
    const float *const lse = b.lse + place.head * q.rows, *const delta =
                                                              b.delta + place.head * q.rows;
    WideRows<T, G> of_k, of_v;
    TAPER_ROLLED
    for (int64_t i = b.in.causal ? place.first : 0; i < q.rows; i += kTile) {
      Square s, g;
      multiply_rows(s, k, q, i, at);
      multiply_rows(g, v, gy, i, at);
      s.each(at, [&](float& x, int r, int column) {
        const int64_t query = i + column;
        const float score = b.in.score(x, mask, query, place.first + at.g + 8 * r);
        x = query < q.rows ? b.weight(score, lse[query]) : 0.0f;
      });
      of_v.add(s, gy, i, at);
      for (int c = 0; c < 2; ++c)
        for (int e = 0; e < 4; ++e) {
          const int64_t query = i + 8 * c + 2 * at.t + e % 2;
          g.s[c][e] = b.slope(s.s[c][e], g.s[c][e], query < q.rows ? delta[query] : 0.0f);
        }
      of_k.add(g, q, i, at);
    }
    of_k.store(gk.of(place.n, place.h), place.first, at);
    of_v.store(gv.of(place.n, place.h), place.first, at);
  }
};

/// f.operator()<T, G>() for the dtype, and groups of 64 columns that heads of this width need.
template <class F>
void by_width(const In& q, const In& v, const char* name, const F& f) {
  switch_dtype<TypeList<Half, BFloat16>>(q.dtype, name, [&]<class T>() {
    if (std::max(q.sizes[3], v.sizes[3]) <= 64)
      f.template operator()<T, 1>();
    else
      f.template operator()<T, 2>();
  });
}

}  // namespace

bool has_attention_tiles() {
#ifdef __CUDACC__
  int device = 0, major = 0;
  TAPER_CUDA_CHECK(cudaGetDevice(&device));
  TAPER_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major >= 8;
#else
  return has_warps();
#endif
}

void attention_tiles(Out y, Out lse, In q, In k, In v, In mask, AttentionForm form) {
  by_width(q, v, "attention", [&]<class T, int G>() {
    for_each_row(
        tiles_of(q.sizes), Team::kWarp,
        AttentionForward<T, G>{Attention<T>(q, k, v, mask, form), Matrices<T>(y), lse.as<float>()});
  });
}

void attention_tiles_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v,
                              In mask, AttentionForm form) {
  const Scratch<float> delta(lse.numel);
  by_width(q, v, "attention_backward", [&]<class T, int G>() {
    for_each_row(lse.numel, Team::kWarp,
                 RowDelta<T>{Matrices<T>(gy), Matrices<T>(y), q.sizes[1], delta.get()});
    const Backward<T> b{Attention<T>(q, k, v, mask, form), Matrices<T>(gy), lse.as<float>(),
                        delta.get()};
    for_each_row(tiles_of(q.sizes), Team::kWarp, GradientOfQueries<T, G>{b, Matrices<T>(gq)});
    for_each_row(tiles_of(k.sizes), Team::kWarp,
                 GradientOfKeys<T, G>{b, Matrices<T>(gk), Matrices<T>(gv)});
  });
}

}  // namespace taper::cuda
