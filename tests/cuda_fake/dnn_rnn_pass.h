// What the fake of recurrent layers (dnn_rnn.h) computes: stacks over a packed batch, forward and
// backward from their definition, in double.
#pragma once

#include "cuda_fake/dnn_layers.h"

struct cudnnDropoutStruct {
  bool is_set = false;
};
/// Rows of a batch of sequences, the longest first.
struct cudnnRNNDataStruct {
  cudnnDataType_t type{};
  int longest = 0, batch = 0, width = 0;
  std::vector<int> lengths{};

  bool goes_with(const cudnnRNNDataStruct& o) const {
    return type == o.type && longest == o.longest && lengths == o.lengths;
  }
  int64_t rows() const {
    int64_t n = 0;
    for (int length : lengths) n += length;
    return n;
  }
  /// The row of a sequence at a time: before it are all rows of earlier times.
  int64_t row(int sequence, int time) const {
    int64_t before = sequence;
    for (int length : lengths) before += std::min(length, time);
    return before;
  }
};
struct cudnnRNNStruct {
  cudnnRNNMode_t mode{};
  bool has_biases = false;
  int directions = 1, input = 0, hidden = 0, output = 0, layers = 0;
  cudnnDataType_t type{};

  bool is_set() const { return layers > 0; }
  bool projects() const { return output != hidden; }
  int count() const { return layers * directions; }
  int gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
  int linears() const { return 2 * gates() + (projects() ? 1 : 0); }
  /// Columns of the input of a layer.
  int width(int layer) const { return layer < directions ? input : directions * output; }
};

namespace fake_cuda::rnn {

using layers::bytes_of;
using layers::Numbers;
using layers::numbers_of;
using Stack = cudnnRNNStruct;
using Rows = cudnnRNNDataStruct;

// ---------------------------------------------------------------------- weights
/// A matrix or bias, where it lies in the weights.
struct Piece {
  int64_t at = 0;
  int rows = 0, columns = 0;
};
/// All matrices of a layer in one direction, then its biases; each begins at four elements.
class Weights {
 public:
  explicit Weights(const Stack& s) : linears_(s.linears()) {
    for (int layer = 0; layer < s.count(); ++layer) {
      for (int i = 0; i < linears_; ++i) {
        const bool is_projection = i == 2 * s.gates();
        add(matrices_, is_projection ? s.output : s.hidden,
            is_projection   ? s.hidden
            : i < s.gates() ? s.width(layer)
                            : s.output);
      }
      for (int i = 0; i < linears_; ++i)
        add(biases_, s.has_biases && i < 2 * s.gates() ? s.hidden : 0, 1);
    }
  }
  const Piece& matrix(int layer, int linear) const { return matrices_[at(layer, linear)]; }
  /// Without rows where there is none.
  const Piece& bias(int layer, int linear) const { return biases_[at(layer, linear)]; }
  int64_t numel() const { return end_; }

 private:
  size_t at(int layer, int linear) const { return static_cast<size_t>(layer * linears_ + linear); }
  void add(std::vector<Piece>& to, int rows, int columns) {
    to.push_back({end_, rows, columns});
    end_ += (int64_t{rows} * columns + 3) / 4 * 4;
  }
  int linears_;
  std::vector<Piece> matrices_, biases_;
  int64_t end_ = 0;
};

// ---------------------------------------------------------------------- what is kept
/// What is kept of a row of a layer: its gates, which backward replaces by their gradients; a
/// vector of the cell (an LSTM's cell, then its output before the projection; a GRU's recurrent
/// part of the new state, then its gradient); the output, and its gradient.
class Kept {
 public:
  /// In front of it all, what was done last.
  enum State { kForward = 4711, kBackward };
  Kept(const Stack& s, int64_t rows, double* at) : s_(s), rows_(rows), at_(at) {}
  static size_t nbytes(const Stack& s, int64_t rows) {
    return static_cast<size_t>(1 + s.count() * rows * each(s)) * sizeof(double);
  }
  void enter(State state) const { at_[0] = static_cast<double>(state); }
  bool is_in(State state) const { return at_[0] == static_cast<double>(state); }
  double* gates(int layer, int64_t row) const { return at_ + 1 + (layer * rows_ + row) * each(s_); }
  double* cell(int layer, int64_t row) const { return gates(layer, row) + s_.gates() * s_.hidden; }
  double* output(int layer, int64_t row) const { return cell(layer, row) + s_.hidden; }
  double* gradient(int layer, int64_t row) const { return output(layer, row) + s_.output; }

