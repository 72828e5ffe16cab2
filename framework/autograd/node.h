// Node: one step of the tape. Edge: the next node that gets a gradient.
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

/// A list of gradients that stores up to four inline: most nodes have one or two.
class GradList {
 public:
  GradList() = default;
  /// Makes a list of `n` undefined tensors.
  explicit GradList(size_t n) { resize(n); }
  /// Take over the tensors and leave `o` empty.
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
  /// Sets the length. May be called once, for an empty list. The elements are undefined tensors.
  void resize(size_t n);
  size_t size() const { return size_; }  ///< number of gradients, including undefined ones
  /// Access elements without checks. Pointers stay valid until the list is moved from, assigned to
  /// or destroyed.
  ///@{
  Tensor& operator[](size_t i) { return data_[i]; }
  const Tensor& operator[](size_t i) const { return data_[i]; }
  Tensor* begin() { return data_; }
  Tensor* end() { return data_ + size_; }
  const Tensor* begin() const { return data_; }
  const Tensor* end() const { return data_ + size_; }
  ///@}
  /// Returns a view. It is valid as long as pointers to the elements.
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

/// Belongs to one input of a node's op. The input is output number `input_nr` of the op of
/// `function`, which gets the input's gradient.
struct Edge {
  NodePtr function;       ///< null: no gradient is wanted
  uint32_t input_nr = 0;  ///< counted from 0
  Edge() = default;
  /// Becomes one more owner of the node.
  Edge(NodePtr function, uint32_t input_nr) : function(std::move(function)), input_nr(input_nr) {}
  /// Returns whether there is a node that gets the gradient.
  bool is_valid() const { return function.defined(); }
  /// Returns whether `a` and `b` have equal nodes and equal input numbers.
  friend bool operator==(const Edge& a, const Edge& b) {
    return a.function == b.function && a.input_nr == b.input_nr;
  }
};

using edge_list = std::vector<Edge>;  ///< one for each input of an op, in their order

/// Called before a node runs, with the gradients of its op's outputs. Returns an equal number of
/// gradients, which replace the given gradients.
using PreHook = std::function<variable_list(const variable_list& grads)>;
/// Called after a node has run. `grad_inputs` are the gradients that the node made, for the inputs
/// of its op. `grad_outputs` are the gradients that it got, for the outputs. Returns gradients that
/// replace `grad_inputs`.
using PostHook = std::function<variable_list(const variable_list& grad_inputs,
                                             const variable_list& grad_outputs)>;

/// LibTorch's hook before a node, as a class that programs derive from.
struct FunctionPreHook {
  virtual ~FunctionPreHook();
  /// Takes and returns gradients like PreHook.
  virtual variable_list operator()(const variable_list& grads) = 0;
};
/// LibTorch's hook after a node, as a class that programs derive from.
struct FunctionPostHook {
  virtual ~FunctionPostHook();
  /// Takes and returns gradients like PostHook.
  virtual variable_list operator()(const variable_list& grad_inputs,
                                   const variable_list& grad_outputs) = 0;
};

/// The backward step of one op. It is made while the op runs, and destroyed without recursion.
struct Node {
  /// Makes the node of an op with `num_outputs_of_op` outputs. `name` is not copied and must
  /// outlive the node, like a literal. Takes the calling thread's next sequence number.
  Node(const char* name, uint32_t num_outputs_of_op);
  /// Makes a node of a program's class, named after the class. Use make_intrusive. set_history()
  /// adds outputs.
  explicit Node(edge_list&& next_edges = {});
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Destroys `n` and the nodes that only it kept alive. It uses a loop, not recursion: a chain of
  /// a million nodes must not need a million stack frames.
  static void destroy(Node* n);

  /// Takes the gradients of the op's outputs (undefined ones mean zero). Returns the gradients of
  /// the op's inputs, one for each edge. An undefined result means zero.
  virtual GradList apply(GradList&& grads);
  /// Computes gradients in a program's class, which overrides this overload.
  virtual variable_list apply(variable_list&& grads);
  /// Drops the tensors saved for backward. A later apply throws. Does nothing if there are none.
  virtual void release_variables() {}
  /// Returns whether this is an AccumulateGrad, without a dynamic cast.
  virtual bool is_accumulate() const { return false; }
  /// Returns the name: "AddBackward0".
  virtual std::string name() const;

  /// Returns the edges of the node, one for each input of the op. The result of apply has one
  /// gradient for each edge. The view is valid until other edges are set.
  ArrayRef<Edge> next_edges() const { return {edges_, num_edges_}; }
  /// Returns edge `i`. Not checked.
  const Edge& next_edge(size_t i) const { return edges_[i]; }
  size_t num_outputs() const { return num_edges_; }  ///< number of gradients that apply returns
  size_t num_inputs() const { return num_inputs_; }  ///< number of gradients that apply takes
  /// Returns the position on the tape: backward runs larger numbers first. It is larger than the
  /// numbers of the edges' nodes, except for accumulators after early_accumulation().
  uint64_t sequence_nr() const { return sequence_nr_; }
  /// Returns whether edge `i` leads to a node, so that input i of the op may get a gradient. Not
  /// checked.
  bool should_compute_output(size_t i) const { return edges_[i].is_valid(); }
  /// Returns whether any edge in the ranges leads to a node. The end of each range is excluded.
  bool should_compute_output(std::initializer_list<std::pair<size_t, size_t>> ranges) const;
  /// Returns whether the running backward pass needs the gradient of input i of the op.
  bool task_should_compute_output(size_t i) const;
  /// Sets the edges of a program's node. Call it before the backward pass.
  void set_next_edges(edge_list&& edges);
  /// Appends one edge, like set_next_edges.
  void add_next_edge(Edge edge);
  /// Adds `output` as one more output of the op, and returns its number.
  uint32_t add_input_metadata(const Tensor& output);
  /// Returns one more owning pointer to this node.
  NodePtr getptr() { return NodePtr(this); }
  /// Calls apply, as in LibTorch.
  variable_list operator()(variable_list&& grads);

