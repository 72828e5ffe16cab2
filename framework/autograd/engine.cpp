#include <taper/framework/autograd/engine.h>

#include <atomic>
#include <exception>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/anomaly.h>
#include <taper/framework/autograd/extra.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/ready_queue.h>
#include <taper/framework/autograd/streams.h>
#include <taper/framework/autograd/transform.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/thread_state.h>

namespace torch::taper::autograd {

using taper::detail::RunEvent;
using taper::detail::RunScope;

// ---------------------------------------------------------------- ReadyQueue
uint32_t ReadyQueue::slot_of(Node* node) {
  if (indexed_) {
    auto found = slots_.find(node);
    return found != slots_.end() ? found->second : new_slot(node);
  }
  for (const Entry& e : heap_)
    if (tasks_[e.slot].node == node) return e.slot;
  return new_slot(node);
}

uint32_t ReadyQueue::new_slot(Node* node) {
  uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<uint32_t>(tasks_.size());
    tasks_.push_back({node, GradList(node->num_inputs())});
  } else {
    slot = free_.back();
    free_.pop_back();
    tasks_[slot] = {node, GradList(node->num_inputs())};
  }
  // Other threads may write the number of an accumulator, as they record uses of its leaf.
  const std::atomic_ref<uint64_t> number(node->sequence_nr_);
  heap_.push_back({number.load(std::memory_order_relaxed), arrivals_++, slot});
  std::push_heap(heap_.begin(), heap_.end(), later);
  if (!indexed_ && heap_.size() > kScan) {
    indexed_ = true;
    for (const Entry& e : heap_) slots_[tasks_[e.slot].node] = e.slot;
  } else if (indexed_) {
    slots_[node] = slot;
  }
  return slot;
}

namespace {

// Returns whether a sum may be computed in-place: nothing else references the buffer.
bool owns_buffer(const Tensor& t) {
  return !GradMode::is_enabled() && t.use_count() == 1 && t.impl().storage.use_count() == 1 &&
         t.impl().contiguous && !t.impl().inference;
}

thread_local Node* running_node = nullptr;

}  // namespace

void ReadyQueue::accumulate(Tensor& sum, Tensor&& grad) {
  if (!grad.defined()) return;
  if (!sum.defined())
    sum = std::move(grad);
  else if (owns_buffer(sum) && sum.scalar_type() == grad.scalar_type())
    sum.add_(grad);
  else
    sum = sum.add(grad);
}

Node* current_node() { return running_node; }

bool can_be_summed_to(IntArrayRef from, IntArrayRef to) {
  const size_t extra = from.size() - to.size();
  if (from.size() < to.size()) return false;
  for (size_t d = 0; d < to.size(); ++d)
    if (to[d] != 1 && to[d] != from[extra + d]) return false;
  return true;
}

namespace {

// ---------------------------------------------------------------- roots
Tensor implicit_gradient(const Tensor& root) {
  TAPER_CHECK(root.numel() == 1, "grad can be implicitly created only for scalar outputs");
  const NoGradGuard constant;
  Tensor one = taper::detail::make_like(root);
  one.fill_(1);
  return one;
}

Tensor root_gradient(const Tensor& root, const Tensor& given, size_t i) {
  if (!given.defined()) return implicit_gradient(root);
  TAPER_CHECK(can_be_summed_to(given.sizes(), root.sizes()), "Mismatch in shape: grad_output[", i,
              "] has a shape of ", given.sizes(), " and output[", i, "] has a shape of ",
              root.sizes(), ".");
  TAPER_CHECK(given.device() == root.device(), "grad_output[", i, "]: expected a gradient on ",
              root.device(), ", got one on ", given.device());
  TAPER_CHECK(root.is_complex() || !given.is_complex(), "grad_output[", i,
              "]: expected a real gradient, as the output is, got ", toString(given.scalar_type()));
  const Tensor g = given.sizes() == root.sizes() ? given : given.sum_to_size(root.sizes());
  return g.scalar_type() == root.scalar_type() ? g : g.to(root.scalar_type());
}

struct Root {
  Edge edge;
  Tensor grad;
};

std::vector<Root> collect_roots(const BackwardPass& pass) {
  TAPER_CHECK(pass.root_grads.empty() || pass.root_grads.size() == pass.roots.size(), "got ",
              pass.roots.size(), " tensors and ", pass.root_grads.size(), " gradients");
  std::vector<Root> roots;
  roots.reserve(pass.roots.size());
  for (size_t i = 0; i < pass.roots.size(); ++i) {
    const Tensor& root = pass.roots[i];
    TAPER_CHECK(root.defined() && root.requires_grad(), "element ", i,
                " of tensors does not require grad and does not have a grad_fn");
    Edge edge = gradient_edge(root);
    TAPER_CHECK(edge.is_valid(), "element ", i,
                " of tensors does not require grad and does not "
                "have a grad_fn");
    roots.push_back(
        {std::move(edge),
         root_gradient(root, pass.root_grads.empty() ? Tensor() : pass.root_grads[i], i)});
  }
  return roots;
}

// ---------------------------------------------------------------- what a pass with inputs runs
/// Holds the nodes that lead to the inputs, and the gradients to return for each.
class Targets {
 public:
  struct Capture {
    uint32_t input_nr;
    size_t index;
  };