 private:
  static int64_t each(const Stack& s) { return (s.gates() + 1) * s.hidden + 2 * s.output; }
  const Stack& s_;
  int64_t rows_;
  double* at_;
};

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A pass over a batch: what is read as numbers, and the steps.
struct Pass {
  Stack s;
  Rows rows;
  Weights place;
  Kept kept;
  Numbers weights, x, h, c, y;  // h and c: the first states; y: where it is read back

  Pass(const Stack& stack, const Rows& r, double* at)
      : s(stack), rows(r), place(s), kept(s, r.rows(), at) {}

  // ---------------------------------------------------------------- reading
  double weight(const Piece& p, int i, int k) const {
    return weights[static_cast<size_t>(p.at + int64_t{i} * p.columns + k)];
  }
  double bias(int layer, int linear, int i) const {
    const Piece& p = place.bias(layer, linear);
    return p.rows ? weight(p, i, 0) : 0;
  }
  /// Of a state of all layers.
  size_t at(int layer, int sequence, int width) const {
    return static_cast<size_t>((int64_t{layer} * rows.batch + sequence) * width);
  }
  Numbers state(const Numbers& all, int layer, int sequence, int width) const {
    const auto from = all.begin() + static_cast<int64_t>(at(layer, sequence, width));
    return {from, from + width};
  }
  Numbers input(int layer, int64_t row) const {
    const int width = s.width(layer);
    Numbers v(static_cast<size_t>(width));
    for (int k = 0; k < width; ++k)
      v[static_cast<size_t>(k)] =
          layer < s.directions
              ? x[static_cast<size_t>(row * width + k)]
              : kept.output((layer / s.directions - 1) * s.directions + k / s.output,
                            row)[k % s.output];
    return v;
  }
  /// Of the last layer it is the caller's copy.
  Numbers output(int layer, int64_t row) const {
    const double* from = kept.output(layer, row);
    const int last = layer - (s.count() - s.directions);
    if (!y.empty() && last >= 0)
      from = &y[static_cast<size_t>((row * s.directions + last) * s.output)];
    return {from, from + s.output};
  }
  /// The rows of a sequence in the order of the layer's direction.
  std::vector<int64_t> path(int layer, int sequence) const {
    std::vector<int64_t> r;
    for (int t = 0; t < rows.lengths[static_cast<size_t>(sequence)]; ++t)
      r.push_back(rows.row(sequence, t));
    if (layer % s.directions == 1) std::reverse(r.begin(), r.end());
    return r;
  }
  template <class F>
  void each_sequence(const F& f) const {
    for (int n = 0; n < rows.batch; ++n) f(n);
  }

