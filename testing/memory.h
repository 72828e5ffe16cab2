// Reads and writes the elements of a tensor as doubles, one or all at once. A complex element is
// two doubles: the real and the imaginary part. Not installed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::testing::impl {

/// Generates the random numbers of the checks in this folder. Equal seeds give equal numbers on
/// every machine. The numbers do not depend on the program's generators.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  /// Returns a number uniform in [low, high).
  double uniform(double low, double high);
  /// Returns an integer uniform in {low, ..., high - 1}.
  int64_t integer(int64_t low, int64_t high);
  /// Returns a number with a random sign and a magnitude uniform in [0.5, 1.5).
  double weight();

 private:
  uint64_t state_;
};

/// Returns the number of real numbers in `t`: t.numel(), or 2 * t.numel() if t is complex.
int64_t num_parts(const Tensor& t);
/// Returns `t` itself if it is real. For a complex `t`, returns a view of its real and imaginary
/// parts, with a last dimension of size 2.
Tensor parts_of(const Tensor& t);
/// Returns the num_parts(t) numbers of `t`, in row-major order. `t` may have any device, layout and
/// dtype.
std::vector<double> read(const Tensor& t);
void read_into(const Tensor& t, double* to);
/// Returns num_parts(like) copies of `value`.
inline std::vector<double> constant_parts(const Tensor& like, double value) {
  return std::vector<double>(static_cast<size_t>(num_parts(like)), value);
}
/// Returns a new row-major tensor of `values`, with the sizes, dtype and device of `like`.
Tensor write_like(const std::vector<double>& values, const Tensor& like);
/// Returns a new row-major tensor of `values` on the CPU, with these sizes and this dtype.
Tensor write(const std::vector<double>& values, IntArrayRef sizes, ScalarType dtype);

/// Converts `position`, counted in row-major order, to an index, such as "[1, 0]". The text is
/// empty for 0-dim tensors.
std::string index_text(int64_t position, IntArrayRef sizes);
/// Converts the position `part` in read(t) to an index: "[1, 0]", or "[1, 0].imag" for a complex
/// tensor.
std::string part_text(int64_t part, const Tensor& t);

/// overlaps_itself() returns whether two elements of `t` share memory. overlap() returns whether an
/// element of `a` shares memory with an element of `b`.
bool overlaps_itself(const Tensor& t);
bool overlap(const Tensor& a, const Tensor& b);

/// Changes the elements of a tensor in its memory. The changes are visible in all tensors that
/// share the memory, but version counters do not change. The destructor restores the original
/// elements.
class Elements {
 public:
  explicit Elements(const Tensor& t);
  ~Elements();
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  int64_t size() const { return static_cast<int64_t>(original_.size()); }
  double original(int64_t i) const { return original_[i]; }
  /// Sets element i to `value`, rounded to the tensor's dtype. Returns the rounded value.
  double set(int64_t i, double value);
  void restore(int64_t i) { set(i, original_[i]); }
  void restore();
  /// Sets element i to values[i], for all i.
  void set_all(const std::vector<double>& values);

 private:
  void store(int64_t i, double value);
  Tensor data_;
  bool on_host_;
  std::vector<int64_t> places_;
  std::vector<double> original_;
};

}  // namespace torch::taper::testing::impl
