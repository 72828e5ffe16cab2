// The bytes that an access touches, and whether two accesses overlap. Not installed.
#pragma once

#include <cstdint>
#include <vector>

#include <taper/framework/runtime/access.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::races {

/// Byte ranges at regular distances. For each index (i_0, i_1, ...) with i_d < dims[d].size, there
/// are `run` bytes at address begin + sum of i_d * dims[d].stride.
class Extent {
 public:
  struct Dim {
    int64_t stride;  ///< in bytes, above 0
    int64_t size;    ///< above 1
    friend bool operator==(const Dim& a, const Dim& b) {
      return a.stride == b.stride && a.size == b.size;
    }
  };

  explicit Extent(const detail::Access& access);

  uintptr_t begin() const { return begin_; }
  /// Returns the address after the last byte.
  uintptr_t end() const { return end_; }
  bool empty() const { return begin_ == end_; }
  /// Returns whether there are no gaps between the bytes.
  bool dense() const { return dims_.empty(); }
  bool intersects(const Extent& other) const;
  friend bool operator==(const Extent& a, const Extent& b) {
    return a.begin_ == b.begin_ && a.run_ == b.run_ && a.dims_ == b.dims_;
  }

 private:
  uintptr_t begin_ = 0, end_ = 0;
  int64_t run_ = 0;
  std::vector<Dim> dims_;  // the largest stride first
};

}  // namespace torch::taper::races

#pragma GCC visibility pop
