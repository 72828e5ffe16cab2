// Random training steps, for comparisons of captured steps with eager ones.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <taper/taper.h>

namespace torch::taper::testing::captured {

using Random = std::mt19937_64;
/// Returns a number of 0 to n - 1.
inline int64_t draw(Random& random, int64_t n) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

/// One op. It takes earlier values by their index.
struct Instruction {
  size_t op;
  size_t in[3];
  int64_t n[2];  // dimensions, indices and the like, modulo what fits
};

/// What a step reads and changes.
struct State {
  std::vector<Tensor> inputs, parameters, buffers;
  std::unique_ptr<optim::Optimizer> optimizer;  // may be null
};

/// A step: ops on the tensors of a state, a loss, its gradients, an update.
struct Step {
  uint64_t seed;
  Device device{kCPU};
  std::vector<Instruction> instructions;
  int64_t optimizer;  // 0: none
  int64_t zero_grad;  // 0: gradients add up, 1: set to none, 2: zeros
  bool backward;

  /// Returns the state before the first step. Each call gives equal values in new memory.
  State state() const;
  /// Returns the values of the state that instructions see, and those of the instructions.
  std::vector<Tensor> values(const State& state) const;
  /// Runs the step. Returns the last values and the loss.
  std::vector<Tensor> run(State& state) const;
  /// Returns the instructions as text.
  std::string text() const;
};

/// Makes a step that runs. Equal seeds make equal steps.
Step make_step(uint64_t seed, Device device = kCPU);

/// Changes values of the state as a program may do between replays.
void change(State& state, uint64_t seed);

/// Returns where two lists differ in a bit, or an empty text. NaNs are equal.
std::string difference(const std::vector<Tensor>& got, const std::vector<Tensor>& want);
/// Returns parameters, gradients and buffers.
std::vector<Tensor> all_of(const State& state);

}  // namespace torch::taper::testing::captured
