#include <taper/framework/autograd/saved_hooks.h>

#include <vector>

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
