#include <taper/distributed/process_group_gloo.h>

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoallv.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <sstream>
#include <thread>

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

/// What all ranks must agree on, in one number: operations of different ones never meet, and end at
/// the time limit. (Gloo itself ends the process where sizes differ.)
uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2);
  a *= 0xBF58476D1CE4E5B9u;
  return a ^ a >> 29;
}

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

// ---------------------------------------------------------------------- the thread
struct ProcessGroupGloo::Impl {
  Impl(int rank, int size, std::shared_ptr<Options> given)
      : rank(rank), size(size), options(*given) {}

  struct Job {
    std::string what;
    std::function<void()> run;
    WorkPtr work;
  };
  const int rank, size;
  Options options;
  std::shared_ptr<gloo::rendezvous::Context> context;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::exception_ptr broken;
  bool ends = false;
  uint64_t sequence = 0;
  std::thread thread;

  std::chrono::milliseconds limit(std::chrono::milliseconds given) const {
    return given == kUnsetTimeout ? options.timeout : given;
  }
  /// Of the next collective operation.
  uint32_t tag(const char* op, const Tensor& t, uint64_t more = 0) {
    uint64_t h = mix(++sequence, more);
    for (const char* p = op; *p; ++p) h = mix(h, static_cast<uint64_t>(*p));
    if (t.defined())
      h = mix(mix(h, static_cast<uint64_t>(t.scalar_type())), static_cast<uint64_t>(t.numel()));
    return static_cast<uint32_t>(h);
  }
  static std::string described(const char* op, const Tensor& t) {
    return t.defined() ? concat(op, " of ", t.scalar_type(), t.sizes()) : std::string(op);
  }
  WorkPtr submit(const char* op, const Tensor& t, std::shared_ptr<Staging> staging,
                 std::function<void()> run, std::function<void()> after = nullptr) {
    auto work = make_intrusive<Work>();
    Job job{concat(described(op, t), " (operation ", sequence, ")"),
            [staging, run = std::move(run)] {
              staging->wait_for_inputs();
              run();
            },
            work};
    work->on_wait([staging, after = std::move(after)] {
      staging->bring_back();
      if (after) after();
    });
    const std::lock_guard<std::mutex> lock(mutex);
    if (broken)
      work->finish(broken);
    else
      jobs.push_back(std::move(job));
    changed.notify_all();
    return work;
  }
  std::exception_ptr error_of(const std::string& what, const std::exception& e) const {
    return std::make_exception_ptr(DistError(
        concat("ProcessGroupGloo: rank ", rank, " of ", size, ": ", what, " failed: ", e.what(),
               ". A rank may have ended, be late, or have called another operation, or one "
               "with other sizes")));
  }
  void serve() {
    for (;;) {
      Job job;
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [this] { return ends || !jobs.empty(); });
        if (jobs.empty()) return;
        job = std::move(jobs.front());
        jobs.pop_front();
      }
      std::exception_ptr error = broken;
      if (!error) try {
          job.run();
        } catch (const std::exception& e) {
          error = error_of(job.what, e);
          const std::lock_guard<std::mutex> lock(mutex);
          broken = error;
        }
      job.run = nullptr;
      job.work->finish(error);
    }
  }
};

ProcessGroupGloo::ProcessGroupGloo(const intrusive_ptr<Store>& store, int rank, int size,
                                   std::shared_ptr<Options> options)
    : ProcessGroup(rank, size), impl_(std::make_unique<Impl>(rank, size, std::move(options))) {
  TAPER_CHECK_VALUE(store.defined(), "ProcessGroupGloo: expected a store, got none");
  try {
    auto device = device_for(impl_->options.interface);
    impl_->context = std::make_shared<gloo::rendezvous::Context>(rank, size);
    impl_->context->setTimeout(impl_->options.timeout);
    GlooStore adapter(store, impl_->options.timeout);
    impl_->context->connectFullMesh(adapter, device);
  } catch (const std::exception& e) {
    throw DistError(concat("ProcessGroupGloo: rank ", rank, " of ", size,
                           " could not connect to the others: ", e.what()));
  }
  impl_->thread = std::thread([this] { impl_->serve(); });
}

ProcessGroupGloo::~ProcessGroupGloo() {
  {
    const std::lock_guard<std::mutex> lock(impl_->mutex);
    impl_->ends = true;
    impl_->changed.notify_all();
  }
  impl_->thread.join();
}

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
