// Hooks of saved tensors: what is kept for backward may be kept in another form.
//
//   {
//     SavedTensorHooks in_half([](const Tensor& t) { return t.to(kHalf); },
//                              [](const Tensor& packed) { return packed.to(kFloat); });
//     loss = net->forward(x).sum();  // what its ops save is packed
//   }
//   loss.backward();                 // and unpacked when it is needed
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <taper/framework/autograd/saved.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// Keeps one saved tensor. A program derives from it, or takes SavedTensorHooks.
struct SavedVariableHooks {
  SavedVariableHooks() = default;
  SavedVariableHooks(const SavedVariableHooks&) = delete;
  SavedVariableHooks& operator=(const SavedVariableHooks&) = delete;
  virtual ~SavedVariableHooks();
  /// Called once, without recording. It may keep the tensor, which must stay unchanged.
  virtual void call_pack_hook(const Tensor& tensor) = 0;
  /// The tensor of the same sizes, dtype and device, each time that backward asks.
  virtual Tensor call_unpack_hook() = 0;
};

/// Makes the hooks of one tensor.
using SavedHooksFactory = std::function<std::unique_ptr<SavedVariableHooks>()>;

}  // namespace torch::taper::autograd

namespace torch::taper {

/// The calling thread's stack of hooks for what its ops save; the top one is used.
struct SavedTensorDefaultHooks {
  /// Throws Error while they are disabled.
  static void push_hooks(autograd::SavedHooksFactory hooks);
  /// Throws Error when there are none.
  static void pop_hooks();
  /// From now on push_hooks throws this text. Throws Error when there are hooks.
  static void disable(const std::string& error_message);
  /// Allows push_hooks again.
  static void enable();
  static bool is_enabled();  ///< true unless disable was called on this thread
  /// The text that disable got, nothing while they are enabled. The reference is to the calling
  /// thread's state: copy it to keep it.
  static const std::optional<std::string>& get_disabled_error_message();
};

namespace detail {
template <class Pack, class Unpack>
struct HooksOf final : autograd::SavedVariableHooks {
  HooksOf(std::shared_ptr<Pack> pack, std::shared_ptr<Unpack> unpack)
      : pack(std::move(pack)), unpack(std::move(unpack)) {}
  void call_pack_hook(const Tensor& tensor) override { packed.emplace((*pack)(tensor)); }
  Tensor call_unpack_hook() override { return (*unpack)(*packed); }
  std::shared_ptr<Pack> pack;
  std::shared_ptr<Unpack> unpack;
  std::optional<std::decay_t<std::invoke_result_t<Pack&, const Tensor&>>> packed;
};
}  // namespace detail

/// Hooks for a scope: `pack` makes of a saved tensor a value of any type, `unpack` the tensor of
/// that value. As Python's torch.autograd.graph.saved_tensors_hooks.
class SavedTensorHooks {
 public:
  /// Both functions are kept as long as a tensor that they packed. `pack` takes a const Tensor&,
  /// which it must not change in place, and runs without recording; `unpack` takes what it
  /// returned. Throws Error while hooks are disabled.
  template <class Pack, class Unpack>
  SavedTensorHooks(Pack pack, Unpack unpack) {
    using Hooks = detail::HooksOf<Pack, Unpack>;
    SavedTensorDefaultHooks::push_hooks([p = std::make_shared<Pack>(std::move(pack)),
                                         u = std::make_shared<Unpack>(std::move(unpack))] {
      return std::make_unique<Hooks>(p, u);
    });
  }
  ~SavedTensorHooks() { SavedTensorDefaultHooks::pop_hooks(); }
  SavedTensorHooks(const SavedTensorHooks&) = delete;
  SavedTensorHooks& operator=(const SavedTensorHooks&) = delete;
};

/// What ops of this scope save is kept in the host's memory, and copied back when backward needs
/// it: for networks whose activations a device cannot hold. With `pin_memory` the copies need not
/// wait for the host.
class SaveOnCpu : SavedTensorHooks {
 public:
  /// Tensors that are on the CPU already are kept as they are. Throws Error while hooks are
  /// disabled.
  explicit SaveOnCpu(bool pin_memory = false);
};

}  // namespace torch::taper

namespace torch::taper::autograd::detail {
/// Hooks for one tensor; null where the calling thread has none.
std::unique_ptr<SavedVariableHooks> default_hooks();
}  // namespace torch::taper::autograd::detail

#pragma GCC visibility pop
