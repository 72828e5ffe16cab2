// TCP connections. Not installed.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <taper/distributed/store.h>

namespace torch::taper::distributed::detail {

using Clock = std::chrono::steady_clock;

/// A socket that this object owns.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& o) noexcept : fd_(o.release()) {}
  Socket& operator=(Socket&& o) noexcept;
  ~Socket();
  int fd() const { return fd_; }
  int release();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Listens on a port, on all IPv6 and IPv4 addresses of this machine. Port 0 selects a free port.
/// Throws DistNetworkError if the port is in use.
Socket listen_on(uint16_t port);
/// Returns the port that a socket is bound to.
uint16_t port_of(const Socket& socket);
/// Connects to a port of `host`. If no process listens there, retries until the deadline. Throws
/// DistNetworkError at the deadline, and immediately for an unknown host.
Socket connect_to(const std::string& host, uint16_t port, Clock::time_point deadline);

/// A connection. Only one thread at a time may use it.
class Connection {
 public:
  explicit Connection(Socket socket, std::string peer)
      : socket_(std::move(socket)), peer_(std::move(peer)) {}
  /// Sets the deadline of later send() and receive().
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }
  /// Sends bytes. Throws DistNetworkError if the peer has closed the connection, or if the deadline
  /// passes. The connection is then unusable.
  void send(const std::string& bytes);
  void receive(void* to, size_t nbytes);
  /// Returns whether data can be read before the deadline.
  bool readable(Clock::time_point deadline);
  template <class T>
  T receive() {
    T v;
    receive(&v, sizeof v);
    return v;
  }
  /// Receives a length (64 bits), and then a value of this number of bytes.
  Store::Bytes receive_bytes();

 private:
  [[noreturn]] void fail(const char* what, int why);
  /// Waits until one of the poll events has occurred.
  void await(short event);
  Socket socket_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::string peer_;
};

}  // namespace torch::taper::distributed::detail
