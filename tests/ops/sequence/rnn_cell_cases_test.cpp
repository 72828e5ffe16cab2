// One step of a recurrent layer in the harness, from its formulas.
#include <taper/ops/sequence/rnn.h>

#include <cmath>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// x W^T + b, of sequence i and row k of the weights; no bias where `b` is null.
double affine(const Array& x, const Array& w, const Array* b, int64_t i, int64_t k) {
  double sum = b ? b->at({k}) : 0;
  for (int64_t d = 0; d < x.size(1); ++d) sum += x.at({i, d}) * w.at({k, d});
  return sum;
}

/// What a unit makes of its gates' sums over the input and over the state, and of its states.
struct Unit {
  std::vector<double> of_input, of_state;
  double h, c;
  double sum(size_t gate) const { return of_input[gate] + of_state[gate]; }
};

/// Tensors: the input, the states (one or two), w_ih, w_hh and, with biases, b_ih and b_hh.
Arrays stepped(const ArrayArgs& a, size_t states, int64_t gates,
               std::vector<double> (*f)(const Unit&)) {
  const Array &x = a.t[0], &h = a.t[1], *weights = &a.t[1 + states];
  const bool biases = a.t.size() == states + 5;
  Arrays next;
  for (size_t s = 0; s < states; ++s) next.push_back(Array(h.sizes));
  const int64_t H = h.size(1);
  for_each_index(h.sizes, [&](const std::vector<int64_t>& at) {
    Unit u{{}, {}, h.at(at), states > 1 ? a.t[2].at(at) : 0};
    for (int64_t g = 0; g < gates; ++g) {
      const int64_t row = g * H + at[1];
      u.of_input.push_back(affine(x, weights[0], biases ? weights + 2 : nullptr, at[0], row));
      u.of_state.push_back(affine(h, weights[1], biases ? weights + 3 : nullptr, at[0], row));
    }
    const std::vector<double> values = f(u);
    for (size_t s = 0; s < states; ++s) next[s].at(at) = values[s];
  });
  return next;
}

std::vector<double> lstm_unit(const Unit& u) {
  const double c = sigmoid(u.sum(1)) * u.c + sigmoid(u.sum(0)) * std::tanh(u.sum(2));
  return {sigmoid(u.sum(3)) * std::tanh(c), c};
}
std::vector<double> gru_unit(const Unit& u) {
  const double r = sigmoid(u.sum(0)), z = sigmoid(u.sum(1));
  const double n = std::tanh(u.of_input[2] + r * u.of_state[2]);
  return {(1 - z) * n + z * u.h};
}
std::vector<double> tanh_unit(const Unit& u) { return {std::tanh(u.sum(0))}; }
std::vector<double> relu_unit(const Unit& u) { return {std::max(u.sum(0), 0.0)}; }

struct Form {
  int64_t sequences, inputs, hidden;
  bool biases;
};
const Form kForms[] = {{2, 3, 2, true}, {3, 1, 2, false},  {1, 1, 1, true},
                       {0, 2, 3, true}, {5, 17, 33, true}, {17, 33, 9, false}};

Args sample(const Form& f, ScalarType t, size_t states, int64_t gates) {
  std::vector<std::vector<int64_t>> sizes{{f.sequences, f.inputs}};
  for (size_t s = 0; s < states; ++s) sizes.push_back({f.sequences, f.hidden});
  sizes.push_back({gates * f.hidden, f.inputs});
  sizes.push_back({gates * f.hidden, f.hidden});
  for (int k = 0; k < 2 * f.biases; ++k) sizes.push_back({gates * f.hidden});
  return sample_of(sizes, t, {-0.8, 0.8});
}

Results step(const std::string& name, const Args& a) {
  const auto& t = a.t;
  const size_t first = name == "lstm_cell" ? 3 : 2;
  const Tensor b_ih = t.size() > first + 2 ? t[first + 2] : Tensor();
  const Tensor b_hh = t.size() > first + 2 ? t[first + 3] : Tensor();
  if (name == "lstm_cell") {
    const auto [h, c] = lstm_cell(t[0], {t[1], t[2]}, t[3], t[4], b_ih, b_hh);
    return {h, c};
  }
  if (name == "gru_cell") return gru_cell(t[0], t[1], t[2], t[3], b_ih, b_hh);
  if (name == "rnn_tanh_cell") return rnn_tanh_cell(t[0], t[1], t[2], t[3], b_ih, b_hh);
  return rnn_relu_cell(t[0], t[1], t[2], t[3], b_ih, b_hh);
}

OpCase cell_case(const std::string& name, size_t states, int64_t gates,
                 std::vector<double> (*f)(const Unit&)) {
  OpCase c;
  c.name = name;
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  c.samples = [=](ScalarType t) {
    std::vector<Args> list;
    for (const Form& form : kForms) list.push_back(sample(form, t, states, gates));
    return list;
  };
  c.call = [name](const Args& a) { return step(name, a); };
  c.reference = [=](const ArrayArgs& a) { return stepped(a, states, gates, f); };
  c.tolerance = 4;
  // A sample of which one tensor is another.
  const auto broken = [=](size_t which, std::vector<int64_t> sizes, ScalarType t = kFloat) {
    return [=] {
      Args a = sample(kForms[0], kFloat, states, gates);
      a.t[which] = numbers(sizes, t);
      step(name, a);
    };
  };
  c.errors = {
      error<Error>("expected an input and a state with one row for each sequence, got "
                   "[3, 3] and [2, 2]",
                   broken(0, {3, 3})),
      error<Error>("one row for each sequence, got [3]", broken(0, {3})),
      error<Error>("mat1 and mat2 shapes cannot be multiplied (2x4 and 3x", broken(0, {2, 4})),
      error<Error>("must have the same dtype", broken(0, {2, 3}, kDouble))};
  return c;
}

TAPER_OP_CASES(cells, {
  OpCase lstm = cell_case("lstm_cell", 2, 4, &lstm_unit);
  lstm.errors.push_back(error<Error>("lstm_cell expects two hidden states", [] {
    lstm_cell(numbers({2, 3}), {numbers({2, 2})}, numbers({8, 3}), numbers({8, 2}));
  }));
  return std::vector<OpCase>{lstm, cell_case("gru_cell", 1, 3, &gru_unit),
                             cell_case("rnn_tanh_cell", 1, 1, &tanh_unit),
                             cell_case("rnn_relu_cell", 1, 1, &relu_unit)};
});

}  // namespace
}  // namespace torch::taper::testing
