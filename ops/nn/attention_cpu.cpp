#include <algorithm>
#include <cmath>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm_narrow.h>
#include <taper/framework/cpu/gemm_pairs.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/nn/attention_kernels.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper::cpu {

/// A block of scores s (rows x cols, contiguous), its part of the mask, and the state of its
/// queries: the largest score and the sum of exponentials so far, and y, their sum of values. Query
/// i sees the keys up to i + diagonal.
template <class T>
struct ScoreBlock {
  T* s;
  int64_t rows, cols;
  const T* mask;
  int64_t mask_row, mask_col, diagonal;
  T *max, *sum, *y;
  int64_t ldy, width;
  bool first;
};

}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/ops/nn/attention_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

// Queries and keys of a block. Their scores stay in L2, and the products are large enough to run at
// full speed.
constexpr int64_t kQueries = 128;
constexpr int64_t kKeys = 256;

// Returns how many units of work, of `multiplications` each, are worth a thread.
int64_t units_at_once(int64_t multiplications) {
  return std::max<int64_t>(1, (int64_t{1} << 20) / std::max<int64_t>(1, multiplications));
}

template <class T>
void softmax_block(const ScoreBlock<T>& b) {
  return TAPER_BY_ISA(attention_softmax, b);
}
template <class T>
void finish_block(const ScoreBlock<T>& b, T* lse) {
  return TAPER_BY_ISA(attention_finish, b, lse);
}
template <class T>
void weights_block(const ScoreBlock<T>& b, const T* lse) {
  return TAPER_BY_ISA(attention_weights, b, lse);
}
template <class T>
void add_weights(const ScoreBlock<T>& b, const T* factor, T scale, T* w, int64_t ldw) {
  return TAPER_BY_ISA(attention_add_weights, b, factor, scale, w, ldw);
}
template <class T>
void delta_of(T* delta, MatrixIn<T> gy, MatrixIn<T> y, int64_t rows, int64_t width) {
  return TAPER_BY_ISA(attention_delta, delta, gy.data, gy.row, y.data, y.row, rows, width);
}
template <class T>
void scores_gradient(T* gp, const T* p, const T* delta, T scale, int64_t rows, int64_t cols) {
  return TAPER_BY_ISA(attention_scores_gradient, gp, p, delta, scale, rows, cols);
}

template <class T>
constexpr bool kIs16Bit = sizeof(T) == 2;

/// Computes C (+)= alpha A B. f32 uses pairs of bf16 if operands may be rounded. 16-bit floats
/// accumulate in f32.
template <class T>
void product(const AttentionForm& form, int64_t m, int64_t n, int64_t k, opmath_t<T> alpha,
             MatrixIn<T> a, MatrixIn<T> b, bool add, opmath_t<T>* c, int64_t ldc) {
  if constexpr (std::is_same_v<T, float>)
    if (form.bf16_products && multiplies_pairs && m > 1 && n > 1)
      return rounded_gemm(m, n, k, alpha, a, b, add, c, ldc);
  if constexpr (kIs16Bit<T>)
    gemm_to_float(m, n, k, alpha, a, b, add, c, ldc);
  else
    gemm<T>(m, n, k, alpha, a, b, add, c, ldc);
}

/// Computes y (+)= P V. P (rows x keys, without gaps) holds the weights of a block. They are
/// rounded to the type of 16-bit values.
template <class T>
void add_values(const AttentionForm& form, int64_t rows, int64_t width, int64_t keys,
                const opmath_t<T>* p, MatrixIn<T> v, bool add, opmath_t<T>* y, int64_t ldy) {
  if constexpr (kIs16Bit<T>) {
    const Scratch<T> rounded(rows * keys);
    narrow(rounded.get(), p, rows * keys);
    product<T>(form, rows, width, keys, 1, {rounded.get(), keys, 1}, v, add, y, ldy);
  } else {
    product<T>(form, rows, width, keys, 1, {p, keys, 1}, v, add, y, ldy);
  }
}

/// Returns the rows of one head of a tensor (N, H, rows, width).
template <class T>
MatrixIn<T> head_of(const In& x, int64_t n, int64_t h) {
  return {x.as<T>() + n * x.strides[0] + h * x.strides[1], x.strides[2], 1};
}
template <class T>
T* head_of(const Out& x, int64_t n, int64_t h) {
  return x.as<T>() + n * x.strides[0] + h * x.strides[1];
}
template <class T>
MatrixIn<T> from_row(MatrixIn<T> m, int64_t i) {
  return {m.data + i * m.row, m.row, m.col};
}

