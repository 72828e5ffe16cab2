#include <algorithm>
#include <cmath>
#include <optional>

#include <taper/framework/cuda/gemm.h>
#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/nn/attention_cudnn.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace torch::taper::cuda {
namespace {

// Queries and keys of a block. Only the scores of a block, for the heads of all samples, grow with
// the lengths. Heads that are not at equal distances are copied in addition.
constexpr int64_t kQueries = 512;
constexpr int64_t kKeys = 512;

/// Row-major matrices at equal distances.
struct Heads {
  const void* data;
  int64_t row, head;
};
template <class T>
Heads from_row(const Heads& h, int64_t i) {
  return {static_cast<const T*>(h.data) + i * h.row, h.row, h.head};
}
template <class T>
T* pointer(const Heads& h) {
  return static_cast<T*>(const_cast<void*>(h.data));
}

/// Views the memory in elements of 16 bytes, if rows consist of them.
template <class X>
bool widen(X& x) {
  const auto n = static_cast<int64_t>(16 / elementSize(x.dtype));
  bool whole = is_packed(x.data) && x.sizes[3] % n == 0;
  for (int d = 0; d < 3; ++d) whole = whole && (x.sizes[d] == 1 || x.strides[d] % n == 0);
  if (!whole) return false;
  for (int d = 0; d < 3; ++d) x.strides[d] /= n;
  x.sizes[3] /= n;
  x.numel /= n;
  x.dtype = kComplexDouble;
  return true;
}
/// Copies x to y, tensors (N, H, rows, width) with dense rows.
void copy_rows(const Out& y, const In& x) {
  Out to = y;
  In from = x;
  if (widen(to) && widen(from)) return copy(to, from);
  copy(y, x);
}

/// The heads of all samples of a tensor (N, H, rows, width) for batched products, at equal
/// distances. If they are not, as after a joint projection to queries, keys and values, they are
/// copied. So the number of launches does not depend on the number of samples.
template <class T>
class AllHeads {
 public:
  /// Wraps a tensor that is read.
  explicit AllHeads(const In& x) {
    set(x);
    if (copy_) copy_rows(dense_, x);
  }
  /// Wraps a tensor that is written. put_back() copies the result to it.
  explicit AllHeads(const Out& x) : result_(x) { set(x); }
  void put_back() const {
    if (!copy_) return;
    In from;
    from.data = dense_.data, from.dtype = dense_.dtype, from.numel = dense_.numel;
    from.sizes = dense_.sizes, from.strides = dense_.strides;
    copy_rows(result_, from);
  }
  operator const Heads&() const { return heads_; }

 private:
  template <class X>
  void set(const X& x) {
    const int64_t N = x.sizes[0], H = x.sizes[1], rows = x.sizes[2], width = x.sizes[3];
    // The stride of a dimension of size 1 is meaningless.
    if (N == 1 || H == 1 || x.strides[0] == H * x.strides[1]) {
      heads_ = {x.data, rows == 1 ? width : x.strides[2], H == 1 ? x.strides[0] : x.strides[1]};
      return;
    }
    copy_.emplace(x.numel);
    dense_.data = copy_->get(), dense_.dtype = x.dtype, dense_.numel = x.numel;
    dense_.sizes = x.sizes;
    dense_.strides = Dims{H * rows * width, rows * width, width, 1};
    heads_ = {dense_.data, width, rows * width};
  }
  Heads heads_{};
  Out dense_, result_;
  std::optional<Scratch<T>> copy_;
};

/// Computes c (m x n) = alpha op(a) op(b) + beta c for all heads, row-major. By columns, the
/// operands are exchanged.
template <class T>
void multiply(int64_t heads, int64_t m, int64_t n, int64_t k, double alpha, Heads a,
              bool transpose_a, Heads b, bool transpose_b, double beta, Heads c) {
  run_gemm({CppTypeToScalarType<T>::value, transpose_b, transpose_a, n, m, k, alpha, beta, b.data,
            b.row, b.head, a.data, a.row, a.head, const_cast<void*>(c.data), c.row, c.head, heads});
}

/// A tensor (N, H, rows, width), indexed by a head number that counts over all samples. Null data
/// means no tensor.
template <class T>
struct OfHeads {
  T* data = nullptr;
  int64_t heads = 1, sample = 0, head = 0, row = 0, column = 0;
  OfHeads() = default;
  template <class X>
  explicit OfHeads(const X& x)
      : data(static_cast<T*>(const_cast<void*>(static_cast<const void*>(x.data)))) {
    if (!x.defined()) return;
    heads = x.sizes[1], sample = x.strides[0], head = x.strides[1];
    row = x.sizes[2] == 1 ? 0 : x.strides[2], column = x.strides[3];
  }
  OfHeads from(int64_t i, int64_t j) const {
    OfHeads part = *this;
    if (data) part.data += i * row + j * column;
    return part;
  }
  TAPER_DEVICE T* at(int64_t h, int64_t i) const {
    const int64_t n = h / heads;
    return data + n * sample + (h - n * heads) * head + i * row;
  }
};

/// The scores of a block, (heads, rows, cols) contiguous, and its mask. Query i sees the keys up to
/// i + diagonal.
template <class T>
struct Scores {
  T* s;
  int64_t rows, cols;
  OfHeads<T> mask;
  int64_t diagonal;

