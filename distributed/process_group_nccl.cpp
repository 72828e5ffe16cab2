#include <taper/distributed/process_group_nccl.h>

#include <algorithm>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include <taper/distributed/communicators_nccl.h>
#include <taper/distributed/last_words.h>
#include <taper/distributed/operations_nccl.h>
#include <taper/distributed/own_thread.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/check.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/debug/timeline.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::distributed {

using detail::Operation;
using detail::OpKind;
using nccl::Clock;
using taper::detail::concat;

namespace {

/// Describes kernels on the group's stream, between two events.
class NcclWork final : public Work {
 public:
  NcclWork(std::shared_ptr<Operation> operation, cuda::Stream stream)
      : operation(std::move(operation)), stream_(stream) {
    deadline = Clock::now() + this->operation->limit;
  }
  const std::shared_ptr<Operation> operation;
  Clock::time_point deadline;
  bool has_started = false;  // set by the watching thread

  /// Makes the kernels wait for the current stream. begin() and end() surround them.
  void begin() {
    const cuda::Stream current = cuda::current_stream(stream_.device_index());
    ready_.record(current);
    ready_.wait(stream_);
    begun_.record(stream_);
  }
  void end() { ended_.record(stream_); }
  bool is_begun() const { return begun_.query(); }
  bool is_ended() const { return ended_.query(); }

  bool isCompleted() const override { return Work::isCompleted() || is_ended(); }
  bool isSuccess() const override { return isCompleted() && !exception(); }
  bool wait(std::chrono::milliseconds timeout) override {
    if (timeout != kNoTimeout || operation->kind == OpKind::kBarrier) return Work::wait(timeout);
    if (const auto error = exception()) std::rethrow_exception(error);
    finish_on_current_stream();
    return true;
  }
  /// Does the work of wait() after a success.
  void finish_on_current_stream() {
    ended_.wait(cuda::current_stream(stream_.device_index()));
    run_on_wait();
  }

 private:
  const cuda::Stream stream_;
  cuda::Event ready_, begun_, ended_;
};

using NcclWorkPtr = intrusive_ptr<NcclWork>;

/// Returns the tensors that kernels read or write.
std::vector<Tensor> tensors_of(const Operation& o) {
  std::vector<Tensor> all = o.parts;
  for (const Tensor& t : {o.in, o.out})
    if (t.defined()) all.push_back(t);
  return all;
}

}  // namespace

struct ProcessGroupNCCL::Impl {
  Impl(intrusive_ptr<Store> store, int rank, int size, Options options)
      : store(std::move(store)),
        rank(rank),
        size(size),
        options(options),
        communicators(this->store, rank, size, [this](ncclComm_t comm) {
          const std::lock_guard<std::mutex> lock(mutex);
          comms.push_back(comm);
        }) {}

  using Key = std::pair<DeviceIndex, nccl::Link>;
  const intrusive_ptr<Store> store;
  const int rank, size;
  const Options options;

  std::recursive_mutex calls;  // one thread calls NCCL at a time (except error queries)
  std::map<Key, nccl::Place> places;
  nccl::Communicators communicators;

  std::mutex mutex;  // guards the rest
  std::condition_variable changed;
  std::list<NcclWorkPtr> works;
  std::vector<ncclComm_t> comms;
  std::exception_ptr broken;
  bool ends = false;
  detail::OwnThread watch;

  WorkPtr submit(OperationPtr operation);
  void serve();
  void stop();
  /// Ends all operations in progress. The first reason is kept.
  void abort(const std::string& why);

 private:
  /// Returns the device for operations without one: the first used device of this rank, else the
  /// current one.
  Device usual_device() const {
    return Device(kCUDA, places.empty() ? cuda::current_device() : places.begin()->first.first);
  }
  const nccl::Place& place_of(const Operation& operation, DeviceIndex device,
                              Clock::time_point deadline);
  void queue(NcclWork& work, const nccl::Place& place);
  bool look_at(NcclWork& work);
  std::string what_is_wrong(std::vector<NcclWorkPtr>& ended, std::shared_ptr<Operation>& late);
  std::string named(const std::string& what) const {
    return concat("ProcessGroupNCCL: rank ", rank, " of ", size, ": ", what);
  }
};

