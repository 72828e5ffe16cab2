#include <taper/distributed/operations_gloo.h>

#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include <taper/distributed/last_words.h>
#include <taper/framework/debug/run_observer.h>

namespace torch::taper::distributed {

namespace {

using detail::Operation;
using detail::Staging;
using taper::detail::concat;

/// Adapts a store to gloo's interface.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  GlooStore(intrusive_ptr<distributed::Store> store, std::chrono::milliseconds timeout)
      : store_(std::move(store)), timeout_(timeout) {}
  void set(const std::string& key, const std::vector<char>& value) override {
    store_->set(key, distributed::Store::Bytes(value.begin(), value.end()));
  }
  std::vector<char> get(const std::string& key) override {
    wait({key});
    const auto value = store_->get(key);
    return std::vector<char>(value.begin(), value.end());
  }
  void wait(const std::vector<std::string>& keys) override { store_->wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    wait(keys);
  }

 private:
  intrusive_ptr<distributed::Store> store_;
  std::chrono::milliseconds timeout_;
};

using DevicePtr = std::shared_ptr<gloo::transport::Device>;

/// Creates a device, whose thread writes to connections.
DevicePtr device_of(const gloo::transport::tcp::attr& attr) {
  const WithoutSigpipe in_new_threads;
  return gloo::transport::tcp::CreateDevice(attr);
}

// Gloo leaks the system's answer if no address fits, and reads invalid memory if a name cannot be
// resolved. These functions therefore check first.
bool has_address(const std::string& interface) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return false;
  bool found = false;
  for (const ifaddrs* a = all; a; a = a->ifa_next)
    found = found || (a->ifa_addr && interface == a->ifa_name &&
                      (a->ifa_addr->sa_family == AF_INET || a->ifa_addr->sa_family == AF_INET6));
  ::freeifaddrs(all);
  return found;
}
bool is_of_this_host(const addrinfo& address) {
  const int fd = ::socket(address.ai_family, address.ai_socktype, address.ai_protocol);
  if (fd == -1) return false;
  const bool bound = ::bind(fd, address.ai_addr, address.ai_addrlen) == 0;
  ::close(fd);
  return bound;
}
/// Explains why no connection can start there. Returns an empty text if one can.
std::string why_not_from(const std::string& hostname) {
  addrinfo hints{}, *all = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = ::getaddrinfo(hostname.c_str(), nullptr, &hints, &all))
    return ::gai_strerror(error);
  bool found = false;
  for (const addrinfo* a = all; a && !found; a = a->ai_next) found = is_of_this_host(*a);
  ::freeaddrinfo(all);
  return found ? "" : "none of its addresses is one of this host";
}

}  // namespace

// ---------------------------------------------------------------------- devices
DevicePtr ProcessGroupGloo::createDeviceForInterface(const std::string& interface) {
  if (!has_address(interface))
    throw DistError(
        concat("createDeviceForInterface: expected a network interface with an address, got '",
               interface, "'"));
  gloo::transport::tcp::attr attr;
  attr.iface = interface;
  return device_of(attr);
}

DevicePtr ProcessGroupGloo::createDeviceForHostname(const std::string& hostname) {
  const std::string why = why_not_from(hostname);
  if (!why.empty())
    throw DistError(
        concat("createDeviceForHostname: expected a name or an address of this host, got '",
               hostname, "': ", why));
  gloo::transport::tcp::attr attr;
  attr.hostname = hostname;
  return device_of(attr);
}

DevicePtr ProcessGroupGloo::createDefaultDevice() {
  const char* const named = std::getenv("GLOO_SOCKET_IFNAME");
  if (named && *named) {
    const std::string interfaces = named;
    return createDeviceForInterface(interfaces.substr(0, interfaces.find(',')));
  }
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  try {
    return createDeviceForHostname(host);
  } catch (const DistError&) {  // an unknown name: all ranks are on this host
    return createDeviceForHostname("127.0.0.1");
  }
}

// ---------------------------------------------------------------------- threads
void ProcessGroupGloo::Impl::start(const intrusive_ptr<distributed::Store>& given) {
  TAPER_CHECK_VALUE(given.defined(), "ProcessGroupGloo: expected a store, got none");
  store = given;
  const WithoutSigpipe here_and_in_new_threads;
  try {
    auto device = options.devices.empty() ? createDefaultDevice() : options.devices[0];
    context = std::make_shared<gloo::rendezvous::Context>(rank, size);
    context->setTimeout(options.timeout);
    GlooStore adapter(store, options.timeout);
    context->connectFullMesh(adapter, device);
  } catch (const std::exception& e) {
    throw DistError(concat("ProcessGroupGloo: rank ", rank, " of ", size,
                           " could not connect to the others: ", e.what()));
  }
  thread = detail::OwnThread([self = shared_from_this()] {
    self->serve();
    self->finish_exchange();
  });
}

// May also run on one of the threads, in a callback.
void ProcessGroupGloo::Impl::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ends = true;
    changed.notify_all();
    message_came.notify_all();
  }
  thread.end();
  for (detail::OwnThread& waiter : waiters) waiter.end();
}

