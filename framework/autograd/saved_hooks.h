// Hooks of saved tensors. A hook can keep another tensor, such as a 16-bit copy, in place of a
// saved tensor.
//
//   {
//     SavedTensorHooks in_half([](const Tensor& t) { return t.to(kHalf); },
//                              [](const Tensor& packed) { return packed.to(kFloat); });
//     loss = net->forward(x).sum();  // tensors that its ops save are packed
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

/// Keeps one saved tensor. Programs derive from it, or use SavedTensorHooks.
struct SavedVariableHooks {
  SavedVariableHooks() = default;
  SavedVariableHooks(const SavedVariableHooks&) = delete;
  SavedVariableHooks& operator=(const SavedVariableHooks&) = delete;
  virtual ~SavedVariableHooks();
  /// Packs the tensor. Called once, without recording. The hook may keep the tensor, and must not
  /// change it.
  virtual void call_pack_hook(const Tensor& tensor) = 0;
  /// Returns a tensor with the sizes, dtype and device of the packed tensor. Called each time
  /// backward needs the tensor.
  virtual Tensor call_unpack_hook() = 0;
};

/// Makes the hooks of one tensor.
using SavedHooksFactory = std::function<std::unique_ptr<SavedVariableHooks>()>;

}  // namespace torch::taper::autograd

namespace torch::taper {

/// The calling thread's stack of hooks for tensors that its ops save. The top hooks of the stack
/// are used.
struct SavedTensorDefaultHooks {
  /// Pushes hooks. Throws Error while hooks are disabled.
  static void push_hooks(autograd::SavedHooksFactory hooks);
  /// Removes the top hooks. Throws Error if there are none.
  static void pop_hooks();
  /// After this call, push_hooks throws Error with the text `error_message`. Throws Error if there
  /// are hooks.
  static void disable(const std::string& error_message);
  /// Allows push_hooks again.
  static void enable();
  static bool is_enabled();  ///< true unless disable was called on this thread
  /// Returns the text given to disable(), or nullopt while hooks are enabled. The reference is to
  /// the calling thread's state. Copy the text to keep it.
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

/// Sets hooks until the end of the scope. `pack` turns a saved tensor into a value of any type,
/// `unpack` turns the value into the tensor. Like Python's
/// torch.autograd.graph.saved_tensors_hooks.
class SavedTensorHooks {
 public:
  /// Both functions are kept until the last tensor that they packed is dropped. `pack` takes a
  /// const Tensor&, which it must not change in-place, and runs without recording. `unpack` takes
  /// the value that `pack` returned. Throws Error while hooks are disabled.
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

/// Keeps tensors that ops of the scope save in the host's memory, and copies them back when
/// backward needs them. Use it for networks whose activations do not fit on a device. With
/// `pin_memory` the host does not wait for the copies.
class SaveOnCpu : SavedTensorHooks {
 public:
  /// Tensors on the CPU are kept unchanged. Throws Error while hooks are disabled.
  explicit SaveOnCpu(bool pin_memory = false);
};

}  // namespace torch::taper

namespace torch::taper::autograd::detail {
/// Returns hooks for one tensor, null if the calling thread has none.
std::unique_ptr<SavedVariableHooks> default_hooks();
}  // namespace torch::taper::autograd::detail

#pragma GCC visibility pop
