#include <taper/distributed/store.h>

#include <charconv>

namespace torch::taper::distributed {

namespace detail {

namespace {

int64_t number_of(const std::string& key, const Store::Bytes& value) {
  const std::string text(value.begin(), value.end());
  int64_t n = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), n);
  TAPER_CHECK_VALUE(parsed.ec == std::errc() && parsed.ptr == text.data() + text.size(),
                    "Store::add: expected the value of '", key, "' to be a whole number, got '",
                    text, "'");
  return n;
}

}  // namespace

const Store::Bytes* StoreMap::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

int64_t StoreMap::add(const std::string& key, int64_t value) {
  const Bytes* old = find(key);
  int64_t sum = 0;
  TAPER_CHECK_VALUE(!__builtin_add_overflow(old ? number_of(key, *old) : 0, value, &sum),
                    "Store::add: the sum of '", key, "' is beyond 64 bits");
  const std::string text = std::to_string(sum);
  set(key, Bytes(text.begin(), text.end()));
  return sum;
}

Store::Bytes StoreMap::compare_set(const std::string& key, const Bytes& expected,
                                   const Bytes& desired) {
  const Bytes* old = find(key);
  if (!old && !expected.empty()) return expected;
  if (old && *old != expected) return *old;
  set(key, desired);
  return desired;
}

void StoreMap::append(const std::string& key, const Bytes& value) {
  Bytes& old = values_[key];
  old.insert(old.end(), value.begin(), value.end());
}

const std::string* StoreMap::first_absent(const std::vector<std::string>& keys) const {
  for (const std::string& key : keys)
    if (!find(key)) return &key;
  return nullptr;
}

void throw_wait_timeout(const char* store, const std::string& key,
                        std::chrono::milliseconds timeout) {
  throw DistStoreError(taper::detail::concat(store, ": wait timeout after ", timeout.count(),
                                             "ms, key '", key, "' was not set"));
}

}  // namespace detail

// ---------------------------------------------------------------------- Store
std::string Store::compareSet(const std::string& key, const std::string& expected,
                              const std::string& desired) {
  const Bytes value = compareSet(key, Bytes(expected.begin(), expected.end()),
                                 Bytes(desired.begin(), desired.end()));
  return std::string(value.begin(), value.end());
}

std::vector<Store::Bytes> Store::multiGet(const std::vector<std::string>& keys) {
  std::vector<Bytes> values;
  for (const std::string& key : keys) values.push_back(get(key));
  return values;
}

void Store::multiSet(const std::vector<std::string>& keys, const std::vector<Bytes>& values) {
  TAPER_CHECK_VALUE(keys.size() == values.size(), "multiSet: expected as many values as keys, got ",
                    values.size(), " for ", keys.size());
  for (size_t i = 0; i < keys.size(); ++i) set(keys[i], values[i]);
}

void Store::barrier(const std::string& key, int64_t world_size,
                    const std::chrono::milliseconds& timeout) {
  TAPER_CHECK_VALUE(world_size > 0, "Store::barrier: expected a world size of at least 1, got ",
                    world_size);
  // The last worker of each round opens its gate.
  const int64_t n = add(key + "/count", 1), round = (n - 1) / world_size;
  const std::string gate = key + "/open" + std::to_string(round);
  if (n % world_size == 0) set(gate, std::string("1"));
  wait({gate}, timeout);
}

// ---------------------------------------------------------------------- HashStore
intrusive_ptr<Store> HashStore::clone() {
  auto copy = make_intrusive<HashStore>(timeout_);
  copy->shared_ = shared_;
  return copy;
}
void HashStore::set(const std::string& key, const Bytes& value) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  shared_->values.set(key, value);
  shared_->changed.notify_all();
}
Store::Bytes HashStore::get(const std::string& key) {
  wait({key}, timeout_);
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  const Bytes* value = shared_->values.find(key);
  if (!value) throw DistStoreError("HashStore: key '" + key + "' was deleted while it was read");
  return *value;
}
int64_t HashStore::add(const std::string& key, int64_t value) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  const int64_t sum = shared_->values.add(key, value);
  shared_->changed.notify_all();
  return sum;
}
Store::Bytes HashStore::compareSet(const std::string& key, const Bytes& expected,
                                   const Bytes& desired) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  Bytes value = shared_->values.compare_set(key, expected, desired);
  shared_->changed.notify_all();
  return value;
}
void HashStore::append(const std::string& key, const Bytes& value) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  shared_->values.append(key, value);
  shared_->changed.notify_all();
}
bool HashStore::deleteKey(const std::string& key) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return shared_->values.erase(key);
}
bool HashStore::check(const std::vector<std::string>& keys) {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return !shared_->values.first_absent(keys);
}
int64_t HashStore::getNumKeys() {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return shared_->values.size();
}
void HashStore::wait(const std::vector<std::string>& keys,
                     const std::chrono::milliseconds& timeout) {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  const auto all_there = [&] { return !shared_->values.first_absent(keys); };
  if (timeout == kNoTimeout)
    shared_->changed.wait(lock, all_there);
  else if (!shared_->changed.wait_for(lock, timeout, all_there))
    detail::throw_wait_timeout("HashStore", *shared_->values.first_absent(keys), timeout);
}

// ---------------------------------------------------------------------- PrefixStore
PrefixStore::PrefixStore(std::string prefix, intrusive_ptr<Store> store)
    : prefix_(std::move(prefix)), store_(std::move(store)) {
  TAPER_CHECK_VALUE(store_.defined(), "PrefixStore: expected a store, got none");
  timeout_ = store_->getTimeout();
}
intrusive_ptr<Store> PrefixStore::clone() {
  return make_intrusive<PrefixStore>(prefix_, store_->clone());
}
void PrefixStore::setTimeout(const std::chrono::milliseconds& timeout) {
  timeout_ = timeout;
  store_->setTimeout(timeout);
}
std::vector<std::string> PrefixStore::full(const std::vector<std::string>& keys) const {
  std::vector<std::string> all;
  for (const std::string& key : keys) all.push_back(full(key));
  return all;
}

}  // namespace torch::taper::distributed
