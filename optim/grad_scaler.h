// GradScaler: scales losses so that f16 gradients neither underflow nor overflow. It is PyTorch's
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
//     scaler.unscale_(optimizer);      // optional, for clipping: otherwise step() does it
//     scaler.step(optimizer);          // skipped if a gradient is infinite or NaN
//     scaler.update();                 // lowers the scale after a skip, raises it after many steps
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

/// Scales losses by a factor, the scale, which is kept as large as possible without an overflow of
/// gradients (Micikevicius et al., "Mixed precision training", 2018). The scale is a number on the
/// device of the first loss. Only get_scale(), state_dict(), and step() of an optimizer with
/// takes_found_inf() false wait for this device. takes_found_inf() is true for Adam, AdamW, and SGD
/// without dampening.
class GradScaler {
 public:
  /// Makes a scaler for losses on devices of the type of `device`. If this type is CUDA and there
  /// is no CUDA device, warns and disables the scaler. If the scaler is disabled, step() calls
  /// optimizer.step(), scale() returns losses unchanged, and other functions do nothing. Throws
  /// Error unless growth_factor > 1 and backoff_factor < 1.
  explicit GradScaler(Device device = kCUDA, double init_scale = 65536.0,
                      double growth_factor = 2.0, double backoff_factor = 0.5,
                      int64_t growth_interval = 2000, bool enabled = true);

  /// Returns the loss times the scale.
  Tensor scale(const Tensor& outputs);
  /// Returns several losses times the scale, each on its device. The scale is stored on the device
  /// of the first scaled loss.
  std::vector<Tensor> scale(const std::vector<Tensor>& outputs);
  /// Divides the gradients of the optimizer's parameters by the scale, and checks whether all
  /// gradients are finite. Throws Error before the first scale(), after step(), and if unscale_()
  /// is called twice before update(). Throws ValueError for f16 gradients.
  void unscale_(optim::Optimizer& optimizer);
  /// Sets a function that unscale_() calls for each device. Its argument `found_inf` is a float on
  /// the device, which is 0 if all gradients are finite. The function may change found_inf, so that
  /// all ranks have the same value (see distributed::agree_on_found_inf).
  void set_found_inf_agreement(std::function<void(Tensor& found_inf)> agree) {
    agree_ = std::move(agree);
  }
  /// Calls unscale_() if you have not called it. Then calls optimizer.step(), unless a gradient is
  /// infinite or NaN, and returns its result. Throws Error if a closure is given, if step() is
  /// called twice before update(), and if no parameter has a gradient.
  Tensor step(optim::Optimizer& optimizer, optim::Optimizer::LossClosure closure = nullptr);
  /// Ends an iteration. If a gradient was not finite, multiplies the scale by the backoff factor.
  /// An iteration is good if all gradients were finite. After growth_interval good iterations in a
  /// row, multiplies the scale by the growth factor. Throws Error if no gradients were checked.
  void update();
  /// Sets the scale to `new_scale`, and keeps the count of good iterations. Throws Error before the
  /// first scale().
  void update(double new_scale);
  /// Sets the scale to a tensor. Throws Error unless the tensor has one element, is on a device of
  /// the scaler's type, and requires no gradient.
  void update(const Tensor& new_scale);

  /// Returns the scale, after waiting for the device. Returns 1 if the scaler is disabled.
  double get_scale() const;
  /// Returns the factor that multiplies the scale after growth_interval good iterations in a row.
  double get_growth_factor() const { return growth_factor_; }
  /// Sets the growth factor for the next update() and later ones. It should be above 1, but this is
  /// not checked.
  void set_growth_factor(double factor) { growth_factor_ = factor; }
  /// Returns the factor that multiplies the scale after a gradient was not finite.
  double get_backoff_factor() const { return backoff_factor_; }
  /// Sets the backoff factor for the next update() and later ones. It should be below 1, but this
  /// is not checked.
  void set_backoff_factor(double factor) { backoff_factor_ = factor; }
  /// Returns the number of good iterations in a row before the scale grows.
  int64_t get_growth_interval() const { return growth_interval_; }
  /// Sets the number of good iterations before the scale grows, for the next update() and later
  /// ones.
  void set_growth_interval(int64_t interval) { growth_interval_ = interval; }
  /// Returns false if the scaler was disabled, or if there is no CUDA device.
  bool is_enabled() const { return enabled_; }

  /// Returns "scale", "growth_factor", "backoff_factor", "growth_interval" and "_growth_tracker"
  /// (good iterations in a row), as in PyTorch. The map is empty if the scaler is disabled. Call
  /// state_dict() after update().
  std::map<std::string, double> state_dict() const;
  /// Restores the output of state_dict(). Throws Error if an entry is missing.
  void load_state_dict(const std::map<std::string, double>& state);
  /// Saves the state to an archive. torch::save(scaler, path) also works.
  void save(serialize::OutputArchive& archive) const;
  /// Loads the state that save() wrote, like load_state_dict().
  void load(serialize::InputArchive& archive);

 private:
  enum class Stage { kReady, kUnscaled, kStepped };
  /// Holds what was called for an optimizer since update().
  struct Iteration {
    Stage stage = Stage::kReady;
    std::vector<Tensor> found_inf;  // for each device
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

/// Calls scaler.save(archive) and returns the archive.
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const GradScaler& scaler);
/// Calls scaler.load(archive) and returns the archive.
serialize::InputArchive& operator>>(serialize::InputArchive& archive, GradScaler& scaler);

}  // namespace torch::taper::amp

#pragma GCC visibility pop
