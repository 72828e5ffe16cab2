#include <taper/distributed/backend.h>

#include <taper/distributed/flight_buffer.h>
#include <taper/distributed/operation.h>
#include <taper/distributed/reduction.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/capture/graph.h>
#include <taper/framework/core/check.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::distributed {

using detail::Operation;
using detail::OpKind;
using taper::detail::concat;
using Tensors = ProcessGroup::Tensors;

std::string detail::Operation::what() const {
  const Tensor& t = parts.empty() ? tensor() : parts[0];
  const char* const unit = is_message(kind) ? "message" : "operation";
  if (!t.defined()) return concat(name, " (", unit, " ", sequence, ")");
  return concat(name, " of ", t.scalar_type(), t.sizes(), " (", unit, " ", sequence, ")");
}

std::string detail::Operation::whole() const {
  const bool reduces =
      kind == OpKind::kAllreduce || kind == OpKind::kReduce || kind == OpKind::kReduceScatter;
  const bool has_root = kind == OpKind::kBroadcast || kind == OpKind::kReduce ||
                        kind == OpKind::kGather || kind == OpKind::kScatter;
  return concat(what(), reduces ? concat(", ", detail::name_of(how)) : "",
                has_root ? concat(", root ", peer) : "");
}

bool detail::is_capturing() {
  return cuda::is_current_stream_capturing() || taper::detail::captures_host();
}

namespace {

// ---------------------------------------------------------------------- checks
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
void check_root(const char* op, int64_t root, int size) {
  TAPER_CHECK_VALUE(root >= 0 && root < size, op, ": expected a root below ", size, ", got ", root);
}
void check_peer(const char* op, int peer, int rank, int size) {
  TAPER_CHECK_VALUE(peer >= 0 && peer < size && peer != rank, op, ": expected another rank below ",
                    size, ", got ", peer);
}
void check_alike(const char* op, const Tensor& a, const Tensor& b) {
  check_tensor(op, b);
  TAPER_CHECK_VALUE(a.scalar_type() == b.scalar_type() && a.numel() == b.numel(), op,
                    ": expected tensors of one dtype and size, got ", a.scalar_type(), a.sizes(),
                    " and ", b.scalar_type(), b.sizes());
}
void check_for_each_rank(const char* op, const std::vector<Tensors>& lists, const Tensor& like,
                         int size) {
  TAPER_CHECK_VALUE(lists.size() == 1 && lists[0].size() == static_cast<size_t>(size), op,
                    ": expected one list of ", size, " tensors, one for each rank");
  for (const Tensor& t : lists[0]) check_alike(op, like, t);
}
/// Checks that `whole` has the elements of `size` tensors like `part`.
void check_whole(const char* op, const char* which, const Tensor& whole, const Tensor& part,
                 int size) {
  check_tensor(op, part);
  check_tensor(op, whole);
  TAPER_CHECK_VALUE(
      whole.numel() == part.numel() * size && whole.scalar_type() == part.scalar_type(), op,
      ": expected an ", which, " of ", size, " times the elements of ", part.scalar_type(),
      part.sizes(), ", got ", whole.scalar_type(), whole.sizes());
}
/// Converts rows to elements for each rank.
std::vector<int64_t> elements(const char* which, const Tensor& t, const std::vector<int64_t>& sizes,
                              int ranks) {
  const int64_t rows = t.dim() ? t.size(0) : 1, row = rows ? t.numel() / rows : 0;
  std::vector<int64_t> counts(static_cast<size_t>(ranks), rows / ranks);
  if (!sizes.empty()) counts = sizes;
  int64_t sum = 0;
  bool fits = counts.size() == static_cast<size_t>(ranks);
  for (int64_t& n : counts) {
    sum += n;
    fits = fits && n >= 0;
    n *= row;
  }
  TAPER_CHECK_VALUE(fits && sum == rows, "alltoall: expected ", ranks, " parts that make up the ",
                    rows, " rows of the ", which);
  return counts;
}

// ---------------------------------------------------------------------- lists
Tensor flat(const Tensors& list) {
  const NoGradGuard off;
  Tensors parts;
  for (const Tensor& t : list) parts.push_back(t.detach().reshape({-1}));
  return cat(parts);
}
Tensor flat_like(const Tensor& t, int64_t elements) {
  const NoGradGuard off;
  return empty({elements}, t.options().requires_grad(false));
}
/// Copies the parts of `flat` to the tensors.
void give_out(const Tensor& flat, const Tensors& to) {
  const NoGradGuard off;
  int64_t at = 0;
  for (const Tensor& t : to) {
    t.detach().copy_(flat.narrow(0, at, t.numel()).view(t.sizes()));
    at += t.numel();
  }
}

/// Views complex numbers as real ones, because they are added part by part.
Tensor real_parts(const char* op, const Tensor& t, ReduceOp how) {
  if (!t.is_complex()) return t;
  TAPER_CHECK_VALUE(how == ReduceOp::SUM || how == ReduceOp::AVG, op,
                    ": expected SUM or AVG for complex tensors");
  const NoGradGuard off;
  return view_as_real(t.detach());
}

}  // namespace

