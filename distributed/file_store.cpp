#include <taper/distributed/file_store.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace torch::taper::distributed {

namespace {

constexpr const char* kWorkers = "cleanup/workers";
constexpr auto kPoll = std::chrono::milliseconds(10);

/// Names the kind of a record.
enum class Kind : uint8_t { kSet, kDelete };

void put_size(std::string& to, uint64_t n) {
  to.append(reinterpret_cast<const char*>(&n), sizeof n);
}
std::string record_of(Kind kind, const std::string& key, const Store::Bytes& value) {
  std::string text(1, static_cast<char>(kind));
  put_size(text, key.size());
  text += key;
  put_size(text, value.size());
  text.append(value.begin(), value.end());
  return text;
}

}  // namespace

/// Locks the file, and holds its values read up to its end.
class FileStore::Locked {
 public:
  explicit Locked(FileStore& store) : store_(store), lock_(store.mutex_) {
    fd_ = ::open(store.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) fail("could not be opened");
    while (::flock(fd_, LOCK_EX) != 0)
      if (errno != EINTR) fail("could not be locked");
    read_new();
  }
  ~Locked() {
    if (fd_ >= 0) ::close(fd_);  // closing unlocks it
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  detail::StoreMap& values() { return store_.values_; }
  /// Records that a key's value has changed, or (null) was deleted.
  void write(const std::string& key, const Bytes* value) {
    const std::string text =
        record_of(value ? Kind::kSet : Kind::kDelete, key, value ? *value : Bytes());
    const int64_t begin = store_.read_;
    for (size_t done = 0; done < text.size();) {
      const ssize_t n =
          ::pwrite(fd_, text.data() + done, text.size() - done, begin + static_cast<int64_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        const int why = errno;
        [[maybe_unused]] const int cut = ::ftruncate(fd_, begin);  // drops the torn record
        store_.values_ = {};                                       // known values are read anew
        store_.read_ = 0;
        errno = why;
        fail("could not be written");
      }
      done += static_cast<size_t>(n);
    }
    store_.read_ = begin + static_cast<int64_t>(text.size());
  }
  void remove_file() { ::unlink(store_.path_.c_str()); }

 private:
  [[noreturn]] void fail(const char* what) {
    const int why = errno;
    if (fd_ >= 0) ::close(fd_);
    throw DistStoreError(
        taper::detail::concat("FileStore: ", store_.path_, " ", what, ": ", std::strerror(why)));
  }
  void read_new() {
    struct stat status;
    if (::fstat(fd_, &status) != 0) fail("could not be read");
    std::string text(static_cast<size_t>(std::max<int64_t>(status.st_size - store_.read_, 0)),
                     '\0');
    for (size_t done = 0; done < text.size();) {
      const ssize_t n =
          ::pread(fd_, &text[done], text.size() - done, store_.read_ + static_cast<int64_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail("could not be read");
      done += static_cast<size_t>(n);
    }
    size_t at = 0;
    while (at < text.size()) take_record(text, at);
    store_.read_ += static_cast<int64_t>(at);
  }
  void take_record(const std::string& text, size_t& at) {
    const auto kind = static_cast<Kind>(text[at++]);
    const std::string key = take_string(text, at), value = take_string(text, at);
    if (kind == Kind::kSet)
      values().set(key, Bytes(value.begin(), value.end()));
    else
      values().erase(key);
  }
  std::string take_string(const std::string& text, size_t& at) {
    uint64_t n = 0;
    const bool whole = text.size() - at >= sizeof n &&
                       (std::memcpy(&n, &text[at], sizeof n), text.size() - at - sizeof n >= n);
    if (!whole)
      throw DistStoreError(
          taper::detail::concat("FileStore: ", store_.path_, " is no file of a FileStore"));
    at += sizeof n + n;
    return text.substr(at - n, n);
  }

  FileStore& store_;
  std::unique_lock<std::mutex> lock_;
  int fd_ = -1;
};

FileStore::FileStore(std::string path, int num_workers)
    : path_(std::move(path)), num_workers_(num_workers) {
  add(kWorkers, 0);
}

FileStore::~FileStore() {
  if (num_workers_ <= 0) return;
  try {
    Locked file(*this);
    const int64_t gone = file.values().add(kWorkers, 1);
    file.write(kWorkers, file.values().find(kWorkers));
    if (gone >= num_workers_) file.remove_file();
  } catch (const Error&) {  // the file is gone already
  }
}

intrusive_ptr<Store> FileStore::clone() {
  auto copy = make_intrusive<FileStore>(path_, 0);
  copy->setTimeout(timeout_);
  return copy;
}
void FileStore::set(const std::string& key, const Bytes& value) {
  Locked file(*this);
  file.write(key, &value);
  file.values().set(key, value);
}
Store::Bytes FileStore::get(const std::string& key) {
  wait({key}, timeout_);
  Locked file(*this);
  const Bytes* value = file.values().find(key);
  if (!value) throw DistStoreError("FileStore: key '" + key + "' was deleted while it was read");
  return *value;
}
int64_t FileStore::add(const std::string& key, int64_t value) {
  Locked file(*this);
  const int64_t sum = file.values().add(key, value);
  file.write(key, file.values().find(key));
  return sum;
}
Store::Bytes FileStore::compareSet(const std::string& key, const Bytes& expected,
                                   const Bytes& desired) {
  Locked file(*this);
  Bytes value = file.values().compare_set(key, expected, desired);
  if (const Bytes* now = file.values().find(key)) file.write(key, now);
  return value;
}
void FileStore::append(const std::string& key, const Bytes& value) {
  Locked file(*this);
  file.values().append(key, value);
  file.write(key, file.values().find(key));
}
bool FileStore::deleteKey(const std::string& key) {
  Locked file(*this);
  const bool was = file.values().erase(key);
  if (was) file.write(key, nullptr);
  return was;
}
bool FileStore::check(const std::vector<std::string>& keys) {
  return !Locked(*this).values().first_absent(keys);
}
int64_t FileStore::getNumKeys() {
  return Locked(*this).values().size() - 1;  // without the count of workers
}
void FileStore::wait(const std::vector<std::string>& keys,
                     const std::chrono::milliseconds& timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    std::string absent;
    {
      Locked file(*this);
      const std::string* key = file.values().first_absent(keys);
      if (!key) return;
      absent = *key;
    }
    if (timeout != kNoTimeout && std::chrono::steady_clock::now() >= deadline)
      detail::throw_wait_timeout("FileStore", absent, timeout);
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace torch::taper::distributed
