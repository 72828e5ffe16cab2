// A recurrent network (LSTM) whose weights are diagonal, and the loss of its predictions of a text.
#pragma once

#include <torch/func.h>

#include "protocol.h"

/// Returns the hidden states (T, H) of a layer for its inputs (T, H). Two of the gates depend on
/// the input alone, so that they are computed for all times at once.
inline Tensor layer(const Tensor& weight, const Tensor& bias, const Tensor& state,
                    const Tensor& x) {
  const auto w = weight.view({4, -1}).unbind(), b = bias.view({4, -1}).unbind();
  const auto forget = (x * w[0] + b[0]).sigmoid().unbind();
  const auto out = (x * w[2] + b[2]).sigmoid().unbind();
  Tensor hidden = state[0], cell = state[1];
  Tensors all;
  for (size_t t = 0; t < forget.size(); ++t) {
    const Tensor in = torch::addcmul(b[1], hidden, w[1]).sigmoid();
    const Tensor change = torch::addcmul(b[3], hidden, w[3]).tanh();
    cell = torch::addcmul(cell * forget[t], in, change);
    hidden = out[t] * cell.tanh();
    all.push_back(hidden);
  }
  return torch::stack(all);
}

/// Returns the loss for the parameters of layers (2 L, 4 H) and of the text (3, H), the first
/// states (2 L, H) and a text (T + 1, H).
inline Tensor text_loss(const Tensor& layers, const Tensor& of_text, const Tensor& state,
                        const Tensor& text) {
  Tensor x = text.slice(0, 0, -1) * of_text[0];
  for (int64_t i = 0; i < layers.size(0); i += 2)
    x = layer(layers[i], layers[i + 1], state.slice(0, i, i + 2), x);
  const Tensor y = x * of_text[1] + of_text[2], next = text.slice(0, 1);
  const Tensor log_probability = y - (y.exp().sum(1, true) + 2).log();
  return -(next * log_probability).mean();
}

inline Module lstm() {
  const auto prepare = [](const Json& in, bool gradient) {
    const Tensor text = numbers(in, "sequence", {-1, -1}), state = numbers(in, "state", {-1, -1});
    const int64_t h = text.size(1);
    const Tensor layers = numbers(in, "main_params", {state.size(0), 4 * h});
    const Tensor of_text = numbers(in, "extra_params", {3, h});
    if (!gradient) return evaluation(text_loss, layers, of_text, state, text);
    const auto f = [](const auto&... args) {
      const auto [a, b] = torch::func::grad<0, 1>(text_loss)(args...);
      return torch::cat({a.flatten(), b.flatten()});
    };
    return evaluation(f, layers, of_text, state, text);
  };
  return {{"objective", [=](const Json& in) { return prepare(in, false); }},
          {"jacobian", [=](const Json& in) { return prepare(in, true); }}};
}
