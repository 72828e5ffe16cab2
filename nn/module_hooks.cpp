#include <taper/nn/module_hooks.h>

#include <algorithm>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/nn/parametrization.h>
#include <taper/ops/tensor/split.h>

namespace torch::taper::nn {

namespace detail {

/// Holds the hooks of a module. A list is never changed. A module gets a new list instead, so
/// copies of modules can share a list, and a hook can remove itself while it runs.
struct ModuleHooks {
  template <class F>
  using List = std::vector<std::pair<unsigned, F>>;
  List<Module::ForwardPreHook> before;
  List<Module::ForwardHook> after;
  List<Module::FullBackwardHook> backward;
  std::vector<std::shared_ptr<const Parametrization>> parametrizations;

  bool empty() const {
    return before.empty() && after.empty() && backward.empty() && parametrizations.empty();
  }
};

namespace {

template <class List>
bool remove_id(List& list, unsigned id) {
  const auto at =
      std::find_if(list.begin(), list.end(), [id](const auto& item) { return item.first == id; });
  if (at == list.end()) return false;
  list.erase(at);
  return true;
}

/// Holds the state that both ends of a call share on the tape: the gradients of the outputs, until
/// those of the inputs arrive.
struct BackwardCall {
  std::shared_ptr<const ModuleHooks> hooks;
  std::shared_ptr<Module> owner;  // null unless a shared_ptr owns the module
  Module* module;
  std::vector<Tensor> grad_outputs;

  void run(std::vector<Tensor>& grad_inputs) {
    for (const auto& item : hooks->backward) item.second(*module, grad_inputs, grad_outputs);
    grad_outputs.clear();
  }
};

std::vector<Tensor> list_of(const autograd::Grads& g) {
  std::vector<Tensor> list;
  for (size_t i = 0; i < g.size(); ++i) list.push_back(g[i]);
  return list;
}

/// Makes the tensors results of one node, whose derivative is `f`.
template <class F>
void pass_through(const std::vector<Tensor*>& tensors, F&& f) {
  std::vector<Tensor> from, to;
  for (Tensor* t : tensors) from.push_back(*t);
  for (Tensor* t : tensors)
    *t = taper::detail::share_data(*t->impl_ptr(), Dims(t->sizes()), Dims(t->strides()),
                                   t->storage_offset());
  for (Tensor* t : tensors) to.push_back(*t);
  autograd::record_list("BackwardHookFunctionBackward", to, from, std::forward<F>(f));
}

}  // namespace

// ---------------------------------------------------------------------- one call
struct HookedCall::State {
  Module& module;
  std::shared_ptr<const ModuleHooks> hooks;
  std::vector<Tensor*> in, out;
  std::vector<Tensor> inputs, outputs;
  std::shared_ptr<BackwardCall> backward;
  bool watched_inputs = false;

