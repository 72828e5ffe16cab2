// Scaled dot product attention and its gradients as graphs of cuDNN's backend interface. An engine
// takes only a whole graph, with the operations and order that the documentation of cudnn_frontend
// ("Attention") shows. (cuDNN 9.19's single operation, SDPA_FWD, has no causal form.)
#include <taper/ops/nn/attention_cudnn.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include <taper/framework/core/context.h>
#include <taper/framework/cuda/gpu/cudnn_graph.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/runtime/runtime.h>

namespace torch::taper::cuda {
namespace {

/// The number of shapes, of results and of gradients, for which a device keeps plans. cuDNN
/// compiles each of them in half a second.
constexpr size_t kMostPlans = 128;
/// A shape gets plans after this many calls: the layers of a model take it some ten times in each
/// step, and lengths may differ from step to step.
constexpr int kCallsBeforePlans = 64;
/// The number of shapes whose calls are counted.
constexpr size_t kMostCounted = 4096;
constexpr int64_t kAlignment = 16;  // of all operands

/// Ids of a graph's tensors. Virtual tensors get the ids after them.
enum Id : int64_t {
  kQ = 1,
  kK,
  kV,
  kY,
  kLse,
  kGy,
  kGq,
  kGk,
  kGv,
  kDelta,
  kSums,
  kScale,
  kOne,
  kUnseen,
  kFirstVirtual
};

/// Returns the layout of a tensor (N, H, rows, width).
template <class X>
GraphLayout layout_of(const X& x) {
  GraphLayout l;
  int64_t reach = 1;
  for (int64_t d = 0; d < 4; ++d) {
    l.sizes.push_back(x.sizes[d]);
    l.strides.push_back(x.strides[d]);
    if (x.sizes[d] > 1) reach = std::max(reach, x.sizes[d] * x.strides[d]);
  }
  // The stride of a dimension of size 1 may be anything, even a value that cuDNN refuses.
  for (size_t d = 0; d < 4; ++d)
    if (l.sizes[d] == 1) l.strides[d] = reach;
  return l;
}
GraphLayout dense(const std::vector<int64_t>& sizes) {
  GraphLayout l{sizes, std::vector<int64_t>(sizes.size(), 1)};
  for (size_t d = sizes.size(); d-- > 1;) l.strides[d - 1] = l.strides[d] * sizes[d];
  return l;
}
/// Returns the layout with rows and columns exchanged, over the same memory.
GraphLayout transposed(GraphLayout l) {
  std::swap(l.sizes[2], l.sizes[3]);
  std::swap(l.strides[2], l.strides[3]);
  return l;
}

/// The key of a graph. Without gradients it describes the graph of a result.
struct Shape {
  ScalarType dtype;
  bool causal;
  GraphLayout q, k, v, y;
  std::vector<GraphLayout> gradients;  // gy, gq, gk, gv

  GraphLayout of_scores() const { return dense({q.sizes[0], q.sizes[1], q.sizes[2], k.sizes[2]}); }
  GraphLayout of_rows() const { return dense({q.sizes[0], q.sizes[1], q.sizes[2], 1}); }
  int64_t rows() const { return q.sizes[0] * q.sizes[1] * q.sizes[2]; }
};

/// Builds a graph. Its methods add an operation and return its result tensor.
class Graph {
 public:
  explicit Graph(const Shape& s) : s_(s), type_(cudnn_type(s.dtype)) {}
  std::vector<GraphPart> operations() { return std::move(operations_); }

  GraphPart operand(Id id, const GraphLayout& l) const {
    return graph_tensor(id, type_, l, kAlignment);
  }
  /// Returns a tensor of f32 numbers in memory.
  GraphPart numbers(Id id, const GraphLayout& l) const {
    return graph_tensor(id, CUDNN_DATA_FLOAT, l, kAlignment);
  }
  GraphPart scores(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return passing(type, s_.of_scores());
  }
  GraphPart weights() { return scores(type_); }
  GraphPart rows() { return passing(CUDNN_DATA_FLOAT, s_.of_rows()); }
  GraphPart passing(cudnnDataType_t type, const GraphLayout& l) {
    return graph_tensor(next_++, type, l, kAlignment, GraphPlace::kVirtual);
  }

