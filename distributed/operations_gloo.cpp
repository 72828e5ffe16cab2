#include <taper/distributed/operations_gloo.h>

#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <cstdlib>

#include <taper/framework/runtime/run_observer.h>

namespace taper::distributed {

namespace {

using detail::Operation;
using detail::Staging;
using taper::detail::concat;

/// A store as gloo asks it.
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

std::shared_ptr<gloo::transport::Device> device_for(std::string interface) {
  if (interface.empty())
    if (const char* named = std::getenv("GLOO_SOCKET_IFNAME")) interface = named;
  gloo::transport::tcp::attr attr;
  if (!interface.empty()) {
    attr.iface = interface.substr(0, interface.find(','));
    return gloo::transport::tcp::CreateDevice(attr);
  }
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  try {
    attr.hostname = host;
    return gloo::transport::tcp::CreateDevice(attr);
  } catch (const std::exception&) {  // a name that leads nowhere: all ranks are here
    attr.hostname = "127.0.0.1";
    return gloo::transport::tcp::CreateDevice(attr);
  }
}

}  // namespace

void ProcessGroupGloo::Impl::start(const intrusive_ptr<distributed::Store>& store) {
  TAPER_CHECK_VALUE(store.defined(), "ProcessGroupGloo: expected a store, got none");
  const WithoutSigpipe here_and_in_new_threads;
  try {
    auto device = device_for(options.interface);
    context = std::make_shared<gloo::rendezvous::Context>(rank, size);
    context->setTimeout(options.timeout);
    GlooStore adapter(store, options.timeout);
    context->connectFullMesh(adapter, device);
  } catch (const std::exception& e) {
    throw DistError(concat("ProcessGroupGloo: rank ", rank, " of ", size,
                           " could not connect to the others: ", e.what()));
  }
  thread = std::thread([this] { serve(); });
}

void ProcessGroupGloo::Impl::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ends = true;
    changed.notify_all();
    message_came.notify_all();
  }
  thread.join();
  for (std::thread& waiter : waiters) waiter.join();
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
  const std::lock_guard<std::mutex> lock(mutex);
  if (broken) {
    work->finish(broken);
  } else if (is_message) {
    begin_message(std::move(job));
  } else {
    jobs.push_back(std::move(job));
    changed.notify_all();
  }
  return work;
}

// Called with the lock held: messages that are alike meet in the order of the calls.
void ProcessGroupGloo::Impl::begin_message(Job job) {
  const WithoutSigpipe here_and_in_new_threads;
  job.deadline = std::chrono::steady_clock::now() + job.operation->limit;
  try {
    job.operation->flight.started();
    post(job);
  } catch (const std::exception& e) {
    const auto error = error_of(*job.operation, e);
    if (!broken) broken = error;
    return job.work->finish(error);
  }
  messages.push_back(std::move(job));
  if (idle_waiters < messages.size()) waiters.emplace_back([this] { serve_messages(); });
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

std::exception_ptr ProcessGroupGloo::Impl::error_of(const Operation& operation,
                                                    const std::exception& e) const {
  const std::string text = concat(
      "ProcessGroupGloo: rank ", rank, " of ", size, ": ", operation.what(), " failed: ", e.what(),
      ". A rank may have ended, be late, or have called another operation, or one "
      "with other sizes");
  operation.flight.failed(text);
  return std::make_exception_ptr(DistError(text));
}

void ProcessGroupGloo::Impl::serve() {
  for (;;) {
    Job job;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [this] { return ends || !jobs.empty(); });
      if (jobs.empty()) return;
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    std::exception_ptr error;
    {
      const std::lock_guard<std::mutex> lock(mutex);
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

void ProcessGroupGloo::Impl::fail(const Job& job, const std::exception& e) {
  const std::exception_ptr error = error_of(*job.operation, e);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!broken) broken = error;
  }
  job.work->finish(error);
}

// Each message has a thread that waits for it: which one ends first is up to the other ranks.
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

}  // namespace taper::distributed
