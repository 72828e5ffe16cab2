#include <cmath>
#include <vector>

#include <taper/framework/cuda/gemm.h>
#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/sequence/rnn_kernels.h>

namespace torch::taper::cuda {
namespace {

template <class T>
TAPER_DEVICE T gate_sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

/// Computes the gates of one time, with one thread per hidden unit of each row. See rnn_kernels.h.
/// `part` is the hidden part of the gates without its bias.
template <class T>
struct Gates {
  RnnMode mode;
  int64_t hidden;
  T* gates;
  const T *part, *bias;
  T *extra, *y, *h, *c;

  TAPER_DEVICE T hidden_part(int64_t row, int64_t gate, int64_t j, int64_t count) const {
    const int64_t at = gate * hidden + j;
    return part[row * count * hidden + at] + (bias ? bias[at] : T(0));
  }
  TAPER_DEVICE T plain(int64_t row, int64_t j) const {
    const T v = gates[row * hidden + j] + hidden_part(row, 0, j, 1);
    return mode == RnnMode::kTanh ? std::tanh(v) : v < 0 ? T(0) : v;
  }
  TAPER_DEVICE T lstm(int64_t row, int64_t j, int64_t i) const {
    T* g = gates + row * 4 * hidden + j;
    const T in = gate_sigmoid(g[0] + hidden_part(row, 0, j, 4));
    const T forget = gate_sigmoid(g[hidden] + hidden_part(row, 1, j, 4));
    const T cell = std::tanh(g[2 * hidden] + hidden_part(row, 2, j, 4));
    const T out = gate_sigmoid(g[3 * hidden] + hidden_part(row, 3, j, 4));
    g[0] = in, g[hidden] = forget, g[2 * hidden] = cell, g[3 * hidden] = out;
    c[i] = extra[i] = forget * c[i] + in * cell;
    return out * std::tanh(c[i]);
  }
  TAPER_DEVICE T gru(int64_t row, int64_t j, int64_t i) const {
    T* g = gates + row * 3 * hidden + j;
    const T reset = gate_sigmoid(g[0] + hidden_part(row, 0, j, 3));
    const T update = gate_sigmoid(g[hidden] + hidden_part(row, 1, j, 3));
    extra[i] = hidden_part(row, 2, j, 3);
    const T fresh = std::tanh(g[2 * hidden] + reset * extra[i]);
    g[0] = reset, g[hidden] = update, g[2 * hidden] = fresh;
    return fresh + update * (h[i] - fresh);
  }
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / hidden, j = i - row * hidden;
    y[i] = mode == RnnMode::kLstm  ? lstm(row, j, i)
           : mode == RnnMode::kGru ? gru(row, j, i)
                                   : plain(row, j);
    h[i] = y[i];
  }
};

template <class T>
struct GatesBackward {
  RnnMode mode;
  int64_t hidden;
  T *gx, *gp, *before;
  T *gh, *gc;
  const T *gy, *gates, *extra, *y;
  int64_t known;
  const T *y_known, *h_first, *c_known, *c_first;

  TAPER_DEVICE T start(const T* from, const T* first, int64_t row, int64_t i) const {
    return row < known ? from[i] : first[i];
  }
  TAPER_DEVICE void lstm(int64_t row, int64_t j, int64_t i, T dh) const {
    const T* g = gates + row * 4 * hidden + j;
    T* d = gx + row * 4 * hidden + j;
    const T in = g[0], forget = g[hidden], cell = g[2 * hidden], out = g[3 * hidden];
    const T t = std::tanh(extra[i]), dc = gc[i] + dh * out * (1 - t * t);
    d[0] = dc * cell * in * (1 - in);
    d[hidden] = dc * start(c_known, c_first, row, i) * forget * (1 - forget);
    d[2 * hidden] = dc * in * (1 - cell * cell);
    d[3 * hidden] = dh * t * out * (1 - out);
    gc[i] = dc * forget;
  }
  TAPER_DEVICE void gru(int64_t row, int64_t j, int64_t i, T dh) const {
    const T* g = gates + row * 3 * hidden + j;
    T *d = gx + row * 3 * hidden + j, *p = gp + row * 3 * hidden + j;
    const T reset = g[0], update = g[hidden], fresh = g[2 * hidden];
    const T dn = dh * (1 - update) * (1 - fresh * fresh);
    d[0] = p[0] = dn * extra[i] * reset * (1 - reset);
    d[hidden] = p[hidden] = dh * (before[i] - fresh) * update * (1 - update);
    d[2 * hidden] = dn;
    p[2 * hidden] = dn * reset;
    gh[i] = dh * update;
  }
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / hidden, j = i - row * hidden;
    before[i] = start(y_known, h_first, row, i);
    const T dh = gh[i] + (gy ? gy[i] : T(0));
    if (mode == RnnMode::kLstm)
      lstm(row, j, i, dh);
    else if (mode == RnnMode::kGru)
      gru(row, j, i, dh);
    else
      gx[i] = mode == RnnMode::kTanh ? dh * (1 - y[i] * y[i]) : y[i] > 0 ? dh : T(0);
  }
};

