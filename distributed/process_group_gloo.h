// ProcessGroupGloo: a group over TCP, for tensors on the CPU. Tensors on CUDA devices are sent
// through pinned memory.
#pragma once

#include <taper/distributed/backend.h>

namespace gloo::transport {
class Device;
}

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Runs collectives one after the other on the group's thread. A message starts when send() or
/// recv() is called, and runs concurrently with collectives and other messages. A send matches a
/// receive of the right ranks, tag, size and dtype. If several messages match, they match in the
/// order of the calls. Therefore, two ranks may both send before they receive, and may receive in
/// another order than the messages were sent. (send() of a CUDA tensor waits for its device.)
class ProcessGroupGloo final : public Backend {
 public:
  /// Options for connecting, and time limits.
  struct Options {
    /// Time limit of connecting, and the default time limit of operations.
    std::chrono::milliseconds timeout = std::chrono::minutes(30);
    /// Network devices. The first one is used. If the list is empty, createDefaultDevice() is used.
    std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
    int threads = 2;  ///< as in LibTorch, ignored here
    /// Returns the defaults.
    static std::shared_ptr<Options> create() { return std::make_shared<Options>(); }
    /// Returns options with this time limit.
    static std::shared_ptr<Options> create(std::chrono::milliseconds timeout) {
      auto options = create();
      options->timeout = timeout;
      return options;
    }
  };
  /// Makes a device for the network interface in the environment variable GLOO_SOCKET_IFNAME. If
  /// the variable is unset, uses the interface to which the host's name resolves. If there is none,
  /// uses the loopback interface. Throws DistError for an unknown interface.
  static std::shared_ptr<::gloo::transport::Device> createDefaultDevice();
  /// Makes a device for a network interface ("eth0"). Throws DistError for an unknown interface.
  static std::shared_ptr<::gloo::transport::Device> createDeviceForInterface(
      const std::string& interface);
  /// Makes a device for the network interface that has the address `hostname`, a name or an IP
  /// address. Throws DistError if it is not an address of this host.
  static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(
      const std::string& hostname);
  /// Connects all ranks through `store`, under keys that no other group may use (wrap it in a
  /// PrefixStore). Throws DistError if the ranks do not connect within the time limit.
  ProcessGroupGloo(const intrusive_ptr<Store>& store, int rank, int size,
                   std::shared_ptr<Options> options = Options::create());
  /// Waits for pending operations.
  ~ProcessGroupGloo() override;

  void monitoredBarrier(const BarrierOptions& options = {}, bool wait_all = false) override;
  void abort() override;

 protected:
  WorkPtr submit(OperationPtr operation) override;
  intrusive_ptr<ProcessGroup> make_part(const intrusive_ptr<Store>& store,
                                        const std::vector<int>& ranks, int rank,
                                        std::chrono::milliseconds timeout) override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // shared with its threads
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
