#include <taper/framework/autograd/record.h>

#include <taper/framework/autograd/autocast.h>

namespace torch::taper::autograd::detail {
namespace {

bool any_defined(const GradList& grads) {
  for (const Tensor& g : grads)
    if (g.defined()) return true;
  return false;
}

}  // namespace

CallableNode::CallableNode(const char* name, uint32_t num_outputs, const CallableOps& its_ops)
    : Node(name, num_outputs), ops(its_ops), holds_saved(saved_since_record != 0) {
  saved_since_record = 0;
}

CallableNode::~CallableNode() { destroy_callable(); }

void CallableNode::destroy_callable() {
  if (!alive) return;
  alive = false;
  ops.destroy(callable());
}

GradList CallableNode::apply(GradList&& grads) {
  if (!alive) throw_released(*this);
  GradList out(num_edges_);
  // If no gradient arrived, none leaves: an undefined gradient stands for zeros.
  if (!any_defined(grads)) return out;
  Grads g{grads, *this};
  // A derivative computes in the dtypes of its op.
  const taper::detail::AutocastOff as_recorded;
  ops.call(callable(), g, out);
  return out;
}

void CallableNode::release_variables() {
  if (!holds_saved || !alive) return;
  released_ = true;
  destroy_callable();
}

CallableNode* allocate_node(const char* name, uint32_t num_outputs, const CallableOps& ops,
                            size_t block_nbytes) {
  auto* node =
      new (taper::detail::pool_allocate(block_nbytes)) CallableNode(name, num_outputs, ops);
  node->object_nbytes_ = static_cast<uint32_t>(block_nbytes);
  return node;
}

NodePtr connected(CallableNode* node, size_t offset, const Tensor* const* inputs, size_t count,
                  History history) {
  NodePtr owner = NodePtr::adopt(node);
  connect(*node, reinterpret_cast<Edge*>(reinterpret_cast<char*>(node) + offset), inputs, count,
          history);
  return owner;
}

}  // namespace torch::taper::autograd::detail
