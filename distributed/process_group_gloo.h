// ProcessGroupGloo: over TCP, for tensors of the CPU and, through pinned memory, of CUDA devices.
#pragma once

#include <taper/distributed/backend.h>

namespace gloo::transport {
class Device;
}

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Collectives run one after the other on a thread of the group's own. Messages are under way
/// beside them and each other from the call on, and meet by rank, tag, size and dtype, those that
/// are alike in the order of the calls; so both ranks may send before they receive, and receive in
/// another order than was sent. (send() of a CUDA device's tensor waits for the device.)
class ProcessGroupGloo final : public Backend {
 public:
  /// How ranks meet, and how long they wait for each other.
  struct Options {
    /// Of meeting, and of each operation that is given no limit of its own.
    std::chrono::milliseconds timeout = std::chrono::minutes(30);
    /// Where connections are made: the first of them; none: createDefaultDevice().
    std::vector<std::shared_ptr<::gloo::transport::Device>> devices;
    int threads = 2;  ///< as in LibTorch; without meaning here
    /// The defaults.
    static std::shared_ptr<Options> create() { return std::make_shared<Options>(); }
    /// With this time limit.
    static std::shared_ptr<Options> create(std::chrono::milliseconds timeout) {
      auto options = create();
      options->timeout = timeout;
      return options;
    }
  };
  /// Of the network interface that GLOO_SOCKET_IFNAME names, or that the host's name leads to, or
  /// else the loopback. Throws DistError for an interface that is none; so do the next ones, also
  /// for a host without an address here.
  static std::shared_ptr<::gloo::transport::Device> createDefaultDevice();
  /// Of a network interface ("eth0").
  static std::shared_ptr<::gloo::transport::Device> createDeviceForInterface(
      const std::string& interface);
  /// Of the interface that a name or an address of this host leads to.
  static std::shared_ptr<::gloo::transport::Device> createDeviceForHostname(
      const std::string& hostname);
  /// All ranks meet at the store, under keys that no other group uses (PrefixStore). Throws
  /// DistError where they do not within the time limit.
  ProcessGroupGloo(const intrusive_ptr<Store>& store, int rank, int size,
                   std::shared_ptr<Options> options = Options::create());
  /// Waits for the operations that are on their way.
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
  std::shared_ptr<Impl> impl_;  // its threads have a share, too
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
