#include <taper/framework/debug/run_observer.h>

#include <taper/framework/autograd/node.h>
#include <taper/framework/debug/run_span.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {

std::atomic<bool> run_is_observed{false};

namespace {
std::atomic<RunObserver*> current{nullptr};
constexpr uint32_t kRunBit = 2;  // of launch_observers
}  // namespace

void set_run_observer(RunObserver* observer) {
  current = observer;
  run_is_observed = observer != nullptr;
  if (observer)
    launch_observers |= kRunBit;
  else
    launch_observers &= ~kRunBit;
}

RunObserver* run_observer() { return current.load(std::memory_order_acquire); }

void tell_span(RunEvent kind, const std::string& name, SpanObserver::Clock::time_point begin) {
  if (auto* const observer = dynamic_cast<SpanObserver*>(run_observer()))
    observer->span(kind, name.c_str(), begin, SpanObserver::Clock::now());
}

void RunScope::begin(RunEvent kind, const char* name, uint64_t sequence_nr) {
  observer_ = run_observer();
  if (observer_) observer_->begin(kind, name, Device(), sequence_nr, {});
}

RunScope::RunScope(RunObserver* observer, const char* name, Device device,
                   const std::vector<Access>& operands)
    : observer_(observer) {
  if (observer_)
    observer_->begin(RunEvent::kOp, name, device, autograd::next_sequence_nr(), operands);
}

}  // namespace torch::taper::detail
