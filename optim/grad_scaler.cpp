#include <taper/optim/grad_scaler.h>

#include <taper/framework/core/warning.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/shared/amp.h>
#include <taper/ops/tensor/factory.h>
#include <taper/optim/serialize.h>

namespace torch::taper::amp {
namespace {

using optim::Optimizer;

/// Copies a number to each device that needs it.
class OnDevices {
 public:
  explicit OnDevices(const Tensor& number) : all_{number} {}
  Tensor& on(Device device) {
    for (Tensor& t : all_)
      if (t.device() == device) return t;
    return all_.emplace_back(all_[0].to(device, all_[0].scalar_type(), /*non_blocking=*/true));
  }

 private:
  std::vector<Tensor> all_;
};

/// Holds the gradients on one device.
struct DeviceGradients {
  Device device;
  std::vector<Tensor> all;
};

std::vector<DeviceGradients> gradients_of(const Optimizer& optimizer) {
  std::vector<DeviceGradients> devices;
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups())
    for (const Tensor& p : group.params()) {
      const Tensor& g = p.grad();
      if (!g.defined()) continue;
      if (g.scalar_type() == kHalf)
        throw ValueError("GradScaler::unscale_: Attempting to unscale FP16 gradients.");
      size_t i = 0;
      while (i < devices.size() && devices[i].device != g.device()) ++i;
      if (i == devices.size()) devices.push_back({g.device(), {}});
      devices[i].all.push_back(taper::detail::numbers_of(g));
    }
  return devices;
}

/// Returns the sum of the numbers on `device`.
Tensor sum_of(const std::vector<Tensor>& numbers, Device device) {
  Tensor all;
  for (const Tensor& t : numbers) {
    const Tensor here = t.to(device, t.scalar_type(), /*non_blocking=*/true);
    all = all.defined() ? all.add(here) : here;
  }
  return all;
}

/// Clears a list at the end of a scope.
struct Cleared {
  std::vector<Tensor>& list;
  ~Cleared() { list.clear(); }
};

}  // namespace

GradScaler::GradScaler(Device device, double init_scale, double growth_factor,
                       double backoff_factor, int64_t growth_interval, bool enabled)
    : device_(device.type()),
      enabled_(enabled),
      init_scale_(init_scale),
      growth_factor_(growth_factor),
      backoff_factor_(backoff_factor),
      growth_interval_(growth_interval) {
  if (enabled_ && device_ == kCUDA && !cuda::is_available()) {
    taper::detail::warn_user(
        "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.");
    enabled_ = false;
  }
  if (!enabled_) return;
  TAPER_CHECK(growth_factor > 1, "GradScaler: expected a growth factor above 1, got ",
              growth_factor, ": The growth factor must be > 1.0.");
  TAPER_CHECK(backoff_factor < 1, "GradScaler: expected a backoff factor below 1, got ",
              backoff_factor, ": The backoff factor must be < 1.0.");
}

void GradScaler::check_scaled(const char* function) const {
  TAPER_CHECK(
      scale_.defined(), "GradScaler::", function, ": Attempted ", function,
      " but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
      "outputs) earlier in the iteration.");
}

const Tensor& GradScaler::scale_for(const Tensor& output) {
  check_defined("GradScaler::scale", output, "outputs");
  if (scale_.defined()) return scale_;
  const TensorOptions options = TensorOptions().device(output.device());
  growth_tracker_ = full({}, init_growth_tracker_, options.dtype(kInt));
  return scale_ = full({}, init_scale_, options.dtype(kFloat));
}

Tensor GradScaler::scale(const Tensor& outputs) {
  if (!enabled_) return outputs;
  return outputs.mul(OnDevices(scale_for(outputs)).on(outputs.device()));
}

std::vector<Tensor> GradScaler::scale(const std::vector<Tensor>& outputs) {
  if (!enabled_ || outputs.empty()) return outputs;
  OnDevices factors(scale_for(outputs[0]));
  std::vector<Tensor> scaled;
  for (const Tensor& y : outputs) {
    check_defined("GradScaler::scale", y, "outputs");
    scaled.push_back(y.mul(factors.on(y.device())));
  }
  return scaled;
}

void GradScaler::unscale_(Optimizer& optimizer) {
  if (!enabled_) return;
  check_scaled("unscale_");
  Iteration& now = iterations_[&optimizer];
  TAPER_CHECK(
      now.stage != Stage::kUnscaled,
      "GradScaler::unscale_: unscale_() has already been called on this optimizer since the "
      "last update().");
  TAPER_CHECK(now.stage != Stage::kStepped,
              "GradScaler::unscale_: unscale_() is being called after step().");
  const NoGradGuard values_only;
  const std::vector<DeviceGradients> devices = gradients_of(optimizer);
  OnDevices factors(scale_.to(kDouble).reciprocal().to(kFloat));
  for (const DeviceGradients& gradients : devices) {
    Tensor found_inf = zeros({}, TensorOptions().device(gradients.device).dtype(kFloat));
    _amp_foreach_non_finite_check_and_unscale_(gradients.all, found_inf,
                                               factors.on(gradients.device));
    if (agree_) agree_(found_inf);
    now.found_inf.push_back(found_inf);
  }
  now.stage = Stage::kUnscaled;
}