  /// Returns the tensors that gradients reach.
  static std::vector<Tensor*> with_gradient(const std::vector<Tensor*>& tensors) {
    std::vector<Tensor*> some;
    for (Tensor* t : tensors)
      if (autograd::needs_grad(*t)) some.push_back(t);
    return some;
  }
  void watch_inputs() {
    backward = std::make_shared<BackwardCall>(
        BackwardCall{hooks, module.weak_from_this().lock(), &module, {}});
    const std::vector<Tensor*> some = with_gradient(in);
    if (some.empty()) return;
    watched_inputs = true;
    pass_through(some, [call = backward](autograd::Grads& g) {
      std::vector<Tensor> grads = list_of(g);
      call->run(grads);
      return grads;
    });
  }
  void watch_outputs() {
    const std::vector<Tensor*> some = with_gradient(out);
    if (some.empty()) return;
    pass_through(some, [call = backward, last = !watched_inputs](autograd::Grads& g) {
      call->grad_outputs = list_of(g);
      std::vector<Tensor> grads = call->grad_outputs, none;
      if (last) call->run(none);
      return grads;
    });
  }
};

HookedCall::HookedCall(Module& module)
    : state_(new State{module, module.hooks_, {}, {}, {}, {}, nullptr, false}) {}
HookedCall::~HookedCall() = default;

void HookedCall::add_input(Tensor& x) { state_->in.push_back(&x); }
void HookedCall::add_output(Tensor& y) { state_->out.push_back(&y); }

void HookedCall::before() {
  State& s = *state_;
  for (const auto& p : s.hooks->parametrizations) p->refresh(s.module, /*calling=*/true);
  for (Tensor* x : s.in) s.inputs.push_back(*x);
  for (const auto& item : s.hooks->before) {
    item.second(s.module, s.inputs);
    TAPER_CHECK(s.inputs.size() == s.in.size(), "forward pre-hook of ", s.module.name(),
                ": expected it to leave ", s.in.size(), " input(s), got ", s.inputs.size());
  }
  for (size_t i = 0; i < s.in.size(); ++i) *s.in[i] = s.inputs[i];
  if (!s.hooks->backward.empty()) s.watch_inputs();
}

void HookedCall::after() {
  State& s = *state_;
  for (Tensor* y : s.out) s.outputs.push_back(*y);
  for (const auto& item : s.hooks->after) {
    item.second(s.module, s.inputs, s.outputs);
    TAPER_CHECK(s.outputs.size() == s.out.size(), "forward hook of ", s.module.name(),
                ": expected it to leave ", s.out.size(), " output(s), got ", s.outputs.size());
  }
  for (size_t i = 0; i < s.out.size(); ++i) *s.out[i] = s.outputs[i];
  if (s.backward) s.watch_outputs();
}

// ---------------------------------------------------------------------- parametrizations
void Parametrization::split(Module& module) const {
  const Tensor value = module.named_parameters(/*recurse=*/false)[name_];
  module.unregister_parameter(name_);
  register_parts(module, value);
  refresh(module, /*calling=*/false);
}

void Parametrization::join(Module& module) const {
  Tensor value;
  {
    NoGradGuard no_grad;
    value = compute(module, /*calling=*/false).detach();
  }
  unregister_parts(module);
  member_(module) = module.register_parameter(name_, value);
}

void add_parametrization(Module& module, std::shared_ptr<const Parametrization> p) {
  if (module.hooks_)
    for (const auto& other : module.hooks_->parametrizations)
      TAPER_CHECK(other->kind() != p->kind() || other->name() != p->name(), "Cannot register two ",
                  p->kind(), " hooks on the same parameter ", p->name());
  TAPER_CHECK(module.named_parameters(/*recurse=*/false).contains(p->name()), p->kind(),
              ": expected a parameter '", p->name(), "' in ", module.name());
  p->split(module);
  module.change_hooks([&](ModuleHooks& hooks) { hooks.parametrizations.push_back(std::move(p)); });
}

void remove_parametrization(Module& module, const std::string& kind, const std::string& name) {
  std::shared_ptr<const Parametrization> found;
  if (module.hooks_)
    for (const auto& p : module.hooks_->parametrizations)
      if (p->kind() == kind && p->name() == name) found = p;
  TAPER_CHECK_VALUE(found, kind, " of '", name, "' not found in ", module.name());
  found->join(module);
  module.change_hooks([&](ModuleHooks& hooks) {
    auto& list = hooks.parametrizations;
    list.erase(std::find(list.begin(), list.end(), found));
  });
}

}  // namespace detail

// ---------------------------------------------------------------------- of a module
template <class Change>
void Module::change_hooks(const Change& change) {
  auto hooks = hooks_ ? std::make_shared<detail::ModuleHooks>(*hooks_)
                      : std::make_shared<detail::ModuleHooks>();
  change(*hooks);
  if (hooks->empty())
    hooks_.reset();
  else
    hooks_ = std::move(hooks);
}

unsigned Module::register_forward_pre_hook(ForwardPreHook hook) {
  const unsigned id = next_hook_id_++;
  change_hooks([&](detail::ModuleHooks& h) { h.before.emplace_back(id, std::move(hook)); });
  return id;
}
unsigned Module::register_forward_hook(ForwardHook hook) {
  const unsigned id = next_hook_id_++;
  change_hooks([&](detail::ModuleHooks& h) { h.after.emplace_back(id, std::move(hook)); });
  return id;
}
unsigned Module::register_full_backward_hook(FullBackwardHook hook) {
  const unsigned id = next_hook_id_++;
  change_hooks([&](detail::ModuleHooks& h) { h.backward.emplace_back(id, std::move(hook)); });
  return id;
}
void Module::remove_hook(unsigned id) {
  bool removed = false;
  if (hooks_)
    change_hooks([&](detail::ModuleHooks& h) {
      removed = detail::remove_id(h.before, id) || detail::remove_id(h.after, id) ||
                detail::remove_id(h.backward, id);
    });
  TAPER_CHECK(removed, "remove_hook: expected the number of a hook of ", name(), ", got ", id);
}

void Module::copy_hooks(Module& to, const Module& from) {
  to.hooks_ = from.hooks_;
  to.next_hook_id_ = from.next_hook_id_;
}

void Module::split_parameters() {
  if (!hooks_) return;
  for (const auto& p : hooks_->parametrizations) p->split(*this);
}
void Module::refresh_parameters() {
  if (!hooks_) return;
  for (const auto& p : hooks_->parametrizations) p->refresh(*this, /*calling=*/false);
}

bool Module::has_parametrizations() const { return hooks_ && !hooks_->parametrizations.empty(); }

bool detail::runs_hooks(const Module& module) {
  const detail::ModuleHooks* const own = module.hooks_.get();
  if (own && !(own->before.empty() && own->after.empty() && own->backward.empty())) return true;
  for (const auto& item : module.children_)
    if (item.value() && runs_hooks(*item.value())) return true;
  return false;
}

}  // namespace torch::taper::nn
