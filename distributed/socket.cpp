#include <taper/distributed/socket.h>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace torch::taper::distributed::detail {

namespace {

using taper::detail::concat;
using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

constexpr auto kRetry = std::chrono::milliseconds(100);
constexpr uint64_t kMostBytes = uint64_t{1}
                                << 32;  // of a value: more is a sign of another protocol

std::string name_of(const std::string& host, uint16_t port) {
  return concat("[", host, "]:", port);
}

int ms_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
}

void set_no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Addresses addresses_of(const std::string& host, uint16_t port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (error)
    throw DistNetworkError(concat("TCPStore: the host '", host, "' was not found: ",
                                  ::gai_strerror(error), "; check MASTER_ADDR"));
  return {found, &::freeaddrinfo};
}

/// Returns 0, or the error number.
int try_connect(const addrinfo& to, Clock::time_point deadline, Socket& made) {
  Socket s(::socket(to.ai_family, to.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to.ai_protocol));
  if (!s) return errno;
  if (::connect(s.fd(), to.ai_addr, to.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    pollfd p{s.fd(), POLLOUT, 0};
    if (::poll(&p, 1, ms_until(deadline)) <= 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(s.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) return error;
  }
  set_no_delay(s.fd());
  made = std::move(s);
  return 0;
}

}  // namespace

Socket& Socket::operator=(Socket&& o) noexcept {
  if (this != &o) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = o.release();
  }
  return *this;
}
Socket::~Socket() {
  if (fd_ >= 0) ::close(fd_);
}
int Socket::release() { return std::exchange(fd_, -1); }

Socket listen_on(uint16_t port) {
  Socket s(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool v6 = static_cast<bool>(s);
  if (!v6) s = Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1, off = 0;
  ::setsockopt(s.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (v6) ::setsockopt(s.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const auto* address =
      v6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  if (!s || ::bind(s.fd(), address, v6 ? sizeof six : sizeof four) != 0 ||
      ::listen(s.fd(), 2048) != 0)
    throw DistNetworkError(concat("TCPStore: the server could not listen on port ", port, ": ",
                                  std::strerror(errno),
                                  errno == EADDRINUSE ? "; choose another MASTER_PORT" : ""));
  return s;
}

uint16_t port_of(const Socket& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Socket connect_to(const std::string& host, uint16_t port, Clock::time_point deadline) {
  const Addresses all = addresses_of(host, port);
  for (;;) {
    int why = 0;
    for (const addrinfo* a = all.get(); a; a = a->ai_next) {
      Socket made;
      why = try_connect(*a, deadline, made);
      if (made) return made;
    }
    if (Clock::now() + kRetry >= deadline)
      throw DistNetworkError(concat("TCPStore: could not connect to ", name_of(host, port),
                                    " within the time limit: ", std::strerror(why)));
    std::this_thread::sleep_for(kRetry);
  }
}

void Connection::fail(const char* what, int why) {
  throw DistNetworkError(concat("TCPStore: ", what, " ", peer_, " failed: ",
                                why ? std::strerror(why) : "the connection was closed"));
}

namespace {

/// Returns 1 for the event, 0 for a timeout, and -1 for an error in errno.
int poll_until(int fd, short event, Clock::time_point deadline) {
  for (;;) {
    pollfd p{fd, event, 0};
    const int n = ::poll(&p, 1, deadline == Clock::time_point::max() ? -1 : ms_until(deadline));
    if (n >= 0 || errno != EINTR) return n;
  }
}

}  // namespace

bool Connection::readable(Clock::time_point deadline) {
  const int n = poll_until(socket_.fd(), POLLIN, deadline);
  if (n < 0) fail("waiting for", errno);
  return n > 0;
}

// Closes the connection at a timeout, because half a message is useless.
void Connection::await(short event) {
  const int n = poll_until(socket_.fd(), event, deadline_);
  if (n > 0) return;
  const int why = errno;
  ::shutdown(socket_.fd(), SHUT_RDWR);
  if (n < 0) fail("waiting for", why);
  throw DistNetworkError(
      concat("TCPStore: ", peer_, " has not answered within the time limit: it may be stopped"));
}

void Connection::send(const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::send(socket_.fd(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      await(POLLOUT);
    } else if (errno != EINTR) {
      fail("sending to", errno);
    }
  }
}

void Connection::receive(void* to, size_t nbytes) {
  auto* p = static_cast<char*>(to);
  while (nbytes > 0) {
    const ssize_t n = ::recv(socket_.fd(), p, nbytes, 0);
    if (n > 0) {
      p += n;
      nbytes -= static_cast<size_t>(n);
    } else if (n == 0) {
      fail("receiving from", 0);
    } else if (errno == EAGAIN) {
      await(POLLIN);
    } else if (errno != EINTR) {
      fail("receiving from", errno);
    }
  }
}

Store::Bytes Connection::receive_bytes() {
  const auto n = receive<uint64_t>();
  if (n > kMostBytes) fail("receiving from", EPROTO);
  Store::Bytes bytes(n);
  receive(bytes.data(), n);
  return bytes;
}

}  // namespace torch::taper::distributed::detail