  struct Row {
    T* s;
    const T* mask;
    int64_t mask_column, last, h, i;
    TAPER_DEVICE T masked(int64_t j) const {
      if (j > last) return T(-INFINITY);
      return s[j] + (mask ? mask[j * mask_column] : T(0));
    }
  };
  TAPER_DEVICE Row row(int64_t row) const {
    const int64_t h = row / rows, i = row - h * rows;
    return {s + row * cols, mask.data ? mask.at(h, i) : nullptr, mask.column, i + diagonal, h, i};
  }
};

/// The largest score may still be -infinity, which must not be subtracted from itself.
template <class T>
TAPER_DEVICE T finite_max(T max) {
  return max == T(-INFINITY) ? T(0) : max;
}

/// Turns scores into exponentials relative to the largest score so far, and rescales y.
template <class T>
struct SoftmaxBlock {
  Scores<T> block;
  T *max, *sum;  // (heads, rows)
  T* y;
  int64_t y_head, y_row, width;
  bool first;

  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const auto scores = block.row(row);
    const T own = team.reduce(
        block.cols, T(-INFINITY), [&](int64_t j) { return scores.masked(j); }, Larger());
    const T old = first ? T(-INFINITY) : max[row], greatest = Larger()(own, old);
    const T base = finite_max(greatest);
    T part = 0;
    team.each(block.cols, [&](int64_t j) {
      scores.s[j] = std::exp(scores.masked(j) - base);
      part += scores.s[j];
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
    T* to = y + scores.h * y_head + scores.i * y_row;
    team.each(width, [&](int64_t d) { to[d] *= factor; });
  }
};

/// Divides y by the sums to get the mean, and stores lse. A row without visible keys has no mean
/// and is 0. Its lse is above all its scores, so its weights are 0 too.
template <class T>
struct FinishRows {
  const T* y;
  int64_t y_head, y_row, width, rows;
  OfHeads<T> result;
  const T *max, *sum;
  T* lse;
  int64_t lse_head;

  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t h = row / rows, i = row - h * rows;
    const bool sees = sum[row] != 0;
    const T factor = sees ? 1 / sum[row] : T(0);
    const T* from = y + h * y_head + i * y_row;
    T* to = result.at(h, i);
    team.each(width, [&](int64_t d) { to[d] = from[d] * factor; });
    if (team.rank == 0)
      lse[h * lse_head + i] = sees ? finite_max(max[row]) + std::log(sum[row]) : T(0);
  }
};

/// Turns scores into weights.
template <class T>
struct Weights {
  Scores<T> block;
  const T* lse;
  int64_t lse_head;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const auto scores = block.row(row);
    const T own = lse[scores.h * lse_head + scores.i];
    team.each(block.cols, [&](int64_t j) { scores.s[j] = std::exp(scores.masked(j) - own); });
  }
};

/// Computes mean (N, L, S), from a row and a column on: the mean of the weights over a sample's
/// heads.
template <class T>
struct MeanWeights {
  const T* weights;
  int64_t heads, rows, cols;
  T* mean;
  int64_t sample, row;
  TAPER_DEVICE void operator()(int64_t at) const {
    const int64_t r = at / cols, j = at - r * cols, n = r / rows, i = r - n * rows;
    T sum = 0;
    for (int64_t h = n * heads; h < (n + 1) * heads; ++h) sum += weights[(h * rows + i) * cols + j];
    mean[n * sample + i * row + j] = sum / static_cast<T>(heads);
  }
};

/// Computes delta = sum over d of gy y for each row.
template <class T>
struct Delta {
  OfHeads<T> gy, y;
  int64_t width, rows;
  T* delta;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t h = row / rows, i = row - h * rows;
    const T *a = gy.at(h, i), *b = y.at(h, i);
    const T sum = team.template sum<T>(width, [&](int64_t d) { return a[d] * b[d]; });
    if (team.rank == 0) delta[row] = sum;
  }
};

/// Turns the gradient of the weights into the gradient of the products q k.
template <class T>
struct ScoresGradient {
  T* g;
  const T *weights, *delta;
  int64_t cols;
  T scale;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    T* const slope = g + row * cols;
    const T *const weight = weights + row * cols, own = delta[row];
    team.each(cols, [&](int64_t j) { slope[j] = weight[j] * (slope[j] - own) * scale; });
  }
};

