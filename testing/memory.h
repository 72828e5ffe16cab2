// Reads and writes the elements of a tensor as doubles, one or all at once. A complex element is
// two doubles: the real and the imaginary part. Not installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing::impl {

/// Random numbers of the kit. They are equal on every machine and do not depend on the program's
/// generators.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  /// Returns a number uniform in [low, high).
  double uniform(double low, double high);
  /// Returns an integer uniform in {low, ..., high - 1}.
  int64_t integer(int64_t low, int64_t high);
  /// Returns a number of random sign with magnitude 0.5 to 1.5.
  double weight();

 private:
  uint64_t state_;
};

/// Returns the number of real numbers in a tensor: its elements, or twice as many if it is complex.
int64_t num_parts(const Tensor& t);
/// Returns a floating tensor itself. For a complex tensor, returns a view of its parts, with a last
/// dimension of 2.
Tensor parts_of(const Tensor& t);
/// Returns the values of a tensor of any device, layout and dtype, in row-major order.
std::vector<double> read(const Tensor& t);
void read_into(const Tensor& t, double* to);
/// Returns num_parts(like) equal numbers.
inline std::vector<double> constant_parts(const Tensor& like, double value) {
  return std::vector<double>(static_cast<size_t>(num_parts(like)), value);
}
/// Returns a new row-major tensor with the sizes, dtype and device of `like`.
Tensor write_like(const std::vector<double>& values, const Tensor& like);
/// Returns a new row-major tensor on the CPU with these sizes and this dtype.
Tensor write(const std::vector<double>& values, IntArrayRef sizes, ScalarType dtype);

/// Returns a position in row-major order as an index, "[1, 0]". The text is empty for 0-dim
/// tensors.
std::string index_text(int64_t position, IntArrayRef sizes);
/// Returns the index of a part of a tensor: "[1, 0]", or "[1, 0].imag" for a complex tensor.
std::string part_text(int64_t part, const Tensor& t);

/// Return whether two elements of `t`, or of `a` and `b`, share memory.
bool overlaps_itself(const Tensor& t);
bool overlap(const Tensor& a, const Tensor& b);

/// Accesses the elements in a tensor's memory. All tensors that share the memory see the changes,
/// but version counters do not change. The destructor restores the elements.
class Elements {
 public:
  explicit Elements(const Tensor& t);
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  int64_t size() const { return static_cast<int64_t>(original_.size()); }
  double original(int64_t i) const { return original_[i]; }
  /// Sets an element. Returns the stored value, rounded to the tensor's dtype.
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