  GraphPart apply(const GraphFormula& f, const std::vector<const GraphPart*>& x, GraphPart y);
  GraphPart multiply(const GraphPart& a, const GraphPart& b, GraphPart c);
  GraphPart reduce(cudnnReduceTensorOp_t op, const GraphPart& x);
  GraphPart view(const GraphPart& x, GraphPart y);
  GraphPart times(const GraphPart& x, Id number, GraphPart y) {
    const GraphPart factor = host_number(number);
    return apply({CUDNN_POINTWISE_MUL}, {&x, &factor}, std::move(y));
  }
  GraphPart seen(GraphPart s);
  /// Returns the scores rounded, with queries as columns.
  GraphPart by_keys(const GraphPart& s) {
    return view(s, passing(type_, transposed(s_.of_scores())));
  }

 private:
  static GraphPart host_number(Id id) {
    return graph_tensor(id, CUDNN_DATA_FLOAT, dense({1, 1, 1, 1}), kAlignment, GraphPlace::kHost);
  }
  const Shape& s_;
  const cudnnDataType_t type_;
  int64_t next_ = kFirstVirtual;
  std::vector<GraphPart> operations_;
};

GraphPart Graph::apply(const GraphFormula& f, const std::vector<const GraphPart*>& x, GraphPart y) {
  operations_.push_back(graph_operation(f, x, y));
  operations_.back().finish();
  return y;
}

GraphPart Graph::multiply(const GraphPart& a, const GraphPart& b, GraphPart c) {
  GraphPart how(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT).finish();
  operations_.emplace_back(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how)
      .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a)
      .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b)
      .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c)
      .finish();
  return c;
}

/// Reduces each row to one number.
GraphPart Graph::reduce(cudnnReduceTensorOp_t op, const GraphPart& x) {
  GraphPart y = rows();
  GraphPart how(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  how.set(CUDNN_ATTR_REDUCTION_OPERATOR, op)
      .set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT)
      .finish();
  operations_.emplace_back(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how)
      .set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x)
      .set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y)
      .finish();
  return y;
}

/// Views the elements in another layout.
GraphPart Graph::view(const GraphPart& x, GraphPart y) {
  operations_.emplace_back(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR)
      .set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x)
      .set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y)
      .finish();
  return y;
}

/// In a causal form, sets keys after the query's position to -infinity.
GraphPart Graph::seen(GraphPart s) {
  if (!s_.causal) return s;
  const GraphFormula by_row{CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT, 2};
  const GraphFormula by_column{CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT, 3};
  const GraphPart row = apply(by_row, {&s}, scores(CUDNN_DATA_INT32));
  const GraphPart column = apply(by_column, {&s}, scores(CUDNN_DATA_INT32));
  const GraphPart sees = apply({CUDNN_POINTWISE_CMP_GE, CUDNN_DATA_BOOLEAN}, {&row, &column},
                               scores(CUDNN_DATA_BOOLEAN));
  const GraphPart unseen = host_number(kUnseen);
  return apply({CUDNN_POINTWISE_BINARY_SELECT}, {&s, &unseen, &sees}, scores());
}

std::vector<GraphPart> result_of(const Shape& shape) {
  Graph g(shape);
  const GraphPart q = g.operand(kQ, shape.q), k = g.operand(kK, transposed(shape.k));
  const GraphPart v = g.operand(kV, shape.v);
  const GraphPart products = g.multiply(q, k, g.scores());
  const GraphPart s = g.seen(g.times(products, kScale, g.scores()));
  const GraphPart max = g.reduce(CUDNN_REDUCE_TENSOR_MAX, s);
  const GraphPart below = g.apply({CUDNN_POINTWISE_SUB}, {&s, &max}, g.scores());
  const GraphPart e = g.apply({CUDNN_POINTWISE_EXP}, {&below}, g.scores());
  const GraphPart sum = g.reduce(CUDNN_REDUCE_TENSOR_ADD, e);
  const GraphPart log = g.apply({CUDNN_POINTWISE_LOG}, {&sum}, g.rows());
  g.apply({CUDNN_POINTWISE_ADD}, {&max, &log}, g.numbers(kLse, shape.of_rows()));
  const GraphPart p = g.apply({CUDNN_POINTWISE_DIV}, {&e, &sum}, g.weights());
  g.multiply(p, v, g.operand(kY, shape.y));
  return g.operations();
}