// ---------------------------------------------------------------------- the group
Backend::Backend(const char* name, int rank, int size, std::chrono::milliseconds timeout,
                 intrusive_ptr<Store> store)
    : ProcessGroup(rank, size),
      name_(name),
      timeout_(timeout),
      flight_(detail::FlightBuffer::create(name, rank, size)) {
  store_ = std::move(store);
}

// ---------------------------------------------------------------------- parts of the group
/// Returns this rank's place in `ranks`, or -1.
int Backend::place_in(const std::vector<int>& ranks) const {
  TAPER_CHECK_VALUE(!ranks.empty(), "splitGroup: expected ranks, got none");
  int place = -1;
  std::vector<bool> seen(static_cast<size_t>(size_));
  for (size_t i = 0; i < ranks.size(); ++i) {
    const int r = ranks[i];
    TAPER_CHECK_VALUE(r >= 0 && r < size_ && !seen[static_cast<size_t>(r)],
                      "splitGroup: expected different ranks below ", size_, ", got ", r);
    seen[static_cast<size_t>(r)] = true;
    if (r == rank_) place = static_cast<int>(i);
  }
  return place;
}

intrusive_ptr<ProcessGroup> Backend::split(const intrusive_ptr<Store>& store,
                                           const std::vector<int>& ranks,
                                           std::chrono::milliseconds timeout) {
  const int place = place_in(ranks);
  if (place < 0) return {};
  return make_part(store, ranks, place, limit(timeout));
}

// Parts made in one call have different ranks, and therefore different keys.
intrusive_ptr<ProcessGroup> Backend::splitGroup(const std::vector<int>& ranks,
                                                const optional<std::chrono::milliseconds>& timeout,
                                                nullopt_t, const optional<std::string>& name) {
  (void)place_in(ranks);
  std::string key = concat("split", ++parts_, '/', name.value_or(""));
  for (const int r : ranks) key += concat('/', r);
  const auto store = store_.defined() ? make_intrusive<PrefixStore>(key, store_) : nullptr;
  return split(store, ranks, timeout.value_or(kUnsetTimeout));
}

Backend::OperationPtr Backend::make(OpKind kind, const char* name,
                                    std::chrono::milliseconds timeout) const {
  auto operation = std::make_shared<Operation>();
  operation->kind = kind;
  operation->name = name;
  operation->limit = limit(timeout);
  return operation;
}

Backend::OperationPtr Backend::make_reduction(OpKind kind, const char* name, const Tensor& t,
                                              ReduceOp how,
                                              std::chrono::milliseconds timeout) const {
  auto operation = make(kind, name, timeout);
  operation->in = operation->out = real_parts(name, t, how);
  operation->how = how;
  check_reduction(operation->in.scalar_type(), how);
  return operation;
}

void Backend::check_reduction(ScalarType dtype, ReduceOp how) const {
  (void)detail::combine_for(dtype, how);
}

