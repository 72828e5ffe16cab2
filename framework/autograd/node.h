// Node: one step of the tape. Edge: where a gradient goes next.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {
struct StreamImpl;
}

namespace torch::taper::autograd {

using Variable = Tensor;                    ///< LibTorch's older name
using variable_list = std::vector<Tensor>;  ///< undefined tensors may be among them

/// A short list of gradients, in place up to four: most nodes have one or two.
class GradList {
 public:
  GradList() = default;
  /// A list of `n` undefined tensors.
  explicit GradList(size_t n) { resize(n); }
  /// Take the tensors over; `o` is empty then.
  ///@{
  GradList(GradList&& o) noexcept { take(o); }
  GradList& operator=(GradList&& o) noexcept {
    if (this != &o) {
      destroy();
      take(o);
    }
    return *this;
  }
  ///@}
  GradList(const GradList&) = delete;
  GradList& operator=(const GradList&) = delete;
  ~GradList() { destroy(); }
  /// Sets the length once; all elements are undefined tensors.
  void resize(size_t n);
  size_t size() const { return size_; }  ///< gradients, undefined ones too
  /// Element access without checks. Pointers stay valid until the list is moved from, assigned to
  /// or destroyed.
  ///@{
  Tensor& operator[](size_t i) { return data_[i]; }
  const Tensor& operator[](size_t i) const { return data_[i]; }
  Tensor* begin() { return data_; }
  Tensor* end() { return data_ + size_; }
  const Tensor* begin() const { return data_; }
  const Tensor* end() const { return data_ + size_; }
  ///@}
  /// A view, valid as long as pointers to the elements.
  operator TensorList() const { return {data_, size_}; }

 private:
  static constexpr size_t kInline = 4;
  void take(GradList& o) noexcept;
  void destroy() noexcept;
  Tensor inline_[kInline];
  Tensor* data_ = inline_;
  uint32_t size_ = 0;
};

struct Node;
using NodePtr = intrusive_ptr<Node>;  ///< one of the owners of a node

/// An input of a node: gradients for output `input_nr` of the op that `function` belongs to.
struct Edge {
  NodePtr function;       ///< null: no gradient is wanted
  uint32_t input_nr = 0;  ///< counted from 0
  Edge() = default;
  /// Owns the node together with others.
  Edge(NodePtr function, uint32_t input_nr) : function(std::move(function)), input_nr(input_nr) {}
  /// Whether there is a node for the gradient to go to.
  bool is_valid() const { return function.defined(); }
  /// The same node, and the same input of it.
  friend bool operator==(const Edge& a, const Edge& b) {
    return a.function == b.function && a.input_nr == b.input_nr;
  }
};

using edge_list = std::vector<Edge>;  ///< one for each input of an op, in their order

/// Called before a node runs, with the gradients of its op's outputs. What it returns, as many,
/// goes into the node in their place.
using PreHook = std::function<variable_list(const variable_list& grads)>;
/// Called after a node has run, with the gradients that it made (of its op's inputs) and those that
/// it got (of the outputs). What it returns, as many as grad_inputs, goes on in their place.
using PostHook = std::function<variable_list(const variable_list& grad_inputs,
                                             const variable_list& grad_outputs)>;

/// LibTorch's hooks: classes that programs derive from.
struct FunctionPreHook {
  virtual ~FunctionPreHook();
  /// As PreHook.
  virtual variable_list operator()(const variable_list& grads) = 0;
};
/// The hook that runs after a node, as an object.
struct FunctionPostHook {
  virtual ~FunctionPostHook();
  /// As PostHook.
  virtual variable_list operator()(const variable_list& grad_inputs,
                                   const variable_list& grad_outputs) = 0;
};

/// The backward step of one op. Made while the op runs; destroyed without recursion.
struct Node {
  /// The node of an op with so many outputs. `name` is not copied and must outlive the node: a
  /// literal. Takes the calling thread's next sequence number.
  Node(const char* name, uint32_t num_outputs_of_op);
  /// A node of a program's own class, made by make_intrusive, whose name is the class's. Outputs
  /// are added by set_history().
  explicit Node(edge_list&& next_edges = {});
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Destroys `n` and everything only it kept alive with a loop, never by recursion: a chain of a
  /// million nodes must not need a million stack frames.
  static void destroy(Node* n);

  /// Gradients of the op's outputs in (undefined ones count as zero), gradients of its inputs out,
  /// one for each edge; an undefined one means zero.
  virtual GradList apply(GradList&& grads);
  /// The same as a program's own class writes it.
  virtual variable_list apply(variable_list&& grads);
  /// Drops what was saved for backward; a later apply throws. Nothing happens where nothing is
  /// held.
  virtual void release_variables() {}
  /// Identifies AccumulateGrad without a dynamic cast.
  virtual bool is_accumulate() const { return false; }
  /// "AddBackward0".
  virtual std::string name() const;