  // ---------------------------------------------------------------- forward
  /// A linear layer and its bias.
  Numbers linear(int layer, int i, const Numbers& v) const {
    const Piece& m = place.matrix(layer, i);
    Numbers to(static_cast<size_t>(m.rows));
    for (int r = 0; r < m.rows; ++r) {
      double sum = bias(layer, i, r);
      for (int k = 0; k < m.columns; ++k) sum += weight(m, r, k) * v[static_cast<size_t>(k)];
      to[static_cast<size_t>(r)] = sum;
    }
    return to;
  }
  /// One step: h and c become the next.
  void step(int layer, int64_t row, Numbers& h_now, Numbers& c_now) const {
    const Numbers from = input(layer, row);
    std::vector<Numbers> in, back;
    for (int g = 0; g < s.gates(); ++g) {
      in.push_back(linear(layer, g, from));
      back.push_back(linear(layer, s.gates() + g, h_now));
    }
    double *const gate = kept.gates(layer, row), *const cell = kept.cell(layer, row);
    Numbers next(static_cast<size_t>(s.hidden));
    for (int j = 0; j < s.hidden; ++j) {
      const auto k = static_cast<size_t>(j);
      const auto sum = [&](size_t g) { return in[g][k] + back[g][k]; };
      const auto set = [&](int g, double v) { return gate[g * s.hidden + j] = v; };
      if (s.mode == CUDNN_LSTM) {
        const double i = set(0, sigmoid(sum(0))), f = set(1, sigmoid(sum(1))),
                     g = set(2, std::tanh(sum(2))), o = set(3, sigmoid(sum(3)));
        cell[j] = c_now[k] = f * c_now[k] + i * g;
        next[k] = o * std::tanh(cell[j]);
      } else if (s.mode == CUDNN_GRU) {
        const double r = set(0, sigmoid(sum(0))), z = set(1, sigmoid(sum(1)));
        cell[j] = back[2][k];
        const double n = set(2, std::tanh(in[2][k] + r * cell[j]));
        next[k] = (1 - z) * n + z * h_now[k];
      } else {
        next[k] = set(0, s.mode == CUDNN_RNN_TANH ? std::tanh(sum(0)) : std::max(sum(0), 0.0));
      }
    }
    h_now = s.projects() ? linear(layer, 2 * s.gates(), next) : next;
    std::copy(h_now.begin(), h_now.end(), kept.output(layer, row));
  }
  /// h and c become the last states.
  void forward() {
    for (int layer = 0; layer < s.count(); ++layer)
      each_sequence([&](int n) {
        Numbers h_now = state(h, layer, n, s.output), c_now;
        if (s.mode == CUDNN_LSTM) c_now = state(c, layer, n, s.hidden);
        for (int64_t row : path(layer, n)) step(layer, row, h_now, c_now);
        std::copy(h_now.begin(), h_now.end(), &h[at(layer, n, s.output)]);
        if (!c_now.empty()) std::copy(c_now.begin(), c_now.end(), &c[at(layer, n, s.hidden)]);
      });
    kept.enter(Kept::kForward);
  }
  /// What the last layer gives.
  Numbers outputs() const {
    Numbers all;
    for (int64_t row = 0; row < rows.rows(); ++row)
      for (int d = 0; d < s.directions; ++d) {
        const double* const from = kept.output(s.count() - s.directions + d, row);
        all.insert(all.end(), from, from + s.output);
      }
    return all;
  }

