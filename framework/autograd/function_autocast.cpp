#include <taper/framework/autograd/function_autocast.h>

namespace torch::taper::amp {
namespace {

constexpr const char *kUsed = "_fwd_used_autocast", *kDtype = "_dtype";

const IValue& kept(const autograd::AutogradContext& ctx, const char* name) {
  const auto found = ctx.saved_data.find(name);
  TAPER_CHECK(found != ctx.saved_data.end(),
              "custom_bwd: expected a forward with a custom_fwd, got one without");
  return found->second;
}

}  // namespace

custom_fwd::custom_fwd(autograd::AutogradContext* ctx, Device device,
                       optional<ScalarType> cast_inputs)
    : type_(device.type()),
      cast_to_(autocast::is_autocast_enabled(type_) ? cast_inputs : nullopt),
      scope_(device, nullopt, autocast::is_autocast_enabled(type_) && !cast_inputs) {
  ctx->saved_data[kUsed] = autocast::is_autocast_enabled(type_);
  ctx->saved_data[kDtype] = static_cast<int64_t>(autocast::get_autocast_dtype(type_));
}

Tensor custom_fwd::operator()(const Tensor& x) const {
  const bool cast = cast_to_ && x.defined() && x.device().type() == type_ &&
                    x.is_floating_point() && x.scalar_type() != kDouble;
  return cast ? x.to(*cast_to_) : x;
}

custom_bwd::custom_bwd(const autograd::AutogradContext* ctx, Device device)
    : scope_(device, static_cast<ScalarType>(kept(*ctx, kDtype).toInt()),
             kept(*ctx, kUsed).toBool()) {}

}  // namespace torch::taper::amp
