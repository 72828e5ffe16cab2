// GradScaler: keeps the gradients of f16 networks within what f16 can hold. Python's
// torch.amp.GradScaler.
//
//   amp::GradScaler scaler(kCUDA);
//   for (...) {
//     optimizer.zero_grad();
//     Tensor loss;
//     {
//       autocast guard(kCUDA);
//       loss = criterion(net->forward(x), y);
//     }
//     scaler.scale(loss).backward();   // gradients times the scale
//     scaler.unscale_(optimizer);      // to clip them, say; else step() does it
//     scaler.step(optimizer);          // no step where a gradient is infinite or NaN
//     scaler.update();                 // a smaller scale then, a larger one after many good steps
//   }
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <taper/framework/autograd/autocast.h>
#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::amp {

/// A scale for losses that is kept as large as the gradients allow. Its state is one number on the
/// device of the first loss, and nothing waits for that device but get_scale(), state_dict(), and
/// step() with an optimizer that does not take_found_inf() (those that do: SGD without dampening,
/// Adam and AdamW). Of complex gradients the parts are scaled. Method: Micikevicius et al., "Mixed
/// precision training", 2018.
class GradScaler {
 public:
  /// `device` is the kind of device of the losses; for CUDA where there is none the scaler warns
  /// and is not enabled, and then scale() and step() do what programs without it do and the others
  /// nothing. Throws Error unless growth_factor > 1 and backoff_factor < 1.
  explicit GradScaler(Device device = kCUDA, double init_scale = 65536.0,
                      double growth_factor = 2.0, double backoff_factor = 0.5,
                      int64_t growth_interval = 2000, bool enabled = true);

  /// Losses times the scale, each on its own device.
  Tensor scale(const Tensor& outputs);
  /// The same for several. The scale lives on the device of the first that is ever scaled.
  std::vector<Tensor> scale(const std::vector<Tensor>& outputs);
  /// Divides the gradients of the optimizer's parameters by the scale, and finds out whether all
  /// are finite. Throws Error before the first scale(), a second time since update(), and after
  /// step(); ValueError for f16 gradients.
  void unscale_(optim::Optimizer& optimizer);
  /// What unscale_() hands each device's result to: a float on the device, 0 where all gradients
  /// are finite. Ranks that hold different gradients make it the same there
  /// (distributed::agree_on_found_inf).
  void set_found_inf_agreement(std::function<void(Tensor& found_inf)> agree) {
    agree_ = std::move(agree);
  }
  /// unscale_() unless that was called, and optimizer.step() unless a gradient is infinite or NaN.
  /// Returns what step() does. Throws Error for a closure, a second time since update(), and where
  /// no parameter has a gradient.
  Tensor step(optim::Optimizer& optimizer, optim::Optimizer::LossClosure closure = nullptr);
  /// The end of an iteration: the scale is multiplied by the backoff factor where a gradient was
  /// not finite, else after growth_interval iterations in a row by the growth factor; or becomes
  /// `new_scale`. Throws Error where no gradients were looked at.
  void update();
  /// The scale becomes `new_scale`; the count of good iterations stays. Throws Error before the
  /// first scale().
  void update(double new_scale);
  /// The same. Throws Error unless new_scale has one element, is on the scaler's kind of device and
  /// requires no gradient.
  void update(const Tensor& new_scale);

  /// Waits for the device. 1 where it is not enabled.
  double get_scale() const;
  /// What the scale is multiplied by after growth_interval good iterations in a row.
  double get_growth_factor() const { return growth_factor_; }
  /// Should be above 1, which is not checked here. Holds from the next update() on.
  void set_growth_factor(double factor) { growth_factor_ = factor; }
  /// What the scale is multiplied by where a gradient was not finite.
  double get_backoff_factor() const { return backoff_factor_; }
  /// Should be below 1, which is not checked here. Holds from the next update() on.
  void set_backoff_factor(double factor) { backoff_factor_ = factor; }
  /// How many iterations with finite gradients there must be in a row before the scale grows.
  int64_t get_growth_interval() const { return growth_interval_; }
  /// In iterations. Holds from the next update() on.
  void set_growth_interval(int64_t interval) { growth_interval_ = interval; }
  /// False where it was not asked for, or where there is no CUDA device.
  bool is_enabled() const { return enabled_; }

  /// "scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker" (good
  /// iterations in a row), as in Python; empty where it is not enabled. To be called after
  /// update().
  std::map<std::string, double> state_dict() const;
  /// Throws Error when one of them is missing.
  void load_state_dict(const std::map<std::string, double>& state);
  /// The same in a file: torch::save(scaler, path).
  void save(serialize::OutputArchive& archive) const;
  /// Reads what save() wrote, as load_state_dict() does.
  void load(serialize::InputArchive& archive);

 private:
  enum class Stage { kReady, kUnscaled, kStepped };
  /// What an optimizer has done since update().
  struct Iteration {
    Stage stage = Stage::kReady;
    std::vector<Tensor> found_inf;  // of each device
  };
  void check_scaled(const char* function) const;
  const Tensor& scale_for(const Tensor& output);
  bool waits_for_inf(const optim::Optimizer& optimizer, const Iteration& now) const;
  int64_t growth_tracker() const;

  DeviceType device_;
  bool enabled_;
  double init_scale_, growth_factor_, backoff_factor_;
  int64_t growth_interval_, init_growth_tracker_ = 0;
  Tensor scale_, growth_tracker_;  // made by the first scale()
  std::unordered_map<const optim::Optimizer*, Iteration> iterations_;
  std::function<void(Tensor&)> agree_;
};

/// scaler.save(archive). Returns the archive.
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const GradScaler& scaler);
/// scaler.load(archive). Returns the archive.
serialize::InputArchive& operator>>(serialize::InputArchive& archive, GradScaler& scaler);

}  // namespace torch::taper::amp

#pragma GCC visibility pop