// ---------------------------------------------------------------------- operations
namespace {

/// Copies CPU tensors through a device, because classes above the groups send numbers and texts in
/// CPU tensors.
void go_through(Operation& o, Device device) {
  const NoGradGuard off;
  std::vector<std::pair<Tensor, Tensor>> results;  // to the CPU, from the device
  const auto moved = [&](const Tensor& t, bool comes_back) {
    if (!t.defined()) return t;
    const Tensor on_device = t.to(device);
    if (comes_back) results.emplace_back(t.detach(), on_device);
    return on_device;
  };
  const bool in_is_out = o.in.defined() && o.in.is_same(o.out);
  o.out = moved(o.out, true);
  o.in = in_is_out ? o.out : moved(o.in, false);
  for (Tensor& part : o.parts) part = moved(part, true);
  o.after = [results, then = std::move(o.after)] {
    const NoGradGuard no_grad;
    for (const auto& [to, from] : results) to.copy_(from);  // waits for the current stream
    if (then) then();
  };
}

/// Returns the device of all tensors, or `otherwise` for CPU tensors and barriers.
DeviceIndex device_of(Operation& o, Device otherwise) {
  if (o.kind == OpKind::kBarrier) {
    const NoGradGuard off;
    o.in = o.out = zeros({1}, TensorOptions(kInt).device(otherwise));
  }
  auto all = tensors_of(o);
  if (std::all_of(all.begin(), all.end(), [](const Tensor& t) { return t.is_cpu(); })) {
    go_through(o, otherwise);
    all = tensors_of(o);
  }
  for (const Tensor& t : all)
    TAPER_CHECK_VALUE(t.is_cuda() && t.device() == all[0].device(), o.name,
                      ": expected tensors of one CUDA device, or all of the CPU, got one on ",
                      t.device());
  return all[0].device().index();
}

}  // namespace

ProcessGroup::WorkPtr ProcessGroupNCCL::Impl::submit(OperationPtr operation) {
  if (operation->kind == OpKind::kRecvAnysource)
    throw NotImplementedError("recvAnysource: NCCL has none; use recv, or a group of gloo");
  const std::lock_guard<std::recursive_mutex> one(calls);
  const DeviceIndex device = device_of(*operation, usual_device());
  const cuda::DeviceGuard on(device);
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (broken) std::rethrow_exception(broken);
  }
  NcclWorkPtr work;
  try {
    const auto deadline = Clock::now() + operation->limit;
    const nccl::Place& place = place_of(*operation, device, deadline);
    work = make_intrusive<NcclWork>(operation, place.stream);
    queue(*work, place);
  } catch (const std::exception& e) {
    const std::string why = named(concat(operation->what(), " failed: ", e.what()));
    abort(why);
    operation->flight.failed(why);
    std::rethrow_exception(broken);
  }
  const std::lock_guard<std::mutex> lock(mutex);
  works.push_back(work);
  changed.notify_all();
  return intrusive_ptr<Work>(work);
}

void ProcessGroupNCCL::Impl::queue(NcclWork& work, const nccl::Place& place) {
  const Operation& o = *work.operation;
  taper::detail::RunScope recorded;
  if (taper::detail::observes_run())
    recorded.begin(taper::detail::RunEvent::kScope, o.what().c_str());
  work.begin();
  {
    const taper::detail::TimelineSpan on_stream(place.stream.impl(), o.name);
    nccl::run(o, place, work.deadline);
  }
  work.end();
  // The memory of a tensor that is dropped early waits for these kernels.
  for (const Tensor& t : tensors_of(o)) t.record_stream(place.stream);
  if (o.kind == OpKind::kRecv) work.set_source(o.peer);
  if (o.after) work.on_wait(o.after);
}

// Each direction of messages between two ranks has its own communicator and stream. Else a send
// would wait for the other rank's send before it.
const nccl::Place& ProcessGroupNCCL::Impl::place_of(const Operation& o, DeviceIndex device,
                                                    Clock::time_point deadline) {
  nccl::Link link;
  if (o.kind == OpKind::kSend) link = {rank, o.peer};
  if (o.kind == OpKind::kRecv) link = {o.peer, rank};
  const auto found = places.find({device, link});
  if (found != places.end()) return found->second;
  nccl::Place place{nullptr,
                    cuda::Stream(Device(kCUDA, device), options.is_high_priority_stream ? -1 : 0),
                    rank, size};
  if (!link.is_of_all()) {
    place.rank = rank == link.to;
    place.size = 2;
  }
  place.comm = communicators.make(link, device, deadline);
  return places.emplace(Key{device, link}, place).first->second;
}

