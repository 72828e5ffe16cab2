// TCPStore: a store that one process serves to the others.
#pragma once

#include <memory>
#include <mutex>

#include <taper/distributed/store.h>
#include <taper/framework/core/options.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Options of a TCPStore.
struct TCPStoreOptions {
  static constexpr uint16_t kDefaultPort = 29500;  ///< torchrun's port
  uint16_t port = kDefaultPort;  ///< port of the server. If 0, a server chooses a free port
  bool isServer = false;         ///< whether this process is the server
  optional<size_t> numWorkers;   ///< number of processes of the group
  bool waitWorkers = true;       ///< whether to wait for all workers
  std::chrono::milliseconds timeout = Store::kDefaultTimeout;  ///< of connecting and waiting
  /// Whether stores of this process with the same address share a server.
  bool multiTenant = false;
};

namespace detail {
class TCPServer;
class TCPClient;
}  // namespace detail

/// A store with PyTorch's protocol. It works with servers and clients of PyTorch. A client that
/// cannot reach the server retries until the time limit.
class TCPStore final : public Store {
 public:
  /// Throws DistNetworkError if the port is in use, the host is unknown, or the server cannot be
  /// reached. Throws DistStoreError if not all workers connect in time.
  explicit TCPStore(std::string host, const TCPStoreOptions& options = {});
  ~TCPStore() override;
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
  std::vector<Bytes> multiGet(const std::vector<std::string>& keys) override;
  void multiSet(const std::vector<std::string>& keys, const std::vector<Bytes>& values) override;

  /// Increments the number of connected workers. On the server, then waits until all workers have
  /// called this function.
  void waitForWorkers();
  /// Returns the server's host.
  const std::string& getHost() const noexcept { return host_; }
  /// Returns the server's port. If TCPStoreOptions::port was 0, this is the port that the server
  /// has chosen.
  uint16_t getPort() const noexcept { return port_; }

 private:
  std::string host_;
  uint16_t port_;
  optional<size_t> workers_;
  std::shared_ptr<detail::TCPServer> server_;
  std::unique_ptr<detail::TCPClient> client_;
  std::mutex mutex_;  // allows only one request at a time on the connection
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