/// Writes zeros, in rows of `width`.
template <class T>
struct ZeroRows {
  T* p;
  int64_t head, row, rows, width;
  TAPER_DEVICE void operator()(const Team& team, int64_t r) const {
    const int64_t h = r / rows;
    T* const to = p + h * head + (r - h * rows) * row;
    team.each(width, [&](int64_t j) { to[j] = 0; });
  }
};
template <class T>
void zero_rows(const Heads& x, int64_t heads, int64_t rows, int64_t width) {
  for_each_row(heads * rows, team_for(width),
               ZeroRows<T>{pointer<T>(x), x.head, x.row, rows, width});
}

/// The operands of all samples, and the blocks of their scores.
template <class T>
struct Operands {
  int64_t N, heads, L, S, E, V;  // heads: of all samples
  AllHeads<T> q, k, v;
  OfHeads<T> mask;
  AttentionForm form;

  Operands(const In& q, const In& k, const In& v, const In& mask, AttentionForm f)
      : N(q.sizes[0]),
        heads(q.sizes[0] * q.sizes[1]),
        L(q.sizes[2]),
        S(k.sizes[2]),
        E(q.sizes[3]),
        V(v.sizes[3]),
        q(q),
        k(k),
        v(v),
        mask(mask),
        form(f) {}
  /// Returns the queries of a block. With very many heads it takes fewer, in whole cache lines.
  int64_t most_rows() const {
    constexpr int64_t kMostScores = int64_t{1} << 24;
    const int64_t few = kMostScores / (heads * std::min(S, kKeys)) / 32 * 32;
    return std::min({L, kQueries, std::max<int64_t>(64, few)});
  }
  int64_t most_scores() const { return heads * most_rows() * std::min(S, kKeys); }
  int64_t keys_for(int64_t i, int64_t rows) const {
    return form.causal ? std::min(S, i + rows) : S;
  }
  Heads contiguous(T* s, int64_t rows, int64_t cols) const { return {s, cols, rows * cols}; }
  Scores<T> scores(T* s, int64_t i, int64_t rows, int64_t j, int64_t cols) const {
    multiply<T>(heads, rows, cols, E, form.scale, from_row<T>(q, i), false, from_row<T>(k, j), true,
                0, contiguous(s, rows, cols));
    return {s, rows, cols, mask.from(i, j), form.causal ? i - j : cols};
  }
};

/// Results of a block of queries beside y.
template <class T>
struct RowSums {
  T *max, *sum;  // (heads, rows)
  T* lse;        // (heads, L)
};

/// Computes queries i to i + rows. y accumulates the result.
template <class T>
void attend(const Operands<T>& in, T* s, const RowSums<T>& sums, int64_t i, int64_t rows,
            const Heads& y, const OfHeads<T>& result) {
  const int64_t keys = in.keys_for(i, rows);
  for (int64_t j = 0; j < keys; j += kKeys) {
    const int64_t cols = std::min(kKeys, keys - j);
    const Scores<T> block = in.scores(s, i, rows, j, cols);
    for_each_row(
        in.heads * rows, team_for(cols),
        SoftmaxBlock<T>{block, sums.max, sums.sum, pointer<T>(y), y.head, y.row, in.V, j == 0});
    multiply<T>(in.heads, rows, in.V, cols, 1, in.contiguous(s, rows, cols), false,
                from_row<T>(in.v, j), false, j > 0, y);
  }
  for_each_row(in.heads * rows, team_for(in.V),
               FinishRows<T>{pointer<T>(y), y.head, y.row, in.V, rows, result, sums.max, sums.sum,
                             sums.lse + i, in.L});
}

/// Computes `mean` (N, L, S), the mean of the weights of these queries over the heads of a sample.
template <class T>
void mean_weights(const Operands<T>& in, T* s, const T* lse, int64_t i, int64_t rows, T* mean) {
  const int64_t keys = in.keys_for(i, rows), sample = in.L * in.S;
  zero_rows<T>({mean + i * in.S, in.S, sample}, in.N, rows, in.S);
  for (int64_t j = 0; j < keys; j += kKeys) {
    const int64_t cols = std::min(kKeys, keys - j);
    const Scores<T> block = in.scores(s, i, rows, j, cols);
    for_each_row(in.heads * rows, team_for(cols), Weights<T>{block, lse + i, in.L});
    for_each(in.N * rows * cols,
             MeanWeights<T>{s, in.heads / in.N, rows, cols, mean + i * in.S + j, sample, in.S});
  }
}

/// Workspace of the gradients, and their destinations.
template <class T>
struct Gradients {
  T *p, *gs, *delta;
  Heads gq, gk, gv;
};