// ---------------------------------------------------------------------- the watch
// Releases ended work. Ends all work when a limit has passed or NCCL reports an error.
void ProcessGroupNCCL::Impl::serve() {
  using namespace std::chrono_literals;
  constexpr auto kPause = 5ms;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return ends || !works.empty(); });
    if (works.empty()) break;
    std::vector<NcclWorkPtr> ended;
    std::shared_ptr<Operation> late;
    std::string wrong = what_is_wrong(ended, late);
    lock.unlock();  // callbacks call other operations
    for (const auto& work : ended) work->finish();
    ended.clear();
    if (late)
      wrong += detail::words_of_other_ranks({store, rank, size, late->whole(), late->limit});
    if (!wrong.empty()) abort(wrong);
    lock.lock();
    if (wrong.empty()) changed.wait_for(lock, kPause);
  }
  for (const ncclComm_t comm : comms) nccl::destroy(comm);
}

/// Returns whether the work has ended.
bool ProcessGroupNCCL::Impl::look_at(NcclWork& work) {
  const auto& flight = work.operation->flight;
  if (!work.has_started && work.is_begun()) {
    work.has_started = true;
    flight.started();
  }
  if (!work.is_ended()) return false;
  flight.completed();
  return true;
}

// Needs the lock.
std::string ProcessGroupNCCL::Impl::what_is_wrong(std::vector<NcclWorkPtr>& ended,
                                                  std::shared_ptr<Operation>& late) try {
  for (auto work = works.begin(); work != works.end();) {
    const bool has_ended = look_at(**work);
    if (has_ended) ended.push_back(*work);
    work = has_ended ? works.erase(work) : std::next(work);
  }
  for (const auto& work : works)
    if (Clock::now() > work->deadline) {
      late = work->operation;
      return named(concat(late->what(), " failed: it goes on after ", late->limit.count(), " ms"));
    }
  for (const ncclComm_t comm : comms)
    if (const std::string error = nccl::error_of(comm); !error.empty()) return named(error);
  return "";
} catch (const std::exception& e) {
  return named(e.what());  // the device's own error
}

void ProcessGroupNCCL::Impl::abort(const std::string& why) {
  const std::lock_guard<std::recursive_mutex> one(calls);
  std::vector<ncclComm_t> ended;
  std::list<NcclWorkPtr> failed;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!broken) broken = std::make_exception_ptr(DistError(why));
    failed.swap(works);
    ended.swap(comms);
    changed.notify_all();
  }
  for (const auto& work : failed) work->finish(broken);
  for (const ncclComm_t comm : ended) nccl::abort(comm);
  for (const auto& work : failed) work->operation->flight.failed(why);
}

// May also run on the thread itself, in a callback.
void ProcessGroupNCCL::Impl::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    ends = true;
    changed.notify_all();
  }
  watch.end();
}

// ---------------------------------------------------------------------- the group
ProcessGroupNCCL::ProcessGroupNCCL(const intrusive_ptr<Store>& store, int rank, int size,
                                   std::shared_ptr<Options> options)
    : Backend("nccl", rank, size, options->timeout, store) {
  TAPER_CHECK_VALUE(store.defined(), "ProcessGroupNCCL: expected a store, got none");
  nccl::require();
  impl_ = std::make_shared<Impl>(store, rank, size, *options);
  impl_->watch = detail::OwnThread([impl = impl_] { impl->serve(); });
}
ProcessGroupNCCL::~ProcessGroupNCCL() {
  if (impl_) impl_->stop();
}

ProcessGroup::WorkPtr ProcessGroupNCCL::submit(OperationPtr operation) {
  return impl_->submit(std::move(operation));
}
void ProcessGroupNCCL::abort() {
  impl_->abort(concat("ProcessGroupNCCL: rank ", rank_, " of ", size_, ": the group was aborted"));
}

intrusive_ptr<ProcessGroup> ProcessGroupNCCL::make_part(const intrusive_ptr<Store>& store,
                                                        const std::vector<int>& ranks, int rank,
                                                        std::chrono::milliseconds timeout) {
  auto options = std::make_shared<Options>(impl_->options);
  options->timeout = timeout;
  return make_intrusive<ProcessGroupNCCL>(store, rank, static_cast<int>(ranks.size()), options);
}

void ProcessGroupNCCL::check_reduction(ScalarType dtype, ReduceOp how) const {
  const std::string why = nccl::why_not(dtype, how);
  TAPER_CHECK_VALUE(why.empty(), "ReduceOp: expected a reduction that NCCL has, and ", why,
                    "; use a group of gloo beside it");
}

}  // namespace torch::taper::distributed
