// Faults planted in the gradients of the harness's ops: which there are, and which of them a check
// finds.
#pragma once

#include <string>
#include <vector>

#include <taper/testing/gradcheck.h>

#include "harness/op_case.h"

namespace torch::taper::testing {

/// One kind of wrong gradient.
struct PlantedKind {
  const char* name;
  /// What backward makes of the right gradient g; x is the input.
  Tensor (*change)(const Tensor& g, const Tensor& x);
  /// In the gradient of the first input, or between the op's result and its cotangent.
  bool at_output = false;
  /// The entries stay right; something else is wrong. Such a fault shows wherever g is not zero.
  bool hidden = false;
  bool second_order = false;  ///< only gradgradcheck can see it
};
const std::vector<PlantedKind>& planted_kinds();

/// A small call of an op as a function of the inputs that have gradients.
struct Subject {
  std::string op;
  TensorFunction call;
  std::vector<Tensor> inputs;
  bool twice = false;
};
/// One for each differentiable case that has a small sample: the smallest with at least three
/// values in its first input.
std::vector<Subject> subjects();
/// The inputs as new leaves, each value moved by at most `jitter`.
std::vector<Tensor> leaves_of(const Subject& s, uint64_t seed, double jitter);

/// The subject's function with the fault.
TensorFunction planted(const Subject& s, const PlantedKind& kind);
/// Whether the fault makes an entry of the gradient wrong by more than `factor` tolerances there.
bool shows(const Subject& s, const PlantedKind& kind, const std::vector<Tensor>& leaves,
           double factor);

}  // namespace torch::taper::testing
