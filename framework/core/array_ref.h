// ArrayRef: a view of contiguous values owned by somebody else. Dims: a shape, held by value.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <type_traits>
#include <vector>

#include <taper/framework/core/check.h>

#pragma GCC visibility push(default)

namespace torch::taper {

using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;

/// A pointer and a length. It owns nothing, so it must not outlive the values that it was made
/// from.
template <class T>
class ArrayRef {
 public:
  /// Types as in the standard's containers. Elements cannot be changed through the view.
  ///@{
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = size_t;
  ///@}

  constexpr ArrayRef() = default;
  /// Views one value, `size` values from `data`, the values in [begin, end), a vector, an array or
  /// a span. Nothing is copied. A view of a temporary (a number, a braced list) is valid only until
  /// the end of the full expression.
  ///@{
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end) : data_(begin), size_(end - begin) {}
  template <class A>
  ArrayRef(const std::vector<T, A>& v) : data_(v.data()), size_(v.size()) {}
  template <size_t N>
  constexpr ArrayRef(const std::array<T, N>& v) : data_(v.data()), size_(N) {}
  // A C++20 span is recognized by its members, because C++17 does not declare one.
  template <class Span, size_t = Span::extent,
            class = std::enable_if_t<std::is_same<typename Span::value_type, T>::value>>
  constexpr ArrayRef(const Span& v) : data_(v.data()), size_(v.size()) {}
  template <size_t N>
  constexpr ArrayRef(const T (&v)[N]) : data_(v), size_(N) {}
  // A braced list lives until the end of the full expression, which is enough for an argument. The
  // constructor's body assigns the pointer, because GCC warns about it in the initializer list. A
  // precompiled header loses the pragma against this warning.
  constexpr ArrayRef(const std::initializer_list<T>& v) : size_(v.size()) {
    if (v.size() > 0) data_ = v.begin();
  }
  ///@}

  /// Return pointers to the first value and past the last one.
  ///@{
  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + size_; }
  constexpr const_iterator cbegin() const { return data_; }
  constexpr const_iterator cend() const { return data_ + size_; }
  ///@}
  constexpr const T* data() const { return data_; }    ///< may be null for an empty view
  constexpr size_t size() const { return size_; }      ///< number of values
  constexpr bool empty() const { return size_ == 0; }  ///< size() is 0

  /// Returns value `i`. Not checked.
  const T& operator[](size_t i) const { return data_[i]; }
  /// Returns value `i`. Throws IndexError unless i < size().
  const T& at(size_t i) const {
    TAPER_CHECK_INDEX(i < size_, "ArrayRef: expected an index below ", size_, ", got ", i);
    return data_[i];
  }
  /// Return the first and the last value. Throw IndexError for an empty view.
  ///@{
  const T& front() const { return at(0); }
  const T& back() const { return at(size_ - 1); }
  ///@}
  /// Returns a view of `count` values, starting at value `start`. Throws IndexError if start +
  /// count > size().
  ArrayRef slice(size_t start, size_t count) const {
    TAPER_CHECK_INDEX(start <= size_ && count <= size_ - start, "ArrayRef: slice of ", count,
                      " values from ", start, " exceeds length ", size_);
    return {data_ + start, count};
  }
  /// Returns a view of the values from number `start` to the end. Throws IndexError if start >
  /// size().
  ArrayRef slice(size_t start) const { return slice(start, start < size_ ? size_ - start : 0); }
  /// Returns a copy of the values.
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  /// Returns whether both views have equal lengths and equal values.
  bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }
  operator std::vector<T>() const { return vec(); }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

/// Compare lengths and values, not addresses.
///@{
template <class T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <class T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}
template <class T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <class T>
bool operator!=(const std::vector<T>& a, ArrayRef<T> b) {
  return !ArrayRef<T>(a).equals(b);
}
template <class T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(ArrayRef<T>(b));
}
template <class T>
bool operator!=(ArrayRef<T> a, const std::vector<T>& b) {
  return !a.equals(ArrayRef<T>(b));
}
///@}

/// Prints `[2, 3, 4]`.
template <class T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> values) {
  out << '[';
  for (size_t i = 0; i < values.size(); ++i) out << (i ? ", " : "") << values[i];
  return out << ']';
}

using IntArrayRef = ArrayRef<int64_t>;  ///< a list of sizes, strides or dimensions
using IntList = IntArrayRef;            ///< LibTorch's older name

/// Returns a view of all of `v`. Deduces the element type.
template <class T>
ArrayRef<T> makeArrayRef(const std::vector<T>& v) {
  return v;
}

