// Store: small values by name, shared by the processes of a group.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <taper/framework/core/check.h>
#include <taper/framework/core/intrusive.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// A failure between processes: a peer is gone, a store does not answer, or a time limit is
/// exceeded.
struct DistError : Error {
  /// Makes an error with this message.
  explicit DistError(std::string message) : Error(std::move(message)) {}
};
/// An error of a store or its connection.
struct DistStoreError : DistError {
  using DistError::DistError;
};
/// An error of the connection.
struct DistNetworkError : DistError {
  using DistError::DistError;
};

/// A store of values by key. Any thread may call any function. A key may contain any bytes.
class Store : public intrusive_ptr_target {
 public:
  /// A value.
  using Bytes = std::vector<uint8_t>;
  /// Default time limit of waiting.
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::seconds(300);
  /// No time limit.
  static constexpr std::chrono::milliseconds kNoTimeout = std::chrono::milliseconds::zero();

  /// Makes a store whose functions wait at most `timeout`.
  explicit Store(std::chrono::milliseconds timeout = kDefaultTimeout) : timeout_(timeout) {}
  /// Returns a store that shares the values of this store. A store with a connection gets a new
  /// connection.
  virtual intrusive_ptr<Store> clone() = 0;

  /// Sets a value, and replaces an existing one.
  virtual void set(const std::string& key, const Bytes& value) = 0;
  /// Sets a text.
  void set(const std::string& key, const std::string& value) {
    set(key, Bytes(value.begin(), value.end()));
  }
  /// Waits until the key has a value, and returns the value. Throws DistStoreError if the key has
  /// no value at the store's time limit.
  virtual Bytes get(const std::string& key) = 0;
  /// Returns the value as text.
  std::string get_to_str(const std::string& key) {
    const Bytes value = get(key);
    return std::string(value.begin(), value.end());
  }
  /// Adds `value` to the integer that is stored under `key`, and returns the sum. A key without a
  /// value counts as 0. Throws ValueError if the stored value is not a number.
  virtual int64_t add(const std::string& key, int64_t value) = 0;
  /// Sets the value of `key` to `desired` if the current value equals `expected`, or if there is no
  /// value and `expected` is empty. Returns the resulting value. If there is no value and
  /// `expected` is not empty, returns `expected`.
  virtual Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& desired) = 0;
  /// Calls compareSet with texts.
  std::string compareSet(const std::string& key, const std::string& expected,
                         const std::string& desired);
  /// Appends bytes to the value of `key`. A key without a value counts as empty.
  virtual void append(const std::string& key, const Bytes& value) = 0;
  /// Removes a key. Returns whether it had a value.
  virtual bool deleteKey(const std::string& key) = 0;
  /// Returns whether all keys have values.
  virtual bool check(const std::vector<std::string>& keys) = 0;
  /// Returns the number of keys with values.
  virtual int64_t getNumKeys() = 0;
  /// Waits until all keys have values. If the time limit passes, throws DistStoreError, which names
  /// the first key without a value. kNoTimeout means no limit.
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
  /// Waits within the store's time limit.
  void wait(const std::vector<std::string>& keys) { wait(keys, timeout_); }
  /// Calls get() for several keys.
  virtual std::vector<Bytes> multiGet(const std::vector<std::string>& keys);
  /// Calls set() for several keys. Throws ValueError unless there is one value for each key.
  virtual void multiSet(const std::vector<std::string>& keys, const std::vector<Bytes>& values);
  /// Returns true: append(), multiGet() and multiSet() are supported.
  bool hasExtendedApi() const { return true; }

  /// Returns the time limit of waiting.
  const std::chrono::milliseconds& getTimeout() const noexcept { return timeout_; }
  /// Sets the time limit of waiting.
  virtual void setTimeout(const std::chrono::milliseconds& timeout) { timeout_ = timeout; }

  /// Waits until `world_size` callers have called barrier() with this key. Throws like wait().
  void barrier(const std::string& key, int64_t world_size,
               const std::chrono::milliseconds& timeout);
  /// Waits within the store's time limit.
  void barrier(const std::string& key, int64_t world_size) { barrier(key, world_size, timeout_); }

 protected:
  std::chrono::milliseconds timeout_;  ///< time limit of waiting
};

namespace detail {

/// The values of a store, without locks.
class StoreMap {
 public:
  using Bytes = Store::Bytes;
  void set(const std::string& key, Bytes value) { values_[key] = std::move(value); }
  /// Returns the value, or null if there is none.
  const Bytes* find(const std::string& key) const;
  int64_t add(const std::string& key, int64_t value);
  Bytes compare_set(const std::string& key, const Bytes& expected, const Bytes& desired);
  void append(const std::string& key, const Bytes& value);
  bool erase(const std::string& key) { return values_.erase(key) != 0; }
  int64_t size() const { return static_cast<int64_t>(values_.size()); }
  /// Returns the first key without a value, or null if all keys have values.
  const std::string* first_absent(const std::vector<std::string>& keys) const;

 private:
  std::map<std::string, Bytes> values_;
};

[[noreturn]] void throw_wait_timeout(const char* store, const std::string& key,
                                     std::chrono::milliseconds timeout);

}  // namespace detail

/// A store within one process, for threads that act as ranks.
class HashStore final : public Store {
 public:
  using Store::Store;
  intrusive_ptr<Store> clone() override;
  using Store::compareSet;
  using Store::set;
  using Store::wait;
  void set(const std::string& key, const Bytes& value) override;
  Bytes get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t value) override;
  Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& desired) override;
  void append(const std::string& key, const Bytes& value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override;

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    detail::StoreMap values;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// A view of another store, which puts a prefix and a slash before all keys.
class PrefixStore final : public Store {
 public:
  /// Wraps a store. Throws ValueError if it is null.
  PrefixStore(std::string prefix, intrusive_ptr<Store> store);
  intrusive_ptr<Store> clone() override;
  using Store::compareSet;
  using Store::set;
  using Store::wait;
  void set(const std::string& key, const Bytes& value) override { store_->set(full(key), value); }
  Bytes get(const std::string& key) override { return store_->get(full(key)); }
  int64_t add(const std::string& key, int64_t value) override {
    return store_->add(full(key), value);
  }
  Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& desired) override {
    return store_->compareSet(full(key), expected, desired);
  }
  void append(const std::string& key, const Bytes& value) override {
    store_->append(full(key), value);
  }
  bool deleteKey(const std::string& key) override { return store_->deleteKey(full(key)); }
  bool check(const std::vector<std::string>& keys) override { return store_->check(full(keys)); }
  /// Returns the number of keys of the whole store.
  int64_t getNumKeys() override { return store_->getNumKeys(); }
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override {
    store_->wait(full(keys), timeout);
  }
  std::vector<Bytes> multiGet(const std::vector<std::string>& keys) override {
    return store_->multiGet(full(keys));
  }
  void multiSet(const std::vector<std::string>& keys, const std::vector<Bytes>& values) override {
    store_->multiSet(full(keys), values);
  }
  void setTimeout(const std::chrono::milliseconds& timeout) override;
  /// Returns the wrapped store.
  intrusive_ptr<Store> getUnderlyingStore() const { return store_; }

 private:
  std::string full(const std::string& key) const { return prefix_ + "/" + key; }
  std::vector<std::string> full(const std::vector<std::string>& keys) const;
  std::string prefix_;
  intrusive_ptr<Store> store_;
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
