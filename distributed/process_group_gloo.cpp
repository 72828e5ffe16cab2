#include <taper/distributed/process_group_gloo.h>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>
#include <gloo/types.h>

#include <cstring>
#include <sstream>

#include <taper/distributed/operation.h>
#include <taper/distributed/operations_gloo.h>
#include <taper/distributed/reduction.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper::distributed {

namespace {

using detail::nbytes_of;
using detail::Operation;
using detail::OpKind;
using taper::detail::concat;
using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

constexpr uint64_t kMonitored = 0x6d6f6e69746f72;  // in place of an operation's hash

uint8_t* bytes_of(const Tensor& t) { return static_cast<uint8_t*>(t.data_ptr()); }

/// Calls setOutput for elements of `itemsize` bytes.
template <class Options>
void set_elements(Options& options, void* data, size_t n, size_t itemsize) {
  switch (itemsize) {
    case 1:
      return options.setOutput(static_cast<uint8_t*>(data), n);
    case 2:
      return options.setOutput(static_cast<uint16_t*>(data), n);
    case 4:
      return options.setOutput(static_cast<uint32_t*>(data), n);
    case 8:
      return options.setOutput(static_cast<uint64_t*>(data), n);
    default:
      throw ValueError(concat("gloo: elements of ", itemsize, " bytes cannot be reduced"));
  }
}

/// Returns gloo's options with the settings that all operations share.
template <class Options>
Options options_of(const Operation& o, const std::shared_ptr<gloo::Context>& context,
                   uint32_t tag) {
  Options options(context);
  options.setTag(tag);
  options.setTimeout(o.limit);
  return options;
}
template <class Options>
void reduce_elements(Options& options, const Tensor& host, ReduceOp how) {
  detail::before_reduction(host, how);
  set_elements(options, host.data_ptr(), static_cast<size_t>(host.numel()),
               static_cast<size_t>(host.element_size()));
  options.setReduceFunction(detail::combine_for(host.scalar_type(), how));
}
/// Up to this size for all ranks together, an allreduce takes one step of messages between all
/// ranks. A ring sends less, but takes 2 (size - 1) steps. (benchmarks/allreduce.sh)
constexpr size_t kMostInOneStep = 1 << 20;

/// Returns the time left, at least 1 ms, so that arrived messages are seen.
std::chrono::milliseconds time_left(std::chrono::steady_clock::time_point deadline) {
  using std::chrono::milliseconds;
  return std::max(milliseconds(1), std::chrono::duration_cast<milliseconds>(
                                       deadline - std::chrono::steady_clock::now()));
}

/// Returns a slot for tag and size, by which messages meet. (Slots of collectives begin elsewhere.)
uint64_t slot_of(int tag, const Tensor& t) {
  return detail::mix(detail::mix(static_cast<uint64_t>(tag), nbytes_of(t)),
                     static_cast<uint64_t>(t.scalar_type())) >>
         16;
}

}  // namespace

// ---------------------------------------------------------------------- the group
ProcessGroupGloo::ProcessGroupGloo(const intrusive_ptr<Store>& store, int rank, int size,
                                   std::shared_ptr<Options> options)
    : Backend("gloo", rank, size, options->timeout, store),
      impl_(std::make_shared<Impl>(rank, size, std::move(options))) {
  impl_->start(store);
}
ProcessGroupGloo::~ProcessGroupGloo() { impl_->stop(); }

ProcessGroup::WorkPtr ProcessGroupGloo::submit(OperationPtr operation) {
  return impl_->submit(std::move(operation));
}
void ProcessGroupGloo::abort() { impl_->abort(); }

intrusive_ptr<ProcessGroup> ProcessGroupGloo::make_part(const intrusive_ptr<Store>& store,
                                                        const std::vector<int>& ranks, int rank,
                                                        std::chrono::milliseconds timeout) {
  auto options = std::make_shared<Options>(impl_->options);
  options->timeout = timeout;
  return make_intrusive<ProcessGroupGloo>(store, rank, static_cast<int>(ranks.size()), options);
}

