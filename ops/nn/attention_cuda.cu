#include <algorithm>
#include <cmath>

#include <taper/framework/cuda/gemm.h>
#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/nn/attention_kernels.h>

namespace taper::cuda {
namespace {

// Queries and keys of a block. A block's scores, for the heads of one sample (or of all:
// merge_samples), are all the working memory there is.
constexpr int64_t kQueries = 512;
constexpr int64_t kKeys = 512;

/// The heads of one sample: H matrices at equal distances, row-major.
struct Heads {
  const void* data;
  int64_t row, head;
};
template <class X>
Heads heads_of(const X& x, int64_t n) {
  const int64_t nbytes = static_cast<int64_t>(elementSize(x.dtype));
  // The stride of a dimension of size 1 says nothing.
  const int64_t row = x.sizes[2] == 1 ? x.sizes[3] : x.strides[2];
  return {static_cast<const char*>(x.data) + n * x.strides[0] * nbytes, row, x.strides[1]};
}
template <class T>
Heads from_row(const Heads& h, int64_t i) {
  return {static_cast<const T*>(h.data) + i * h.row, h.row, h.head};
}

/// c (m x n) = alpha op(a) op(b) + beta c for the heads of a sample, row-major. As columns the
/// order is the other one.
template <class T>
void multiply(int64_t heads, int64_t m, int64_t n, int64_t k, double alpha, Heads a,
              bool transpose_a, Heads b, bool transpose_b, double beta, Heads c) {
  run_gemm({CppTypeToScalarType<T>::value, transpose_b, transpose_a, n, m, k, alpha, beta, b.data,
            b.row, b.head, a.data, a.row, a.head, const_cast<void*>(c.data), c.row, c.head, heads});
}

/// Scores of a block, (H, rows, cols) contiguous, and the mask of its sample. Query i sees the keys
/// up to i + diagonal.
template <class T>
struct Scores {
  T* s;
  int64_t rows, cols;
  const T* mask;
  int64_t mask_head, mask_row, mask_col, diagonal;

  TAPER_DEVICE T masked(int64_t row, int64_t j) const {
    const int64_t h = row / rows, i = row - h * rows;
    if (j > i + diagonal) return T(-INFINITY);
    const T extra = mask ? mask[h * mask_head + i * mask_row + j * mask_col] : T(0);
    return s[row * cols + j] + extra;
  }
};

/// The greatest score may still be -infinity, which must not be taken out of itself.
template <class T>
TAPER_DEVICE T finite_max(T max) {
  return max == T(-INFINITY) ? T(0) : max;
}

/// Scores become exponentials relative to the greatest so far; the y so far is scaled to it.
template <class T>
struct SoftmaxBlock {
  Scores<T> block;
  T *max, *sum;  // (H, rows)
  T* y;
  int64_t y_head, y_row, width;
  bool first;

  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    T* s = block.s + row * block.cols;
    const T own = team.reduce(
        block.cols, T(-INFINITY), [&](int64_t j) { return block.masked(row, j); }, Larger());
    const T old = first ? T(-INFINITY) : max[row], greatest = Larger()(own, old);
    const T base = finite_max(greatest);
    T part = 0;
    team.each(block.cols, [&](int64_t j) {
      s[j] = std::exp(block.masked(row, j) - base);
      part += s[j];
    });
    const T total = team.combine(part, Plus());
    const T factor = first ? T(0) : std::exp(old - base);
    const T before = first ? T(0) : sum[row];
    team.sync();
    if (team.rank == 0) {
      max[row] = greatest;
      sum[row] = before * factor + total;
    }
    if (first) return;
    const int64_t h = row / block.rows, i = row - h * block.rows;
    T* to = y + h * y_head + i * y_row;
    team.each(width, [&](int64_t d) { to[d] *= factor; });
  }
};

/// y becomes the mean; lse is noted. A row that may see nothing has no mean: it is 0, and so, by an
/// lse above all its scores, are its weights.
template <class T>
struct FinishRows {
  T* y;
  int64_t y_head, y_row, width, rows;
  const T *max, *sum;
  T* lse;
  int64_t lse_head;

  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t h = row / rows, i = row - h * rows;
    const bool sees = sum[row] != 0;
    const T factor = sees ? 1 / sum[row] : T(0);
    T* to = y + h * y_head + i * y_row;
    team.each(width, [&](int64_t d) { to[d] *= factor; });
    if (team.rank == 0)
      lse[h * lse_head + i] = sees ? finite_max(max[row]) + std::log(sum[row]) : T(0);
  }
};

/// Scores become weights.
template <class T>
struct Weights {
  Scores<T> block;
  const T* lse;
  int64_t lse_head;
  TAPER_DEVICE void operator()(int64_t at) const {
    const int64_t row = at / block.cols, h = row / block.rows, i = row - h * block.rows;
    block.s[at] = std::exp(block.masked(row, at - row * block.cols) - lse[h * lse_head + i]);
  }
};

