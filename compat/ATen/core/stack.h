// torch::jit::Stack, and functions that push and pop its values.
#pragma once

#include <taper/extension/kernel.h>
#include <torch/names.h>

namespace torch {
namespace jit {

using taper::jit::Stack;

/// Returns value i of the last n values, counted from 0.
inline taper::IValue& peek(Stack& stack, size_t i, size_t n) {
  return stack.at(stack.size() - n + i);
}
inline const taper::IValue& peek(const Stack& stack, size_t i, size_t n) {
  return stack.at(stack.size() - n + i);
}
/// Returns the last n values.
inline at::ArrayRef<taper::IValue> last(const Stack& stack, size_t n) {
  return at::ArrayRef<taper::IValue>(stack.data() + (stack.size() - n), n);
}
inline void drop(Stack& stack, size_t n) { stack.resize(stack.size() - n); }
inline taper::IValue pop(Stack& stack) {
  taper::IValue value = std::move(stack.back());
  stack.pop_back();
  return value;
}
inline std::vector<taper::IValue> pop(Stack& stack, size_t n) {
  std::vector<taper::IValue> values(stack.end() - static_cast<ptrdiff_t>(n), stack.end());
  drop(stack, n);
  return values;
}
/// Pops sizeof...(T) values into `values`. The topmost value goes to the last argument.
template <class... T>
void pop(Stack& stack, T&... values) {
  size_t i = 0;
  ((values = peek(stack, i++, sizeof...(T)).template to<T>()), ...);
  drop(stack, sizeof...(T));
}
template <class... T>
void push(Stack& stack, T&&... values) {
  (stack.push_back(taper::detail::to_ivalue<taper::detail::Bare<T>>(values)), ...);
}

}  // namespace jit
}  // namespace torch
