#include <taper/distributed/process_group_gloo.h>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/scatter.h>

#include <cstring>
#include <functional>
#include <sstream>

#include <taper/distributed/operations_gloo.h>
#include <taper/distributed/reduction.h>
#include <taper/distributed/staging.h>
#include <taper/framework/grad_mode.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace taper::distributed {

namespace {

using detail::Staging;
using Tensors = ProcessGroup::Tensors;
using taper::detail::concat;
using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

size_t nbytes_of(const Tensor& t) { return static_cast<size_t>(t.numel()) * t.element_size(); }

void check_tensor(const char* op, const Tensor& t) {
  TAPER_CHECK_VALUE(t.defined(), op, ": expected a tensor, got an undefined one");
  TAPER_CHECK_VALUE(t.is_contiguous(), op, ": expected contiguous tensors, got sizes ", t.sizes(),
                    " with strides ", t.strides(), "; call contiguous()");
}
const Tensor& only(const char* op, const Tensors& tensors) {
  TAPER_CHECK_VALUE(tensors.size() == 1, op, ": expected one tensor, got ", tensors.size());
  check_tensor(op, tensors[0]);
  return tensors[0];
}
void check_alike(const char* op, const Tensor& a, const Tensor& b) {
  check_tensor(op, b);
  TAPER_CHECK_VALUE(a.scalar_type() == b.scalar_type() && a.numel() == b.numel(), op,
                    ": expected tensors of one dtype and size, got ", a.scalar_type(), a.sizes(),
                    " and ", b.scalar_type(), b.sizes());
}

/// setOutput of elements of so many bytes.
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

/// Complex numbers are added part by part.
Tensor as_parts(const char* op, const Tensor& t, ReduceOp how) {
  if (!t.is_complex()) return t;
  TAPER_CHECK_VALUE(how == ReduceOp::SUM || how == ReduceOp::AVG, op,
                    ": expected SUM or AVG for complex tensors");
  return view_as_real(t);
}

}  // namespace

// ---------------------------------------------------------------------- the group
ProcessGroupGloo::ProcessGroupGloo(const intrusive_ptr<Store>& store, int rank, int size,
                                   std::shared_ptr<Options> options)
    : ProcessGroup(rank, size), impl_(std::make_unique<Impl>(rank, size, std::move(options))) {
  impl_->start(store);
}
ProcessGroupGloo::~ProcessGroupGloo() { impl_->stop(); }

std::chrono::milliseconds ProcessGroupGloo::timeout() const { return impl_->options.timeout; }
void ProcessGroupGloo::setTimeout(std::chrono::milliseconds timeout) {
  impl_->options.timeout = timeout;
}

// ---------------------------------------------------------------------- collectives
ProcessGroup::WorkPtr ProcessGroupGloo::broadcast(Tensors& tensors,
                                                  const BroadcastOptions& options) {
  const Tensor& t = only("broadcast", tensors);
  TAPER_CHECK_VALUE(options.rootRank >= 0 && options.rootRank < size_,
                    "broadcast: expected a root below ", size_, ", got ", options.rootRank);
  auto staging = std::make_shared<Staging>();
  const bool root = options.rootRank == rank_;
  const Tensor host = root ? staging->input(t) : staging->output(t);
  const uint32_t tag = impl_->tag("broadcast", t, static_cast<uint64_t>(options.rootRank));
  return impl_->submit("broadcast", t, staging, [=, this, limit = impl_->limit(options.timeout)] {
    if (host.numel() == 0) return;
    gloo::BroadcastOptions o(impl_->context);
    o.setOutput(static_cast<uint8_t*>(host.data_ptr()), nbytes_of(host));
    o.setRoot(static_cast<int>(options.rootRank));
    o.setTag(tag);
    o.setTimeout(limit);
    gloo::broadcast(o);
  });
}

