// ExpandingArray: D numbers, or one number for all D.
#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <vector>

#include <taper/framework/array_ref.h>

#pragma GCC visibility push(default)

namespace taper {

/// An argument with a value for each of D spatial dimensions; one value stands for all. Throws when
/// given a list of any other length.
template <size_t D, class T = int64_t>
class ExpandingArray {
 public:
  ExpandingArray(std::initializer_list<T> list) : ExpandingArray(ArrayRef<T>(list)) {}
  ExpandingArray(const std::vector<T>& list) : ExpandingArray(ArrayRef<T>(list)) {}
  ExpandingArray(ArrayRef<T> list) {
    TAPER_CHECK(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    for (size_t i = 0; i < D; ++i) values_[i] = list[i];
  }
  ExpandingArray(T single) {
    for (T& v : values_) v = single;
  }
  ExpandingArray(const std::array<T, D>& values) : values_(values) {}

  std::array<T, D>& operator*() { return values_; }
  const std::array<T, D>& operator*() const { return values_; }
  std::array<T, D>* operator->() { return &values_; }
  const std::array<T, D>* operator->() const { return &values_; }
  operator ArrayRef<T>() const { return values_; }
  size_t size() const noexcept { return D; }

 protected:
  std::array<T, D> values_;
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
  using Base = ExpandingArray<D, optional<T>>;
  using Base::Base;
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
};

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

}  // namespace taper

#pragma GCC visibility pop
