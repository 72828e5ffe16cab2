// ExpandingArray: D values, made from D values or from one value for all dimensions.
#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <vector>

#include <taper/framework/core/array_ref.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Holds a value for each of D spatial dimensions. If only one value is given, all dimensions get
/// it. Throws Error for a list of another length than D.
template <size_t D, class T = int64_t>
class ExpandingArray {
 public:
  /// Takes D values in order. Throws Error for another number of values.
  ExpandingArray(std::initializer_list<T> list) : ExpandingArray(ArrayRef<T>(list)) {}
  /// takes D values
  ExpandingArray(const std::vector<T>& list) : ExpandingArray(ArrayRef<T>(list)) {}
  /// Copies D values.
  ExpandingArray(ArrayRef<T> list) {
    TAPER_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    for (size_t i = 0; i < D; ++i) values_[i] = list[i];
  }
  /// Uses one value for all D dimensions.
  ExpandingArray(T single) {
    for (T& v : values_) v = single;
  }
  ExpandingArray(const std::array<T, D>& values) : values_(values) {}  ///< takes D values

  std::array<T, D>& operator*() { return values_; }              ///< returns the D values: (*a)[i]
  const std::array<T, D>& operator*() const { return values_; }  ///< returns the D values: (*a)[i]
  std::array<T, D>* operator->() { return &values_; }  ///< accesses the D values: a->begin()
  /// accesses the D values: a->begin()
  const std::array<T, D>* operator->() const { return &values_; }
  /// returns a view, which is valid while this object exists
  operator ArrayRef<T>() const { return values_; }
  size_t size() const noexcept { return D; }  ///< returns D

 protected:
  std::array<T, D> values_;  ///< the value of each dimension
};

/// Prints the values. Several values are in brackets.
template <size_t D, class T>
std::ostream& operator<<(std::ostream& out, const ExpandingArray<D, T>& a) {
  if (D == 1) return out << (*a)[0];
  return out << ArrayRef<T>(*a);
}

/// Holds a value or nullopt for each of D spatial dimensions.
template <size_t D, class T = int64_t>
class ExpandingArrayWithOptionalElem : public ExpandingArray<D, optional<T>> {
 public:
  using Base = ExpandingArray<D, optional<T>>;  ///< the base class, whose values may be nullopt
  using Base::Base;
  /// Take D values, or one value for all dimensions. The inherited constructors also take nullopt.
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

/// Prints the values, and None for nullopt.
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
