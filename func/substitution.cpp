// functional_call: ops get other tensors in place of a module's.
#include <optional>
#include <unordered_map>

#include <taper/framework/core/check.h>
#include <taper/func/call.h>
#include <taper/func/core.h>
#include <taper/ops/shared/op_mode.h>

namespace torch::taper::func::detail {

struct Substitution::State final : OpMode {
  std::unordered_map<const TensorImpl*, Tensor> with;
  std::optional<OpModeGuard> on;

  void call(const OpInfo& op, OpCall& call) override {
    bool any = false;
    Arguments a(op, call);
    a.for_each([&](size_t, const Tensor& t) { any = any || with.count(&t.impl()) != 0; });
    if (!any) return call.next();
    a.map([&](size_t, const Tensor& t) {
      const auto found = with.find(&t.impl());
      return found == with.end() ? t : found->second;
    });
    const IValue value = a.call();
    if (op.caller->result)
      call.set_result(value);
    else
      taper::detail::OpCallAccess::finish(call);
  }
};

Substitution::Substitution() : state_(std::make_unique<State>()) {}
Substitution::~Substitution() = default;
void Substitution::add(const Tensor& t, const Tensor& with) {
  TAPER_CHECK(with.defined() && with.sizes() == t.sizes(), "functional_call: expected a tensor of ",
              "sizes ", t.sizes(), ", got ", with.defined() ? with.sizes() : IntArrayRef());
  state_->with.emplace(&t.impl(), with);
}
void Substitution::start() { state_->on.emplace(*state_); }

}  // namespace torch::taper::func::detail
