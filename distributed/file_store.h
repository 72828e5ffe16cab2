// FileStore: a store in a file that all processes can access, on one machine or a shared file
// system.
#pragma once

#include <taper/distributed/store.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Appends values to a file while it holds a lock on the whole file (flock). Each process reads the
/// values that other processes have appended. The file is removed when the last of `num_workers`
/// stores is destroyed. If `num_workers` is 0 or less, the file stays.
class FileStore final : public Store {
 public:
  /// Opens the file. Throws DistStoreError if the file cannot be created.
  FileStore(std::string path, int num_workers = 0);
  ~FileStore() override;
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
  /// Returns the file's path.
  const std::string& getPath() const noexcept { return path_; }

 private:
  class Locked;
  std::mutex mutex_;
  const std::string path_;
  const int num_workers_;
  int64_t read_ = 0;  // number of bytes of the file that were read into values_
  detail::StoreMap values_;
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
