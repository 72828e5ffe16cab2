#include <taper/framework/autograd/autocast.h>

#include <memory>
#include <unordered_map>

#include <taper/framework/capture/capture.h>
#include <taper/framework/core/warning.h>

namespace torch::taper {
namespace detail {
namespace {

/// Holds the cast of a leaf. It keeps the leaf alive, so that no other tensor can get its address.
struct KeptCast {
  Tensor leaf, cast;
  uint32_t version = 0;
  uint64_t capture = 0;  // Capture::id, 0 outside of one
};
using CastCache = std::unordered_map<const TensorImpl*, KeptCast>;
// The cache is made when it is needed and freed when it is cleared, so an ending thread has nothing
// to destroy.
thread_local CastCache* kept_casts = nullptr;

void clear_cast_cache() { delete std::exchange(kept_casts, nullptr); }

bool is_kept(ScalarType to, const Tensor& x) {
  const AutocastState& state = autocast_state;
  return state.cache_enabled && x.scalar_type() == kFloat && x.requires_grad() && x.is_leaf() &&
         !x.is_view() && to == state.dtypes[x.device().is_cuda()];
}

uint64_t capture_here(Device device) {
  if (!observes_launches()) return 0;
  const Capture* capture = capture_of(device);
  return capture ? capture->id() : 0;
}

bool is_usable(const KeptCast& kept, ScalarType to, const Tensor& x, uint64_t capture) {
  return kept.cast.defined() && kept.cast.scalar_type() == to && kept.cast.device() == x.device() &&
         kept.version == x.impl().version() && kept.capture == capture &&
         (kept.cast.requires_grad() || !GradMode::is_enabled());
}

/// Sets the thread's settings. Its modes stay.
void take(const AutocastState& state) {
  const uint8_t modes = autocast_state.door & kModes;
  autocast_state = state;
  autocast_state.door = static_cast<uint8_t>(state.casts() | modes);
}

}  // namespace

void AutocastState::apply() const {
  take(*this);
  if (nesting == 0) clear_cast_cache();
}

Tensor cached_cast(ScalarType to, const Tensor& x) {
  if (!is_kept(to, x)) return x.to(to);
  if (!kept_casts) kept_casts = new CastCache;
  KeptCast& kept = (*kept_casts)[x.unsafeGetTensorImpl()];
  const uint64_t capture = capture_here(x.device());
  if (!is_usable(kept, to, x, capture)) kept = {x, x.to(to), x.impl().version(), capture};
  return kept.cast;
}

AutocastScope::AutocastScope(const AutocastState& state) : before_(autocast_state) {
  take(state);
  autocast_state.nesting = before_.nesting + 1;
}

// A program may have changed the nesting itself meanwhile. Only the scope's own level is
// subtracted.
AutocastScope::~AutocastScope() {
  AutocastState after = before_;
  after.nesting = autocast_state.nesting - 1;
  after.apply();
}

}  // namespace detail

namespace {

using detail::autocast_state;

int kind_of(DeviceType type) {
  TAPER_CHECK(autocast::is_autocast_available(type),
              "autocast: expected a device of type cpu or cuda (unknown device type for autocast), "
              "got type ",
              static_cast<int>(type));
  return type == kCUDA;
}

bool may_enable(DeviceType type, ScalarType dtype) {
  if (type == kCUDA) {
    if (cuda::is_available()) return true;
    detail::warn_user("autocast: CUDA is not available. Disabling autocast.");
    return false;
  }
  if (isReducedFloatingType(dtype)) return true;
  detail::warn_user(
      "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast "
      "only supports dtypes of torch.bfloat16, torch.float16 currently.");
  return false;
}

detail::AutocastState state_for(DeviceType type, optional<ScalarType> dtype, bool enabled,
                                optional<bool> cache_enabled) {
  detail::AutocastState state = autocast_state;
  const int kind = kind_of(type);
  if (dtype) state.dtypes[kind] = *dtype;
  if (cache_enabled) state.cache_enabled = *cache_enabled;
  const int bit = 1 << kind;
  enabled = enabled && may_enable(type, state.dtypes[kind]);
  state.set_casts(enabled ? state.casts() | bit : state.casts() & ~bit);
  return state;
}

}  // namespace

autocast::autocast(Device device, optional<ScalarType> dtype, bool enabled,
                   optional<bool> cache_enabled)
    : scope_(state_for(device.type(), dtype, enabled, cache_enabled)) {}

bool autocast::is_autocast_enabled(DeviceType type) {
  return is_autocast_available(type) && (autocast_state.casts() >> kind_of(type) & 1);
}

void autocast::set_autocast_enabled(DeviceType type, bool enabled) {
  const int bit = 1 << kind_of(type);
  const int casts = autocast_state.casts();
  autocast_state.set_casts(enabled ? casts | bit : casts & ~bit);
}

ScalarType autocast::get_autocast_dtype(DeviceType type) {
  return autocast_state.dtypes[kind_of(type)];
}

void autocast::set_autocast_dtype(DeviceType type, ScalarType dtype) {
  autocast_state.dtypes[kind_of(type)] = dtype;
}

void autocast::clear_cache() { detail::clear_cast_cache(); }

}  // namespace torch::taper