// Ranks must agree on the operation, its number, its dtype and size, and `more`.
ProcessGroup::WorkPtr Backend::launch(OperationPtr operation, OpType type, Tensors results,
                                      uint64_t more) {
  Operation& o = *operation;
  TAPER_CHECK(!detail::is_capturing(), o.name,
              ": expected no capture under way: a graph's replays would not repeat an operation "
              "between ranks; call it before or after them");
  const bool message = detail::is_message(o.kind);
  o.sequence = message ? ++messages_ : ++collectives_;
  if (!message) {
    uint64_t h = detail::mix(o.sequence, more);
    for (const char* p = o.name; *p; ++p) h = detail::mix(h, static_cast<uint64_t>(*p));
    const Tensor& t = o.tensor();
    if (t.defined()) h = detail::mix(h, static_cast<uint64_t>(t.scalar_type()));
    if (t.defined() && o.kind != OpKind::kAlltoall)
      h = detail::mix(h, static_cast<uint64_t>(t.numel()));
    o.agreement = h;
  }
  o.flight = flight_->begin({o.name, o.sequence, message, o.peer, o.limit},
                            o.parts.empty() ? o.in : o.parts[0], o.out);
  const uint64_t number = o.sequence;
  WorkPtr work = submit(std::move(operation));
  work->describe(type, std::move(results));
  work->set_place(rank_, number);
  return work;
}

// ---------------------------------------------------------------------- collectives
ProcessGroup::WorkPtr Backend::broadcast(Tensors& tensors, const BroadcastOptions& options) {
  const Tensor& t = only("broadcast", tensors);
  check_root("broadcast", options.rootRank, size_);
  auto operation = make(OpKind::kBroadcast, "broadcast", options.timeout);
  operation->peer = static_cast<int>(options.rootRank);
  (operation->peer == rank_ ? operation->in : operation->out) = t;
  return launch(operation, OpType::BROADCAST, tensors, static_cast<uint64_t>(options.rootRank));
}

ProcessGroup::WorkPtr Backend::allreduce(Tensors& tensors, const AllreduceOptions& options) {
  const Tensor& t = only("allreduce", tensors);
  return launch(
      make_reduction(OpKind::kAllreduce, "allreduce", t, options.reduceOp, options.timeout),
      OpType::ALLREDUCE, tensors, options.reduceOp);
}

ProcessGroup::WorkPtr Backend::allreduce_coalesced(Tensors& tensors,
                                                   const AllreduceCoalescedOptions& options) {
  constexpr const char* kOp = "allreduce_coalesced";
  TAPER_CHECK_VALUE(!tensors.empty(), kOp, ": expected tensors, got none");
  uint64_t elements = 0;
  for (const Tensor& t : tensors) {
    check_tensor(kOp, t);
    TAPER_CHECK_VALUE(
        t.scalar_type() == tensors[0].scalar_type() && t.device() == tensors[0].device(), kOp,
        ": expected tensors of one dtype and device");
    elements += static_cast<uint64_t>(t.numel());
  }
  const ReduceOp how = options.reduceOp;
  if (coalesces()) {
    auto operation = make(OpKind::kAllreduce, kOp, options.timeout);
    operation->how = how;
    for (const Tensor& t : tensors) operation->parts.push_back(real_parts(kOp, t, how));
    check_reduction(operation->parts[0].scalar_type(), how);
    return launch(operation, OpType::ALLREDUCE_COALESCED, tensors, detail::mix(how, elements));
  }
  const Tensor all = flat(tensors);
  auto operation = make_reduction(OpKind::kAllreduce, kOp, all, how, options.timeout);
  operation->after = [all, tensors] { give_out(all, tensors); };
  return launch(operation, OpType::ALLREDUCE_COALESCED, tensors, how);
}

ProcessGroup::WorkPtr Backend::reduce(Tensors& tensors, const ReduceOptions& options) {
  const Tensor& t = only("reduce", tensors);
  check_root("reduce", options.rootRank, size_);
  auto operation = make_reduction(OpKind::kReduce, "reduce", t, options.reduceOp, options.timeout);
  operation->peer = static_cast<int>(options.rootRank);
  return launch(operation, OpType::REDUCE, tensors,
                detail::mix(options.reduceOp, static_cast<uint64_t>(options.rootRank)));
}

