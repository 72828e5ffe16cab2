// The operands of a convolution for its ways (framework/kernel/ways.h). Not installed.
#pragma once

#include <string>
#include <vector>

#include <taper/ops/spatial/conv/conv_shape.h>

namespace torch::taper::cpu {

// Operands are contiguous, as in conv_kernels.h.
template <class T>
struct ConvForward {
  ConvShape s;
  T* y;
  const T *x, *w, *b;  ///< b may be null
};
template <class T>
struct ConvInputGradient {
  ConvShape s;
  T* gx;
  const T *gy, *w;
};
template <class T>
struct ConvWeightGradient {
  ConvShape s;
  T* gw;
  const T *x, *gy;
};

// ---------------------------------------------------------------------- for the tests
#pragma GCC visibility push(default)

/// Returns the names of the ways of a pass, in the order of preference.
std::vector<std::string> conv_ways(ConvPass pass, ScalarType dtype);
/// Returns whether the way `name` computes convolutions of shape s. Throws Error if no way has this
/// name.
bool conv_way_can(ConvPass pass, ScalarType dtype, const std::string& name, const ConvShape& s);
/// Makes all convolutions that the way `name` can compute use this way, as TAPER_CONV=name does. If
/// `name` is null, each convolution uses the fastest way. The string must stay alive until the next
/// call of force_conv_way.
void force_conv_way(const char* name);
/// Returns how many convolutions the forced ways have computed.
int64_t forced_conv_runs();

#pragma GCC visibility pop

}  // namespace torch::taper::cpu