/// Computes each row's sum of gy y in memory. The derivative of softmax subtracts it from the
/// gradients of the weights.
GraphPart row_sums(Graph& g, const Shape& shape, const GraphPart& gy) {
  const GraphPart y = g.operand(kY, shape.y);
  const GraphPart products =
      g.apply({CUDNN_POINTWISE_MUL}, {&gy, &y}, g.passing(CUDNN_DATA_FLOAT, dense(shape.y.sizes)));
  return g.times(g.reduce(CUDNN_REDUCE_TENSOR_ADD, products), kOne,
                 g.numbers(kDelta, shape.of_rows()));
}

std::vector<GraphPart> gradients_of(const Shape& shape) {
  Graph g(shape);
  const GraphPart q = g.operand(kQ, shape.q), k = g.operand(kK, transposed(shape.k));
  const GraphPart v = g.operand(kV, transposed(shape.v)), gy = g.operand(kGy, shape.gradients[0]);
  const GraphPart lse = g.numbers(kLse, shape.of_rows());
  const GraphPart delta = row_sums(g, shape, gy);
  const GraphPart s = g.times(g.multiply(q, k, g.scores()), kScale, g.scores());
  const GraphPart below = g.seen(g.apply({CUDNN_POINTWISE_SUB}, {&s, &lse}, g.scores()));
  const GraphPart p = g.apply({CUDNN_POINTWISE_EXP}, {&below}, g.scores());
  g.multiply(g.by_keys(p), gy, g.operand(kGv, shape.gradients[3]));
  const GraphPart gp = g.multiply(gy, v, g.scores());
  const GraphPart slope = g.apply({CUDNN_POINTWISE_SUB}, {&gp, &delta}, g.scores());
  const GraphPart weighted = g.apply({CUDNN_POINTWISE_MUL}, {&slope, &p}, g.scores());
  const GraphPart gs = g.times(weighted, kScale, g.scores());
  g.multiply(g.by_keys(gs), q, g.operand(kGk, shape.gradients[2]));
  const GraphPart keys = g.view(k, g.passing(cudnn_type(shape.dtype), shape.k));
  const GraphPart sums = g.multiply(gs, keys, g.numbers(kSums, dense(shape.q.sizes)));
  g.apply({CUDNN_POINTWISE_IDENTITY}, {&sums}, g.operand(kGq, shape.gradients[1]));
  return g.operations();
}

using Key = std::tuple<ScalarType, bool, bool, std::vector<int64_t>>;
Key key_of(const Shape& s, bool is_deterministic) {
  std::vector<int64_t> numbers;
  const auto add = [&](const GraphLayout& l) {
    numbers.insert(numbers.end(), l.sizes.begin(), l.sizes.end());
    numbers.insert(numbers.end(), l.strides.begin(), l.strides.end());
  };
  for (const GraphLayout* l : {&s.q, &s.k, &s.v, &s.y}) add(*l);
  for (const GraphLayout& l : s.gradients) add(l);
  return {s.dtype, s.causal, is_deterministic, std::move(numbers)};
}

/// A device's plans, for all threads. Plans of cuDNN are not safe for several threads at once, so
/// one thread at a time runs them, with their own handle.
class SharedPlans {
 public:
  static SharedPlans& of_device(DeviceIndex device) {
    static auto& all = *new std::array<SharedPlans, kMaxDevices>;  // may outlive the driver
    return all[static_cast<size_t>(device)];
  }
  /// Returns f(plans of the shape), or false without plans.
  template <class F>
  bool run(const Shape& shape, const F& f) {
    const std::lock_guard<std::mutex> lock(mutex_);
    EnginePlans* const plans = find_or_make(shape);
    return plans && f(*plans);
  }

