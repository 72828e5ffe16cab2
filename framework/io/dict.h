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

/// A list; copies share its elements, as Python's names of a list do.
template <class T>
class List {
 public:
  using value_type = T;  ///< the elements' type
  List() : items_(std::make_shared<std::vector<T>>()) {}
  /// A list of its own with these elements.
  ///@{
  List(std::initializer_list<T> items) : items_(std::make_shared<std::vector<T>>(items)) {}
  explicit List(std::vector<T> items)
      : items_(std::make_shared<std::vector<T>>(std::move(items))) {}
  ///@}

  size_t size() const { return items_->size(); }  ///< elements
  bool empty() const { return items_->empty(); }  ///< no elements
  /// Throws IndexError when there is no element `i`.
  T get(size_t i) const { return (*this)[i]; }
  /// The element itself, which may be assigned to. Throws IndexError when there is no element `i`.
  decltype(auto) operator[](size_t i) const {
    TAPER_CHECK_INDEX(i < size(), "list index out of range");
    return (*items_)[i];
  }
  /// Throws IndexError when there is no element `i`.
  void set(size_t i, T value) const {
    TAPER_CHECK_INDEX(i < size(), "list index out of range");
    (*items_)[i] = std::move(value);
  }
  /// Moves element `i` out; one with an unspecified value stays in its place. Throws IndexError
  /// when there is none.
  T extract(size_t i) const { return std::move((*this)[i]); }
  /// Add one element at the end, emplace_back one that is made of `args`.
  ///@{
  void push_back(T value) const { items_->push_back(std::move(value)); }
  template <class... Args>
  void emplace_back(Args&&... args) const {
    items_->emplace_back(std::forward<Args>(args)...);
  }
  ///@}
  /// Adds copies of the elements of `other`, which may be this list.
  void append(const List& other) const {
    const std::vector<T> more = other.vec();  // `other` may be this list
    items_->insert(items_->end(), more.begin(), more.end());
  }
  /// Removes the last element. Throws IndexError for an empty list.
  void pop_back() const {
    TAPER_CHECK_INDEX(!empty(), "pop_back: expected an element, got an empty list");
    items_->pop_back();
  }
  void clear() const { items_->clear(); }  ///< for all copies of the list
  /// Makes room for `n` elements in all, so that adding them moves none.
  void reserve(size_t n) const { items_->reserve(n); }
  /// Removes elements from the end, or adds copies of `value`, by default of T().
  ///@{
  void resize(size_t n) const { items_->resize(n); }
  void resize(size_t n, const T& value) const { items_->resize(n, value); }
  ///@}
  /// Inserts before `at`; returns where the new element is. Other iterators are invalid then.
  auto insert(typename std::vector<T>::iterator at, T value) const {
    return items_->insert(at, std::move(value));
  }
  /// Removes the element at `at`; returns where the next one is.
  auto erase(typename std::vector<T>::iterator at) const { return items_->erase(at); }
  /// Iterators of a std::vector; elements may be changed through them. Valid until elements are
  /// added or removed, through whichever copy.
  ///@{
  auto begin() const { return items_->begin(); }
  auto end() const { return items_->end(); }
  ///@}
  /// A list of its own with the same elements.
  List copy() const { return List(vec()); }
  /// Whether both are the same list: a change of one shows in the other.
  bool is(const List& other) const { return items_ == other.items_; }
  /// How many copies share the elements.
  size_t use_count() const { return static_cast<size_t>(items_.use_count()); }
  /// By elements, in order.
  ///@{
  friend bool operator==(const List& a, const List& b) { return a.vec() == b.vec(); }
  friend bool operator!=(const List& a, const List& b) { return !(a == b); }
  ///@}
  /// The elements themselves, not copied; valid as long as a copy of the list.
  const std::vector<T>& vec() const { return *items_; }
  operator const std::vector<T>&() const { return *items_; }
  /// The shared vector itself, for what keeps lists in another form (IValue); `items` must not be
  /// null.
  ///@{
  const std::shared_ptr<std::vector<T>>& pointer() const { return items_; }
  static List from_pointer(std::shared_ptr<std::vector<T>> items) { return List(std::move(items)); }
  ///@}