ProcessGroup::WorkPtr ProcessGroupGloo::allreduce(Tensors& tensors,
                                                  const AllreduceOptions& options) {
  const Tensor& t = only("allreduce", tensors);
  const ReduceOp op = options.reduceOp;
  auto staging = std::make_shared<Staging>();
  const Tensor host = as_parts("allreduce", staging->in_and_out(t), op);
  const detail::Combine combine = detail::combine_for(host.scalar_type(), op);
  const uint32_t tag = impl_->tag("allreduce", t, op);
  const int size = size_;
  return impl_->submit("allreduce", t, staging, [=, this, limit = impl_->limit(options.timeout)] {
    if (host.numel() == 0) return;
    const NoGradGuard off;
    if (op == ReduceOp::PREMUL_SUM) host.mul_(op.factor);
    gloo::AllreduceOptions o(impl_->context);
    set_elements(o, host.data_ptr(), static_cast<size_t>(host.numel()), host.element_size());
    o.setReduceFunction(combine);
    o.setTag(tag);
    o.setTimeout(limit);
    gloo::allreduce(o);
    if (op == ReduceOp::AVG) host.copy_(host.div(size));
  });
}

ProcessGroup::WorkPtr ProcessGroupGloo::allreduce_coalesced(
    Tensors& tensors, const AllreduceCoalescedOptions& options) {
  TAPER_CHECK_VALUE(!tensors.empty(), "allreduce_coalesced: expected tensors, got none");
  const NoGradGuard off;
  Tensors flat_parts;
  for (const Tensor& t : tensors) {
    check_tensor("allreduce_coalesced", t);
    TAPER_CHECK_VALUE(
        t.scalar_type() == tensors[0].scalar_type() && t.device() == tensors[0].device(),
        "allreduce_coalesced: expected tensors of one dtype and device");
    flat_parts.push_back(t.detach().reshape({-1}));
  }
  Tensors flat = {cat(flat_parts)};
  WorkPtr work = allreduce(flat, options);
  auto together = make_intrusive<Work>();
  together->on_wait([work, flat = flat[0], tensors] {
    work->wait();
    const NoGradGuard no_grad;
    int64_t at = 0;
    for (const Tensor& t : tensors) {
      t.detach().copy_(flat.narrow(0, at, t.numel()).view(t.sizes()));
      at += t.numel();
    }
  });
  together->finish();
  return together;
}

ProcessGroup::WorkPtr ProcessGroupGloo::reduce(Tensors& tensors, const ReduceOptions& options) {
  const Tensor& t = only("reduce", tensors);
  TAPER_CHECK_VALUE(options.rootRank >= 0 && options.rootRank < size_,
                    "reduce: expected a root below ", size_, ", got ", options.rootRank);
  const ReduceOp op = options.reduceOp;
  auto staging = std::make_shared<Staging>();
  const Tensor host = as_parts("reduce", staging->in_and_out(t), op);
  const detail::Combine combine = detail::combine_for(host.scalar_type(), op);
  const uint32_t tag = impl_->tag("reduce", t, mix(op, static_cast<uint64_t>(options.rootRank)));
  const int size = size_;
  return impl_->submit("reduce", t, staging, [=, this, limit = impl_->limit(options.timeout)] {
    if (host.numel() == 0) return;
    const NoGradGuard off;
    if (op == ReduceOp::PREMUL_SUM) host.mul_(op.factor);
    gloo::ReduceOptions o(impl_->context);
    set_elements(o, host.data_ptr(), static_cast<size_t>(host.numel()), host.element_size());
    o.setReduceFunction(combine);
    o.setRoot(static_cast<int>(options.rootRank));
    o.setTag(tag);
    o.setTimeout(limit);
    gloo::reduce(o);
    if (op == ReduceOp::AVG) host.copy_(host.div(size));
  });
}