  /// Add hooks. Hooks run in the order of adding, each with the result of the previous one, and
  /// stay as long as the node. Throw Error for a null pointer and an empty function.
  ///@{
  void add_pre_hook(PreHook hook);
  void add_post_hook(PostHook hook);
  void add_pre_hook(std::unique_ptr<FunctionPreHook>&& hook);
  void add_post_hook(std::unique_ptr<FunctionPostHook>&& hook);
  ///@}
  /// Adds a hook on one output of the op. It is called with the output's complete gradient. Returns
  /// an id to remove it. Throws Error for an empty function.
  unsigned add_tensor_pre_hook(uint32_t output_nr, std::function<Tensor(const Tensor&)> hook);
  /// Removes the hook with this id. Does nothing if it is gone already. Throws Error for an id that
  /// was never returned.
  void remove_tensor_pre_hook(unsigned id);

  /// A hook on one output of the op.
  struct TensorHook {
    unsigned id;         ///< the id that add_tensor_pre_hook returned
    uint32_t output_nr;  ///< index of the output whose gradient it gets, from 0
    /// Returns the gradient that replaces the given gradient, or an undefined tensor to keep the
    /// given gradient.
    std::function<Tensor(const Tensor&)> call;
  };
  /// State that few nodes have.
  struct Extra {
    std::vector<PreHook> pre_hooks;        ///< in the order of adding
    std::vector<TensorHook> tensor_hooks;  ///< in the order of adding
    unsigned next_tensor_hook = 0;         ///< id of the next hook
    std::vector<PostHook> post_hooks;      ///< in the order of adding
    /// Anomaly mode: the call stack of the forward op.
    std::vector<void*> forward_stack;
    /// Anomaly mode: the node whose backward step made this one.
    NodePtr induced_by;
    /// Tensors that keep their gradient: (output_nr, tensor). Not owned.
    std::vector<std::pair<uint32_t, TensorImpl*>> retained;
  };
  /// Returns the rare state. The first call makes it. Two threads must not call it at the same
  /// time.
  Extra& extra();

  RefCount refs;                  ///< number of NodePtr that own the node
  const char* name_;              ///< null: the class's name
  Edge* edges_ = nullptr;         ///< one for each input of the op
  uint32_t num_edges_ = 0;        ///< number of edges
  uint32_t num_inputs_ = 1;       ///< number of outputs of the op
  uint64_t sequence_nr_ = 0;      ///< see sequence_nr()
  std::unique_ptr<Extra> extra_;  ///< null until extra() is called
  /// The CUDA stream of the op's forward. apply() runs on it, too. Null for an op of the CPU.
  taper::detail::StreamImpl* stream_ = nullptr;
  /// The next node in the list of nodes to be destroyed.
  Node* next_dead_ = nullptr;
  /// The size of the pool block of this node, which may hold the edges, too. 0 if the node is not
  /// from the pool.
  uint32_t object_nbytes_ = 0;
  bool released_ = false;  ///< saved tensors were dropped

  /// Sets the node's edges, and makes its sequence number larger than the numbers of the edges'
  /// nodes. `edges` is memory in the node's block or from make_edge_memory().
  void set_edges(Edge* edges, size_t count);
  /// Allocates uninitialised memory for `count` edges. The node frees it after the edges'
  /// destructors.
  Edge* make_edge_memory(size_t count);
  void* edge_memory_ = nullptr;  ///< result of make_edge_memory(), or null
};

/// Returns the edge that receives the gradient of `t`. Its node is the grad_fn of `t`, the
/// accumulator of a leaf, or null.
Edge gradient_edge(const Tensor& t);
/// Makes `t` output `edge.input_nr` of the op of `edge.function`.
void set_gradient_edge(const Tensor& t, const Edge& edge);
/// Makes `node` the history of `y`, as output number `output_nr`.
void set_history(const Tensor& y, NodePtr node, uint32_t output_nr);
/// Makes a program's node the history of `y`, as its next output.
void set_history(const Tensor& y, const NodePtr& node);

/// Throws LibTorch's error for a second backward through a freed graph.
[[noreturn]] void throw_released(const Node& node);

/// Get and set the smallest sequence number that the calling thread's next node may get. Threads
/// whose nodes should alternate in backward start from one number.
///@{
uint64_t next_sequence_nr();
void set_next_sequence_nr(uint64_t n);
///@}

/// Returns the node that runs on this thread, null outside backward.
Node* current_node();

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
