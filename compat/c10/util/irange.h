// c10::irange: the integers of a half-open range, for range-based loops.
#pragma once

#include <type_traits>

#include <torch/names.h>

namespace c10 {

template <class I>
class integer_range {
 public:
  class iterator {
   public:
    explicit iterator(I value) : value_(value) {}
    I operator*() const { return value_; }
    iterator& operator++() {
      ++value_;
      return *this;
    }
    bool operator==(iterator o) const { return value_ == o.value_; }
    bool operator!=(iterator o) const { return value_ != o.value_; }

   private:
    I value_;
  };

  /// Makes the range of the integers i with begin <= i < end.
  integer_range(I begin, I end) : begin_(begin), end_(end < begin ? begin : end) {}
  iterator begin() const { return iterator(begin_); }
  iterator end() const { return iterator(end_); }

 private:
  I begin_, end_;
};

template <class End, class = std::enable_if_t<std::is_integral_v<End>>>
integer_range<End> irange(End end) {
  return {End(0), end};
}
template <class Begin, class End, class = std::enable_if_t<std::is_integral_v<End>>>
integer_range<End> irange(Begin begin, End end) {
  return {static_cast<End>(begin), end};
}

}  // namespace c10