/// mean (rows x cols of a matrix with row stride ldm) of the heads' weights.
template <class T>
struct MeanWeights {
  const T* weights;
  int64_t heads, rows, cols;
  T* mean;
  int64_t ldm;
  TAPER_DEVICE void operator()(int64_t at) const {
    T sum = 0;
    for (int64_t h = 0; h < heads; ++h) sum += weights[h * rows * cols + at];
    const int64_t i = at / cols;
    mean[i * ldm + at - i * cols] = sum / static_cast<T>(heads);
  }
};

/// delta = sum over d of gy y for each row.
template <class T>
struct Delta {
  const T *gy, *y;
  int64_t gy_head, gy_row, y_head, y_row, width, rows;
  T* delta;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t h = row / rows, i = row - h * rows;
    const T *a = gy + h * gy_head + i * gy_row, *b = y + h * y_head + i * y_row;
    const T sum = team.template sum<T>(width, [&](int64_t d) { return a[d] * b[d]; });
    if (team.rank == 0) delta[row] = sum;
  }
};

/// The gradient of the weights becomes that of the products q k.
template <class T>
struct ScoresGradient {
  T* g;
  const T *weights, *delta;
  int64_t cols;
  T scale;
  TAPER_DEVICE void operator()(int64_t at) const {
    g[at] = weights[at] * (g[at] - delta[at / cols]) * scale;
  }
};

/// Zeros, by rows of `width`.
template <class T>
struct ZeroRows {
  T* p;
  int64_t head, row, rows, width;
  TAPER_DEVICE void operator()(int64_t at) const {
    const int64_t r = at / width, h = r / rows;
    p[h * head + (r - h * rows) * row + at - r * width] = 0;
  }
};

/// One sample: its operands, and the blocks of its scores.
template <class T>
struct Sample {
  int64_t H, L, S, E, V;
  Heads q, k, v;
  const T* mask;
  Dims mask_strides;
  AttentionForm form;

  Sample(const In& qs, const In& ks, const In& vs, const In& masks, AttentionForm f, int64_t n)
      : H(qs.sizes[1]),
        L(qs.sizes[2]),
        S(ks.sizes[2]),
        E(qs.sizes[3]),
        V(vs.sizes[3]),
        q(heads_of(qs, n)),
        k(heads_of(ks, n)),
        v(heads_of(vs, n)),
        mask(masks.defined() ? masks.as<T>() + n * masks.strides[0] : nullptr),
        mask_strides(masks.defined() ? masks.strides : Dims(4, 0)),
        form(f) {}
  int64_t keys_for(int64_t i, int64_t rows) const {
    return form.causal ? std::min(S, i + rows) : S;
  }
  Heads contiguous(T* s, int64_t rows, int64_t cols) const { return {s, cols, rows * cols}; }
  Scores<T> scores(T* s, int64_t i, int64_t rows, int64_t j, int64_t cols) const {
    multiply<T>(H, rows, cols, E, form.scale, from_row<T>(q, i), false, from_row<T>(k, j), true, 0,
                contiguous(s, rows, cols));
    const T* part = mask ? mask + i * mask_strides[2] + j * mask_strides[3] : nullptr;
    return {s,
            rows,
            cols,
            part,
            mask_strides[1],
            mask_strides[2],
            mask_strides[3],
            form.causal ? i - j : cols};
  }
};

template <class T>
T* pointer(const Heads& h) {
  return static_cast<T*>(const_cast<void*>(h.data));
}

template <class T>
void attend(const Sample<T>& in, T* s, T* max, T* sum, int64_t i, int64_t rows, const Heads& y,
            T* lse, T* mean) {
  const int64_t keys = in.keys_for(i, rows);
  for (int64_t j = 0; j < keys; j += kKeys) {
    const int64_t cols = std::min(kKeys, keys - j);
    const Scores<T> block = in.scores(s, i, rows, j, cols);
    for_each_row(in.H * rows, team_for(cols),
                 SoftmaxBlock<T>{block, max, sum, pointer<T>(y), y.head, y.row, in.V, j == 0});
    multiply<T>(in.H, rows, in.V, cols, 1, in.contiguous(s, rows, cols), false,
                from_row<T>(in.v, j), false, j > 0, y);
  }
  for_each_row(in.H * rows, team_for(in.V),
               FinishRows<T>{pointer<T>(y), y.head, y.row, in.V, rows, max, sum, lse, in.L});
  if (!mean) return;
  for_each(rows * in.S, ZeroRows<T>{mean, 0, in.S, rows, in.S});
  for (int64_t j = 0; j < keys; j += kKeys) {
    const int64_t cols = std::min(kKeys, keys - j);
    const Scores<T> block = in.scores(s, i, rows, j, cols);
    for_each(in.H * rows * cols, Weights<T>{block, lse, in.L});
    for_each(rows * cols, MeanWeights<T>{s, in.H, rows, cols, mean + j, in.S});
  }
}

/// Gradients of one sample.
struct Gradients {
  Heads gq, gk, gv;
};

