// Convolutions with one input channel in each group. Not installed.
//
// A product of matrices would pack more than it computes. Here each plane is copied once, with its
// padding, into the cache; what a kernel element sees is then the same plane, shifted. T is float
// or double. (oneDNN computes them no faster, and converting to its layouts takes as long again.)
#pragma once

#include <taper/ops/spatial/conv/conv_shape.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::cpu::depthwise {

/// Whether the shape is one of these.
bool takes(const ConvShape& s);

// As the kernels of conv_kernels.h, on whole contiguous tensors; `b` may be null. The results do
// not depend on the number of threads.
template <class T>
void forward(T* y, const T* x, const T* w, const T* b, const ConvShape& s);
template <class T>
void input_gradient(T* gx, const T* gy, const T* w, const ConvShape& s);
template <class T>
void weight_gradient(T* gw, const T* x, const T* gy, const ConvShape& s);

// ---------------------------------------------------------------------- loops
/// Elements of the longest vector. So many may be read behind the end of a plane.
constexpr int64_t kPlaneSlack = 16;

/// One channel with its padding. With `phases` above 1 a row holds every phases-th column first,
/// then those after them, and so on, so that a kernel that steps by `phases` reads neighbours.
struct Plane {
  int64_t before[3];  ///< padding in front
  int64_t size[3];    ///< with padding
  int64_t phases;

  /// Whole vectors, so that rows begin alike in cache lines.
  int64_t phase_size() const {
    return ((size[2] + phases - 1) / phases + kPlaneSlack - 1) / kPlaneSlack * kPlaneSlack;
  }
  int64_t row_size() const { return phases * phase_size(); }
  int64_t numel() const { return size[0] * size[1] * row_size() + kPlaneSlack; }
  /// Where the element (d, h, w) is, counted from the padding's first.
  int64_t at(int64_t d, int64_t h, int64_t w) const {
    return (d * size[1] + h) * row_size() + w % phases * phase_size() + w / phases;
  }
};

/// Copies an image of the sizes `in` into a plane, where the padding is zero already.
template <class T>
struct Fill {
  T* to;
  const T* from;
  Plane plane;
  int64_t in[3];
};
void fill(const Fill<float>& f);
void fill(const Fill<double>& f);

/// out[i * ldo + j] = bias + sum over t of weights[t] * plane[elements[t] + i * row_step + j].
template <class T>
struct Correlation {
  const T* plane;
  int64_t row_step;
  const int64_t* elements;
  const T* weights;
  int64_t count;  ///< of kernel elements
  T bias;
  T* out;
  int64_t ldo, rows, cols;
};
void correlate(const Correlation<float>& c);
void correlate(const Correlation<double>& c);

/// to[i * ldto + j * step + s] = from[s * strand + i * ld + j], for whole rows of `cols` elements.
template <class T>
struct Weave {
  T* to;
  int64_t ldto;
  const T* from;
  int64_t strand, ld, step, rows, cols;
};
void weave(const Weave<float>& w);
void weave(const Weave<double>& w);

/// sums[t] += sum over i and j of g[i * cols + j] * plane[elements[t] + i * row_step + j], where
/// each of the sums is kept as kPlaneSlack partial ones.
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

/// A 3 x 3 kernel that steps by one needs no plane: lanes outside of the image are left out.
template <class T>
struct Three {
  const T* x;
  int64_t in[2], out[2], padding[2];
  // For correlate: y = bias + the correlation of x with the weights.
  T* y;
  T weights[9], bias;
  // For add_element_sums: the gradient of y.
  const T* g;
};
void correlate(const Three<float>& s);
void correlate(const Three<double>& s);
/// As for ElementSums.
void add_element_sums(const Three<float>& s, float* sums);
void add_element_sums(const Three<double>& s, double* sums);

}  // namespace torch::taper::cpu::depthwise

#pragma GCC visibility pop
