// OrderedDict: maps keys to values, in the order of insertion.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/check.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Holds one pair of an OrderedDict. `*item` and `item->` are the value. In C++17, `for (auto&
/// [key, value] : dict)` binds both.
template <class Key, class Value>
class OrderedDictItem {
 public:
  /// Takes over the key and the value.
  OrderedDictItem(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
  /// Returns the value.
  ///@{
  Value& operator*() { return pair_.second; }
  const Value& operator*() const { return pair_.second; }
  Value* operator->() { return &pair_.second; }
  const Value* operator->() const { return &pair_.second; }
  ///@}
  /// Return the key, the value, or both. Keys cannot be changed in place.
  ///@{
  const Key& key() const noexcept { return pair_.first; }
  Value& value() noexcept { return pair_.second; }
  const Value& value() const noexcept { return pair_.second; }
  const std::pair<Key, Value>& pair() const noexcept { return pair_; }
  ///@}
  /// Returns the key for 0 and the value for 1, for structured bindings.
  ///@{
  template <size_t I>
  auto& get() {
    if constexpr (I == 0)
      return key();
    else
      return value();
  }
  template <size_t I>
  const auto& get() const {
    return std::get<I>(pair_);
  }
  ///@}

 private:
  std::pair<Key, Value> pair_;
};

/// Pairs of key and value that iterate in the order of insertion. A key occurs once. Look-up scans
/// a short dictionary and uses a hash table for a long one.
template <class Key, class Value>
class OrderedDict {
 public:
  using Item = OrderedDictItem<Key, Value>;  ///< one pair
  /// Iterators over the pairs. They become invalid when pairs are added or removed, as in a vector.
  ///@{
  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;
  ///@}

  /// `key_description` is the word for a key in errors: "Parameter 'w' already defined".
  explicit OrderedDict(std::string key_description = "Key")
      : key_description_(std::move(key_description)) {}
  /// Makes a dictionary of the pairs in `items`, in this order. Throws Error if a key occurs twice.
  OrderedDict(std::initializer_list<Item> items) : OrderedDict("Key") {
    reserve(items.size());
    for (const Item& item : items) insert(item.key(), item.value());
  }

  /// Returns the word for a key in errors.
  const std::string& key_description() const noexcept { return key_description_; }
  /// Return iterators to the first inserted pair and past the last one.
  ///@{
  Iterator begin() { return items_.begin(); }
  ConstIterator begin() const { return items_.begin(); }
  Iterator end() { return items_.end(); }
  ConstIterator end() const { return items_.end(); }
  ///@}
  size_t size() const noexcept { return items_.size(); }     ///< number of pairs
  bool is_empty() const noexcept { return items_.empty(); }  ///< whether there is no pair
  /// Reserves memory for `capacity` pairs. insert() moves no pair while size() is below `capacity`.
  void reserve(size_t capacity) { items_.reserve(capacity); }
  /// Returns all pairs in order, without a copy.
  const std::vector<Item>& items() const noexcept { return items_; }

  /// Return the first (last) pair. Throw Error if there is none.
  ///@{
  Item& front() { return *checked_end("front"); }
  const Item& front() const { return *checked_end("front"); }
  Item& back() { return *(checked_end("back") + size() - 1); }
  const Item& back() const { return *(checked_end("back") + size() - 1); }
  ///@}
  /// Returns pair number `index`, counted from 0. Throws Error unless index < size().
  ///@{
  Item& operator[](size_t index) { return items_[checked(index)]; }
  const Item& operator[](size_t index) const { return items_[checked(index)]; }
  ///@}
  /// Returns the value of a key. Throws Error if the key does not exist, and inserts nothing.
  ///@{
  Value& operator[](const Key& key) { return items_[checked(key)].value(); }
  const Value& operator[](const Key& key) const { return items_[checked(key)].value(); }
  ///@}
  /// Returns the value of a key, or null if the key does not exist.
  ///@{
  Value* find(const Key& key) noexcept {
    const size_t i = position(key);
    return i == kNone ? nullptr : &items_[i].value();
  }
  const Value* find(const Key& key) const noexcept {
    return const_cast<OrderedDict*>(this)->find(key);
  }
  ///@}
  /// Returns whether the key exists.
  bool contains(const Key& key) const noexcept { return position(key) != kNone; }