 private:
  EnginePlans* find_or_make(const Shape& shape) {
    EngineRules rules;
    rules.only_deterministic = cudnn_is_deterministic();
    rules.has_fallback = false;  // callers have other kernels
    Key key = key_of(shape, rules.only_deterministic);
    const auto it = plans_.find(key);
    if (it == plans_.end() && (plans_.size() >= kMostPlans || !is_frequent(key, rules)))
      return nullptr;
    set_handle();
    if (it != plans_.end()) return it->second.get();
    const RelaxedCapture relaxed;
    auto made = std::make_unique<EnginePlans>(
        handle_, shape.gradients.empty() ? result_of(shape) : gradients_of(shape), rules);
    calls_.erase(key);
    return plans_.emplace(std::move(key), std::move(made)).first->second.get();
  }
  /// Tests whether the shape has come often. A captured one comes in each replay. A deterministic
  /// one never changes its kernel.
  bool is_frequent(const Key& key, const EngineRules& rules) {
    if (rules.only_deterministic || globalContext().benchmarkCuDNN()) return true;
    if (is_capturing(kernel_stream())) return true;
    if (calls_.size() >= kMostCounted) calls_.clear();
    return ++calls_[key] > kCallsBeforePlans;
  }
  void set_handle() {
    const RelaxedCapture relaxed;
    if (!handle_) TAPER_LIBRARY_CALL(cudnn, cudnnCreate, &handle_);
    TAPER_LIBRARY_CALL(cudnn, cudnnSetStream, handle_, kernel_stream());
  }

  std::mutex mutex_;
  cudnnHandle_t handle_ = nullptr;
  std::map<Key, std::unique_ptr<EnginePlans>> plans_;
  std::map<Key, int> calls_;
};

/// Tests whether a suitable cuDNN is available.
bool is_usable() {
  static const bool usable =
      has_cudnn() && TAPER_LIBRARY_FUNCTION(cudnn, cudnnGetVersion)() >= kOldestCudnnForAttention;
  return usable;
}

/// Host numbers that a graph reads.
struct HostNumbers {
  float scale, one = 1, unseen = -INFINITY;
  explicit HostNumbers(const AttentionForm& form) : scale(static_cast<float>(form.scale)) {}
  void add_to(GraphMemory& m, const AttentionForm& form) const {
    m.add(kScale, &scale);
    if (form.causal) m.add(kUnseen, &unseen);
  }
};

}  // namespace

bool cudnn_attention(const Out& y, const Out& lse, const In& q, const In& k, const In& v,
                     const AttentionForm& form) {
  if (!is_usable()) return false;
  const Shape shape{q.dtype,      form.causal, layout_of(q), layout_of(k), layout_of(v),
                    layout_of(y), {}};
  const HostNumbers numbers(form);
  GraphMemory m;
  m.add(kQ, q.data), m.add(kK, k.data), m.add(kV, v.data), m.add(kY, y.data);
  m.add(kLse, lse.data);
  numbers.add_to(m, form);
  return SharedPlans::of_device(kernel_device()).run(shape, [&](EnginePlans& plans) {
    return plans.run(m);
  });
}

bool cudnn_attention_backward(const Out& gq, const Out& gk, const Out& gv, const In& gy,
                              const In& y, const In& lse, const In& q, const In& k, const In& v,
                              const AttentionForm& form) {
  if (!is_usable()) return false;
  const Shape shape{q.dtype,
                    form.causal,
                    layout_of(q),
                    layout_of(k),
                    layout_of(v),
                    layout_of(y),
                    {layout_of(gy), layout_of(gq), layout_of(gk), layout_of(gv)}};
  const HostNumbers numbers(form);
  GraphMemory m;
  m.add(kQ, q.data), m.add(kK, k.data), m.add(kV, v.data), m.add(kY, y.data), m.add(kGy, gy.data);
  m.add(kGq, gq.data), m.add(kGk, gk.data), m.add(kGv, gv.data), m.add(kLse, lse.data);
  m.add(kOne, &numbers.one);
  numbers.add_to(m, form);
  return SharedPlans::of_device(kernel_device()).run(shape, [&](EnginePlans& plans) {
    // (Before 9.6 the sums had to start as zeros.)
    const Scratch<float> delta(shape.rows()), sums(q.numel);
    m.add(kDelta, delta.get()), m.add(kSums, sums.get());
    return plans.run(m);
  });
}

}  // namespace torch::taper::cuda
