// List and Dict: LibTorch's containers, whose copies share their elements.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <taper/framework/check.h>

#pragma GCC visibility push(default)

namespace taper {

/// A list; copies share its elements, as Python's names of a list do.
template <class T>
class List {
 public:
  using value_type = T;
  List() : items_(std::make_shared<std::vector<T>>()) {}
  List(std::initializer_list<T> items) : items_(std::make_shared<std::vector<T>>(items)) {}
  explicit List(std::vector<T> items)
      : items_(std::make_shared<std::vector<T>>(std::move(items))) {}

  size_t size() const { return items_->size(); }
  bool empty() const { return items_->empty(); }
  /// Throws IndexError when there is no element `i`.
  const T& get(size_t i) const {
    TAPER_CHECK_INDEX(i < size(), "list index out of range");
    return (*items_)[i];
  }
  const T& operator[](size_t i) const { return get(i); }
  void push_back(T value) const { items_->push_back(std::move(value)); }
  auto begin() const { return items_->cbegin(); }
  auto end() const { return items_->cend(); }
  const std::vector<T>& vec() const { return *items_; }
  operator const std::vector<T>&() const { return *items_; }
  const std::shared_ptr<std::vector<T>>& pointer() const { return items_; }
  static List from_pointer(std::shared_ptr<std::vector<T>> items) { return List(std::move(items)); }

 private:
  explicit List(std::shared_ptr<std::vector<T>> items) : items_(std::move(items)) {}
  std::shared_ptr<std::vector<T>> items_;
};

/// A dictionary in the order of insertion; copies share its entries.
template <class Key, class Value>
class Dict {
 public:
  class Entry {
   public:
    Entry(Key key, Value value) : key_(std::move(key)), value_(std::move(value)) {}
    const Key& key() const { return key_; }
    const Value& value() const { return value_; }
    void setValue(Value value) const { value_ = std::move(value); }

   private:
    Key key_;
    mutable Value value_;
  };
  struct Table {
    std::vector<Entry> entries;
    std::unordered_map<Key, size_t> index;
  };
  using iterator = typename std::vector<Entry>::const_iterator;

  Dict() : table_(std::make_shared<Table>()) {}

  size_t size() const { return table_->entries.size(); }
  bool empty() const { return size() == 0; }
  bool contains(const Key& key) const { return table_->index.count(key) > 0; }
  iterator begin() const { return table_->entries.cbegin(); }
  iterator end() const { return table_->entries.cend(); }
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
  void insert_or_assign(Key key, Value value) const {
    const auto [where, is_new] = insert(std::move(key), value);
    if (!is_new) where->setValue(std::move(value));
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
  const std::shared_ptr<Table>& pointer() const { return table_; }
  static Dict from_pointer(std::shared_ptr<Table> table) { return Dict(std::move(table)); }

 private:
  explicit Dict(std::shared_ptr<Table> table) : table_(std::move(table)) {}
  std::shared_ptr<Table> table_;
};

}  // namespace taper

#pragma GCC visibility pop
