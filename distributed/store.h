// Store: where the processes of a group leave each other small values by name.
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

/// What a group of processes could not do together: a peer that is gone, a store that does not
/// answer, a time limit that has passed.
struct DistError : Error {
  /// From a message.
  explicit DistError(std::string message) : Error(std::move(message)) {}
};
/// A store or its connection.
struct DistStoreError : DistError {
  using DistError::DistError;
};
/// The connection alone.
struct DistNetworkError : DistError {
  using DistError::DistError;
};

/// All functions may be called by any thread. Keys are any bytes.
class Store : public intrusive_ptr_target {
 public:
  /// A value.
  using Bytes = std::vector<uint8_t>;
  /// How long waits last where nothing else is said.
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::seconds(300);
  /// Without end.
  static constexpr std::chrono::milliseconds kNoTimeout = std::chrono::milliseconds::zero();

  /// `timeout`: how long waits last.
  explicit Store(std::chrono::milliseconds timeout = kDefaultTimeout) : timeout_(timeout) {}
  /// A store of the same values, with a connection of its own where it has one.
  virtual intrusive_ptr<Store> clone() = 0;

  /// Sets a value, in the place of one that is there.
  virtual void set(const std::string& key, const Bytes& value) = 0;
  /// The same of text.
  void set(const std::string& key, const std::string& value) {
    set(key, Bytes(value.begin(), value.end()));
  }
  /// The value, once there is one. Throws DistStoreError when there is none within the store's time
  /// limit.
  virtual Bytes get(const std::string& key) = 0;
  /// The same as text.
  std::string get_to_str(const std::string& key) {
    const Bytes value = get(key);
    return std::string(value.begin(), value.end());
  }
  /// Adds to a whole number, 0 where there is none, and returns the sum. Throws ValueError for a
  /// value that is no number.
  virtual int64_t add(const std::string& key, int64_t value) = 0;
  /// Sets `desired` where the value is `expected`, or where there is none and `expected` is empty;
  /// returns the value then. Without a value and with an `expected` it returns `expected`.
  virtual Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& desired) = 0;
  /// The same of text.
  std::string compareSet(const std::string& key, const std::string& expected,
                         const std::string& desired);
  /// Puts `value` behind the value.
  virtual void append(const std::string& key, const Bytes& value) = 0;
  /// Whether there was one.
  virtual bool deleteKey(const std::string& key) = 0;
  /// Whether all keys have values.
  virtual bool check(const std::vector<std::string>& keys) = 0;
  /// How many keys have values.
  virtual int64_t getNumKeys() = 0;
  /// Waits until all keys have values. Throws DistStoreError, which names the first one without,
  /// when the time limit has passed (kNoTimeout: none).
  virtual void wait(const std::vector<std::string>& keys,
                    const std::chrono::milliseconds& timeout) = 0;
  /// The same within the store's time limit.
  void wait(const std::vector<std::string>& keys) { wait(keys, timeout_); }
  /// get() of several keys.
  virtual std::vector<Bytes> multiGet(const std::vector<std::string>& keys);
  /// set() of several keys. Throws ValueError unless there are as many values.
  virtual void multiSet(const std::vector<std::string>& keys, const std::vector<Bytes>& values);
  /// Whether append(), multiGet() and multiSet() may be called: they may.
  bool hasExtendedApi() const { return true; }

  /// How long waits last.
  const std::chrono::milliseconds& getTimeout() const noexcept { return timeout_; }
  /// Changes it.
  virtual void setTimeout(const std::chrono::milliseconds& timeout) { timeout_ = timeout; }

  /// Waits until `world_size` callers have come with this key. Throws as wait() does.
  void barrier(const std::string& key, int64_t world_size,
               const std::chrono::milliseconds& timeout);
  /// The same within the store's time limit.
  void barrier(const std::string& key, int64_t world_size) { barrier(key, world_size, timeout_); }

 protected:
  std::chrono::milliseconds timeout_;  ///< how long waits last
};

namespace detail {

/// The values of a store and what is done with them; no locks.
class StoreMap {
 public:
  using Bytes = Store::Bytes;
  void set(const std::string& key, Bytes value) { values_[key] = std::move(value); }
  /// Null: there is none.
  const Bytes* find(const std::string& key) const;
  int64_t add(const std::string& key, int64_t value);
  Bytes compare_set(const std::string& key, const Bytes& expected, const Bytes& desired);
  void append(const std::string& key, const Bytes& value);
  bool erase(const std::string& key) { return values_.erase(key) != 0; }
  int64_t size() const { return static_cast<int64_t>(values_.size()); }
  /// The first of the keys without a value; null: all have one.
  const std::string* first_absent(const std::vector<std::string>& keys) const;

 private:
  std::map<std::string, Bytes> values_;
};

[[noreturn]] void throw_wait_timeout(const char* store, const std::string& key,
                                     std::chrono::milliseconds timeout);

}  // namespace detail

/// Within one process, for threads that stand for ranks.
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

/// Another store, all keys with a prefix and a slash in front.
class PrefixStore final : public Store {
 public:
  /// Throws ValueError without a store.
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
  /// Of the whole store.
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
  /// The other store.
  intrusive_ptr<Store> getUnderlyingStore() const { return store_; }

 private:
  std::string full(const std::string& key) const { return prefix_ + "/" + key; }
  std::vector<std::string> full(const std::vector<std::string>& keys) const;
  std::string prefix_;
  intrusive_ptr<Store> store_;
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
