// Convolutions that read the image where it lies, without a matrix of patches: for kernels that
// step by one along rows and never leave the image. f32. Not installed.
//
// Packing a patch costs a store for each kernel element and pixel; beside the few channels of a
// first layer that is as much as the arithmetic.
#pragma once

#include <taper/ops/spatial/conv_shape.h>

namespace taper::cpu::direct {

/// Floats of scratch that pack_weights fills: the weights of all groups, by register tiles.
inline int64_t packed_weights(const ConvShape& s) { return s.groups * s.out_channels * s.depth(); }
/// Offset of each position of a patch from the place of the patch, depth() numbers.
void element_offsets(int32_t* elements, const ConvShape& s);

// ---------------------------------------------------------------------- forward
/// Whether forward_panel handles the shape: rows of outputs are whole half vectors.
bool takes_forward(const ConvShape& s);
void pack_weights(float* packed, const float* w, const ConvShape& s);
/// Outputs [p, p + width) of one image of one group, all channels: y[m * out_pixels + p + j].
/// `weights` are those of the group, packed; bias is null or the group's. width is at most
/// kPatchPanel.
void forward_panel(float* y, const float* x, const float* weights, const float* bias,
                   const int32_t* elements, const ConvShape& s, int64_t p, int64_t width);

// ---------------------------------------------------------------------- gradient of the weight
/// Whether weight_gradient is the faster way for the shape.
bool takes_weight_gradient(const ConvShape& s);
/// Row length of its operands: the output channels rounded up to whole vectors.
inline int64_t padded_channels(const ConvShape& s) { return (s.out_channels + 15) / 16 * 16; }
/// Adds one image of one group: sum[k * padded + m] += sum over pixels of x[patch + kernel element
/// k] * gy[pixel * padded + m], where gy is the transposed gradient of the output.
void weight_gradient(float* sum, const float* x, const float* gy, const int32_t* elements,
                     const ConvShape& s);

}  // namespace taper::cpu::direct