// ---------------------------------------------------------------------- operations
// Operations on which ranks disagree have different tags, so they never meet and end at the time
// limit. (Gloo itself ends the process if sizes differ.)
void ProcessGroupGloo::Impl::run(const Job& job) {
  const Operation& o = *job.operation;
  const auto tag = static_cast<uint32_t>(o.agreement);
  const Tensor &in = job.in, &out = job.out;
  const bool empty = o.tensor().defined() && o.tensor().numel() == 0;
  if (empty && o.kind != OpKind::kAlltoall) return;
  switch (o.kind) {
    case OpKind::kBroadcast: {
      const Tensor& host = in.defined() ? in : out;
      auto options = options_of<gloo::BroadcastOptions>(o, context, tag);
      options.setOutput(bytes_of(host), nbytes_of(host));
      options.setRoot(o.peer);
      return gloo::broadcast(options);
    }
    case OpKind::kAllreduce:
      return reduce_on_all(o, tag, in);
    case OpKind::kReduce: {
      auto options = options_of<gloo::ReduceOptions>(o, context, tag);
      reduce_elements(options, in, o.how);
      options.setRoot(o.peer);
      gloo::reduce(options);
      return detail::after_reduction(in, o.how, size);
    }
    case OpKind::kAllgather: {
      auto options = options_of<gloo::AllgatherOptions>(o, context, tag);
      options.setInput(bytes_of(in), nbytes_of(in));
      options.setOutput(bytes_of(out), nbytes_of(out));
      return gloo::allgather(options);
    }
    case OpKind::kGather: {
      auto options = options_of<gloo::GatherOptions>(o, context, tag);
      options.setInput(bytes_of(in), nbytes_of(in));
      if (out.defined()) options.setOutput(bytes_of(out), nbytes_of(out));
      options.setRoot(o.peer);
      return gloo::gather(options);
    }
    case OpKind::kScatter: {
      auto options = options_of<gloo::ScatterOptions>(o, context, tag);
      std::vector<uint8_t*> parts;
      if (in.defined())
        for (int r = 0; r < size; ++r)
          parts.push_back(bytes_of(in) + static_cast<size_t>(r) * nbytes_of(out));
      if (in.defined()) options.setInputs(parts, nbytes_of(out));
      options.setOutput(bytes_of(out), nbytes_of(out));
      options.setRoot(o.peer);
      return gloo::scatter(options);
    }
    case OpKind::kReduceScatter:
      return reduce_scatter(job, tag);
    case OpKind::kAlltoall:
      return alltoall(job, tag);
    case OpKind::kSend:
    case OpKind::kRecv:
    case OpKind::kRecvAnysource:
      return;  // begin_message() runs it
    case OpKind::kBarrier: {
      auto options = options_of<gloo::BarrierOptions>(o, context, tag);
      return gloo::barrier(options);
    }
  }
}

void ProcessGroupGloo::Impl::reduce_on_all(const Operation& o, uint32_t tag, const Tensor& host) {
  if (nbytes_of(host) * static_cast<size_t>(size) <= kMostInOneStep)
    return exchange_and_reduce(o, tag, host);
  auto options = options_of<gloo::AllreduceOptions>(o, context, tag);
  reduce_elements(options, host, o.how);
  gloo::allreduce(options);
  detail::after_reduction(host, o.how, size);
}

// Each rank sends its data to all others, and combines the data of all in the order of the ranks.
// It does not wait for its sends, because gloo does not report a closed connection to a send. A
// rank with the data of all others knows the sum. When all have sent their next data, all have this
// sum.
void ProcessGroupGloo::Impl::exchange_and_reduce(const Operation& o, uint32_t tag,
                                                 const Tensor& host) {
  detail::before_reduction(host, o.how);
  const auto bytes = static_cast<size_t>(nbytes_of(host));
  const auto slot = static_cast<uint64_t>(gloo::Slot::build(gloo::kAllreduceSlotPrefix, tag));
  const auto part = [&](int r) { return static_cast<size_t>(r) * bytes; };
  const auto with_others = [&](auto&& f) {
    for (int i = 1; i < size; ++i) f((rank + i) % size);
  };
  Exchange all;
  all.memory.resize(part(size));
  std::memcpy(&all.memory[part(rank)], host.data_ptr(), bytes);
  all.buffer = context->createUnboundBuffer(all.memory.data(), all.memory.size());
  with_others([&](int r) { all.buffer->recv(r, slot, part(r), bytes); });
  with_others([&](int r) { all.buffer->send(r, slot, part(rank), bytes); });
  with_others([&](int) { all.buffer->waitRecv(o.limit); });
  std::memcpy(host.data_ptr(), all.memory.data(), bytes);
  const detail::Combine combine = detail::combine_for(host.scalar_type(), o.how);
  for (int r = 1; r < size; ++r)
    combine(host.data_ptr(), host.data_ptr(), &all.memory[part(r)],
            static_cast<size_t>(host.numel()));
  detail::after_reduction(host, o.how, size);
  last_exchange = std::move(all);
}

