// Convolutions with one input channel in each group. Not installed.
//
// A matrix product would take more time for packing such convolutions than for arithmetic. Here
// each channel is copied once, with its padding, to a plane that stays in the cache. Each kernel
// element then reads the plane with an offset. T is float or double. (oneDNN is not faster, because
// converting to its layouts would double the time.)
#pragma once

#include <taper/ops/spatial/conv/conv_shape.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::cpu::depthwise {

/// Tests whether forward, input_gradient and weight_gradient compute the shape.
bool takes(const ConvShape& s);

// These functions compute the same as the kernels of conv_kernels.h, on whole contiguous tensors.
// `b` may be null. The results do not depend on the number of threads.
template <class T>
void forward(T* y, const T* x, const T* w, const T* b, const ConvShape& s);
template <class T>
void input_gradient(T* gx, const T* gy, const T* w, const ConvShape& s);
template <class T>
void weight_gradient(T* gw, const T* x, const T* gy, const ConvShape& s);

// ---------------------------------------------------------------------- loops
/// The number of elements of the longest vector. This many elements may be read after the end of a
/// plane.
constexpr int64_t kPlaneSlack = 16;

/// The layout of one channel of an image with its padding. If `phases` > 1, a row first holds the
/// columns 0, phases, 2 * phases and so on. Then come the columns 1, 1 + phases and so on. So a
/// kernel with stride `phases` reads adjacent elements.
struct Plane {
  int64_t before[3];  ///< padding before the first element
  int64_t size[3];    ///< with padding
  int64_t phases;

  /// Returns the number of elements of one phase of a row. It is a multiple of kPlaneSlack, so that
  /// all rows have one alignment.
  int64_t phase_size() const {
    return ((size[2] + phases - 1) / phases + kPlaneSlack - 1) / kPlaneSlack * kPlaneSlack;
  }
  int64_t row_size() const { return phases * phase_size(); }
  int64_t numel() const { return size[0] * size[1] * row_size() + kPlaneSlack; }
  /// Returns the offset of element (d, h, w), counted from the first element of the padding.
  int64_t at(int64_t d, int64_t h, int64_t w) const {
    return (d * size[1] + h) * row_size() + w % phases * phase_size() + w / phases;
  }
};

/// The operands of fill(), which copies a channel `from` of sizes `in` to the plane `to`. The
/// padding of `to` must already be zero.
template <class T>
struct Fill {
  T* to;
  const T* from;
  Plane plane;
  int64_t in[3];
};
void fill(const Fill<float>& f);
void fill(const Fill<double>& f);

/// The operands of correlate(). For i < rows and j < cols, it computes out[i * ldo + j] = bias + s.
/// s is the sum over t < count of weights[t] * plane[elements[t] + i * row_step + j].
template <class T>
struct Correlation {
  const T* plane;
  int64_t row_step;
  const int64_t* elements;
  const T* weights;
  int64_t count;  ///< number of kernel elements
  T bias;
  T* out;
  int64_t ldo, rows, cols;
};
void correlate(const Correlation<float>& c);
void correlate(const Correlation<double>& c);

/// The operands of weave(), which interleaves `step` strands. It copies from[s * strand + i * ld +
/// j] to to[i * ldto + j * step + s]. The ranges are s < step, i < rows and j * step + s < cols.
template <class T>
struct Weave {
  T* to;
  int64_t ldto;
  const T* from;
  int64_t strand, ld, step, rows, cols;
};
void weave(const Weave<float>& w);
void weave(const Weave<double>& w);

/// The operands of add_element_sums(). It adds g[i * cols + j] * plane[elements[t] + i * row_step +
/// j] to sums[t], for all t < count, i < rows and j < cols. Each sums[t] consists of kPlaneSlack
/// partial sums.
template <class T>
struct ElementSums {
  T* sums;
  const T* plane;
  int64_t row_step;
  const int64_t* elements;
  int64_t count;
  const T* g;
  int64_t rows, cols;
};
void add_element_sums(const ElementSums<float>& s);
void add_element_sums(const ElementSums<double>& s);

/// The operands for a 3 x 3 kernel with stride 1. The image x is read directly instead of a plane,
/// because lanes outside of the image are masked.
template <class T>
struct Three {
  const T* x;
  int64_t in[2], out[2], padding[2];
  // for correlate: y = bias + the correlation of x with the weights
  T* y;
  T weights[9], bias;
  // for add_element_sums: the gradient of y
  const T* g;
};
void correlate(const Three<float>& s);
void correlate(const Three<double>& s);
/// Adds to `sums`, which has the layout of ElementSums::sums.
void add_element_sums(const Three<float>& s, float* sums);
void add_element_sums(const Three<double>& s, double* sums);

}  // namespace torch::taper::cpu::depthwise

#pragma GCC visibility pop
