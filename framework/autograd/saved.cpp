#include <taper/framework/autograd/saved.h>

#include <vector>

#include <taper/framework/autograd/record.h>
#include <taper/framework/autograd/saved_hooks.h>
#include <taper/framework/autograd/view_history.h>

// ---------------------------------------------------------------------- saved
namespace torch::taper::autograd {

void check_can_be_saved(const Tensor& t) {
  TAPER_CHECK(!t.defined() || !t.impl_ptr()->inference,
              "Inference tensors cannot be saved for backward. To work around you can make a clone "
              "to get a normal tensor and use it in autograd.");
}

Saved::Saved(const Tensor& t) {
  ++detail::saved_since_record;
  if (!t.defined()) return;
  check_can_be_saved(t);
  version_ = t.impl_ptr()->version();
  tensor_ = t;
  if (auto hooks = detail::default_hooks()) pack(std::move(hooks));
}

Saved::Saved(const Tensor& t, uint32_t output_nr) {
  ++detail::saved_since_record;
  is_output_ = true;
  output_nr_ = output_nr;
  if (!t.defined()) return;
  check_can_be_saved(t);
  version_ = t.impl_ptr()->version();
  tensor_ = taper::detail::share_data(*t.impl_ptr());
  if (auto hooks = detail::default_hooks()) pack(std::move(hooks));
}

void Saved::pack(std::unique_ptr<SavedVariableHooks> hooks) {
  TAPER_CHECK(!packed_,
              "Calling register_hooks on a saved tensor whose hooks have already been set");
  TAPER_CHECK(tensor_.defined(),
              "Calling register_hooks on a saved tensor with value None is "
              "forbidden");
  Edge edge = !is_output_ && tensor_.requires_grad() ? gradient_edge(tensor_) : Edge();
  const Tensor data = taper::detail::share_data(tensor_.impl());
  {
    const NoGradGuard no_history;
    hooks->call_pack_hook(data);
  }
  TAPER_CHECK(data.impl().version() == version_,
              "A saved tensor pack hook is modifying its input in place. Tensors provided as input "
              "to pack hook can not be modified by in-place operations as this can lead to "
              "unexpected side-effects");
  packed_ = make_intrusive<detail::PackedTensor>(std::move(hooks), std::move(edge));
  tensor_.reset();
}

void Saved::check_version(const Node* node) const {
  const TensorImpl& impl = *tensor_.impl_ptr();
  TAPER_CHECK(
      impl.untracked || impl.version() == version_,
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [",
      tensor_.toString(), " ", tensor_.sizes(), "]",
      is_output_ && node
          ? taper::detail::concat(", which is output ", output_nr_, " of ", node->name(), ",")
      : impl.grad_fn ? taper::detail::concat(", which is output ", impl.output_nr, " of ",
                                             impl.grad_fn->name(), ",")
                     : "",
      " is at version ", impl.version(), "; expected version ", version_,
      " instead. Hint: clone() the tensor before changing it, or use the form of the op "
      "that is not in-place.");
}

/// Makes a new tensor over this memory, with the history of the saved tensor.
Tensor Saved::with_history(const Tensor& data, Node* node) const {
  if (is_output_ && node && is_copy_slices(*node)) return view_written_by(*node, data.impl());
  Tensor y = taper::detail::share_data(data.impl());
  const Edge edge = packed_ && !is_output_ ? packed_->edge : Edge(NodePtr(node), output_nr_);
  if (edge.is_valid()) set_gradient_edge(y, edge);
  return y;
}

Tensor Saved::get(Node* node) const {
  if (packed_) return with_history(packed_->hooks->call_unpack_hook(), node);
  if (!tensor_.defined()) return tensor_;
  check_version(node);
  return is_output_ && node ? with_history(tensor_, node) : tensor_;
}

}  // namespace torch::taper::autograd

// ---------------------------------------------------------------------- saved_hooks
namespace torch::taper {

namespace {

struct HookState {
  std::vector<autograd::SavedHooksFactory> stack;
  std::optional<std::string> why_disabled;
};
// Most threads have no hooks, and thread-local memory is short, so a pointer stands for them.
thread_local HookState* state = nullptr;

struct HookStateOwner {
  HookStateOwner() { state = new HookState; }
  ~HookStateOwner() { delete std::exchange(state, nullptr); }
};
HookState& own_state() {
  static thread_local HookStateOwner owner;
  (void)owner;
  TAPER_CHECK(state, "SavedTensorDefaultHooks: the thread ends");
  return *state;
}

/// Holds a tensor's copy on the host, and its device.
struct OnHost {
  Tensor copy;
  Device device;
};

}  // namespace

void SavedTensorDefaultHooks::push_hooks(autograd::SavedHooksFactory hooks) {
  TAPER_CHECK(hooks, "SavedTensorDefaultHooks::push_hooks: expected hooks, got none");
  TAPER_CHECK(is_enabled(), *own_state().why_disabled);
  own_state().stack.push_back(std::move(hooks));
}
void SavedTensorDefaultHooks::pop_hooks() {
  TAPER_CHECK(!own_state().stack.empty(),
              "SavedTensorDefaultHooks::pop_hooks: expected hooks to pop, got an empty stack");
  own_state().stack.pop_back();
}
void SavedTensorDefaultHooks::disable(const std::string& error_message) {
  TAPER_CHECK(own_state().stack.empty(), error_message);
  own_state().why_disabled = error_message;
}
void SavedTensorDefaultHooks::enable() { own_state().why_disabled.reset(); }
bool SavedTensorDefaultHooks::is_enabled() { return !state || !state->why_disabled; }
const std::optional<std::string>& SavedTensorDefaultHooks::get_disabled_error_message() {
  return own_state().why_disabled;
}

SaveOnCpu::SaveOnCpu(bool pin_memory)
    : SavedTensorHooks(
          [pin_memory](const Tensor& t) {
            if (t.is_cpu()) return OnHost{t, t.device()};
            if (!pin_memory) return OnHost{t.cpu(), t.device()};
            const Tensor copy =
                detail::make_tensor(t.sizes(), t.scalar_type(), Device(kCPU)).pin_memory();
            copy.copy_(t, /*non_blocking=*/true);
            return OnHost{copy, t.device()};
          },
          [](const OnHost& packed) {
            return packed.copy.to(packed.device, /*non_blocking=*/packed.copy.is_pinned());
          }) {}

namespace autograd {

SavedVariableHooks::~SavedVariableHooks() = default;

namespace detail {
PackedTensor::PackedTensor(std::unique_ptr<SavedVariableHooks> hooks, Edge edge)
    : hooks(std::move(hooks)), edge(std::move(edge)) {}
PackedTensor::~PackedTensor() = default;

std::unique_ptr<SavedVariableHooks> default_hooks() {
  if (__builtin_expect(!state || state->stack.empty(), 1)) return nullptr;
  return state->stack.back()();
}
}  // namespace detail

}  // namespace autograd

}  // namespace torch::taper