ProcessGroup::WorkPtr ProcessGroupGloo::_allgather_base(Tensor& output, Tensor& input,
                                                        const AllgatherOptions& options) {
  check_tensor("allgather", input);
  check_tensor("allgather", output);
  TAPER_CHECK_VALUE(
      output.numel() == input.numel() * size_ && output.scalar_type() == input.scalar_type(),
      "allgather: expected an output of ", size_, " times the elements of ", input.scalar_type(),
      input.sizes(), ", got ", output.scalar_type(), output.sizes());
  auto staging = std::make_shared<Staging>();
  const Tensor in = staging->input(input), out = staging->output(output);
  const uint32_t tag = impl_->tag("allgather", input);
  return impl_->submit("allgather", input, staging,
                       [=, this, limit = impl_->limit(options.timeout)] {
                         if (in.numel() == 0) return;
                         gloo::AllgatherOptions o(impl_->context);
                         o.setInput(static_cast<uint8_t*>(in.data_ptr()), nbytes_of(in));
                         o.setOutput(static_cast<uint8_t*>(out.data_ptr()), nbytes_of(out));
                         o.setTag(tag);
                         o.setTimeout(limit);
                         gloo::allgather(o);
                       });
}

namespace {

/// Work whose wait() waits for `first` and then does `then`.
ProcessGroup::WorkPtr followed_by(ProcessGroup::WorkPtr first, std::function<void()> then) {
  auto work = make_intrusive<Work>();
  work->on_wait([first = std::move(first), then = std::move(then)] {
    first->wait();
    const NoGradGuard off;
    then();
  });
  work->finish();
  return work;
}
/// Memory for a tensor of each rank.
Tensor flat_like(const Tensor& t, int size) {
  const NoGradGuard off;
  return empty({size, t.numel()}, t.options().requires_grad(false));
}
void give_out(const Tensor& flat, const Tensors& to) {
  for (size_t r = 0; r < to.size(); ++r)
    to[r].detach().copy_(flat.select(0, static_cast<int64_t>(r)).view(to[r].sizes()));
}
void check_for_each_rank(const char* op, const std::vector<Tensors>& lists, const Tensor& like,
                         int size) {
  TAPER_CHECK_VALUE(lists.size() == 1 && lists[0].size() == static_cast<size_t>(size), op,
                    ": expected one list of ", size, " tensors, one for each rank");
  for (const Tensor& t : lists[0]) check_alike(op, like, t);
}

}  // namespace

ProcessGroup::WorkPtr ProcessGroupGloo::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                                  const AllgatherOptions& options) {
  Tensor input = only("allgather", inputs);
  check_for_each_rank("allgather", outputs, input, size_);
  Tensor flat = flat_like(input, size_);
  WorkPtr work = _allgather_base(flat, input, options);
  return followed_by(work, [flat, to = outputs[0]] { give_out(flat, to); });
}

ProcessGroup::WorkPtr ProcessGroupGloo::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                               const GatherOptions& options) {
  const Tensor& input = only("gather", inputs);
  const bool root = options.rootRank == rank_;
  TAPER_CHECK_VALUE(options.rootRank >= 0 && options.rootRank < size_,
                    "gather: expected a root below ", size_, ", got ", options.rootRank);
  TAPER_CHECK_VALUE(root || outputs.empty(), "gather: expected no outputs but on the root");
  if (root) check_for_each_rank("gather", outputs, input, size_);
  auto staging = std::make_shared<Staging>();
  const Tensor in = staging->input(input);
  const Tensor flat =
      root ? empty({size_, input.numel()}, TensorOptions(input.scalar_type())) : Tensor();
  const uint32_t tag = impl_->tag("gather", input, static_cast<uint64_t>(options.rootRank));
  WorkPtr work =
      impl_->submit("gather", input, staging, [=, this, limit = impl_->limit(options.timeout)] {
        if (in.numel() == 0) return;
        gloo::GatherOptions o(impl_->context);
        o.setInput(static_cast<uint8_t*>(in.data_ptr()), nbytes_of(in));
        if (root) o.setOutput(static_cast<uint8_t*>(flat.data_ptr()), nbytes_of(flat));
        o.setRoot(static_cast<int>(options.rootRank));
        o.setTag(tag);
        o.setTimeout(limit);
        gloo::gather(o);
      });
  if (!root) return work;
  return followed_by(work, [flat, to = outputs[0]] { give_out(flat, to); });
}