/// One head's operands and the blocks of its scores.
template <class T>
struct Head {
  using Score = opmath_t<T>;
  MatrixIn<T> q, k, v;
  const Score* mask;
  int64_t mask_row, mask_col, L, S, E, V;
  AttentionForm form;

  Head(const In& qs, const In& ks, const In& vs, const In& masks, AttentionForm f, int64_t n,
       int64_t h)
      : q(head_of<T>(qs, n, h)),
        k(head_of<T>(ks, n, h)),
        v(head_of<T>(vs, n, h)),
        mask(masks.defined() ? masks.as<Score>() + n * masks.strides[0] + h * masks.strides[1]
                             : nullptr),
        mask_row(mask ? masks.strides[2] : 0),
        mask_col(mask ? masks.strides[3] : 0),
        L(qs.sizes[2]),
        S(ks.sizes[2]),
        E(qs.sizes[3]),
        V(vs.sizes[3]),
        form(f) {}
  /// Returns the number of keys that queries [i, i + rows) may see.
  int64_t keys_for(int64_t i, int64_t rows) const {
    return form.causal ? std::min(S, i + rows) : S;
  }
  /// Computes the scores of queries [i, i + rows) and keys [j, j + cols), without the mask.
  ScoreBlock<Score> block(Score* s, int64_t i, int64_t rows, int64_t j, int64_t cols) const {
    product<T>(form, rows, cols, E, static_cast<Score>(form.scale), from_row(q, i),
               from_row(k, j).transposed(), false, s, cols);
    const Score* part = mask ? mask + i * mask_row + j * mask_col : nullptr;
    ScoreBlock<Score> b{s,       rows,    cols,    part, mask_row, mask_col, 0,
                        nullptr, nullptr, nullptr, 0,    V,        j == 0};
    b.diagonal = form.causal ? i - j : cols;
    return b;
  }
};

/// Workspace for blocks of scores.
template <class T>
struct Blocks {
  int64_t rows, cols;
  Scratch<T> s, gs, max, sum;
  Blocks(int64_t L, int64_t S, bool backward)
      : rows(std::min(L, kQueries)),
        cols(std::min(S, kKeys)),
        s(rows * cols),
        gs(backward ? rows * cols : 0),
        max(rows),
        sum(rows) {}
};

// Computes queries [i, i + rows) of one head. `weights` (row stride S) accumulates their share, or
// is null.
template <class T, class Score = opmath_t<T>>
void attend(const Head<T>& head, const Blocks<Score>& work, int64_t i, int64_t rows, Score* y,
            int64_t ldy, Score* lse, Score* weights, Score share) {
  const int64_t keys = head.keys_for(i, rows);
  std::fill_n(work.max.get(), rows, -std::numeric_limits<Score>::infinity());
  ScoreBlock<Score> b;
  for (int64_t j = 0; j < keys; j += work.cols) {
    b = head.block(work.s.get(), i, rows, j, std::min(work.cols, keys - j));
    b.max = work.max.get(), b.sum = work.sum.get(), b.y = y, b.ldy = ldy;
    softmax_block(b);
    add_values<T>(head.form, rows, head.V, b.cols, b.s, from_row(head.v, j), j > 0, y, ldy);
  }
  finish_block(b, lse);
  if (!weights) return;
  if (keys <= work.cols) return add_weights<Score>(b, b.sum, share, weights, head.S);
  for (int64_t j = 0; j < keys; j += work.cols) {
    b = head.block(work.s.get(), i, rows, j, std::min(work.cols, keys - j));
    weights_block<Score>(b, lse);
    add_weights<Score>(b, nullptr, share, weights + j, head.S);
  }
}
// Writes y (row stride ldy) in 16 bits, by way of f32.
template <class T>
requires kIs16Bit<T>
void attend(const Head<T>& head, const Blocks<float>& work, int64_t i, int64_t rows, T* y,
            int64_t ldy, float* lse, float* weights, float share) {
  const Scratch<float> wide(rows * head.V);
  attend<T, float>(head, work, i, rows, wide.get(), head.V, lse, weights, share);
  for (int64_t r = 0; r < rows; ++r) narrow(y + r * ldy, wide.get() + r * head.V, head.V);
}

