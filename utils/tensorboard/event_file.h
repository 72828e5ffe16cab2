// A file of TensorBoard's events, written by a separate thread.
//
// The format is TensorFlow's TFRecord: the length of the data (8 bytes, little-endian), a checksum
// of these 8 bytes, the data, a checksum of the data. If the process is killed during a write, the
// file ends with a partial record, which TensorBoard ignores.
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

/// Returns the CRC-32C (Castagnoli, RFC 3720 B.4), masked as in TFRecord: rotated right by 15 bits,
/// plus 0xa282ead8.
uint32_t masked_crc32c(std::string_view bytes);

/// Returns a TFRecord: `data` with its length and checksums.
std::string record_of(std::string_view data);

class EventFile {
 public:
  /// Creates the file `path`, which must not exist, and its folders. Throws Error if the file
  /// cannot be created.
  EventFile(std::string path, int64_t max_queue, double flush_secs);
  /// Writes queued events. Reports an error as a warning.
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// Queues an event. If `max_queue` events are already queued, waits first. Throws Error if an
  /// earlier event could not be written, or after close().
  void add(std::string_view event);
  /// Waits until all added events are in the file. Throws Error if they cannot be written.
  void flush();
  /// Calls flush() and closes the file.
  void close();
  const std::string& path() const { return path_; }

 private:
  void write_until_closed();
  /// Returns an error message, or an empty string on success.
  std::string write_all(std::string_view bytes) const;
  void throw_failure() const;

  const std::string path_;
  const size_t max_queue_;
  const double flush_secs_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  uint64_t added_ = 0, written_ = 0;  ///< counts of records
  uint64_t wanted_ = 0;               ///< number of records that flush() waits for
  bool closing_ = false;
  std::string failure_;
  int file_ = -1;
  std::thread thread_;
};

}  // namespace torch::taper::utils::tensorboard::detail

#pragma GCC visibility pop