  /// Appends a pair, and returns a reference to its value. Throws Error if the key exists already.
  Value& insert(Key key, Value value) {
    TAPER_CHECK(!contains(key), key_description_, " '", key, "' already defined");
    items_.emplace_back(std::move(key), std::move(value));
    if (size() > kScanned) add_to_index();
    return items_.back().value();
  }
  /// Appends all pairs of `other`. Throws Error at the first key that exists already. Pairs that
  /// were appended before the error stay.
  ///@{
  void update(OrderedDict&& other) {
    reserve(size() + other.size());
    for (Item& item : other) insert(item.key(), std::move(item.value()));
  }
  void update(const OrderedDict& other) {
    reserve(size() + other.size());
    for (const Item& item : other) insert(item.key(), item.value());
  }
  ///@}
  /// Removes the pair of `key`. Later pairs keep their order. Throws Error if the key does not
  /// exist.
  void erase(const Key& key) {
    const size_t i = position(key);
    TAPER_CHECK(i != kNone, "Key '", key, "' doesn't exist");
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
    slots_.clear();
    if (size() > kScanned) rebuild_index();
  }
  /// Removes all pairs, and keeps key_description().
  void clear() {
    items_.clear();
    slots_.clear();
  }

  /// Returns a new vector with copies of all keys, values or pairs, in order.
  ///@{
  std::vector<Key> keys() const {
    std::vector<Key> r;
    r.reserve(size());
    for (const Item& item : items_) r.push_back(item.key());
    return r;
  }
  std::vector<Value> values() const {
    std::vector<Value> r;
    r.reserve(size());
    for (const Item& item : items_) r.push_back(item.value());
    return r;
  }
  std::vector<std::pair<Key, Value>> pairs() const {
    std::vector<std::pair<Key, Value>> r;
    r.reserve(size());
    for (const Item& item : items_) r.push_back(item.pair());
    return r;
  }
  ///@}
  /// Returns whether `a` and `b` hold equal pairs in the same order.
  friend bool operator==(const OrderedDict& a, const OrderedDict& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a.items_[i].pair() != b.items_[i].pair()) return false;
    return true;
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  /// Up to this number of pairs, a scan is faster than hashing.
  static constexpr size_t kScanned = 16;

  size_t position(const Key& key) const noexcept {
    if (slots_.empty()) {
      for (size_t i = 0; i < size(); ++i)
        if (items_[i].key() == key) return i;
      return kNone;
    }
    for (size_t s = slot_of(key); slots_[s] != 0; s = (s + 1) & (slots_.size() - 1))
      if (items_[slots_[s] - 1].key() == key) return slots_[s] - 1;
    return kNone;
  }
  size_t checked(const Key& key) const {
    const size_t i = position(key);
    TAPER_CHECK(i != kNone, key_description_, " '", key, "' is not defined");
    return i;
  }
  size_t checked(size_t index) const {
    TAPER_CHECK(index < size(), "Index ", index, " is out of bounds");
    return index;
  }
  Iterator checked_end(const char* which) {
    TAPER_CHECK(!items_.empty(), "Called ", which, "() on an empty OrderedDict");
    return items_.begin();
  }
  ConstIterator checked_end(const char* which) const {
    return const_cast<OrderedDict*>(this)->checked_end(which);
  }
  // Open addressing: a slot holds a position + 1, or 0. At most half of the slots are used.
  size_t slot_of(const Key& key) const { return std::hash<Key>()(key) & (slots_.size() - 1); }
  void occupy(size_t i) {
    size_t s = slot_of(items_[i].key());
    while (slots_[s] != 0) s = (s + 1) & (slots_.size() - 1);
    slots_[s] = i + 1;
  }
  void add_to_index() {
    if (slots_.size() < 2 * size())
      rebuild_index();
    else
      occupy(size() - 1);
  }
  void rebuild_index() {
    size_t count = 4 * kScanned;
    while (count < 4 * size()) count *= 2;
    slots_.assign(count, 0);
    for (size_t i = 0; i < size(); ++i) occupy(i);
  }

  std::vector<Item> items_;
  std::vector<size_t> slots_;
  std::string key_description_;
};

}  // namespace torch::taper

/// Tells structured bindings that a pair of an OrderedDict has two parts.
template <class Key, class Value>
struct std::tuple_size<torch::taper::OrderedDictItem<Key, Value>>
    : std::integral_constant<size_t, 2> {};
/// Tells structured bindings the types of the key and of the value.
///@{
template <class Key, class Value>
struct std::tuple_element<0, torch::taper::OrderedDictItem<Key, Value>> {
  using type = const Key;
};
template <class Key, class Value>
struct std::tuple_element<1, torch::taper::OrderedDictItem<Key, Value>> {
  using type = Value;
};
///@}

#pragma GCC visibility pop
