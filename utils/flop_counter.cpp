#include <taper/utils/flop_counter.h>

#include <algorithm>
#include <iomanip>
#include <map>
#include <memory>
#include <ostream>

#include <taper/framework/autograd/accumulate.h>
#include <taper/framework/autograd/autograd.h>
#include <taper/framework/core/check.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/utils/tape.h>

namespace torch::taper::utils {

namespace {

using autograd::Node;
using autograd::variable_list;

// Holds the FLOPs of one call, and the number of such products in its gradients.
struct Call {
  int64_t forward = 0, num_backward = 0;
};

int64_t last_size(const Tensor& t) { return t.dim() > 0 ? t.size(-1) : 1; }

// Counts a [..., n, k] times b [..., k, m] = y [..., n, m] as 2 n m k. The gradient of either
// operand gives this count.
Call product(const Tensor& a, const Tensor& b, const Tensor& y) {
  Call call;
  if (a.defined()) call.forward = 2 * a.numel() * last_size(y);
  if (b.defined()) call.forward = 2 * b.numel() * (y.dim() > 1 ? y.size(-2) : 1);
  call.num_backward = a.defined() + b.defined();
  return call;
}

// Counts a [n, k] times x [k] = y [n].
Call product_with_vector(const Tensor& a, const Tensor& x, const Tensor& y) {
  Call call;
  if (x.defined()) call.forward = 2 * x.numel() * y.numel();
  if (a.defined()) call.forward = 2 * a.numel();
  call.num_backward = a.defined() + x.defined();
  return call;
}

// Counts a convolution. A weight meets each position of the result y [N, C, ...], and a transposed
// weight each position of the input x. The first size of a transposed weight is the input's
// channels.
Call convolution(const Tensor& x, const Tensor& w, const Tensor& y) {
  Call call;
  if (!w.defined()) return call;
  const bool transposed = x.defined() && w.size(0) == x.size(1) && w.size(0) != y.size(1);
  const Tensor& place = transposed ? x : y;
  call.forward = 2 * w.numel() * (place.numel() / std::max<int64_t>(place.size(1), 1));
  call.num_backward = 1 + x.defined();
  return call;
}

// Counts a convolution whose y holds the maxima of 2 x 2 results each.
Call convolution_with_maxima(const variable_list& gradients, const Tensor& y) {
  Call call = convolution(gradients[0], gradients[1], y);
  call.forward *= 4;
  return call;
}

// Counts attention for q [..., L, E], k [..., S, E] and v [..., S, F]: the scores and the weighted
// sums. The backward pass computes the scores again.
Call attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  Call call;
  if (!q.defined() || !k.defined() || !v.defined()) return call;
  call.forward =
      2 * q.numel() * k.size(-2) + 2 * q.numel() / last_size(q) * v.size(-2) * v.size(-1);
  call.num_backward = 2;
  return call;
}

// Counts a recurrent layer. The gradients are those of the inputs, two states, and the two weights
// of a layer. Each weight meets each step of each sequence of y [steps, H].
Call recurrent(const variable_list& gradients, const Tensor& y) {
  Call call;
  for (size_t i = 3; i < std::min<size_t>(gradients.size(), 5); ++i)
    if (gradients[i].defined())
      call.forward += 2 * gradients[i].numel() * (y.numel() / std::max<int64_t>(last_size(y), 1));
  call.num_backward = 1 + (!gradients.empty() && gradients[0].defined());
  return call;
}

Call call_of(const std::string& op, const variable_list& gradients, const Tensor& y) {
  const auto operand = [&](size_t i) { return i < gradients.size() ? gradients[i] : Tensor(); };
  if (op == "Mm" || op == "Bmm") return product(operand(0), operand(1), y);
  if (op == "Addmm" || op == "AddmmActivation" || op == "Baddbmm")
    return product(operand(1), operand(2), y);
  if (op == "Mv" || op == "Dot") return product_with_vector(operand(0), operand(1), y);
  if (op == "Addmv") return product_with_vector(operand(1), operand(2), y);
  if (op == "Convolution") return convolution(operand(0), operand(1), y);
  if (op == "ConvolutionReluMaxPool") return convolution_with_maxima(gradients, y);
  if (op == "ScaledDotProductAttention") return attention(operand(0), operand(1), operand(2));
  return recurrent(gradients, y);
}

bool is_counted(const std::string& op) {
  static const char* const names[] = {
      "Mm",   "Bmm",   "Addmm",   "AddmmActivation", "Baddbmm",
      "Mv",   "Addmv", "Dot",     "Convolution",     "ConvolutionReluMaxPool",
      "Lstm", "Gru",   "RnnTanh", "RnnRelu",         "ScaledDotProductAttention"};
  return std::find(std::begin(names), std::end(names), op) != std::end(names);
}

// Holds the counts that hooks write. The nodes of these hooks may outlive the counter.
struct Counter {
  std::map<std::string, OpFlops> ops;
  bool counts = true;
};

void watch(Node& node, const std::shared_ptr<Counter>& counter) {
  node.add_post_hook([counter, op = detail::op_of(node)](const variable_list& gradients,
                                                         const variable_list& of_results) {
    if (counter->counts && !of_results.empty() && of_results[0].defined()) {
      const Call call = call_of(op, gradients, of_results[0]);
      OpFlops& sum = counter->ops[op];
      sum.op = op;
      ++sum.num_calls;
      sum.forward += call.forward;
      sum.backward += call.forward * call.num_backward;
    }
    return gradients;
  });
}

int64_t sum_of(const std::vector<OpFlops>& ops, int64_t OpFlops::*part) {
  int64_t sum = 0;
  for (const OpFlops& op : ops) sum += op.*part;
  return sum;
}

void print_row(std::ostream& out, const std::string& name, int64_t calls, int64_t forward,
               int64_t backward) {
  out << std::left << std::setw(28) << name << std::right << std::setw(8) << calls << std::setw(18)
      << forward << std::setw(18) << backward << '\n';
}

}  // namespace