ProcessGroup::WorkPtr Backend::_allgather_base(Tensor& output, Tensor& input,
                                               const AllgatherOptions& options) {
  check_whole("allgather", "output", output, input, size_);
  auto operation = make(OpKind::kAllgather, "allgather", options.timeout);
  operation->in = input;
  operation->out = output;
  return launch(operation, OpType::_ALLGATHER_BASE, {output});
}

ProcessGroup::WorkPtr Backend::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                         const AllgatherOptions& options) {
  const Tensor& input = only("allgather", inputs);
  check_for_each_rank("allgather", outputs, input, size_);
  auto operation = make(OpKind::kAllgather, "allgather", options.timeout);
  operation->in = input;
  operation->out = flat_like(input, input.numel() * size_);
  operation->after = [all = operation->out, to = outputs[0]] { give_out(all, to); };
  return launch(operation, OpType::ALLGATHER, outputs[0]);
}

ProcessGroup::WorkPtr Backend::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                      const GatherOptions& options) {
  const Tensor& input = only("gather", inputs);
  check_root("gather", options.rootRank, size_);
  const bool root = options.rootRank == rank_;
  TAPER_CHECK_VALUE(root || outputs.empty(), "gather: expected no outputs but on the root");
  if (root) check_for_each_rank("gather", outputs, input, size_);
  auto operation = make(OpKind::kGather, "gather", options.timeout);
  operation->peer = static_cast<int>(options.rootRank);
  operation->in = input;
  if (root) {
    operation->out = flat_like(input, input.numel() * size_);
    operation->after = [all = operation->out, to = outputs[0]] { give_out(all, to); };
  }
  return launch(operation, OpType::GATHER, root ? outputs[0] : Tensors(),
                static_cast<uint64_t>(options.rootRank));
}

ProcessGroup::WorkPtr Backend::gather_into_tensor(Tensor& output, Tensor& input,
                                                  const GatherOptions& options) {
  check_tensor("gather", input);
  check_root("gather", options.rootRank, size_);
  const bool root = options.rootRank == rank_;
  if (root) check_whole("gather", "output", output, input, size_);
  auto operation = make(OpKind::kGather, "gather", options.timeout);
  operation->peer = static_cast<int>(options.rootRank);
  operation->in = input;
  if (root) operation->out = output;
  return launch(operation, OpType::GATHER, root ? Tensors{output} : Tensors(),
                static_cast<uint64_t>(options.rootRank));
}

ProcessGroup::WorkPtr Backend::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                       const ScatterOptions& options) {
  const Tensor& output = only("scatter", outputs);
  check_root("scatter", options.rootRank, size_);
  const bool root = options.rootRank == rank_;
  TAPER_CHECK_VALUE(root || inputs.empty(), "scatter: expected no inputs but on the root");
  if (root) check_for_each_rank("scatter", inputs, output, size_);
  auto operation = make(OpKind::kScatter, "scatter", options.timeout);
  operation->peer = static_cast<int>(options.rootRank);
  if (root) operation->in = flat(inputs[0]);
  operation->out = output;
  return launch(operation, OpType::SCATTER, outputs, static_cast<uint64_t>(options.rootRank));
}

ProcessGroup::WorkPtr Backend::_reduce_scatter_base(Tensor& output, Tensor& input,
                                                    const ReduceScatterOptions& options) {
  check_whole("reduce_scatter", "input", input, output, size_);
  auto operation = make(OpKind::kReduceScatter, "reduce_scatter", options.timeout);
  operation->in = real_parts("reduce_scatter", input, options.reduceOp);
  operation->out = real_parts("reduce_scatter", output, options.reduceOp);
  operation->how = options.reduceOp;
  check_reduction(operation->in.scalar_type(), options.reduceOp);
  return launch(operation, OpType::_REDUCE_SCATTER_BASE, {output}, options.reduceOp);
}