ProcessGroup::WorkPtr ProcessGroupGloo::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                                const ScatterOptions& options) {
  const Tensor& output = only("scatter", outputs);
  const bool root = options.rootRank == rank_;
  TAPER_CHECK_VALUE(options.rootRank >= 0 && options.rootRank < size_,
                    "scatter: expected a root below ", size_, ", got ", options.rootRank);
  TAPER_CHECK_VALUE(root || inputs.empty(), "scatter: expected no inputs but on the root");
  if (root) check_for_each_rank("scatter", inputs, output, size_);
  auto staging = std::make_shared<Staging>();
  const Tensor out = staging->output(output);
  Tensors in;
  if (root)
    for (const Tensor& t : inputs[0]) in.push_back(staging->input(t));
  const uint32_t tag = impl_->tag("scatter", output, static_cast<uint64_t>(options.rootRank));
  return impl_->submit("scatter", output, staging,
                       [=, this, limit = impl_->limit(options.timeout)] {
                         if (out.numel() == 0) return;
                         gloo::ScatterOptions o(impl_->context);
                         std::vector<uint8_t*> parts;
                         for (const Tensor& t : in)
                           parts.push_back(static_cast<uint8_t*>(t.data_ptr()));
                         if (root) o.setInputs(parts, nbytes_of(out));
                         o.setOutput(static_cast<uint8_t*>(out.data_ptr()), nbytes_of(out));
                         o.setRoot(static_cast<int>(options.rootRank));
                         o.setTag(tag);
                         o.setTimeout(limit);
                         gloo::scatter(o);
                       });
}

ProcessGroup::WorkPtr ProcessGroupGloo::_reduce_scatter_base(Tensor& output, Tensor& input,
                                                             const ReduceScatterOptions& options) {
  check_tensor("reduce_scatter", output);
  check_tensor("reduce_scatter", input);
  TAPER_CHECK_VALUE(
      input.numel() == output.numel() * size_ && input.scalar_type() == output.scalar_type(),
      "reduce_scatter: expected an input of ", size_, " times the elements of ",
      output.scalar_type(), output.sizes(), ", got ", input.scalar_type(), input.sizes());
  const NoGradGuard off;
  Tensors all = {input.detach().clone()};
  AllreduceOptions how;
  how.reduceOp = options.reduceOp;
  how.timeout = options.timeout;
  WorkPtr work = allreduce(all, how);
  return followed_by(work, [all = all[0], output, rank = rank_, size = size_] {
    output.detach().copy_(all.view({size, output.numel()}).select(0, rank).view(output.sizes()));
  });
}

ProcessGroup::WorkPtr ProcessGroupGloo::reduce_scatter(Tensors& outputs,
                                                       std::vector<Tensors>& inputs,
                                                       const ReduceScatterOptions& options) {
  Tensor output = only("reduce_scatter", outputs);
  check_for_each_rank("reduce_scatter", inputs, output, size_);
  const NoGradGuard off;
  Tensors parts;
  for (const Tensor& t : inputs[0]) parts.push_back(t.detach().reshape({-1}));
  Tensor flat = cat(parts);
  return _reduce_scatter_base(output, flat, options);
}

