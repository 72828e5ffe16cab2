#include <taper/ops/sequence/rnn.h>

#include <gtest/gtest.h>

#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/taper.h>

#include "harness/samples.h"

namespace torch::taper::testing {
namespace {

using Shape = std::vector<int64_t>;
enum Mode { kTanhMode, kReluMode, kLstmMode, kGruMode };
constexpr const char* kNames[] = {"rnn_tanh", "rnn_relu", "lstm", "gru"};
constexpr int64_t kGates[] = {1, 1, 4, 3};

const Shape kPackedSizes{3, 2, 2, 1};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One sequence's next state, straight from the formulas. `b` as in ops/sequence/rnn.h; v(gate,
// unit) and p(gate, unit) are the inputs' and the hidden part.
struct Unit {
  double h, c;
};
template <class In, class Part>
Unit next(Mode mode, const In& v, const Part& p, int64_t j, Unit before) {
  const auto sum = [&](int64_t gate) { return v(gate, j) + p(gate, j); };
  if (mode == kTanhMode) return {std::tanh(sum(0)), 0};
  if (mode == kReluMode) return {std::max(sum(0), 0.0), 0};
  if (mode == kGruMode) {
    const double r = sigmoid(sum(0)), z = sigmoid(sum(1));
    const double n = std::tanh(v(2, j) + r * p(2, j));
    return {(1 - z) * n + z * before.h, 0};
  }
  const double c = sigmoid(sum(1)) * before.c + sigmoid(sum(0)) * std::tanh(sum(2));
  return {sigmoid(sum(3)) * std::tanh(c), c};
}

/// W x + b for one row of x, by gates.
struct Affine {
  const Array &w, *b;
  const double* x;
  int64_t hidden;
  double operator()(int64_t gate, int64_t j) const {
    const int64_t row = gate * hidden + j, width = w.size(1);
    double sum = b ? b->v[static_cast<size_t>(row)] : 0;
    for (int64_t k = 0; k < width; ++k) sum += w.v[static_cast<size_t>(row * width + k)] * x[k];
    return sum;
  }
};

/// One layer over packed rows, i = {packed, directions, biases}: x, h, (c), then the parameters.
Arrays reference(Mode mode, const ArrayArgs& a) {
  const bool packed = a.i[0] != 0, biases = a.i[2] != 0;
  const int64_t directions = a.i[1];
  const Array& x = a.t[0];
  const int64_t N = a.t[1].size(1), H = a.t[1].size(2), D = x.size(-1);
  const Shape sizes = packed ? kPackedSizes : Shape(static_cast<size_t>(x.size(0)), N);
  Shape y_sizes = x.sizes;
  y_sizes.back() = H * directions;
  Array y(y_sizes), h = a.t[1], c = mode == kLstmMode ? a.t[2] : Array(h.sizes);
  std::vector<int64_t> first{0};
  for (int64_t n : sizes) first.push_back(first.back() + n);
  for (int64_t d = 0; d < directions; ++d) {
    const Array* w = &a.t[(mode == kLstmMode ? 3 : 2) + static_cast<size_t>(d * (biases ? 4 : 2))];
    for (size_t k = 0; k < sizes.size(); ++k) {
      const size_t t = d == 0 ? k : sizes.size() - 1 - k;
      for (int64_t i = 0; i < sizes[t]; ++i) {
        double* state = h.v.data() + (d * N + i) * H;
        double* cell = c.v.data() + (d * N + i) * H;
        const std::vector<double> old(state, state + H);
        const Affine v{w[0], biases ? w + 2 : nullptr, x.v.data() + (first[t] + i) * D, H};
        const Affine p{w[1], biases ? w + 3 : nullptr, old.data(), H};
        for (int64_t j = 0; j < H; ++j) {
          const Unit u = next(mode, v, p, j, {old[static_cast<size_t>(j)], cell[j]});
          state[j] = u.h;
          cell[j] = u.c;
          y.v[static_cast<size_t>(((first[t] + i) * directions + d) * H + j)] = u.h;
        }
      }
    }
  }
  if (mode != kLstmMode) return {y, h};
  return {y, h, c};
}

Tensor packed_sizes() {
  Array a(Shape{static_cast<int64_t>(kPackedSizes.size())});
  for (size_t i = 0; i < kPackedSizes.size(); ++i) a.v[i] = static_cast<double>(kPackedSizes[i]);
  return to_tensor(a, kLong);
}

Results run(Mode mode, const Args& a) {
  const bool packed = a.i[0] != 0, two = a.i[1] == 2, biases = a.i[2] != 0;
  const auto rest = [&](size_t from) { return std::vector<Tensor>(a.t.begin() + from, a.t.end()); };
  if (mode == kLstmMode) {
    const std::vector<Tensor> hx{a.t[1], a.t[2]}, params = rest(3);
    const auto [y, h, c] = packed
                               ? lstm(a.t[0], packed_sizes(), hx, params, biases, 1, 0, false, two)
                               : lstm(a.t[0], hx, params, biases, 1, 0, false, two, false);
    return std::vector<Tensor>{y, h, c};
  }
  const std::vector<Tensor> params = rest(2);
  const auto go = [&](auto f, auto g) {
    const auto [y, h] = packed ? g(a.t[0], packed_sizes(), a.t[1], params, biases, 1, 0, false, two)
                               : f(a.t[0], a.t[1], params, biases, 1, 0, false, two, false);
    return std::vector<Tensor>{y, h};
  };
  using F = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, TensorList, bool, int64_t,
                                           double, bool, bool, bool);
  using G = std::tuple<Tensor, Tensor> (*)(const Tensor&, const Tensor&, const Tensor&, TensorList,
                                           bool, int64_t, double, bool, bool);
  if (mode == kGruMode) return go(static_cast<F>(gru), static_cast<G>(gru));
  if (mode == kTanhMode) return go(static_cast<F>(rnn_tanh), static_cast<G>(rnn_tanh));
  return go(static_cast<F>(rnn_relu), static_cast<G>(rnn_relu));
}

struct Form {
  int64_t T, N, D, H;
  bool packed;
  int64_t directions;
  bool biases;
};
const std::vector<Form> kForms{
    {3, 2, 2, 3, false, 1, true}, {2, 3, 1, 2, false, 2, true},   {3, 2, 2, 2, false, 1, false},
    {4, 3, 2, 2, true, 1, true},  {4, 3, 1, 2, true, 2, true},    {1, 1, 1, 1, false, 1, true},
    {2, 0, 2, 3, false, 1, true}, {3, 17, 5, 33, false, 1, true}, {5, 2, 33, 65, false, 2, true}};

Args sample(Mode mode, const Form& f, ScalarType dtype) {
  std::vector<Shape> sizes{f.packed ? Shape{8, f.D} : Shape{f.T, f.N, f.D}};
  for (int states = mode == kLstmMode ? 2 : 1; states > 0; --states)
    sizes.push_back({f.directions, f.N, f.H});
  const int64_t G = kGates[mode] * f.H;
  for (int64_t d = 0; d < f.directions; ++d) {
    sizes.push_back({G, f.D});
    sizes.push_back({G, f.H});
    if (!f.biases) continue;
    sizes.push_back({G});
    sizes.push_back({G});
  }
  // Large states with large weights would be chaotic.
  const Range range = f.H > 8 ? Range{-0.2, 0.2} : Range{-1, 1};
  return sample_of(sizes, dtype, range, {f.packed, f.directions, f.biases});
}

OpCase rnn_case(Mode mode) {
  OpCase c;
  c.name = kNames[mode];
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [mode](ScalarType dtype) {
    std::vector<Args> list;
    for (const Form& f : kForms) list.push_back(sample(mode, f, dtype));
    return list;
  };
  c.call = [mode](const Args& a) { return run(mode, a); };
  c.reference = [mode](const ArrayArgs& a) { return reference(mode, a); };
  const auto broken = [mode](size_t which, Shape sizes, ScalarType dtype = kFloat) {
    return [=] {
      Args a = sample(mode, kForms[0], kFloat);
      a.t[which] = to_tensor(Array(sizes), dtype);
      run(mode, a);
    };
  };
  c.errors = {
      error<Error>("expected an input of 3 dimensions, got [2, 2]", broken(0, {2, 2})),
      error<Error>("mat1 and mat2 shapes cannot be multiplied (6x5 and 2x", broken(0, {3, 2, 5})),
      error<Error>("expected states of 4 sequences, got [1, 2, 3]", broken(0, {3, 4, 2})),
      error<Error>("Expected sequence length to be larger than 0 in RNN", broken(0, {0, 2, 2})),
      error<Error>(mode == kLstmMode ? "expected a cell state" : "Expected more hidden states",
                   broken(1, {2, 2, 3})),
      error<Error>("must have the same dtype", broken(0, {3, 2, 2}, kDouble)),
      error<Error>("got an incorrect number of RNN parameters", [mode] {
        Args a = sample(mode, kForms[0], kFloat);
        a.t.pop_back();
        run(mode, a);
      })};
  return c;
}

TAPER_OP_CASES(rnn_cases, {
  return std::vector<OpCase>{rnn_case(kTanhMode), rnn_case(kReluMode), rnn_case(kLstmMode),
                             rnn_case(kGruMode)};
});

// A projection: the second of two layers takes what the first projects.
TEST(Rnn, ProjectionsHaveTwoDerivatives) {
  Random random(5);
  const auto make = [&](Shape sizes) {
    return random_tensor(sizes, kDouble, {-1, 1}, random).requires_grad_();
  };
  const Tensor x = make({3, 2, 2}), h = make({1, 2, 2}), c = make({1, 2, 3});
  const std::vector<Tensor> params{make({12, 2}), make({12, 2}), make({12}), make({12}),
                                   make({2, 3})};
  const auto y = std::get<0>(lstm(x, {h, c}, params, true, 1, 0, false, false, false));
  EXPECT_EQ(y.sizes().vec(), (Shape{3, 2, 2}));
  const Tensor g = autograd::grad({y.mul(y).sum()}, {x}, {}, true, true)[0];
  EXPECT_TRUE(autograd::grad({g.sum()}, {params[4]})[0].defined());
}

TEST(Rnn, PackedRowsAreChecked) {
  const Args a = sample(kGruMode, kForms[3], kFloat);
  const auto with_sizes = [&](std::vector<double> v) {
    Array sizes(Shape{static_cast<int64_t>(v.size())});
    sizes.v = std::move(v);
    const std::vector<Tensor> params(a.t.begin() + 2, a.t.end());
    gru(a.t[0], to_tensor(sizes, kLong), a.t[1], params, true, 1, 0, false, false);
  };
  EXPECT_NO_THROW(with_sizes({3, 2, 2, 1}));
  EXPECT_THROW(with_sizes({3, 2, 1}), Error);
  EXPECT_THROW(with_sizes({2, 3, 2, 1}), Error);
  EXPECT_THROW(with_sizes({3, 2, 3}), Error);
  EXPECT_THROW(with_sizes({2, 2, 2, 2}), Error);
  EXPECT_THROW(with_sizes({3, 3, 2, 0}), Error);
}

TEST(Rnn, OutputAndStatesCanBeDetachedInPlace) {
  Args a = sample(kLstmMode, kForms[0], kFloat);
  for (Tensor& t : a.t) t.requires_grad_();
  const Results y = run(kLstmMode, a);
  for (Tensor state : y) {
    EXPECT_FALSE(state.is_view());
    state.detach_();
    EXPECT_FALSE(state.requires_grad());
  }
}

// Results, then gradients, of one layer of `hidden` units over sequences; all operands of dtype t.
Results layer_of(Mode mode, ScalarType t, const std::vector<Tensor>& operands) {
  std::vector<Tensor> v;
  for (const Tensor& operand : operands) v.push_back(operand.to(t).detach().requires_grad_());
  const std::vector<Tensor> parameters(v.begin() + 3, v.end());
  const bool lstms = mode == kLstmMode;
  Results out;
  if (lstms) {
    const auto [y, h, c] = lstm(v[0], {v[1], v[2]}, parameters, true, 1, 0, true, false, false);
    out = {y, h, c};
  } else {
    const auto [y, h] = gru(v[0], v[1], parameters, true, 1, 0, true, false, false);
    out = {y, h};
  }
  Tensor loss = (out[0] * out[0]).sum() + out[1].sum();
  if (lstms) loss = loss + out[2].sum();
  loss.backward();
  for (size_t i = 0; i < v.size(); ++i)
    if (lstms || i != 2) out.push_back(v[i].grad());
  for (Tensor& y : out) y = y.detach().to(kFloat);
  return out;
}

// Of 16-bit floats states and gates are f32 from time to time; lengths that fill no tile.
TEST(Rnn, LayersOf16BitsAreNearThoseOfFloats) {
  for (const Mode mode : {kLstmMode, kGruMode})
    for (const ScalarType t : {kHalf, kBFloat16})
      for (const auto& [batch, hidden] : {std::pair<int64_t, int64_t>{3, 5}, {19, 37}, {34, 80}}) {
        manual_seed(5);
        const int64_t gates = kGates[mode], width = 11;
        std::vector<Tensor> operands = {randn({6, batch, width}), randn({1, batch, hidden}),
                                        randn({1, batch, hidden})};
        const std::vector<std::vector<int64_t>> parameters = {
            {gates * hidden, width}, {gates * hidden, hidden}, {gates * hidden}, {gates * hidden}};
        for (const auto& sizes : parameters)
          operands.push_back(randn(sizes) / std::sqrt(static_cast<double>(hidden)));
        for (Tensor& operand : operands) operand = operand.to(t).to(kFloat);
        const Results got = layer_of(mode, t, operands), want = layer_of(mode, kFloat, operands);
        const double unit = t == kHalf ? 0x1p-11 : 0x1p-8;
        for (size_t i = 0; i < want.size(); ++i) {
          const double error = (got[i] - want[i]).norm().item<double>();
          EXPECT_LE(error, 4 * unit * want[i].norm().item<double>())
              << kNames[mode] << " of " << toString(t) << ", " << hidden << " units, result " << i;
        }
      }
}

TEST(Rnn, ChangedWeightIsReportedAtBackward) {
  Args a = sample(kLstmMode, kForms[0], kFloat);
  for (Tensor& t : a.t) t.requires_grad_();
  const Results y = run(kLstmMode, a);
  {
    NoGradGuard no_grad;
    a.t[4].mul_(2);
  }
  EXPECT_THROW(y[0].sum().backward(), Error);
}

}  // namespace
}  // namespace torch::taper::testing
