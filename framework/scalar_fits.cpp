#include <taper/framework/scalar_fits.h>

#include <cmath>
#include <limits>

namespace taper::detail {
namespace {

double largest(ScalarType floating) {
  if (floating == kHalf) return 65504;
  if (floating == kBFloat16) return 0x1.fep127;
  return floating == kFloat ? std::numeric_limits<float>::max()
                            : std::numeric_limits<double>::max();
}

void check_floating(const Scalar& value, ScalarType dtype) {
  const double v = value.toDouble();
  TAPER_CHECK(!std::isfinite(v) || std::fabs(v) <= largest(dtype),
              "value cannot be converted to type ", dtype, " without overflow: ", v);
}

}  // namespace

void check_fits(const Scalar& value, ScalarType dtype) {
  if (dtype == kBool || isComplexType(dtype)) return;
  if (isFloatingType(dtype)) return check_floating(value, dtype);
  TAPER_SWITCH(dtype, "number", TAPER_INTEGRAL_DTYPES,
               [&] { static_cast<void>(value.to<scalar_t>()); });
}

}  // namespace taper::detail