ProcessGroup::WorkPtr ProcessGroupGloo::alltoall_base(Tensor& output, Tensor& input,
                                                      std::vector<int64_t>& output_sizes,
                                                      std::vector<int64_t>& input_sizes,
                                                      const AllToAllOptions& options) {
  check_tensor("alltoall", output);
  check_tensor("alltoall", input);
  TAPER_CHECK_VALUE(output.scalar_type() == input.scalar_type(),
                    "alltoall: expected an output of dtype ", input.scalar_type(), ", got ",
                    output.scalar_type());
  const auto counts = [&](const char* which, const Tensor& t, const std::vector<int64_t>& sizes) {
    const int64_t rows = t.dim() ? t.size(0) : 1, row = rows ? t.numel() / rows : 0;
    std::vector<int64_t> bytes(static_cast<size_t>(size_), rows / size_);
    if (!sizes.empty()) bytes = sizes;
    int64_t sum = 0;
    for (int64_t n : bytes) sum += n;
    TAPER_CHECK_VALUE(bytes.size() == static_cast<size_t>(size_) && sum == rows,
                      "alltoall: expected ", size_, " parts that make up the ", rows,
                      " rows of the ", which);
    for (int64_t& n : bytes) n *= row * static_cast<int64_t>(t.element_size());
    return bytes;
  };
  const auto to = counts("output", output, output_sizes),
             from = counts("input", input, input_sizes);
  auto staging = std::make_shared<Staging>();
  const Tensor in = staging->input(input), out = staging->output(output);
  const uint32_t tag = impl_->tag("alltoall", Tensor(), static_cast<uint64_t>(input.scalar_type()));
  return impl_->submit("alltoall", input, staging,
                       [=, this, limit = impl_->limit(options.timeout)] {
                         gloo::AlltoallvOptions o(impl_->context);
                         o.setInput(static_cast<uint8_t*>(in.data_ptr()), from);
                         o.setOutput(static_cast<uint8_t*>(out.data_ptr()), to);
                         o.setTag(tag);
                         o.setTimeout(limit);
                         gloo::alltoallv(o);
                       });
}

ProcessGroup::WorkPtr ProcessGroupGloo::alltoall(Tensors& outputs, Tensors& inputs,
                                                 const AllToAllOptions& options) {
  TAPER_CHECK_VALUE(outputs.size() == static_cast<size_t>(size_) && inputs.size() == outputs.size(),
                    "alltoall: expected ", size_, " inputs and outputs, got ", inputs.size(),
                    " and ", outputs.size());
  const NoGradGuard off;
  Tensors parts;
  std::vector<int64_t> from, to;
  int64_t sum = 0;
  for (size_t r = 0; r < inputs.size(); ++r) {
    check_tensor("alltoall", inputs[r]);
    check_tensor("alltoall", outputs[r]);
    parts.push_back(inputs[r].detach().reshape({-1}));
    from.push_back(inputs[r].numel());
    to.push_back(outputs[r].numel());
    sum += to.back();
  }
  Tensor in = cat(parts), out = empty({sum}, outputs[0].options().requires_grad(false));
  WorkPtr work = alltoall_base(out, in, to, from, options);
  return followed_by(work, [out, outputs, to] {
    int64_t at = 0;
    for (size_t r = 0; r < outputs.size(); ++r) {
      outputs[r].detach().copy_(out.narrow(0, at, to[r]).view(outputs[r].sizes()));
      at += to[r];
    }
  });
}

// ---------------------------------------------------------------------- between two ranks
namespace {

/// Messages meet by tag and size. (Slots of collectives begin elsewhere.)
uint64_t slot_of(int tag, const Tensor& t) {
  return mix(mix(static_cast<uint64_t>(tag), nbytes_of(t)),
             static_cast<uint64_t>(t.scalar_type())) >>
         16;
}

}  // namespace

ProcessGroup::WorkPtr ProcessGroupGloo::send(Tensors& tensors, int to, int tag) {
  const Tensor& t = only("send", tensors);
  TAPER_CHECK_VALUE(to >= 0 && to < size_ && to != rank_, "send: expected another rank below ",
                    size_, ", got ", to);
  auto staging = std::make_shared<Staging>();
  const Tensor host = staging->input(t);
  return impl_->submit("send", t, staging, [=, this, slot = slot_of(tag, t)] {
    Buffer buffer = impl_->context->createUnboundBuffer(host.data_ptr(), nbytes_of(host));
    buffer->send(to, slot);
    buffer->waitSend(impl_->options.timeout);
  });
}

