// Array: n-dimensional values in double precision for naive references.
//
// It shares no code with the library under test: a tensor is read element by element through its
// sizes and strides.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing {

/// Row-major values; integers are exact up to 2^53, bools are 0 and 1. Of complex numbers `v` has
/// the real parts.
struct Array {
  std::vector<int64_t> sizes;
  std::vector<double> v;
  /// The imaginary parts; empty for real numbers.
  std::vector<double> im = {};

  Array() = default;
  explicit Array(std::vector<int64_t> shape, double fill = 0);
  int64_t dim() const { return static_cast<int64_t>(sizes.size()); }
  int64_t numel() const { return static_cast<int64_t>(v.size()); }
  /// The size of a dimension; negative ones count from the end.
  int64_t size(int64_t d) const { return sizes[d < 0 ? d + dim() : d]; }
  /// The value at an index; one number for each dimension.
  double& at(const std::vector<int64_t>& index);
  double at(const std::vector<int64_t>& index) const;
  /// The row-major position of an index.
  int64_t position(const std::vector<int64_t>& index) const;
  /// An element as a complex number, by its row-major position. Setting one makes all complex.
  std::complex<double> z(int64_t position) const;
  void set_z(int64_t position, std::complex<double> value);
  /// The value at an index of a shape that this one broadcasts to.
  double broadcast_at(const std::vector<int64_t>& index) const;
};

/// The number of elements of a shape.
int64_t numel_of(const std::vector<int64_t>& sizes);
/// Calls `body(index)` for every index of a shape, in row-major order.
template <class Body>
void for_each_index(const std::vector<int64_t>& sizes, const Body& body) {
  std::vector<int64_t> index(sizes.size(), 0);
  for (int64_t n = numel_of(sizes); n > 0; --n) {
    body(static_cast<const std::vector<int64_t>&>(index));
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
}
/// The shape that two shapes broadcast to, from the right.
std::vector<int64_t> broadcast(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

/// The values of a CPU tensor, of any strides.
Array to_array(const Tensor& t);
/// A new row-major tensor with these values.
Tensor to_tensor(const Array& a, ScalarType dtype);
/// One element of a CPU tensor by its row-major position; of a complex one the real (0) or the
/// imaginary (1) part.
double get_element(const Tensor& t, int64_t position, int part = 0);
void set_element(const Tensor& t, int64_t position, double value, int part = 0);
/// The same element of two CPU tensors of one dtype.
void copy_element(const Tensor& to, const Tensor& from, int64_t position);

/// Random numbers of the tests' own: the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed = 1) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint64_t bits();
  /// Uniform in [low, high).
  double uniform(double low, double high);
  /// Uniform in {low, ..., high - 1}.
  int64_t integer(int64_t low, int64_t high);

 private:
  uint64_t state_;
};

}  // namespace torch::taper::testing