  Targets(const BackwardPass& pass, const std::vector<Root>& roots) {
    for (size_t i = 0; i < pass.inputs.size(); ++i) add_input(pass, i);
    mark_paths(roots);
  }

  bool runs(Node* n) const { return runs_.count(n) != 0; }
  bool reached(Node* n) const { return runs(n) || captures_.count(n) != 0; }
  const std::vector<Capture>* captures(Node* n) const {
    auto found = captures_.find(n);
    return found == captures_.end() ? nullptr : &found->second;
  }
  const std::vector<bool>& unreachable() const { return unreachable_; }

 private:
  void add_input(const BackwardPass& pass, size_t i) {
    const Tensor& input = pass.inputs[i];
    TAPER_CHECK(
        input.defined() && input.requires_grad(),
        pass.accumulate
            ? "backward: can't retain_grad on Tensor that has requires_grad=False: expected "
              "inputs that require a gradient"
            : "One of the differentiated Tensors does not require grad");
    if (pass.accumulate && !input.is_leaf()) input.retain_grad();
    Edge edge = gradient_edge(input);
    unreachable_.push_back(!edge.is_valid());
    if (!edge.is_valid()) return;
    keep_.push_back(edge.function);
    Node* node = edge.function.get();
    if (pass.accumulate && node->is_accumulate())
      runs_.insert(node);
    else
      captures_[node].push_back({edge.input_nr, i});
  }

  /// Returns a number that every node above a target exceeds, because a node's number exceeds those
  /// of its edges' nodes. Accumulators may have larger numbers than their users.
  uint64_t number_below_paths() const {
    if (!runs_.empty()) return 0;
    uint64_t least = std::numeric_limits<uint64_t>::max();
    for (const auto& [node, captures] : captures_)
      least = std::min(least, node->is_accumulate() ? 0 : node->sequence_nr());
    return least;
  }

  // Walks depth first with an explicit stack. A node runs if it leads to a target.
  void mark_paths(const std::vector<Root>& roots) {
    const uint64_t below = number_below_paths();
    const auto may_lead_to_target = [below](Node* node) {
      return node && !node->is_accumulate() && node->sequence_nr() > below;
    };
    struct Frame {
      Node* node;
      size_t next;
    };
    std::unordered_set<Node*> seen;
    std::vector<Frame> stack;
    for (const Root& root : roots) {
      if (seen.insert(root.edge.function.get()).second)
        stack.push_back({root.edge.function.get(), 0});
      while (!stack.empty()) {
        Frame& top = stack.back();
        if (top.next < top.node->num_outputs()) {
          Node* child = top.node->next_edge(top.next++).function.get();
          if (may_lead_to_target(child) && seen.insert(child).second) stack.push_back({child, 0});
          continue;
        }
        for (const Edge& e : top.node->next_edges())
          if (e.function && reached(e.function.get())) runs_.insert(top.node);
        stack.pop_back();
      }
    }
  }