template <class T>
T* at(T* p, int64_t row, int64_t width) {
  return p ? p + row * width : nullptr;
}

/// Computes part (n x G) = h (n x H) W^T for the rows of one time. By columns, part^T = W h^T.
void hidden_product(ScalarType dtype, int64_t n, int64_t hidden, int64_t width, const void* w,
                    const void* h, void* part) {
  run_gemm(
      {dtype, true, false, width, n, hidden, 1, 0, w, hidden, 0, h, hidden, 0, part, width, 0, 1});
}
/// Computes gh (n x H) = g (n x G) W, or += if beta is 1.
void hidden_product_backward(ScalarType dtype, int64_t n, int64_t hidden, int64_t width,
                             const void* w, const void* g, double beta, void* gh) {
  run_gemm({dtype, false, false, hidden, n, width, 1, beta, w, hidden, 0, g, width, 0, gh, hidden,
            0, 1});
}

}  // namespace

// Each time is a product and a kernel. The host runs ahead of both.
void rnn_forward(RnnPlan plan, InOut gates, Out extra, Out y, InOut h, InOut c, In w_hh, In b_hh) {
  const int64_t H = h.sizes[1], G = gates_of(plan.mode) * H;
  if (y.numel == 0) return;
  switch_dtype<dtypes::Float>(y.dtype, "rnn", [&]<class T>() {
    const Scratch<T> part(h.sizes[0] * G);
    for (const RnnStep& s : steps_of(plan)) {
      if (s.n == 0) continue;
      hidden_product(y.dtype, s.n, H, G, w_hh.data, h.data, part.get());
      for_each(s.n * H, Gates<T>{plan.mode, H, at(gates.as<T>(), s.row, G), part.get(),
                                 static_cast<const T*>(b_hh.data), at(extra.as<T>(), s.row, H),
                                 at(y.as<T>(), s.row, H), h.as<T>(), c.as<T>()});
    }
  });
}

void rnn_backward(RnnPlan plan, Out gx, Out gp, Out before, InOut gh, InOut gc, In gy, In gates,
                  In extra, In y, In w_hh, In h0, In c0) {
  const int64_t H = gh.sizes[1], G = gates_of(plan.mode) * H;
  if (y.numel == 0) return;
  const std::vector<RnnStep> steps = steps_of(plan);
  switch_dtype<dtypes::Float>(y.dtype, "rnn_backward", [&]<class T>() {
    const auto rows = [](const In& x, int64_t row, int64_t width) {
      return at(static_cast<const T*>(x.data), row, width);
    };
    for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
      if (s->n == 0) continue;
      T *d = at(gx.as<T>(), s->row, G), *p = at(gp.as<T>(), s->row, G);
      for_each(s->n * H,
               GatesBackward<T>{plan.mode, H, d, p, at(before.as<T>(), s->row, H), gh.as<T>(),
                                gc.as<T>(), rows(gy, s->row, H), rows(gates, s->row, G),
                                rows(extra, s->row, H), rows(y, s->row, H), s->known,
                                rows(y, s->before, H), rows(h0, 0, H), rows(extra, s->before, H),
                                rows(c0, 0, H)});
      hidden_product_backward(y.dtype, s->n, H, G, w_hh.data, p ? p : d,
                              plan.mode == RnnMode::kGru ? 1 : 0, gh.data);
    }
  });
}

}  // namespace torch::taper::cuda