int64_t FlopCounts::forward() const { return sum_of(ops, &OpFlops::forward); }
int64_t FlopCounts::backward() const { return sum_of(ops, &OpFlops::backward); }

std::ostream& operator<<(std::ostream& out, const FlopCounts& counts) {
  out << std::left << std::setw(28) << "Op" << std::right << std::setw(8) << "Calls"
      << std::setw(18) << "Forward" << std::setw(18) << "Backward" << '\n';
  for (const OpFlops& op : counts.ops) print_row(out, op.op, op.num_calls, op.forward, op.backward);
  print_row(out, "Total", sum_of(counts.ops, &OpFlops::num_calls), counts.forward(),
            counts.backward());
  return out;
}

FlopCounts count_flops(const Tensor& output) {
  TAPER_CHECK_VALUE(output.defined() && output.grad_fn().defined(),
                    "count_flops: expected an output with history, got one without");
  const auto counter = std::make_shared<Counter>();
  std::vector<Tensor> leaves;
  for (Node* node : detail::nodes_behind(&*output.grad_fn())) {
    if (node->is_accumulate())
      leaves.push_back(static_cast<autograd::AccumulateGrad&>(*node).variable);
    if (is_counted(detail::op_of(*node))) watch(*node, counter);
  }
  autograd::grad({output}, leaves, {ones_like(output)}, /*retain_graph=*/true, false,
                 /*allow_unused=*/true);
  counter->counts = false;
  FlopCounts counts;
  for (const auto& entry : counter->ops) counts.ops.push_back(entry.second);
  std::stable_sort(counts.ops.begin(), counts.ops.end(),
                   [](const OpFlops& a, const OpFlops& b) { return a.forward > b.forward; });
  return counts;
}

}  // namespace torch::taper::utils