/// Adds the contributions of queries i to i + rows.
template <class T>
void attend_backward(const Operands<T>& in, const Gradients<T>& g, const Heads& gy, const T* lse,
                     int64_t i, int64_t rows) {
  const int64_t keys = in.keys_for(i, rows);
  const Heads gyi = from_row<T>(gy, i);
  for (int64_t j = 0; j < keys; j += kKeys) {
    const int64_t cols = std::min(kKeys, keys - j);
    const Scores<T> block = in.scores(g.p, i, rows, j, cols);
    for_each_row(in.heads * rows, team_for(cols), Weights<T>{block, lse + i, in.L});
    const Heads weights = in.contiguous(g.p, rows, cols), scores = in.contiguous(g.gs, rows, cols);
    multiply<T>(in.heads, cols, in.V, rows, 1, weights, true, gyi, false, 1, from_row<T>(g.gv, j));
    multiply<T>(in.heads, rows, cols, in.V, 1, gyi, false, from_row<T>(in.v, j), true, 0, scores);
    for_each_row(in.heads * rows, team_for(cols),
                 ScoresGradient<T>{g.gs, g.p, g.delta, cols, static_cast<T>(in.form.scale)});
    multiply<T>(in.heads, rows, in.E, cols, 1, scores, false, from_row<T>(in.k, j), false, j > 0,
                from_row<T>(g.gq, i));
    multiply<T>(in.heads, cols, in.E, rows, 1, scores, true, from_row<T>(in.q, i), false, 1,
                from_row<T>(g.gk, j));
  }
}

}  // namespace

// cuDNN computes attention of 16-bit floats if cudnn_takes_attention allows. Otherwise, or if it
// refuses, attention_tiles does.
void attention(Out y, Out lse, Out weights, In q, In k, In v, In mask, AttentionForm form) {
  const bool narrow = isReducedFloatingType(y.dtype);
#ifdef __CUDACC__
  if (narrow && cudnn_takes_attention(q, k, v, mask, form) &&
      cudnn_attention(y, lse, q, k, v, form))
    return;
#endif
  if (narrow) return attention_tiles(y, lse, q, k, v, mask, form);
  switch_dtype<dtypes::Float>(y.dtype, "attention", [&]<class T>() {
    const Operands<T> in(q, k, v, mask, form);
    const AllHeads<T> sums_of_y(y);  // FinishRows copies them back
    const int64_t most = in.most_rows();
    const Scratch<T> s(in.most_scores()), max(in.heads * most), sum(in.heads * most);
    const RowSums<T> sums{max.get(), sum.get(), lse.as<T>()};
    for (int64_t i = 0; i < in.L; i += most) {
      const int64_t rows = std::min(most, in.L - i);
      attend<T>(in, s.get(), sums, i, rows, from_row<T>(sums_of_y, i), OfHeads<T>(y).from(i, 0));
      if (weights.defined()) mean_weights<T>(in, s.get(), sums.lse, i, rows, weights.as<T>());
    }
  });
}

void attention_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v, In mask,
                        AttentionForm form) {
  const bool narrow = isReducedFloatingType(y.dtype);
#ifdef __CUDACC__
  if (narrow && cudnn_takes_attention_backward(gy, q, k, v, mask, form) &&
      cudnn_attention_backward(gq, gk, gv, gy, y, lse, q, k, v, form))
    return;
#endif
  if (narrow) return attention_tiles_backward(gq, gk, gv, gy, y, lse, q, k, v, mask, form);
  switch_dtype<dtypes::Float>(y.dtype, "attention_backward", [&]<class T>() {
    const Operands<T> in(q, k, v, mask, form);
    const AllHeads<T> slopes(gy), to_q(gq), to_k(gk), to_v(gv);
    const int64_t most = in.most_rows();
    const Scratch<T> p(in.most_scores()), gs(in.most_scores()), delta(in.heads * most);
    const Gradients<T> g{p.get(), gs.get(), delta.get(), to_q, to_k, to_v};
    zero_rows<T>(g.gk, in.heads, in.S, in.E);
    zero_rows<T>(g.gv, in.heads, in.S, in.V);
    for (int64_t i = 0; i < in.L; i += most) {
      const int64_t rows = std::min(most, in.L - i);
      for_each_row(
          in.heads * rows, team_for(in.V),
          Delta<T>{OfHeads<T>(gy).from(i, 0), OfHeads<T>(y).from(i, 0), in.V, rows, delta.get()});
      attend_backward<T>(in, g, slopes, lse.as<T>(), i, rows);
    }
    for (const AllHeads<T>* x : {&to_q, &to_k, &to_v}) x->put_back();
  });
}

}  // namespace torch::taper::cuda
