// The server of a TCPStore: a thread that answers its clients. Not installed.
#pragma once

#include <map>
#include <memory>
#include <thread>

#include <taper/distributed/socket.h>
#include <taper/distributed/tcp_protocol.h>

namespace torch::taper::distributed::detail {

/// Answers clients from its construction to its destruction. The destructor waits until all clients
/// have disconnected, but at most one second. A client that sends invalid data, or disconnects,
/// does not affect other clients.
class TCPServer {
 public:
  explicit TCPServer(uint16_t port);
  ~TCPServer();
  uint16_t port() const { return port_; }
  /// Returns this process's server for `port`. Makes a server if there is none.
  static std::shared_ptr<TCPServer> shared(uint16_t port);

 private:
  struct Client;
  void serve();
  void accept_one();
  bool read_from(Client& client);
  bool answer(Client& client);
  void changed(const std::string& key);

  Socket listening_, wake_, woken_;
  uint16_t port_;
  StoreMap values_;
  std::map<int, std::unique_ptr<Client>> clients_;
  std::thread thread_;
};

}  // namespace torch::taper::distributed::detail
