// The last operations of one process group. Not installed.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <taper/framework/core/tensor.h>

namespace torch::taper::distributed::detail {

class FlightBuffer;

/// Refers to an operation's entry in the buffer. The functions do nothing if the buffer has
/// overwritten the entry, or if the FlightEntry is empty.
class FlightEntry {
 public:
  FlightEntry() = default;
  FlightEntry(std::shared_ptr<FlightBuffer> buffer, uint64_t id)
      : buffer_(std::move(buffer)), id_(id) {}
  void started() const;
  /// Marks the operation as completed.
  void completed() const;
  /// Marks the operation as failed, and writes the file that TAPER_FLIGHT_RECORD names.
  void failed(const std::string& error) const;

 private:
  std::shared_ptr<FlightBuffer> buffer_;
  uint64_t id_ = 0;
};

/// Records operations. Threads write entries without locks, in less than 100 ns for an operation.
/// Any thread may read the buffer at any time. The result omits entries that another thread is
/// writing.
class FlightBuffer : public std::enable_shared_from_this<FlightBuffer> {
 public:
  /// Makes a buffer and adds it to the list that flight_record() reads.
  static std::shared_ptr<FlightBuffer> create(const char* backend, int rank, int size);

  FlightBuffer(const char* backend, int rank, int size, int number, size_t capacity);
  struct Call {
    const char* name;
    uint64_t sequence;
    bool is_message;
    int peer;
    std::chrono::milliseconds limit;
  };
  FlightEntry begin(const Call& call, const Tensor& in, const Tensor& out);
  /// Returns the entries as JSON objects, separated by commas.
  std::string entries_as_json() const;
  std::string group_as_json() const;
  int rank() const { return rank_; }

 private:
  friend class FlightEntry;
  static constexpr size_t kDims = 6;  // further dimensions are omitted
  enum State : uint8_t { kScheduled, kStarted, kCompleted, kFailed };
  /// A single word, which is written and read atomically.
  template <class T>
  using Word = std::atomic<T>;
  struct Shape {
    Word<int8_t> dtype{-1};  // none
    Word<int8_t> dim{0};
    std::array<Word<int64_t>, kDims> sizes{};
    void set(const Tensor& t);
  };
  struct Entry {
    Word<uint64_t> id{0};  // 0 while the entry is written
    Word<const char*> name{nullptr};
    Word<uint64_t> sequence{0};
    Word<int64_t> limit_ms{0}, created{0}, started{0}, ended{0};
    Word<int> peer{0};
    Word<bool> is_message{false};
    Word<uint8_t> state{kScheduled};
    Shape in, out;
  };
  Entry* find(uint64_t id);
  std::string as_json(const Entry& entry, uint64_t id) const;
  std::string error_of(uint64_t id) const;

  const char* const backend_;
  const int rank_, size_, number_;
  std::vector<Entry> entries_;
  std::atomic<uint64_t> begun_{0};
  mutable std::mutex mutex_;  // of errors_
  std::map<uint64_t, std::string> errors_;
};

}  // namespace torch::taper::distributed::detail