  // ---------------------------------------------------------------- backward
  /// to += the matrix, transposed, times v.
  void add_transposed(Numbers& to, size_t from, int layer, int i, const double* v) const {
    const Piece& m = place.matrix(layer, i);
    for (int r = 0; r < m.rows; ++r)
      for (int k = 0; k < m.columns; ++k)
        to[from + static_cast<size_t>(k)] += weight(m, r, k) * v[r];
  }
  /// Gates become the gradients of their sums. gh: of the output, then of the state before; gc: of
  /// the cell, then of the one before.
  void step_back(int layer, int64_t row, const Numbers& h_before, const double* c_before,
                 Numbers& gh, Numbers& gc) const {
    double *const gate = kept.gates(layer, row), *const cell = kept.cell(layer, row);
    Numbers g_next = gh, before(static_cast<size_t>(s.output));
    std::copy(gh.begin(), gh.end(), kept.gradient(layer, row));
    if (s.projects()) {
      g_next.assign(static_cast<size_t>(s.hidden), 0);
      add_transposed(g_next, 0, layer, 2 * s.gates(), gh.data());
    }
    for (int j = 0; j < s.hidden; ++j) {
      const auto k = static_cast<size_t>(j);
      const auto value = [&](int g) -> double& { return gate[g * s.hidden + j]; };
      const double d = g_next[k];
      if (s.mode == CUDNN_LSTM) {
        const double i = value(0), f = value(1), g = value(2), o = value(3), t = std::tanh(cell[j]);
        const double dc = gc[k] + d * o * (1 - t * t);
        value(0) = dc * g * i * (1 - i);
        value(1) = dc * c_before[j] * f * (1 - f);
        value(2) = dc * i * (1 - g * g);
        value(3) = d * t * o * (1 - o);
        gc[k] = dc * f;
        cell[j] = o * t;
      } else if (s.mode == CUDNN_GRU) {
        const double r = value(0), z = value(1), n = value(2), dn = d * (1 - z) * (1 - n * n);
        value(0) = dn * cell[j] * r * (1 - r);
        value(1) = d * (h_before[k] - n) * z * (1 - z);
        value(2) = dn;
        cell[j] = dn * r;
        before[k] = d * z;
      } else {
        const double v = value(0);
        value(0) = s.mode == CUDNN_RNN_TANH ? d * (1 - v * v) : v > 0 ? d : 0;
      }
    }
    for (int g = 0; g < s.gates(); ++g)
      add_transposed(before, 0, layer, s.gates() + g, recurrent(layer, row, g));
    gh = before;
  }
  /// The gradient of a gate's recurrent part.
  const double* recurrent(int layer, int64_t row, int g) const {
    return s.mode == CUDNN_GRU && g == 2 ? kept.cell(layer, row)
                                         : kept.gates(layer, row) + g * s.hidden;
  }
  Numbers h_before(int layer, const std::vector<int64_t>& p, size_t step, int n) const {
    return step == 0 ? state(h, layer, n, s.output) : output(layer, p[step - 1]);
  }
  /// gh and gc: of the last states, then of the first; what comes of gy for x.
  Numbers backward(Numbers gy, Numbers& gh, Numbers& gc) {
    for (int layer = s.count(); layer > 0; layer -= s.directions) {
      const int width = s.width(layer - 1);
      Numbers gx(static_cast<size_t>(rows.rows() * width));
      for (int d = 0; d < s.directions; ++d)
        each_sequence([&](int n) { back_along(layer - s.directions + d, n, gy, gx, gh, gc); });
      gy = gx;
    }
    kept.enter(Kept::kBackward);
    return gy;
  }
  void back_along(int layer, int n, const Numbers& gy, Numbers& gx, Numbers& gh,
                  Numbers& gc) const {
    const std::vector<int64_t> p = path(layer, n);
    const Numbers first_c = s.mode == CUDNN_LSTM ? state(c, layer, n, s.hidden) : Numbers();
    Numbers h_now = state(gh, layer, n, s.output), c_now;
    if (s.mode == CUDNN_LSTM) c_now = state(gc, layer, n, s.hidden);
    for (size_t i = p.size(); i-- > 0;) {
      const auto from =
          static_cast<size_t>((p[i] * s.directions + layer % s.directions) * s.output);
      for (size_t k = 0; k < h_now.size(); ++k) h_now[k] += gy[from + k];
      step_back(layer, p[i], h_before(layer, p, i, n),
                i == 0 ? first_c.data() : kept.cell(layer, p[i - 1]), h_now, c_now);
      for (int g = 0; g < s.gates(); ++g)
        add_transposed(gx, static_cast<size_t>(p[i] * s.width(layer)), layer, g,
                       kept.gates(layer, p[i]) + g * s.hidden);
    }
    std::copy(h_now.begin(), h_now.end(), &gh[at(layer, n, s.output)]);
    if (!c_now.empty()) std::copy(c_now.begin(), c_now.end(), &gc[at(layer, n, s.hidden)]);
  }
  /// The weights' gradients are added to gw.
  void add_weights(Numbers& gw) const {
    const auto add = [&](const Piece& m, const double* g, const Numbers& v) {
      for (int r = 0; r < m.rows; ++r)
        for (int k = 0; k < m.columns; ++k)
          gw[static_cast<size_t>(m.at + int64_t{r} * m.columns + k)] +=
              g[r] * v[static_cast<size_t>(k)];
    };
    for (int layer = 0; layer < s.count(); ++layer)
      each_sequence([&](int n) {
        const std::vector<int64_t> p = path(layer, n);
        for (size_t i = 0; i < p.size(); ++i) {
          const Numbers from = input(layer, p[i]), before = h_before(layer, p, i, n);
          for (int g = 0; g < s.gates(); ++g) {
            const double* const in = kept.gates(layer, p[i]) + g * s.hidden;
            const double* const back = recurrent(layer, p[i], g);
            add(place.matrix(layer, g), in, from);
            add(place.bias(layer, g), in, {1});
            add(place.matrix(layer, s.gates() + g), back, before);
            add(place.bias(layer, s.gates() + g), back, {1});
          }
          const double* const cell = kept.cell(layer, p[i]);
          if (s.projects())
            add(place.matrix(layer, 2 * s.gates()), kept.gradient(layer, p[i]),
                {cell, cell + s.hidden});
        }
      });
  }
};

}  // namespace fake_cuda::rnn