ProcessGroup::WorkPtr Backend::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                              const ReduceScatterOptions& options) {
  Tensor output = only("reduce_scatter", outputs);
  check_for_each_rank("reduce_scatter", inputs, output, size_);
  Tensor all = flat(inputs[0]);
  WorkPtr work = _reduce_scatter_base(output, all, options);
  work->describe(OpType::REDUCE_SCATTER, outputs);
  return work;
}

ProcessGroup::WorkPtr Backend::alltoall_base(Tensor& output, Tensor& input,
                                             std::vector<int64_t>& output_sizes,
                                             std::vector<int64_t>& input_sizes,
                                             const AllToAllOptions& options) {
  check_tensor("alltoall", output);
  check_tensor("alltoall", input);
  TAPER_CHECK_VALUE(output.scalar_type() == input.scalar_type(),
                    "alltoall: expected an output of dtype ", input.scalar_type(), ", got ",
                    output.scalar_type());
  auto operation = make(OpKind::kAlltoall, "alltoall", options.timeout);
  operation->received = elements("output", output, output_sizes, size_);
  operation->sent = elements("input", input, input_sizes, size_);
  operation->in = input;
  operation->out = output;
  return launch(operation, OpType::ALLTOALL_BASE, {output});
}

ProcessGroup::WorkPtr Backend::alltoall(Tensors& outputs, Tensors& inputs,
                                        const AllToAllOptions& options) {
  TAPER_CHECK_VALUE(outputs.size() == static_cast<size_t>(size_) && inputs.size() == outputs.size(),
                    "alltoall: expected ", size_, " inputs and outputs, got ", inputs.size(),
                    " and ", outputs.size());
  auto operation = make(OpKind::kAlltoall, "alltoall", options.timeout);
  int64_t sum = 0;
  for (size_t r = 0; r < inputs.size(); ++r) {
    check_tensor("alltoall", inputs[r]);
    check_tensor("alltoall", outputs[r]);
    TAPER_CHECK_VALUE(outputs[r].scalar_type() == inputs[0].scalar_type() &&
                          inputs[r].scalar_type() == inputs[0].scalar_type(),
                      "alltoall: expected tensors of one dtype");
    operation->sent.push_back(inputs[r].numel());
    operation->received.push_back(outputs[r].numel());
    sum += outputs[r].numel();
  }
  operation->in = flat(inputs);
  operation->out = flat_like(outputs[0], sum);
  operation->after = [all = operation->out, outputs] { give_out(all, outputs); };
  return launch(operation, OpType::ALLTOALL, outputs);
}

// ---------------------------------------------------------------------- between two ranks
ProcessGroup::WorkPtr Backend::send(Tensors& tensors, int to, int tag) {
  const Tensor& t = only("send", tensors);
  check_peer("send", to, rank_, size_);
  auto operation = make(OpKind::kSend, "send", kUnsetTimeout);
  operation->in = t;
  operation->peer = to;
  operation->tag = tag;
  return launch(operation, OpType::SEND, {});
}

ProcessGroup::WorkPtr Backend::recv(Tensors& tensors, int from, int tag) {
  const Tensor& t = only("recv", tensors);
  check_peer("recv", from, rank_, size_);
  auto operation = make(OpKind::kRecv, "recv", kUnsetTimeout);
  operation->out = t;
  operation->peer = from;
  operation->tag = tag;
  return launch(operation, OpType::RECV, tensors);
}

ProcessGroup::WorkPtr Backend::recvAnysource(Tensors& tensors, int tag) {
  auto operation = make(OpKind::kRecvAnysource, "recvAnysource", kUnsetTimeout);
  operation->out = only("recvAnysource", tensors);
  operation->peer = -1;
  operation->tag = tag;
  return launch(operation, OpType::RECVANYSOURCE, tensors);
}

ProcessGroup::WorkPtr Backend::barrier(const BarrierOptions& options) {
  return launch(make(OpKind::kBarrier, "barrier", options.timeout), OpType::BARRIER, {});
}