 private:
  explicit List(std::shared_ptr<std::vector<T>> items) : items_(std::move(items)) {}
  std::shared_ptr<std::vector<T>> items_;
};

/// A dictionary in the order of insertion; copies share its entries.
template <class Key, class Value>
class Dict {
 public:
  /// A key with its value.
  class Entry {
   public:
    /// Takes over both.
    Entry(Key key, Value value) : key_(std::move(key)), value_(std::move(value)) {}
    const Key& key() const { return key_; }        ///< never changes
    const Value& value() const { return value_; }  ///< what setValue replaces
    /// Changes the value in the dictionary, for all of its copies.
    void setValue(Value value) const { value_ = std::move(value); }

   private:
    Key key_;
    mutable Value value_;
  };
  /// What copies of a dictionary share.
  struct Table {
    std::vector<Entry> entries;             ///< in the order of insertion
    std::unordered_map<Key, size_t> index;  ///< where the entry of a key is in `entries`
  };
  /// Goes over entries in the order of insertion. Valid until an entry is added or removed, through
  /// whichever copy.
  using iterator = typename std::vector<Entry>::const_iterator;

  Dict() : table_(std::make_shared<Table>()) {}

  size_t size() const { return table_->entries.size(); }  ///< entries
  bool empty() const { return size() == 0; }              ///< no entries
  /// Whether there is an entry of that key.
  bool contains(const Key& key) const { return table_->index.count(key) > 0; }
  /// The first entry, and behind the last.
  ///@{
  iterator begin() const { return table_->entries.cbegin(); }
  iterator end() const { return table_->entries.cend(); }
  ///@}
  /// The entry of that key, end() where there is none.
  iterator find(const Key& key) const {
    const auto at = table_->index.find(key);
    return at == table_->index.end() ? end() : begin() + static_cast<std::ptrdiff_t>(at->second);
  }
  /// Throws IndexError when there is no such key.
  const Value& at(const Key& key) const {
    const iterator found = find(key);
    TAPER_CHECK_INDEX(found != end(), "Argument passed to at() was not in the map.");
    return found->value();
  }
  /// Adds an entry, and returns where it is and true; a key that is there keeps its value.
  std::pair<iterator, bool> insert(Key key, Value value) const {
    const auto [at, is_new] = table_->index.emplace(key, size());
    const auto place = static_cast<std::ptrdiff_t>(at->second);
    if (is_new) table_->entries.emplace_back(std::move(key), std::move(value));
    return {begin() + place, is_new};
  }
  /// Adds an entry, and returns where it is and true; a key that is there gets the new value, and
  /// keeps its place.
  std::pair<iterator, bool> insert_or_assign(Key key, Value value) const {
    const auto [where, is_new] = insert(std::move(key), value);
    if (!is_new) where->setValue(std::move(value));
    return {where, is_new};
  }
  /// Removes the entry of that key; returns how many there were.
  size_t erase(const Key& key) const {
    const iterator found = find(key);
    if (found == end()) return 0;
    table_->entries.erase(found);
    table_->index.clear();
    for (size_t i = 0; i < size(); ++i) table_->index.emplace(table_->entries[i].key(), i);
    return 1;
  }
  void clear() const { *table_ = Table(); }  ///< for all copies of the dictionary
  void reserve(size_t n) const { table_->entries.reserve(n); }  ///< room for `n` entries in all
  /// A dictionary of its own with the same entries.
  Dict copy() const { return Dict(std::make_shared<Table>(*table_)); }
  /// Whether both are the same dictionary: a change of one shows in the other.
  bool is(const Dict& other) const { return table_ == other.table_; }
  /// The shared table itself, for what keeps dictionaries in another form (IValue); `table` must
  /// not be null.
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