/// An optional list of dimensions. A braced list or one number converts to it.
class OptionalIntArrayRef {
 public:
  OptionalIntArrayRef() = default;
  /// Holds no list for nullopt, else a view of the argument. The argument must outlive this object.
  /// A number or a braced list lives until the end of the full expression.
  ///@{
  OptionalIntArrayRef(nullopt_t) {}
  OptionalIntArrayRef(IntArrayRef v) : value_(v) {}
  OptionalIntArrayRef(const std::vector<int64_t>& v) : value_(IntArrayRef(v)) {}
  OptionalIntArrayRef(const std::initializer_list<int64_t>& v) : value_(IntArrayRef(v)) {}
  OptionalIntArrayRef(const int64_t& one) : value_(IntArrayRef(one)) {}
  OptionalIntArrayRef(const optional<IntArrayRef>& v) : value_(v) {}
  ///@}
  /// Returns whether there is a list. The list may be empty.
  ///@{
  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }
  ///@}
  /// Return the list. There must be one: this is not checked.
  ///@{
  const IntArrayRef& value() const { return *value_; }
  const IntArrayRef& operator*() const { return *value_; }
  const IntArrayRef* operator->() const { return &*value_; }
  ///@}

 private:
  optional<IntArrayRef> value_;
};
/// LibTorch's name for an optional list of any type. For int64_t it is OptionalIntArrayRef.
template <class T>
using OptionalArrayRef =
    std::conditional_t<std::is_same<T, int64_t>::value, OptionalIntArrayRef, optional<ArrayRef<T>>>;

/// The largest number of dimensions of a tensor.
constexpr int64_t kMaxDims = 12;

/// A list of at most kMaxDims numbers by value: sizes or strides. It allocates nothing, so a
/// kernel's arguments and an op's saved shape can hold it.
class Dims {
 public:
  Dims() = default;
  /// Copies the numbers. Dims(count, value) holds `count` copies of `value`, while Dims{2, 3} holds
  /// 2 and 3. Throws Error for more than kMaxDims.
  ///@{
  Dims(IntArrayRef v) { assign(v.data(), v.size()); }
  Dims(std::initializer_list<int64_t> v) { assign(v.begin(), v.size()); }
  Dims(int64_t count, int64_t value) {
    check_count(count);
    size_ = count;
    for (int64_t i = 0; i < count; ++i) d_[i] = value;
  }
  ///@}
  /// Copies the numbers of `o`.
  ///@{
  Dims(const Dims& o) { copy(o); }
  Dims& operator=(const Dims& o) {
    copy(o);
    return *this;
  }
  ///@}

  int64_t size() const { return size_; }     ///< at most kMaxDims
  bool empty() const { return size_ == 0; }  ///< size() is 0
  /// Access elements without checks: `i` is 0 to size() - 1, and back() needs at least one number.
  /// Pointers stay valid as long as the object.
  ///@{
  int64_t* data() { return d_; }
  const int64_t* data() const { return d_; }
  int64_t& operator[](int64_t i) { return d_[i]; }
  int64_t operator[](int64_t i) const { return d_[i]; }
  int64_t& back() { return d_[size_ - 1]; }
  int64_t back() const { return d_[size_ - 1]; }
  int64_t* begin() { return d_; }
  int64_t* end() { return d_ + size_; }
  const int64_t* begin() const { return d_; }
  const int64_t* end() const { return d_ + size_; }
  ///@}
  /// Return a view of the current numbers. The object must outlive it.
  ///@{
  operator IntArrayRef() const { return {d_, static_cast<size_t>(size_)}; }
  IntArrayRef ref() const { return *this; }
  ///@}
  std::vector<int64_t> vec() const { return {begin(), end()}; }  ///< a copy

  /// Removes all numbers.
  void clear() { size_ = 0; }
  /// Changes the length. New numbers are unspecified until they are set. Throws Error beyond
  /// kMaxDims.
  void resize(int64_t count) {
    check_count(count);
    size_ = count;
  }
  /// Appends `v`. Throws Error if there are kMaxDims numbers already.
  void push_back(int64_t v) {
    check_count(size_ + 1);
    d_[size_++] = v;
  }
  /// Inserts `v` before number `at` (0 to size(), not checked). Throws Error if there are kMaxDims
  /// numbers already.
  void insert(int64_t at, int64_t v) {
    check_count(size_ + 1);
    for (int64_t i = size_; i > at; --i) d_[i] = d_[i - 1];
    d_[at] = v;
    ++size_;
  }
  /// Removes number `at` (0 to size() - 1, not checked).
  void erase(int64_t at) {
    for (int64_t i = at; i + 1 < size_; ++i) d_[i] = d_[i + 1];
    --size_;
  }
  /// Compare lengths and numbers.
  ///@{
  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.size_ != b.size_) return false;
    for (int64_t i = 0; i < a.size_; ++i)
      if (a.d_[i] != b.d_[i]) return false;
    return true;
  }
  friend bool operator!=(const Dims& a, const Dims& b) { return !(a == b); }
  ///@}

 private:
  static void check_count(int64_t count) {
    TAPER_CHECK(count <= kMaxDims, "Tensor: expected at most ", kMaxDims, " dimensions, got ",
                count);
  }
  // Nearly every tensor has at most four dimensions: one vector move copies them.
  void copy(const Dims& o) {
    size_ = o.size_;
    __builtin_memcpy(d_, o.d_, 4 * sizeof(int64_t));
    if (__builtin_expect(size_ > 4, 0)) __builtin_memcpy(d_, o.d_, sizeof d_);
  }
  void assign(const int64_t* v, size_t n) {
    check_count(static_cast<int64_t>(n));
    size_ = static_cast<int64_t>(n);
    for (size_t i = 0; i < n; ++i) d_[i] = v[i];
  }

  int64_t size_ = 0;
  int64_t d_[kMaxDims];
};

/// Prints `[2, 3, 4]`.
inline std::ostream& operator<<(std::ostream& out, const Dims& d) { return out << d.ref(); }

}  // namespace torch::taper

#pragma GCC visibility pop
