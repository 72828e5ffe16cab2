// SmallVector: a vector that stores its first N elements inline.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <taper/framework/core/array_ref.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The base class of SmallVector<T, N> for all N. A function that takes a reference to this class
/// accepts every N.
template <class T>
class SmallVectorImpl {
 public:
  using value_type = T;              ///< an element
  using iterator = T*;               ///< into the elements
  using const_iterator = const T*;   ///< into constant elements
  using reference = T&;              ///< to an element
  using const_reference = const T&;  ///< to a constant element
  using size_type = size_t;          ///< the type of sizes
  /// Iterates from the last element to the first.
  using reverse_iterator = std::reverse_iterator<iterator>;

  SmallVectorImpl(const SmallVectorImpl&) = delete;  ///< because N is unknown here
  ~SmallVectorImpl() {
    clear();
    if (data_ != inline_) ::operator delete(data_, std::align_val_t(alignof(T)));
  }
  /// Copies the elements.
  SmallVectorImpl& operator=(const SmallVectorImpl& o) {
    if (this != &o) assign(o.begin(), o.end());
    return *this;
  }
  /// Moves the elements, and leaves the other vector empty.
  SmallVectorImpl& operator=(SmallVectorImpl&& o) {
    if (this != &o) {
      assign(std::make_move_iterator(o.begin()), std::make_move_iterator(o.end()));
      o.clear();
    }
    return *this;
  }

  T* begin() { return data_; }                                   ///< the first element
  T* end() { return data_ + size_; }                             ///< past the last element
  const T* begin() const { return data_; }                       ///< the first element
  const T* end() const { return data_ + size_; }                 ///< past the last element
  reverse_iterator rbegin() { return reverse_iterator(end()); }  ///< the last element
  reverse_iterator rend() { return reverse_iterator(begin()); }  ///< before the first element
  T* data() { return data_; }                                    ///< the first element
  const T* data() const { return data_; }                        ///< the first element
  size_t size() const { return size_; }                          ///< number of elements
  bool empty() const { return size_ == 0; }                      ///< whether there are no elements
  size_t capacity() const { return capacity_; }  ///< number of elements that fit into the memory
  T& operator[](size_t i) { return data_[i]; }   ///< not checked
  const T& operator[](size_t i) const { return data_[i]; }  ///< not checked
  /// Returns element `i`. Throws IndexError if there is none.
  T& at(size_t i) { return const_cast<T&>(std::as_const(*this).at(i)); }
  /// Returns element `i`. Throws IndexError if there is none.
  const T& at(size_t i) const {
    TAPER_CHECK_INDEX(i < size_, "SmallVector: expected an index below ", size_, ", got ", i);
    return data_[i];
  }
  T& front() { return at(0); }                     ///< throws IndexError if empty
  const T& front() const { return at(0); }         ///< throws IndexError if empty
  T& back() { return at(size_ - 1); }              ///< throws IndexError if empty
  const T& back() const { return at(size_ - 1); }  ///< throws IndexError if empty