void ProcessGroupGloo::Impl::reduce_scatter(const Job& job, uint32_t tag) {
  const NoGradGuard off;
  const Tensor all = job.in.clone();
  reduce_on_all(*job.operation, tag, all);
  job.out.copy_(all.view({size, job.out.numel()}).select(0, rank).view(job.out.sizes()));
}

void ProcessGroupGloo::Impl::alltoall(const Job& job, uint32_t tag) {
  const Operation& o = *job.operation;
  std::vector<int64_t> sent = o.sent, received = o.received;
  const auto itemsize = static_cast<int64_t>(job.in.element_size());
  for (int64_t& n : sent) n *= itemsize;
  for (int64_t& n : received) n *= itemsize;
  auto options = options_of<gloo::AlltoallvOptions>(o, context, tag);
  options.setInput(bytes_of(job.in), sent);
  options.setOutput(bytes_of(job.out), received);
  gloo::alltoallv(options);
}

// ---------------------------------------------------------------------- between two ranks
void ProcessGroupGloo::Impl::post(Job& job) {
  const Operation& o = *job.operation;
  const Tensor& t = o.kind == OpKind::kSend ? job.in : job.out;
  job.buffer = context->createUnboundBuffer(t.data_ptr(), nbytes_of(t));
  if (o.kind == OpKind::kSend) return job.buffer->send(o.peer, slot_of(o.tag, t));
  std::vector<int> from;
  for (int r = 0; r < size; ++r)
    if (o.kind == OpKind::kRecvAnysource ? r != rank : r == o.peer) from.push_back(r);
  job.buffer->recv(from, slot_of(o.tag, t));
}

void ProcessGroupGloo::Impl::wait_for_message(Job& job) {
  const Operation& o = *job.operation;
  const auto left = time_left(job.deadline);
  if (o.kind == OpKind::kSend) {
    job.buffer->waitSend(left);
    return;
  }
  int source = o.peer;
  job.buffer->waitRecv(&source, left);
  job.work->set_source(source);
}

// Each rank reports to rank 0, which answers whether all have arrived.
void ProcessGroupGloo::monitoredBarrier(const BarrierOptions& options, bool wait_all) {
  if (size_ == 1) return;
  const auto limit = Backend::limit(options.timeout);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const uint64_t slot = detail::mix(next_collective(), kMonitored) >> 16,
                 answer = detail::mix(slot, 1) >> 16;
  impl_->check_usable();
  const WithoutSigpipe here;
  const auto left = [&] { return time_left(deadline); };
  std::vector<uint8_t> words(static_cast<size_t>(size_));
  const auto buffer_of = [&](int r) {
    return impl_->context->createUnboundBuffer(&words[static_cast<size_t>(r)], 1);
  };
  if (rank_ != 0) {
    try {
      const Buffer buffer = buffer_of(0);
      buffer->send(0, slot);
      buffer->waitSend(left());
      buffer->recv(0, answer);
      buffer->waitRecv(left());
    } catch (const std::exception& e) {
      throw DistError(concat("monitoredBarrier: rank ", rank_, " did not hear from rank 0 within ",
                             limit.count(), " ms, which may have missed another rank: ", e.what()));
    }
    return;
  }
  // All are awaited at once: when the time for one has passed, gloo closes all connections.
  std::vector<Buffer> buffers(1);
  std::vector<int> absent;
  for (int r = 1; r < size_; ++r) {
    buffers.push_back(buffer_of(r));
    buffers.back()->recv(r, slot);
  }
  for (int r = 1; r < size_ && (absent.empty() || wait_all); ++r) try {
      buffers[static_cast<size_t>(r)]->waitRecv(left());
    } catch (const std::exception&) {
      absent.push_back(r);
    }
  if (!absent.empty()) {
    std::ostringstream ranks;
    for (size_t i = 0; i < absent.size(); ++i) ranks << (i ? ", " : "") << absent[i];
    throw DistError(concat("monitoredBarrier: ", absent.size() == 1 ? "rank " : "ranks ",
                           ranks.str(), " did not come within ", limit.count(), " ms"));
  }
  try {
    for (int r = 1; r < size_; ++r) buffers[static_cast<size_t>(r)]->send(r, answer);
    for (int r = 1; r < size_; ++r) buffers[static_cast<size_t>(r)]->waitSend(left());
  } catch (const std::exception& e) {
    throw DistError(concat("monitoredBarrier: a rank has come, but took no answer: ", e.what()));
  }
}

}  // namespace torch::taper::distributed
