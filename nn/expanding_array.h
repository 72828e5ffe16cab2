// ExpandingArray: D numbers, or one number for all D.
#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <vector>

#include <taper/framework/core/array_ref.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// An argument with a value for each of D spatial dimensions; one value stands for all. Throws when
/// given a list of any other length.
template <size_t D, class T = int64_t>
class ExpandingArray {
 public:
  /// D values in order. Throws Error for any other number of them.
  ExpandingArray(std::initializer_list<T> list) : ExpandingArray(ArrayRef<T>(list)) {}
  ExpandingArray(const std::vector<T>& list) : ExpandingArray(ArrayRef<T>(list)) {}  ///< D values
  /// D values, which are copied.
  ExpandingArray(ArrayRef<T> list) {
    TAPER_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    for (size_t i = 0; i < D; ++i) values_[i] = list[i];
  }
  /// One value for all D.
  ExpandingArray(T single) {
    for (T& v : values_) v = single;
  }
  ExpandingArray(const std::array<T, D>& values) : values_(values) {}  ///< the D values

  std::array<T, D>& operator*() { return values_; }                ///< the D values: (*a)[i]
  const std::array<T, D>& operator*() const { return values_; }    ///< the D values: (*a)[i]
  std::array<T, D>* operator->() { return &values_; }              ///< the D values: a->begin()
  const std::array<T, D>* operator->() const { return &values_; }  ///< the D values: a->begin()
  operator ArrayRef<T>() const { return values_; }  ///< the values, for as long as this lives
  size_t size() const noexcept { return D; }        ///< D

 protected:
  std::array<T, D> values_;  ///< of the D dimensions
};

/// Prints one number alone, more in brackets.
template <size_t D, class T>
std::ostream& operator<<(std::ostream& out, const ExpandingArray<D, T>& a) {
  if (D == 1) return out << (*a)[0];
  return out << ArrayRef<T>(*a);
}

/// The same where single values may be left open (nullopt).
template <size_t D, class T = int64_t>
class ExpandingArrayWithOptionalElem : public ExpandingArray<D, optional<T>> {
 public:
  using Base = ExpandingArray<D, optional<T>>;  ///< of values or nullopt
  using Base::Base;
  /// D values without gaps, or one that stands for all. Those of Base take nullopt, too.
  ///@{
  ExpandingArrayWithOptionalElem(std::initializer_list<T> list)
      : ExpandingArrayWithOptionalElem(ArrayRef<T>(list)) {}
  ExpandingArrayWithOptionalElem(const std::vector<T>& list)
      : ExpandingArrayWithOptionalElem(ArrayRef<T>(list)) {}
  ExpandingArrayWithOptionalElem(ArrayRef<T> list) : Base(optional<T>()) {
    TAPER_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    for (size_t i = 0; i < D; ++i) this->values_[i] = list[i];
  }
  ExpandingArrayWithOptionalElem(T single) : Base(optional<T>(single)) {}
  ExpandingArrayWithOptionalElem(const std::array<T, D>& values) : Base(optional<T>()) {
    for (size_t i = 0; i < D; ++i) this->values_[i] = values[i];
  }
  ///@}
};

/// The same, with None for values left open.
template <size_t D, class T>
std::ostream& operator<<(std::ostream& out, const ExpandingArrayWithOptionalElem<D, T>& a) {
  if (D > 1) out << '[';
  for (size_t i = 0; i < D; ++i) {
    if (i > 0) out << ", ";
    if ((*a)[i])
      out << *(*a)[i];
    else
      out << "None";
  }
  return D > 1 ? out << ']' : out;
}

}  // namespace torch::taper

#pragma GCC visibility pop
