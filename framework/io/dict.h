// List and Dict: LibTorch's containers, whose copies share their elements.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <taper/framework/core/check.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// A list. Copies share its elements, like Python's references to a list.
template <class T>
class List {
 public:
  using value_type = T;  ///< the elements' type
  List() : items_(std::make_shared<std::vector<T>>()) {}
  /// Makes a new list with these elements.
  ///@{
  List(std::initializer_list<T> items) : items_(std::make_shared<std::vector<T>>(items)) {}
  explicit List(std::vector<T> items)
      : items_(std::make_shared<std::vector<T>>(std::move(items))) {}
  ///@}

  size_t size() const { return items_->size(); }  ///< number of elements
  bool empty() const { return items_->empty(); }  ///< whether there are no elements
  /// Returns element `i`. Throws IndexError if there is none.
  T get(size_t i) const { return (*this)[i]; }
  /// Returns a reference to element `i`, which may be assigned to. Throws IndexError if there is
  /// none.
  decltype(auto) operator[](size_t i) const {
    TAPER_CHECK_INDEX(i < size(), "list index out of range");
    return (*items_)[i];
  }
  /// Sets element `i`. Throws IndexError if there is none.
  void set(size_t i, T value) const {
    TAPER_CHECK_INDEX(i < size(), "list index out of range");
    (*items_)[i] = std::move(value);
  }
  /// Moves element `i` out and leaves an unspecified value there. Throws IndexError if there is
  /// none.
  T extract(size_t i) const { return std::move((*this)[i]); }
  /// Append one element. emplace_back constructs it from `args`.
  ///@{
  void push_back(T value) const { items_->push_back(std::move(value)); }
  template <class... Args>
  void emplace_back(Args&&... args) const {
    items_->emplace_back(std::forward<Args>(args)...);
  }
  ///@}
  /// Appends copies of the elements of `other`, which may be this list.
  void append(const List& other) const {
    const std::vector<T> more = other.vec();  // `other` may be this list
    items_->insert(items_->end(), more.begin(), more.end());
  }
  /// Removes the last element. Throws IndexError for an empty list.
  void pop_back() const {
    TAPER_CHECK_INDEX(!empty(), "pop_back: expected an element, got an empty list");
    items_->pop_back();
  }
  void clear() const { items_->clear(); }  ///< removes the elements, for all copies
  /// Reserves memory for `n` elements. Appending up to this size then moves no elements.
  void reserve(size_t n) const { items_->reserve(n); }
  /// Remove elements from the end, or append copies of `value`, by default T().
  ///@{
  void resize(size_t n) const { items_->resize(n); }
  void resize(size_t n, const T& value) const { items_->resize(n, value); }
  ///@}
  /// Inserts an element before `at`, and returns its position. Other iterators become invalid.
  auto insert(typename std::vector<T>::iterator at, T value) const {
    return items_->insert(at, std::move(value));
  }
  /// Removes the element at `at`, and returns the position of the next one.
  auto erase(typename std::vector<T>::iterator at) const { return items_->erase(at); }
  /// Return iterators of a std::vector, through which elements may be changed. They are valid until
  /// elements are added or removed through any copy.
  ///@{
  auto begin() const { return items_->begin(); }
  auto end() const { return items_->end(); }
  ///@}
  /// Returns a new list with equal elements.
  List copy() const { return List(vec()); }
  /// Returns whether both share their elements.
  bool is(const List& other) const { return items_ == other.items_; }
  /// Returns the number of copies that share the elements.
  size_t use_count() const { return static_cast<size_t>(items_.use_count()); }
  /// Compare elements, in order.
  ///@{
  friend bool operator==(const List& a, const List& b) { return a.vec() == b.vec(); }
  friend bool operator!=(const List& a, const List& b) { return !(a == b); }
  ///@}
  /// Returns the elements without copying. The reference is valid as long as any copy of the list.
  const std::vector<T>& vec() const { return *items_; }
  operator const std::vector<T>&() const { return *items_; }
  /// pointer() returns the shared vector. from_pointer() makes a list that shares `items`, which
  /// must not be null. IValue uses them to store lists of any type.
  ///@{
  const std::shared_ptr<std::vector<T>>& pointer() const { return items_; }
  static List from_pointer(std::shared_ptr<std::vector<T>> items) { return List(std::move(items)); }
  ///@}