ProcessGroup::WorkPtr ProcessGroupGloo::recv(Tensors& tensors, int from, int tag) {
  const Tensor& t = only("recv", tensors);
  TAPER_CHECK_VALUE(from >= 0 && from < size_ && from != rank_,
                    "recv: expected another rank below ", size_, ", got ", from);
  auto staging = std::make_shared<Staging>();
  const Tensor host = staging->output(t);
  WorkPtr work = impl_->submit("recv", t, staging, [=, this, slot = slot_of(tag, t)] {
    Buffer buffer = impl_->context->createUnboundBuffer(host.data_ptr(), nbytes_of(host));
    buffer->recv(from, slot);
    buffer->waitRecv(impl_->options.timeout);
  });
  work->set_source(from);
  return work;
}

ProcessGroup::WorkPtr ProcessGroupGloo::recvAnysource(Tensors& tensors, int tag) {
  const Tensor& t = only("recvAnysource", tensors);
  auto staging = std::make_shared<Staging>();
  const Tensor host = staging->output(t);
  auto source = std::make_shared<int>(-1);
  auto work_of = std::make_shared<Work*>(nullptr);
  WorkPtr work = impl_->submit(
      "recvAnysource", t, staging,
      [=, this, slot = slot_of(tag, t)] {
        Buffer buffer = impl_->context->createUnboundBuffer(host.data_ptr(), nbytes_of(host));
        std::vector<int> others;
        for (int r = 0; r < size_; ++r)
          if (r != rank_) others.push_back(r);
        buffer->recv(others, slot);
        buffer->waitRecv(source.get(), impl_->options.timeout);
      },
      [source, work_of] { (*work_of)->set_source(*source); });
  *work_of = work.get();
  return work;
}

ProcessGroup::WorkPtr ProcessGroupGloo::barrier(const BarrierOptions& options) {
  const uint32_t tag = impl_->tag("barrier", Tensor());
  return impl_->submit("barrier", Tensor(), std::make_shared<Staging>(),
                       [=, this, limit = impl_->limit(options.timeout)] {
                         gloo::BarrierOptions o(impl_->context);
                         o.setTag(tag);
                         o.setTimeout(limit);
                         gloo::barrier(o);
                       });
}

// Each rank tells rank 0 that it is there, and hears from it whether all are.
void ProcessGroupGloo::monitoredBarrier(const BarrierOptions& options, bool wait_all) {
  if (size_ == 1) return;
  const auto limit = impl_->limit(options.timeout);
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const uint64_t slot = impl_->tag("monitoredBarrier", Tensor()), answer = mix(slot, 1) >> 16;
  uint8_t word = 0;
  const auto left = [&] {
    return std::max(std::chrono::milliseconds(1),
                    std::chrono::duration_cast<std::chrono::milliseconds>(
                        deadline - std::chrono::steady_clock::now()));
  };
  Buffer buffer = impl_->context->createUnboundBuffer(&word, 1);
  if (rank_ != 0) {
    try {
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
  std::vector<int> absent;
  for (int r = 1; r < size_; ++r) try {
      buffer->recv(r, slot);
      buffer->waitRecv(left());
    } catch (const std::exception&) {
      absent.push_back(r);
      if (!wait_all) break;
    }
  if (!absent.empty()) {
    std::ostringstream ranks;
    for (size_t i = 0; i < absent.size(); ++i) ranks << (i ? ", " : "") << absent[i];
    throw DistError(concat("monitoredBarrier: ", absent.size() == 1 ? "rank " : "ranks ",
                           ranks.str(), " did not come within ", limit.count(), " ms"));
  }
  for (int r = 1; r < size_; ++r) {
    buffer->send(r, answer);
    buffer->waitSend(left());
  }
}

}  // namespace taper::distributed