// Pending messages would be lost with the connections. Messages to running ranks are written as
// soon as this process gets a core. Messages to ended ranks are never written.
void ProcessGroupGloo::Impl::finish_exchange() {
  using std::chrono::milliseconds;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (broken || !last_exchange.buffer) return;
  }
  try {
    for (int i = 1; i < size; ++i)
      last_exchange.buffer->waitSend(std::min(options.timeout, milliseconds(5000)));
  } catch (const std::exception&) {
  }
}

ProcessGroup::WorkPtr ProcessGroupGloo::Impl::submit(OperationPtr operation) {
  auto work = make_intrusive<Work>();
  auto staging = std::make_shared<Staging>();
  const Staging::Pair host = staging->of(*operation);
  work->on_wait([staging, operation] {
    staging->bring_back();
    if (operation->after) operation->after();
  });
  Job job{operation, staging, host.in, host.out, work, {}, {}};
  const bool is_message = detail::is_message(operation->kind);
  if (is_message) staging->wait_for_inputs();
  std::unique_lock<std::mutex> lock(mutex);
  if (broken) {
    work->finish(broken);
  } else if (is_message) {
    begin_message(std::move(job));
  } else {
    jobs.push_back(std::move(job));
    lock.unlock();  // the thread takes it at once
    changed.notify_all();
  }
  return work;
}

// Needs the lock. Messages that are alike meet in the order of the calls.
void ProcessGroupGloo::Impl::begin_message(Job job) {
  const WithoutSigpipe here_and_in_new_threads;
  job.deadline = std::chrono::steady_clock::now() + job.operation->limit;
  try {
    job.operation->flight.started();
    post(job);
  } catch (const std::exception& e) {
    const std::string text = text_of(*job.operation, e.what());
    job.operation->flight.failed(text);
    const auto error = std::make_exception_ptr(DistError(text));
    if (!broken) broken = error;
    return job.work->finish(error);
  }
  messages.push_back(std::move(job));
  if (idle_waiters < messages.size())
    waiters.emplace_back([self = shared_from_this()] { self->serve_messages(); });
  message_came.notify_one();
}

void ProcessGroupGloo::Impl::abort() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!broken)
    broken = std::make_exception_ptr(DistError(
        concat("ProcessGroupGloo: rank ", rank, " of ", size, ": the group was aborted")));
}

void ProcessGroupGloo::Impl::check_usable() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (broken) std::rethrow_exception(broken);
}

std::string ProcessGroupGloo::Impl::text_of(const Operation& operation,
                                            const std::string& why) const {
  return concat("ProcessGroupGloo: rank ", rank, " of ", size, ": ", operation.what(),
                " failed: ", why);
}

void ProcessGroupGloo::Impl::serve() {
  for (;;) {
    Job job;
    std::exception_ptr error;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [this] { return ends || !jobs.empty(); });
      if (jobs.empty()) return;
      job = std::move(jobs.front());
      jobs.pop_front();
      error = broken;
    }
    if (!error) try {
        job.operation->flight.started();
        job.staging->wait_for_inputs();
        const taper::detail::RunScope recorded(taper::detail::RunEvent::kScope,
                                               job.operation->what());
        run(job);
        job.operation->flight.completed();
      } catch (const std::exception& e) {
        fail(job, e);
        continue;
      }
    job.work->finish(error);
  }
}

// Reports the first failure to the other ranks. Their messages become part of the error.
void ProcessGroupGloo::Impl::fail(const Job& job, const std::exception& e) {
  const Operation& o = *job.operation;
  std::string text = text_of(o, e.what());
  bool tells;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    tells = !std::exchange(has_told, true);
    if (!broken) broken = std::make_exception_ptr(DistError(text));  // fails later ones
  }
  if (tells) {
    // Ranks that wait for this one now fail, and report their positions.
    context->closeConnections();
    text += detail::words_of_other_ranks({store, rank, size, o.whole(), o.limit});
  }
  o.flight.failed(text);
  const auto error = std::make_exception_ptr(DistError(text));
  if (tells) {
    const std::lock_guard<std::mutex> lock(mutex);
    broken = error;
  }
  job.work->finish(error);
}

// Each message has a thread that waits for it, because the other ranks decide which one ends first.
void ProcessGroupGloo::Impl::serve_messages() {
  for (;;) {
    Job job;
    {
      std::unique_lock<std::mutex> lock(mutex);
      ++idle_waiters;
      message_came.wait(lock, [this] { return ends || !messages.empty(); });
      --idle_waiters;
      if (messages.empty()) return;
      job = std::move(messages.front());
      messages.pop_front();
    }
    try {
      const taper::detail::RunScope recorded(taper::detail::RunEvent::kScope,
                                             job.operation->what());
      wait_for_message(job);
      job.operation->flight.completed();
    } catch (const std::exception& e) {
      fail(job, e);
      continue;
    }
    job.buffer.reset();
    job.work->finish();
  }
}

}  // namespace torch::taper::distributed