 private:
  explicit List(std::shared_ptr<std::vector<T>> items) : items_(std::move(items)) {}
  std::shared_ptr<std::vector<T>> items_;
};

/// A dictionary in the order of insertion. Copies share its entries.
template <class Key, class Value>
class Dict {
 public:
  /// A key with its value.
  class Entry {
   public:
    /// Takes over the key and the value.
    Entry(Key key, Value value) : key_(std::move(key)), value_(std::move(value)) {}
    const Key& key() const { return key_; }        ///< never changes
    const Value& value() const { return value_; }  ///< replaced by setValue
    /// Changes the value in the dictionary, for all copies.
    void setValue(Value value) const { value_ = std::move(value); }

   private:
    Key key_;
    mutable Value value_;
  };
  /// The state that copies of a dictionary share.
  struct Table {
    std::vector<Entry> entries;             ///< in the order of insertion
    std::unordered_map<Key, size_t> index;  ///< index in `entries` of each key
  };
  /// Iterates over entries in the order of insertion. Valid until an entry is added or removed
  /// through any copy.
  using iterator = typename std::vector<Entry>::const_iterator;

  Dict() : table_(std::make_shared<Table>()) {}

  size_t size() const { return table_->entries.size(); }  ///< number of entries
  bool empty() const { return size() == 0; }              ///< whether there are no entries
  /// Returns whether there is an entry with `key`.
  bool contains(const Key& key) const { return table_->index.count(key) > 0; }
  /// Return iterators to the first entry and past the last one.
  ///@{
  iterator begin() const { return table_->entries.cbegin(); }
  iterator end() const { return table_->entries.cend(); }
  ///@}
  /// Returns the entry of `key`, or end() if there is none.
  iterator find(const Key& key) const {
    const auto at = table_->index.find(key);
    return at == table_->index.end() ? end() : begin() + static_cast<std::ptrdiff_t>(at->second);
  }
  /// Returns the value of a key. Throws IndexError if there is no such key.
  const Value& at(const Key& key) const {
    const iterator found = find(key);
    TAPER_CHECK_INDEX(found != end(), "Argument passed to at() was not in the map.");
    return found->value();
  }
  /// Adds an entry, and returns its position and true. If the key exists, keeps its value, and
  /// returns its position and false.
  std::pair<iterator, bool> insert(Key key, Value value) const {
    const auto [at, is_new] = table_->index.emplace(key, size());
    const auto place = static_cast<std::ptrdiff_t>(at->second);
    if (is_new) table_->entries.emplace_back(std::move(key), std::move(value));
    return {begin() + place, is_new};
  }
  /// Adds an entry, and returns its position and true. If the key exists, replaces its value in
  /// place, and returns its position and false.
  std::pair<iterator, bool> insert_or_assign(Key key, Value value) const {
    const auto [where, is_new] = insert(std::move(key), value);
    if (!is_new) where->setValue(std::move(value));
    return {where, is_new};
  }
  /// Removes the entry of `key`. Returns the number of removed entries.
  size_t erase(const Key& key) const {
    const iterator found = find(key);
    if (found == end()) return 0;
    table_->entries.erase(found);
    table_->index.clear();
    for (size_t i = 0; i < size(); ++i) table_->index.emplace(table_->entries[i].key(), i);
    return 1;
  }
  void clear() const { *table_ = Table(); }  ///< removes the entries, for all copies
  void reserve(size_t n) const { table_->entries.reserve(n); }  ///< reserves memory for `n` entries
  /// Returns a new dictionary with equal entries.
  Dict copy() const { return Dict(std::make_shared<Table>(*table_)); }
  /// Returns whether both share their entries.
  bool is(const Dict& other) const { return table_ == other.table_; }
  /// pointer() returns the shared table. from_pointer() makes a dictionary that shares `table`,
  /// which must not be null. IValue uses them to store dictionaries of any type.
  ///@{
  const std::shared_ptr<Table>& pointer() const { return table_; }
  static Dict from_pointer(std::shared_ptr<Table> table) { return Dict(std::move(table)); }
  ///@}

 private:
  explicit Dict(std::shared_ptr<Table> table) : table_(std::move(table)) {}
  std::shared_ptr<Table> table_;
};

}  // namespace torch::taper

#pragma GCC visibility pop