  /// Where the gradients that apply returns go: one edge for each input of the op. Valid until
  /// other edges are set.
  ArrayRef<Edge> next_edges() const { return {edges_, num_edges_}; }
  /// Edge `i`; not checked.
  const Edge& next_edge(size_t i) const { return edges_[i]; }
  size_t num_outputs() const { return num_edges_; }  ///< gradients that apply returns
  size_t num_inputs() const { return num_inputs_; }  ///< gradients that apply takes
  /// The place on the tape: backward runs the larger number first. It is larger than those of the
  /// nodes that the edges lead to, but for the accumulators of leaves.
  uint64_t sequence_nr() const { return sequence_nr_; }
  /// Whether edge `i` leads to a node: input i of the op may get a gradient. Not checked.
  bool should_compute_output(size_t i) const { return edges_[i].is_valid(); }
  /// The same of any output in the ranges, the end of each not included.
  bool should_compute_output(std::initializer_list<std::pair<size_t, size_t>> ranges) const;
  /// Is the gradient of input i of the op wanted by the backward pass that runs?
  bool task_should_compute_output(size_t i) const;
  /// For programs' own nodes: the edges, before any gradient goes through them.
  void set_next_edges(edge_list&& edges);
  /// Adds one edge behind the others, as set_next_edges.
  void add_next_edge(Edge edge);
  /// Counts `output` as one more output of the op, and returns its number.
  uint32_t add_input_metadata(const Tensor& output);
  /// A further owner of this node.
  NodePtr getptr() { return NodePtr(this); }
  /// LibTorch's call operator.
  variable_list operator()(variable_list&& grads);

  /// Hooks run in the order in which they were added, each with what the one before returned, and
  /// stay as long as the node. Throw Error for a null pointer and an empty function.
  ///@{
  void add_pre_hook(PreHook hook);
  void add_post_hook(PostHook hook);
  void add_pre_hook(std::unique_ptr<FunctionPreHook>&& hook);
  void add_post_hook(std::unique_ptr<FunctionPostHook>&& hook);
  ///@}
  /// Hooks on one output of the op: called with the complete gradient; removed by id. Throws Error
  /// for an empty function.
  unsigned add_tensor_pre_hook(uint32_t output_nr, std::function<Tensor(const Tensor&)> hook);
  /// Removes the hook of that id; nothing happens when it is gone already. Throws Error for an id
  /// that was never given.
  void remove_tensor_pre_hook(unsigned id);

  /// A hook on one output of the op.
  struct TensorHook {
    unsigned id;         ///< what add_tensor_pre_hook returned
    uint32_t output_nr;  ///< whose gradient it gets, from 0
    /// Returns the gradient to go on with, or an undefined tensor for the one that it got.
    std::function<Tensor(const Tensor&)> call;
  };
  /// What few nodes have.
  struct Extra {
    std::vector<PreHook> pre_hooks;        ///< in the order of adding
    std::vector<TensorHook> tensor_hooks;  ///< in the order of adding
    unsigned next_tensor_hook = 0;         ///< the id that the next one gets
    std::vector<PostHook> post_hooks;      ///< in the order of adding
    /// Anomaly mode: the call stack of the forward op.
    std::vector<void*> forward_stack;
    /// Anomaly mode: the node whose backward made this one.
    NodePtr induced_by;
    /// Tensors that keep their gradient: (output_nr, tensor's own object).
    std::vector<std::pair<uint32_t, TensorImpl*>> retained;
  };
  /// Made by the first call. Not to be called by two threads at a time.
  Extra& extra();

  RefCount refs;                  ///< how many NodePtr own it
  const char* name_;              ///< null: the class's
  Edge* edges_ = nullptr;         ///< one for each input of the op
  uint32_t num_edges_ = 0;        ///< how many there are
  uint32_t num_inputs_ = 1;       ///< outputs of the op
  uint64_t sequence_nr_ = 0;      ///< see sequence_nr()
  std::unique_ptr<Extra> extra_;  ///< null until extra() is called
  /// The CUDA stream on which the op ran, and apply() is to run; null for an op of the CPU.
  taper::detail::StreamImpl* stream_ = nullptr;
  /// For the list of nodes that wait to be destroyed.
  Node* next_dead_ = nullptr;
  /// Size of the whole block that holds the object (and perhaps its edges), for the pool; 0 for a
  /// node made by new.
  uint32_t object_nbytes_ = 0;
  bool released_ = false;  ///< what was saved for backward is dropped

  /// Points the node at its edges and orders it after all of them. The memory lies behind the
  /// object in its block, or comes from make_edge_memory().
  void set_edges(Edge* edges, size_t count);
  /// Uninitialised memory for `count` edges, freed with the node after the edges' destructors.
  Edge* make_edge_memory(size_t count);
  void* edge_memory_ = nullptr;  ///< what make_edge_memory() gave, else null
};

/// The edge that a gradient of `t` takes: its grad_fn, its accumulator, or none.
Edge gradient_edge(const Tensor& t);
/// Makes `t` the output `edge.input_nr` of `edge.function`.
void set_gradient_edge(const Tensor& t, const Edge& edge);
/// Records `node` as having made `y` as output number `output_nr`.
void set_history(const Tensor& y, NodePtr node, uint32_t output_nr);
/// The same of a program's own node, whose next output `y` is.
void set_history(const Tensor& y, const NodePtr& node);

/// LibTorch's error for a second backward through a freed graph.
[[noreturn]] void throw_released(const Node& node);

/// The number that the calling thread's next node gets, at least. Threads whose nodes are to run in
/// turns in backward start from the same number.
///@{
uint64_t next_sequence_nr();
void set_next_sequence_nr(uint64_t n);
///@}

/// The node that runs now on this thread, null outside of backward.
Node* current_node();

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
