// The properties. Each check returns what it found wrong, one line each; none means passed.
#pragma once

#include "harness/op_case.h"

namespace torch::taper::testing {

using Failures = std::vector<std::string>;

/// Results equal the naive reference: sizes, dtype, values, for every dtype and sample; the
/// in-place and out forms give the same.
Failures check_value(const OpCase& c);
/// Results on every other device equal those on the CPU. Names of devices that are not there are
/// appended to `skipped`.
Failures check_device(const OpCase& c, std::vector<std::string>* skipped = nullptr);
/// In float64, by gradcheck and gradgradcheck of testing/: gradients and their derivatives equal
/// central differences, add up, and take cotangents of every layout.
Failures check_gradient(const OpCase& c);
/// Strided, offset and expanded inputs and cotangents give the same; inputs stay as they were;
/// history exists exactly when it should.
Failures check_views_and_state(const OpCase& c);
/// The in-place and out forms obey the rules that are the same for all ops: what they refuse
/// (leaves, views of leaves, memory that overlaps itself, gradients through `out`), that they write
/// nothing but the elements they are given, and the history that an in-place form leaves.
Failures check_forms(const OpCase& c);
/// Every error case throws exactly its type, with its words, in a message that begins with the op's
/// name.
Failures check_errors(const OpCase& c);

/// Forward, gradients and the in-place form, captured once (graph.h), give in replays on new inputs
/// exactly what eager runs give. `refused` gets the message where a capture was refused because the
/// host needs values.
Failures check_capture(const OpCase& c, Device device, std::string* refused);

/// func::jvp equals difference quotients and agrees with the gradient, to second order and through
/// func::grad.
Failures check_tangent(const OpCase& c);
/// func::vmap equals a loop: over all tensors and over each one, at another dimension, twice, with
/// gradients and in place. `refused` gets the message if the op refuses batches for what it cannot
/// do.
Failures check_batched(const OpCase& c, std::string* refused);

/// What `got` lacks to equal `want`: `atol + rtol * |want|` for every element; a NaN equals only a
/// NaN. Empty when equal.
std::string difference(const Array& got, const Array& want, double rtol, double atol);

/// The devices that the device property compares with the CPU.
std::vector<Device> other_devices(std::vector<std::string>* skipped);

}  // namespace torch::taper::testing