bool GradScaler::waits_for_inf(const Optimizer& optimizer, const Iteration& now) const {
  if (!optimizer.takes_found_inf()) return true;
  for (const Tensor& t : now.found_inf)
    if (t.device().is_cpu()) return true;
  return false;
}

Tensor GradScaler::step(Optimizer& optimizer, Optimizer::LossClosure closure) {
  if (!enabled_) return optimizer.step(std::move(closure));
  TAPER_CHECK(!closure,
              "GradScaler::step: Closure use is not currently supported if GradScaler is enabled.");
  check_scaled("step");
  TAPER_CHECK(iterations_[&optimizer].stage != Stage::kStepped,
              "GradScaler::step: step() has already been called since the last update().");
  Iteration& now = iterations_[&optimizer];
  if (now.stage == Stage::kReady) unscale_(optimizer);
  TAPER_CHECK(!now.found_inf.empty(),
              "GradScaler::step: No inf checks were recorded for this optimizer.");
  const Tensor all = sum_of(now.found_inf, now.found_inf[0].device());
  Tensor loss;
  if (waits_for_inf(optimizer, now)) {
    if (all.item<float>() == 0) loss = optimizer.step();
  } else {
    OnDevices found(all);
    std::vector<Tensor> of_all;
    for (const Tensor& t : now.found_inf) of_all.push_back(found.on(t.device()));
    optimizer.found_inf_ = std::move(of_all);
    const Cleared after{optimizer.found_inf_};
    loss = optimizer.step();
  }
  now.stage = Stage::kStepped;
  return loss;
}

void GradScaler::update() {
  if (!enabled_) return;
  check_scaled("update");
  std::vector<Tensor> found_inf;
  for (const auto& [optimizer, now] : iterations_)
    found_inf.insert(found_inf.end(), now.found_inf.begin(), now.found_inf.end());
  TAPER_CHECK(!found_inf.empty(),
              "GradScaler::update: No inf checks were recorded prior to update.");
  _amp_update_scale_(scale_, growth_tracker_, sum_of(found_inf, scale_.device()), growth_factor_,
                     backoff_factor_, growth_interval_);
  iterations_.clear();
}

void GradScaler::update(double new_scale) {
  if (!enabled_) return;
  check_scaled("update");
  scale_.fill_(new_scale);
  iterations_.clear();
}

void GradScaler::update(const Tensor& new_scale) {
  if (!enabled_) return;
  check_scaled("update");
  TAPER_CHECK(new_scale.defined() && new_scale.device().type() == device_ &&
                  new_scale.numel() == 1 && !new_scale.requires_grad(),
              "GradScaler::update: new_scale should be a float or a 1-element "
              "torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False.");
  scale_.copy_(new_scale.reshape({}));
  iterations_.clear();
}

double GradScaler::get_scale() const {
  if (!enabled_) return 1;
  return scale_.defined() ? static_cast<double>(scale_.item<float>()) : init_scale_;
}

int64_t GradScaler::growth_tracker() const {
  return growth_tracker_.defined() ? growth_tracker_.item<int>() : init_growth_tracker_;
}

std::map<std::string, double> GradScaler::state_dict() const {
  if (!enabled_) return {};
  return {{"scale", get_scale()},
          {"growth_factor", growth_factor_},
          {"backoff_factor", backoff_factor_},
          {"growth_interval", static_cast<double>(growth_interval_)},
          {"_growth_tracker", static_cast<double>(growth_tracker())}};
}

void GradScaler::load_state_dict(const std::map<std::string, double>& state) {
  if (!enabled_) return;
  TAPER_CHECK(
      !state.empty(),
      "GradScaler::load_state_dict: The source state dict is empty, possibly because it was "
      "saved from a disabled instance of GradScaler.");
  const auto at = [&](const char* name) {
    const auto found = state.find(name);
    TAPER_CHECK(found != state.end(), "GradScaler::load_state_dict: expected an entry '", name,
                "', got none");
    return found->second;
  };
  const double scale = at("scale"), growth = at("growth_factor"), backoff = at("backoff_factor");
  const auto interval = static_cast<int64_t>(at("growth_interval"));
  const auto tracker = static_cast<int64_t>(at("_growth_tracker"));
  init_scale_ = scale, growth_factor_ = growth, backoff_factor_ = backoff;
  growth_interval_ = interval, init_growth_tracker_ = tracker;
  if (!scale_.defined()) return;
  scale_.fill_(scale);
  growth_tracker_.fill_(tracker);
}

void GradScaler::save(serialize::OutputArchive& archive) const {
  for (const auto& [name, value] : state_dict()) archive.write(name, IValue(value));
}

void GradScaler::load(serialize::InputArchive& archive) {
  std::map<std::string, double> state;
  for (const std::string& name : archive.keys())
    state[name] = optim::detail::read_value<double>(archive, name);
  load_state_dict(state);
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const GradScaler& scaler) {
  scaler.save(archive);
  return archive;
}
serialize::InputArchive& operator>>(serialize::InputArchive& archive, GradScaler& scaler) {
  scaler.load(archive);
  return archive;
}

}  // namespace torch::taper::amp
