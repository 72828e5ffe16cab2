#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <taper/framework/core/check.h>
#include <taper/framework/core/warning.h>
#include <taper/utils/tensorboard/event_file.h>

namespace torch::taper::utils::tensorboard::detail {

namespace {

// Holds the remainders of all bytes by the reversed polynomial.
constexpr std::array<uint32_t, 256> remainders() {
  constexpr uint32_t kCastagnoli = 0x82f63b78;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t r = byte;
    for (int bit = 0; bit < 8; ++bit) r = r & 1 ? r >> 1 ^ kCastagnoli : r >> 1;
    table[byte] = r;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kRemainders = remainders();

template <class T>
void append_little_endian(std::string& to, T number) {
  for (size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<char>(number >> 8 * i & 0xff));
}

}  // namespace

uint32_t masked_crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char c : bytes) crc = crc >> 8 ^ kRemainders[(crc ^ static_cast<uint8_t>(c)) & 0xff];
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

std::string record_of(std::string_view data) {
  std::string record;
  record.reserve(data.size() + 16);
  append_little_endian(record, static_cast<uint64_t>(data.size()));
  append_little_endian(record, masked_crc32c(record));
  record.append(data);
  append_little_endian(record, masked_crc32c(data));
  return record;
}

EventFile::EventFile(std::string path, int64_t max_queue, double flush_secs)
    : path_(std::move(path)), max_queue_(static_cast<size_t>(max_queue)), flush_secs_(flush_secs) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  TAPER_CHECK(!error, "SummaryWriter: cannot make the folder of '", path_, "': ", error.message());
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  TAPER_CHECK(file_ >= 0, "SummaryWriter: cannot open '", path_, "': ", std::strerror(errno));
  thread_ = std::thread([this] { write_until_closed(); });
}

EventFile::~EventFile() {
  try {
    close();
  } catch (const std::exception& e) {
    taper::detail::warn_user(e.what());
  }
}

void EventFile::add(std::string_view event) {
  std::string record = record_of(event);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queue_.size() < max_queue_ || !failure_.empty() || closing_; });
  throw_failure();
  TAPER_CHECK(!closing_, "SummaryWriter: expected an open writer, got one after close()");
  queue_.push_back(std::move(record));
  ++added_;
  changed_.notify_all();
}

void EventFile::flush() {
  std::unique_lock lock(mutex_);
  const uint64_t wanted = wanted_ = added_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return written_ >= wanted || !failure_.empty(); });
  throw_failure();
}

void EventFile::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (!thread_.joinable()) return;
  thread_.join();
  if (::close(file_) != 0 && failure_.empty()) failure_ = std::strerror(errno);
  throw_failure();
}

void EventFile::throw_failure() const {
  TAPER_CHECK(failure_.empty(), "SummaryWriter: cannot write '", path_, "': ", failure_);
}

// Records wait until the queue is full, a flush is requested, or the time is up. Writing one record
// to a network file takes as long as writing many.
void EventFile::write_until_closed() {
  std::unique_lock lock(mutex_);
  while (!closing_ || !queue_.empty()) {
    changed_.wait_for(lock, std::chrono::duration<double>(flush_secs_), [&] {
      return closing_ || queue_.size() >= max_queue_ || written_ < wanted_;
    });
    if (queue_.empty()) continue;
    std::string bytes;
    for (const std::string& record : queue_) bytes += record;
    const size_t count = queue_.size();
    queue_.clear();
    lock.unlock();
    std::string failure = write_all(bytes);
    lock.lock();
    if (failure.empty()) written_ += count;
    failure_ = std::move(failure);
    changed_.notify_all();
    if (!failure_.empty()) return;
  }
}

std::string EventFile::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::strerror(errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

}  // namespace torch::taper::utils::tensorboard::detail