  /// Reserves memory for n elements. Pointers to elements become invalid.
  void reserve(size_t n) {
    if (n <= capacity_) return;
    T* const to = static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(alignof(T))));
    std::uninitialized_move(begin(), end(), to);
    std::destroy(begin(), end());
    if (data_ != inline_) ::operator delete(data_, std::align_val_t(alignof(T)));
    data_ = to;
    capacity_ = n;
  }
  /// Constructs an element at the end.
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) {
      T value(std::forward<Args>(args)...);  // the arguments may lie in this vector
      reserve(capacity_ * 2 + 1);
      return *new (data_ + size_++) T(std::move(value));
    }
    T* const made = new (data_ + size_) T(std::forward<Args>(args)...);
    ++size_;
    return *made;
  }
  void push_back(const T& value) { emplace_back(value); }        ///< `value` may be in this vector
  void push_back(T&& value) { emplace_back(std::move(value)); }  ///< moves it
  /// Removes the last element. Throws IndexError if there is none.
  void pop_back() {
    TAPER_CHECK_INDEX(size_ > 0, "SmallVector: expected an element to pop, got an empty vector");
    std::destroy_at(data_ + --size_);
  }
  /// Removes the last element and returns it. Throws IndexError if there is none.
  T pop_back_val() {
    T value = std::move(back());
    pop_back();
    return value;
  }
  /// Removes all elements, and keeps the memory.
  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }
  /// Removes elements from the end, or appends default-constructed elements.
  void resize(size_t n) {
    resize_with(n, [this] { emplace_back(); });
  }
  /// Removes elements from the end, or appends copies of `value`.
  void resize(size_t n, const T& value) {
    const T copy = value;
    resize_with(n, [&] { emplace_back(copy); });
  }
  /// Removes all except the first n elements.
  void truncate(size_t n) {
    while (size_ > n) pop_back();
  }
  /// Appends the range [first, last), which must not be part of this vector.
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) emplace_back(*first);
  }
  /// Appends a list.
  void append(std::initializer_list<T> list) { append(list.begin(), list.end()); }
  void append(size_t count, const T& value) { resize(size_ + count, value); }  ///< appends copies
  /// Replaces all elements by the range [first, last), which must not be part of this vector.
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  void assign(std::initializer_list<T> list) { assign(list.begin(), list.end()); }  ///< these
  /// Replaces all elements by copies of `value`.
  void assign(size_t count, const T& value) {
    const T copy = value;
    clear();
    resize(count, copy);
  }
  /// Inserts an element before the position `before`, and returns the position of the new element.
  T* insert(const T* before, T value) {
    const auto place = before - begin();
    emplace_back(std::move(value));
    std::rotate(begin() + place, end() - 1, end());
    return begin() + place;
  }
  /// Inserts the range [first, last) before the position `before`. The range must not be part of
  /// this vector. Returns the position of the first inserted element.
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  T* insert(const T* before, Iterator first, Iterator last) {
    const auto place = before - begin();
    const size_t old = size_;
    append(first, last);
    std::rotate(begin() + place, begin() + old, end());
    return begin() + place;
  }
  /// Removes the element at `at`. Returns the position after it.
  T* erase(const T* at) { return erase(at, at + 1); }
  /// Removes [first, last), and returns the position after the removed elements.
  T* erase(const T* first, const T* last) {
    T* const from = begin() + (first - begin());
    T* const kept = std::move(begin() + (last - begin()), end(), from);
    truncate(static_cast<size_t>(kept - begin()));
    return from;
  }
  operator ArrayRef<T>() const { return {data_, size_}; }  ///< a view of the current elements

  /// Compares element by element.
  friend bool operator==(const SmallVectorImpl& a, const SmallVectorImpl& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  /// Compares element by element.
  friend bool operator!=(const SmallVectorImpl& a, const SmallVectorImpl& b) { return !(a == b); }
  /// Compares lexicographically.
  friend bool operator<(const SmallVectorImpl& a, const SmallVectorImpl& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
  /// Prints like ArrayRef: "[1, 2]".
  friend std::ostream& operator<<(std::ostream& out, const SmallVectorImpl& v) {
    return out << ArrayRef<T>(v);
  }

 protected:
  /// Makes an empty vector. `in_place` is the object's inline memory for `capacity` elements.
  SmallVectorImpl(T* in_place, size_t capacity)
      : inline_(in_place), data_(in_place), capacity_(capacity) {}

 private:
  template <class Add>
  void resize_with(size_t n, const Add& add) {
    truncate(n);
    reserve(n);
    while (size_ < n) add();
  }
  T* const inline_;
  T* data_;
  size_t size_ = 0, capacity_;
};

namespace detail {
template <class T, size_t N>
struct SmallVectorRoom {
  alignas(T) unsigned char room[N > 0 ? N * sizeof(T) : 1];
  T* place() { return reinterpret_cast<T*>(room); }
};
}  // namespace detail

/// A vector that stores up to N elements inline. If there are more than N elements, all are in
/// allocated memory.
template <class T, size_t N = 8>
class SmallVector : detail::SmallVectorRoom<T, N>, public SmallVectorImpl<T> {
  using Impl = SmallVectorImpl<T>;

 public:
  SmallVector() : Impl(this->place(), N) {}  ///< empty
  explicit SmallVector(size_t n) : SmallVector() {
    this->resize(n);
  }  ///< n default-constructed elements
  SmallVector(size_t n, const T& value) : SmallVector() { this->resize(n, value); }   ///< n copies
  SmallVector(std::initializer_list<T> list) : SmallVector() { this->append(list); }  ///< these
  /// Copies a range.
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  SmallVector(Iterator first, Iterator last) : SmallVector() {
    this->append(first, last);
  }
  explicit SmallVector(ArrayRef<T> list) : SmallVector(list.begin(), list.end()) {}  ///< copies
  SmallVector(const SmallVector& o) : SmallVector(o.begin(), o.end()) {}             ///< a copy
  SmallVector(SmallVector&& o) : SmallVector() {
    *this = std::move(o);
  }                                                                ///< leaves the other empty
  SmallVector(const Impl& o) : SmallVector(o.begin(), o.end()) {}  ///< a copy of a vector of any N
  /// Copies the elements.
  SmallVector& operator=(const SmallVector& o) {
    Impl::operator=(o);
    return *this;
  }
  /// Moves the elements, and leaves the other vector empty.
  SmallVector& operator=(SmallVector&& o) {
    Impl::operator=(std::move(o));
    return *this;
  }
  /// Replaces all elements by those of `list`.
  SmallVector& operator=(std::initializer_list<T> list) {
    this->assign(list);
    return *this;
  }
};

/// Sizes or strides.
using DimVector = SmallVector<int64_t, 5>;

}  // namespace torch::taper

#pragma GCC visibility pop