  std::vector<NodePtr> keep_;
  std::unordered_map<Node*, std::vector<Capture>> captures_;
  std::unordered_set<Node*> runs_;
  std::vector<bool> unreachable_;
};

/// Holds the targets of this thread's innermost pass. Null means all leaves.
thread_local const Targets* current_targets = nullptr;
struct CurrentTargets {
  explicit CurrentTargets(const Targets* now) : before(current_targets) { current_targets = now; }
  ~CurrentTargets() { current_targets = before; }
  const Targets* const before;
};

// ---------------------------------------------------------------- one node
Tensor call_hook(const std::function<Tensor(const Tensor&)>& hook, const Tensor& grad) {
  Tensor changed = hook(grad);
  if (!changed.defined()) return grad;
  TAPER_CHECK(changed.sizes() == grad.sizes() && changed.device() == grad.device(),
              "hook '' has changed the size or device of value: expected a gradient of shape ",
              grad.sizes(), " on ", grad.device(), ", got ", changed.sizes(), " on ",
              changed.device());
  TAPER_CHECK(changed.scalar_type() == grad.scalar_type(),
              "hook '' has changed the type of value (was ", grad.toString(), " got ",
              changed.toString(), ")");
  return changed;
}

void keep_gradient(TensorImpl& t, const Tensor& grad) {
  Tensor& kept = taper::detail::extra_of(t).grad;
  if (!grad.defined()) return;
  if (!kept.defined())  // a copy: the grad may be shared or expanded
    kept = (GradMode::is_enabled() ? grad : grad.detach()).clone(MemoryFormat::Contiguous);
  else
    kept = kept.add(grad);
}

void call_tensor_hooks(Node& node, GradList& grads) {
  if (node.is_accumulate()) {
    AutogradExtra* e = static_cast<AccumulateGrad&>(node).variable.impl().extra;
    if (!e || e->hooks.empty() || !grads[0].defined()) return;
    const auto hooks = e->hooks;  // a hook may remove itself
    for (const auto& h : hooks) grads[0] = call_hook(h.call, grads[0]);
    return;
  }
  if (!node.extra_) return;
  const auto hooks = node.extra_->tensor_hooks;
  for (const auto& h : hooks)
    if (grads[h.output_nr].defined()) grads[h.output_nr] = call_hook(h.call, grads[h.output_nr]);
  for (const auto& r : node.extra_->retained) keep_gradient(*r.second, grads[r.first]);
}

variable_list to_vector(const GradList& grads) { return {grads.begin(), grads.end()}; }

GradList to_grad_list(variable_list&& list) {
  GradList grads(list.size());
  for (size_t i = 0; i < list.size(); ++i) grads[i] = std::move(list[i]);
  return grads;
}

/// Returns the gradients that a hook returned, after checking their number.
GradList hooked(variable_list&& list, size_t count) {
  TAPER_CHECK(list.size() == count, "hook '' has returned an incorrect number of values (got ",
              list.size(), ", but expected ", count, ")");
  return to_grad_list(std::move(list));
}

void call_pre_hooks(Node& node, GradList& grads) {
  const auto hooks = node.extra_->pre_hooks;
  for (const PreHook& hook : hooks) grads = hooked(hook(to_vector(grads)), grads.size());
}

void call_post_hooks(Node& node, GradList& out, const variable_list& in) {
  const auto hooks = node.extra_->post_hooks;
  for (const PostHook& hook : hooks) out = hooked(hook(to_vector(out), in), out.size());
}

struct RunningNode {
  explicit RunningNode(Node* n) : before(running_node) { running_node = n; }
  ~RunningNode() { running_node = before; }
  Node* before;
};

GradList run_with_hooks(Node& node, GradList&& grads) {
  if (node.extra_ && !node.extra_->pre_hooks.empty()) call_pre_hooks(node, grads);
  const bool post = node.extra_ && !node.extra_->post_hooks.empty();
  const variable_list in = post ? to_vector(grads) : variable_list();
  GradList out = node.apply(std::move(grads));
  if (AnomalyMode::is_enabled()) check_anomaly(node, out);
  if (post) call_post_hooks(node, out, in);
  return out;
}

GradList run_node(Node& node, GradList&& grads) {
  const RunningNode scope(&node);
  RunScope recorded;
  if (__builtin_expect(taper::detail::observes_launches(), 0) && taper::detail::observes_run())
    // An accumulator's number is its place in the pass and belongs to no op.
    recorded.begin(RunEvent::kBackwardNode, node.name().c_str(),
                   node.is_accumulate() ? 0 : node.sequence_nr());
  if (__builtin_expect(!AnomalyMode::is_enabled(), 1))
    return node.extra_ ? run_with_hooks(node, std::move(grads)) : node.apply(std::move(grads));
  try {
    return run_with_hooks(node, std::move(grads));
  } catch (...) {
    warn_of_anomaly(node);
    throw;
  }
}

// ---------------------------------------------------------------- the walk
/// Lends this thread a queue that is reused from pass to pass. A reentrant pass gets its own.
class BorrowedQueue {
 public:
  BorrowedQueue() : queue_(std::exchange(spare.queue, nullptr)) {
    if (!queue_) queue_ = new ReadyQueue;
  }
  ~BorrowedQueue() {
    queue_->clear();
    static thread_local Owner owner;
    (void)owner;
    if (spare.thread_ends || spare.queue)
      delete queue_;
    else
      spare.queue = queue_;
  }
  BorrowedQueue(const BorrowedQueue&) = delete;
  BorrowedQueue& operator=(const BorrowedQueue&) = delete;
  ReadyQueue& operator*() { return *queue_; }