template <class T>
void attend_backward(const Sample<T>& in, int64_t most_rows, T* p, T* gs, T* delta,
                     const Gradients& g, const Heads& gy, const Heads& y, const T* lse) {
  for_each(in.H * in.S * in.E, ZeroRows<T>{pointer<T>(g.gk), g.gk.head, g.gk.row, in.S, in.E});
  for_each(in.H * in.S * in.V, ZeroRows<T>{pointer<T>(g.gv), g.gv.head, g.gv.row, in.S, in.V});
  for (int64_t i = 0; i < in.L; i += most_rows) {
    const int64_t rows = std::min(most_rows, in.L - i), keys = in.keys_for(i, rows);
    const Heads gyi = from_row<T>(gy, i), yi = from_row<T>(y, i);
    for_each_row(in.H * rows, team_for(in.V),
                 Delta<T>{pointer<T>(gyi), pointer<T>(yi), gyi.head, gyi.row, yi.head, yi.row, in.V,
                          rows, delta});
    for (int64_t j = 0; j < keys; j += kKeys) {
      const int64_t cols = std::min(kKeys, keys - j);
      const Scores<T> block = in.scores(p, i, rows, j, cols);
      for_each(in.H * rows * cols, Weights<T>{block, lse + i, in.L});
      const Heads weights = in.contiguous(p, rows, cols), scores = in.contiguous(gs, rows, cols);
      multiply<T>(in.H, cols, in.V, rows, 1, weights, true, gyi, false, 1, from_row<T>(g.gv, j));
      multiply<T>(in.H, rows, cols, in.V, 1, gyi, false, from_row<T>(in.v, j), true, 0, scores);
      for_each(in.H * rows * cols,
               ScoresGradient<T>{gs, p, delta, cols, static_cast<T>(in.form.scale)});
      multiply<T>(in.H, rows, in.E, cols, 1, scores, false, from_row<T>(in.k, j), false, j > 0,
                  from_row<T>(g.gq, i));
      multiply<T>(in.H, cols, in.E, rows, 1, scores, true, from_row<T>(in.q, i), false, 1,
                  from_row<T>(g.gk, j));
    }
  }
}

/// Whether the heads of all samples lie at equal distances.
template <class X>
bool merges(const X& x) {
  return !x.defined() || x.sizes[0] == 1 || x.sizes[1] == 1 ||
         x.strides[0] == x.sizes[1] * x.strides[1];
}
/// They become the heads of one sample.
template <class X>
void merge(X& x) {
  if (!x.defined()) return;
  if (x.sizes[1] == 1) x.strides[1] = x.strides[0];
  x.sizes[1] *= x.sizes[0];
  x.sizes[0] = 1;
}
/// One launch for all samples in place of one for each, where the operands let it.
template <class... X>
void merge_samples(X&... x) {
  if ((merges(x) && ...)) (merge(x), ...);
}
/// Queries of a block: fewer of very many heads.
int64_t queries_for(int64_t heads, int64_t queries, int64_t cols) {
  constexpr int64_t kMostScores = int64_t{1} << 24;
  return std::min({queries, kQueries, std::max<int64_t>(64, kMostScores / (heads * cols))});
}

}  // namespace

void attention(Out y, Out lse, Out weights, In q, In k, In v, In mask, AttentionForm form) {
  if (isReducedFloatingType(y.dtype)) return attention_tiles(y, lse, q, k, v, mask, form);
  if (!weights.defined()) merge_samples(y, q, k, v, mask);
  const int64_t N = q.sizes[0], H = q.sizes[1], L = q.sizes[2], S = k.sizes[2];
  const int64_t cols = std::min(S, kKeys), rows = queries_for(H, L, cols);
  switch_dtype<dtypes::Float>(y.dtype, "attention", [&]<class T>() {
    const Scratch<T> s(H * rows * cols), max(H * rows), sum(H * rows);
    for (int64_t n = 0; n < N; ++n)
      for (int64_t i = 0; i < L; i += rows)
        attend<T>(Sample<T>(q, k, v, mask, form, n), s.get(), max.get(), sum.get(), i,
                  std::min(rows, L - i), from_row<T>(heads_of(y, n), i),
                  lse.as<T>() + n * H * L + i,
                  weights.defined() ? weights.as<T>() + (n * L + i) * S : nullptr);
  });
}

void attention_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v, In mask,
                        AttentionForm form) {
  if (isReducedFloatingType(y.dtype))
    return attention_tiles_backward(gq, gk, gv, gy, y, lse, q, k, v, mask, form);
  merge_samples(gq, gk, gv, gy, y, q, k, v, mask);
  const int64_t N = q.sizes[0], H = q.sizes[1], L = q.sizes[2], S = k.sizes[2];
  const int64_t cols = std::min(S, kKeys), rows = queries_for(H, L, cols);
  switch_dtype<dtypes::Float>(y.dtype, "attention_backward", [&]<class T>() {
    const Scratch<T> p(H * rows * cols), gs(H * rows * cols), delta(H * rows);
    for (int64_t n = 0; n < N; ++n)
      attend_backward<T>(Sample<T>(q, k, v, mask, form, n), rows, p.get(), gs.get(), delta.get(),
                         {heads_of(gq, n), heads_of(gk, n), heads_of(gv, n)}, heads_of(gy, n),
                         heads_of(y, n), lse.as<T>() + n * H * L);
  });
}

}  // namespace taper::cuda
