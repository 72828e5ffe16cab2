// A file of TensorBoard's events, written by a thread of its own.
//
// The format is TensorFlow's TFRecord: the length of the data (8 bytes, little-endian), a checksum
// of these 8 bytes, the data, a checksum of the data. Whoever is killed while a record is written
// leaves a part of one at the end, which TensorBoard passes over.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::tensorboard::detail {

/// CRC-32C (Castagnoli, RFC 3720 B.4), as TFRecord masks it: rotated right by 15 bits, plus
/// 0xa282ead8.
uint32_t masked_crc32c(std::string_view bytes);

/// One record with its length and checksums.
std::string record_of(std::string_view data);

class EventFile {
 public:
  /// Makes the folders of `path`, which must not exist. Throws Error where it cannot be written.
  EventFile(std::string path, int64_t max_queue, double flush_secs);
  /// Writes what is queued. An error is then a warning.
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Queues an event; waits while `max_queue` others are queued. Throws Error when an earlier one
  /// could not be written, or after close().
  void add(std::string_view event);
  /// Waits until all that was added is in the file. Throws Error when it cannot be.
  void flush();
  /// flush(), and the end.
  void close();
  const std::string& path() const { return path_; }

 private:
  void write_until_closed();
  /// What went wrong; empty when nothing did.
  std::string write_all(std::string_view bytes) const;
  void throw_failure() const;

  const std::string path_;
  const size_t max_queue_;
  const double flush_secs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  uint64_t added_ = 0, written_ = 0;  ///< counts of records
  uint64_t wanted_ = 0;               ///< so many are to be written at once
  bool closing_ = false;
  std::string failure_;
  int file_ = -1;
  std::thread thread_;
};

}  // namespace torch::taper::utils::tensorboard::detail

#pragma GCC visibility pop