 private:
  // It is also read after the thread's end, because a static object may call backward.
  struct Spare {
    ReadyQueue* queue = nullptr;
    bool thread_ends = false;
  };
  struct Owner {
    ~Owner() {
      delete std::exchange(spare.queue, nullptr);
      spare.thread_ends = true;
    }
  };
  static thread_local Spare spare;
  ReadyQueue* queue_;
};
thread_local BorrowedQueue::Spare BorrowedQueue::spare;

// A sum is computed on the stream of the node that receives it.
[[gnu::noinline]] void deliver_on_device(ReadyQueue& queue, const Edge& edge, Tensor&& grad,
                                         const Node* producer) {
  PassStreams::hand_over(grad, producer, *edge.function);
  const OnForwardStream stream(*edge.function);
  queue.add(edge.function.get(), edge.input_nr, std::move(grad));
}

// Delivers a gradient to the end of `edge`. `producer` is null for a gradient of the caller.
void deliver(ReadyQueue& queue, const Edge& edge, Tensor&& grad, const Node* producer) {
  if (__builtin_expect(grad.impl_ptr()->device.is_cpu(), 1))
    queue.add(edge.function.get(), edge.input_nr, std::move(grad));
  else
    deliver_on_device(queue, edge, std::move(grad), producer);
}

// Runs a node, unless the pass only needs the gradients that reach it.
GradList run_task(ReadyQueue::Task& task, const Targets* targets, variable_list& captured) {
  Node& node = *task.node;
  call_tensor_hooks(node, task.grads);
  if (targets) {
    if (const auto* captures = targets->captures(&node))
      for (const auto& c : *captures) captured[c.index] = task.grads[c.input_nr];
    if (!targets->runs(&node)) return GradList();
  }
  return run_node(node, std::move(task.grads));
}

[[gnu::noinline]] GradList run_on_device(ReadyQueue::Task& task, const Targets* targets,
                                         variable_list& captured) {
  const OnForwardStream stream(*task.node);
  return run_task(task, targets, captured);
}

void walk(ReadyQueue& queue, const BackwardPass& pass, const Targets* targets, PassStreams& streams,
          variable_list& captured) {
  while (!queue.empty()) {
    ReadyQueue::Task task = queue.pop();
    Node& node = *task.node;
    GradList out = __builtin_expect(node.stream_ == nullptr, 1)
                       ? run_task(task, targets, captured)
                       : run_on_device(task, targets, captured);
    streams.add(node);
    if (targets && !targets->runs(&node)) continue;
    if (!pass.keep_graph) node.release_variables();
    for (size_t i = 0; i < out.size() && i < node.num_outputs(); ++i) {
      const Edge& edge = node.next_edge(i);
      if (!edge.is_valid() || (targets && !targets->reached(edge.function.get()))) continue;
      if (out[i].defined())
        deliver(queue, edge, std::move(out[i]), &node);
      else
        queue.touch(edge.function.get());
    }
  }
}

void check_all_used(const BackwardPass& pass, const variable_list& grads) {
  if (pass.allow_unused) return;
  for (const Tensor& g : grads)
    TAPER_CHECK(g.defined(),
                "One of the differentiated Tensors appears to not have been used in "
                "the graph. Set allow_unused=True if this is the desired behavior.");
}

void warn_of_cycles() {
  taper::detail::warn_once([] {
    return "Using backward() with create_graph=True will create a reference cycle between the "
           "parameter and its gradient which can cause a memory leak. We recommend using "
           "autograd.grad "
           "when creating the graph to avoid this. If you have to use this function, make sure to "
           "reset the .grad fields of your parameters to None after use to break the cycle and "
           "avoid "
           "the leak.";
  });
}

variable_list run_pass(const BackwardPass& pass) {
  if (__builtin_expect(transform != nullptr, 0)) transform->check_pass(pass);
  if (pass.accumulate && pass.create_graph) warn_of_cycles();
  std::vector<Root> roots = collect_roots(pass);
  std::unique_ptr<Targets> targets;
  if (!pass.inputs.empty()) targets = std::make_unique<Targets>(pass, roots);
  const AutoGradMode mode(pass.create_graph);
  BorrowedQueue queue;
  for (Root& root : roots) {
    Node* node = root.edge.function.get();
    if (targets && !targets->reached(node)) continue;
    deliver(*queue, root.edge, std::move(root.grad), nullptr);
  }
  variable_list captured(pass.accumulate ? 0 : pass.inputs.size());
  if (pass.accumulate) captured.resize(pass.inputs.size());
  PassStreams streams;
  const CurrentTargets scope(targets.get());
  walk(*queue, pass, targets.get(), streams, captured);
  streams.join(captured);
  if (pass.accumulate) return {};
  check_all_used(pass, captured);
  return captured;
}

// ---------------------------------------------------------------- passes within passes
/// Counts the passes of this thread that run within each other.
thread_local int depth = 0;
struct Deeper {
  Deeper() { ++depth; }
  ~Deeper() { --depth; }
};

/// Holds the functions to call at the end of the outermost pass. Null means none.
using Callbacks = std::vector<std::function<void()>>;
thread_local Callbacks* callbacks = nullptr;
struct DropCallbacks {
  ~DropCallbacks() { delete std::exchange(callbacks, nullptr); }
};
// Runs the callbacks. A callback may queue another.
void run_callbacks() {
  for (size_t i = 0; callbacks && i < callbacks->size(); ++i) {
    const std::function<void()> f = (*callbacks)[i];
    f();
  }
}

/// Runs the pass on a new thread with a stack of its own, while this thread waits.
variable_list run_on_new_thread(const BackwardPass& pass) {
  const ThreadState state;
  WarningHandler* const handler = WarningUtils::get_warning_handler();
  uint64_t number = next_sequence_nr();
  variable_list result;
  std::exception_ptr error;
  Callbacks* queued = std::exchange(callbacks, nullptr);
  std::thread thread([&] {
    const Deeper within_the_outer_passes;
    callbacks = queued;
    state.apply();
    WarningUtils::set_warning_handler(handler);
    set_next_sequence_nr(number);
    try {
      result = run_backward(pass);
    } catch (...) {
      error = std::current_exception();
    }
    number = next_sequence_nr();
    queued = std::exchange(callbacks, nullptr);
  });
  thread.join();
  callbacks = queued;
  set_next_sequence_nr(number);
  if (error) std::rethrow_exception(error);
  return result;
}

}  // namespace

bool is_wanted(const Edge& edge) {
  return edge.is_valid() && (!current_targets || current_targets->reached(edge.function.get()));
}

variable_list run_backward(const BackwardPass& pass) {
  // A derivative may call backward, whose derivatives may call it again. Each level of this
  // recursion takes some kilobytes of stack.
  constexpr int kLevelsPerThread = 64;
  if (depth >= kLevelsPerThread) return run_on_new_thread(pass);
  const Deeper level;
  const RunScope recorded(RunEvent::kBackward, "backward");
  if (depth > 1) return run_pass(pass);
  const DropCallbacks in_the_end;
  variable_list result = run_pass(pass);
  run_callbacks();
  return result;
}

void queue_callback(std::function<void()> f) {
  TAPER_CHECK(depth > 0, "queue_callback: expected to be called in a backward pass");
  if (!callbacks) callbacks = new Callbacks;
  callbacks->push_back(std::move(f));
}

}  // namespace torch::taper::autograd
