// The elements of a tensor as doubles, one by one and all at once; those of a complex tensor are
// two each, the real and the imaginary part. Not installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing::impl {

/// Random numbers of the kit's own: the same on every machine, and none of the program's.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  /// Uniform in [low, high).
  double uniform(double low, double high);
  /// Uniform in {low, ..., high - 1}.
  int64_t integer(int64_t low, int64_t high);
  /// Of both signs, never near zero: 0.5 to 1.5.
  double weight();

 private:
  uint64_t state_;
};

/// How many real numbers a tensor has: its elements, or twice as many.
int64_t num_parts(const Tensor& t);
/// A floating tensor itself, the parts of a complex one: a view with a last dimension of 2.
Tensor parts_of(const Tensor& t);
/// The values of a tensor of any device, layout and dtype, row-major.
std::vector<double> read(const Tensor& t);
void read_into(const Tensor& t, double* to);
/// That many numbers, all equal.
inline std::vector<double> constant_parts(const Tensor& like, double value) {
  return std::vector<double>(static_cast<size_t>(num_parts(like)), value);
}
/// A new row-major tensor with the sizes, dtype and device of `like`.
Tensor write_like(const std::vector<double>& values, const Tensor& like);
/// The same on the CPU, with these sizes and this dtype.
Tensor write(const std::vector<double>& values, IntArrayRef sizes, ScalarType dtype);

/// "[1, 0]": a position in row-major order as an index; empty for 0-dim tensors.
std::string index_text(int64_t position, IntArrayRef sizes);
/// The same of a part of a tensor: "[1, 0]", or "[1, 0].imag" where it is complex.
std::string part_text(int64_t part, const Tensor& t);

/// Whether two elements lie in the same memory.
bool overlaps_itself(const Tensor& t);
bool overlap(const Tensor& a, const Tensor& b);

/// The elements of a tensor's own memory. Changes are seen by all who share it, and counted by
/// nobody. What was changed is put back in the end.
class Elements {
 public:
  explicit Elements(const Tensor& t);
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  int64_t size() const { return static_cast<int64_t>(original_.size()); }
  double original(int64_t i) const { return original_[i]; }
  /// The value that is stored then: rounded to the tensor's dtype.
  double set(int64_t i, double value);
  void restore(int64_t i) { set(i, original_[i]); }
  void restore();
  /// Sets all elements at once.
  void set_all(const std::vector<double>& values);

 private:
  void store(int64_t i, double value);
  Tensor data_;
  bool on_host_;
  std::vector<int64_t> places_;
  std::vector<double> original_;
};

}  // namespace torch::taper::testing::impl