template <class T>
void forward(const Out& y, const Out& lse, const Out& weights, const In& q, const In& k,
             const In& v, const In& mask, AttentionForm form) {
  using Score = opmath_t<T>;
  const int64_t N = q.sizes[0], H = q.sizes[1], L = q.sizes[2], S = k.sizes[2];
  const int64_t parts = (L + kQueries - 1) / kQueries;
  if (weights.defined()) std::fill_n(weights.as<Score>(), weights.numel, Score(0));
  const auto run = [&](int64_t n, int64_t h, int64_t i) {
    const Blocks<Score> work(L, S, false);
    Score* mean = weights.defined() ? weights.as<Score>() + (n * L + i) * S : nullptr;
    attend(Head<T>(q, k, v, mask, form, n, h), work, i, std::min(kQueries, L - i),
           head_of<T>(y, n, h) + i * y.strides[2], y.strides[2],
           lse.as<Score>() + (n * H + h) * L + i, mean, Score(1) / static_cast<Score>(H));
  };
  // Heads that add to one mean are processed in order.
  const int64_t together = weights.defined() ? H : 1, each = H / together;
  const int64_t unit = together * std::min(L, kQueries) * S * (q.sizes[3] + v.sizes[3]);
  parallel_for(0, N * each * parts, units_at_once(unit), [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u)
      for (int64_t t = 0; t < together; ++t)
        run(u / parts / each, u / parts % each + t, u % parts * kQueries);
  });
}

template <class T>
struct HeadGradients {
  T* gq;
  int64_t ldq;
  T* gk;
  int64_t ldk;
  T* gv;
  int64_t ldv;
};

template <class T>
void zero_rows(T* p, int64_t rows, int64_t width, int64_t stride) {
  for (int64_t i = 0; i < rows; ++i) std::fill_n(p + i * stride, width, T(0));
}

template <class T>
void attend_backward(const Head<T>& head, const Blocks<T>& work, const HeadGradients<T>& g,
                     MatrixIn<T> gy, MatrixIn<T> y, const T* lse) {
  zero_rows(g.gk, head.S, head.E, g.ldk);
  zero_rows(g.gv, head.S, head.V, g.ldv);
  T *p = work.s.get(), *gs = work.gs.get(), *delta = work.sum.get();
  for (int64_t i = 0; i < head.L; i += work.rows) {
    const int64_t rows = std::min(work.rows, head.L - i), keys = head.keys_for(i, rows);
    const MatrixIn<T> gyi = from_row(gy, i);
    delta_of<T>(delta, gyi, from_row(y, i), rows, head.V);
    for (int64_t j = 0; j < keys; j += work.cols) {
      const int64_t cols = std::min(work.cols, keys - j);
      weights_block<T>(head.block(p, i, rows, j, cols), lse + i);
      const MatrixIn<T> weights{p, cols, 1}, gscores{gs, cols, 1};
      product<T>(head.form, cols, head.V, rows, T(1), weights.transposed(), gyi, true,
                 g.gv + j * g.ldv, g.ldv);
      product<T>(head.form, rows, cols, head.V, T(1), gyi, from_row(head.v, j).transposed(), false,
                 gs, cols);
      scores_gradient<T>(gs, p, delta, static_cast<T>(head.form.scale), rows, cols);
      product<T>(head.form, rows, head.E, cols, T(1), gscores, from_row(head.k, j), j > 0,
                 g.gq + i * g.ldq, g.ldq);
      product<T>(head.form, cols, head.E, rows, T(1), gscores.transposed(), from_row(head.q, i),
                 true, g.gk + j * g.ldk, g.ldk);
    }
  }
}

}  // namespace

void attention(Out y, Out lse, Out weights, In q, In k, In v, In mask, AttentionForm form) {
  switch_dtype<dtypes::Floating>(y.dtype, "attention", [&]<class scalar_t>() {
    forward<scalar_t>(y, lse, weights, q, k, v, mask, form);
  });
}

void attention_backward(Out gq, Out gk, Out gv, In gy, In y, In lse, In q, In k, In v, In mask,
                        AttentionForm form) {
  const int64_t N = q.sizes[0], H = q.sizes[1], L = q.sizes[2], S = k.sizes[2];
  switch_dtype<dtypes::Float>(y.dtype, "attention_backward", [&]<class T>() {
    const int64_t unit = L * S * (3 * q.sizes[3] + 2 * v.sizes[3]);
    parallel_for(0, N * H, units_at_once(unit), [&](int64_t begin, int64_t end) {
      const Blocks<T> work(L, S, true);
      for (int64_t u = begin; u < end; ++u) {
        const int64_t n = u / H, h = u % H;
        attend_backward<T>(Head<T>(q, k, v, mask, form, n, h), work,
                           {head_of<T>(gq, n, h), gq.strides[2], head_of<T>(gk, n, h),
                            gk.strides[2], head_of<T>(gv, n, h), gv.strides[2]},
                           head_of<T>(gy, n, h), head_of<T>(y, n, h), lse.as<T>() + u * L);
      }
    });
  });
}

}  // namespace torch::taper::cpu