void Backend::monitoredBarrier(const BarrierOptions&, bool) {
  throw NotImplementedError(concat("monitoredBarrier: expected a group of gloo or mpi, got one of ",
                                   name_, "; make one beside it"));
}

// ---------------------------------------------------------------------- several at once
namespace {

/// Combines several operations into one.
class WorkOfAll final : public Work {
 public:
  explicit WorkOfAll(std::vector<ProcessGroup::WorkPtr> parts) : parts_(std::move(parts)) {}
  bool isCompleted() const override {
    for (const auto& part : parts_)
      if (!part->isCompleted()) return false;
    return true;
  }
  bool isSuccess() const override {
    for (const auto& part : parts_)
      if (!part->isSuccess()) return false;
    return true;
  }
  std::exception_ptr exception() const override {
    for (const auto& part : parts_)
      if (auto error = part->exception()) return error;
    return nullptr;
  }
  bool wait(std::chrono::milliseconds timeout) override {
    using std::chrono::milliseconds;
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (const auto& part : parts_) {
      const auto left =
          std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
      part->wait(timeout == kNoTimeout ? kNoTimeout : std::max(left, milliseconds(1)));
    }
    return true;
  }
  void when_completed(std::function<void()> f) override {
    const auto left = std::make_shared<std::atomic<size_t>>(parts_.size());
    for (const auto& part : parts_)
      part->when_completed([left, f] {
        if (--*left == 0) f();
      });
  }

 private:
  const std::vector<ProcessGroup::WorkPtr> parts_;
};

ProcessGroup::WorkPtr all_of(std::vector<ProcessGroup::WorkPtr> parts, OpType type,
                             Tensors results) {
  auto work = make_intrusive<WorkOfAll>(std::move(parts));
  work->describe(type, std::move(results));
  return ProcessGroup::WorkPtr(intrusive_ptr<Work>(work));
}
void check_pairs(const char* op, size_t outputs, size_t inputs) {
  TAPER_CHECK_VALUE(outputs == inputs && inputs > 0, op,
                    ": expected as many outputs as inputs, and some, got ", outputs, " and ",
                    inputs);
}

}  // namespace

ProcessGroup::WorkPtr Backend::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                                   const AllgatherOptions& options) {
  TAPER_CHECK_VALUE(outputs.size() == static_cast<size_t>(size_), "allgather_coalesced: expected ",
                    size_, " lists, one for each rank, got ", outputs.size());
  for (const Tensors& list : outputs)
    check_pairs("allgather_coalesced", list.size(), inputs.size());
  std::vector<WorkPtr> works;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<Tensors> of_all(1);
    for (const Tensors& list : outputs) of_all[0].push_back(list[i]);
    Tensors input = {inputs[i]};
    works.push_back(allgather(of_all, input, options));
  }
  Tensors results;
  for (const Tensors& list : outputs) results.insert(results.end(), list.begin(), list.end());
  return all_of(std::move(works), OpType::ALLGATHER_COALESCED, std::move(results));
}

ProcessGroup::WorkPtr Backend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                               const AllgatherOptions& options) {
  check_pairs("allgather_into_tensor_coalesced", outputs.size(), inputs.size());
  std::vector<WorkPtr> works;
  for (size_t i = 0; i < inputs.size(); ++i)
    works.push_back(_allgather_base(outputs[i], inputs[i], options));
  return all_of(std::move(works), OpType::ALLGATHER_INTO_TENSOR_COALESCED, outputs);
}

ProcessGroup::WorkPtr Backend::reduce_scatter_tensor_coalesced(
    Tensors& outputs, Tensors& inputs, const ReduceScatterOptions& options) {
  check_pairs("reduce_scatter_tensor_coalesced", outputs.size(), inputs.size());
  std::vector<WorkPtr> works;
  for (size_t i = 0; i < inputs.size(); ++i)
    works.push_back(_reduce_scatter_base(outputs[i], inputs[i], options));
  return all_of(std::move(works), OpType::REDUCE_SCATTER_TENSOR_COALESCED, outputs);
}

}  // namespace torch::taper::distributed
