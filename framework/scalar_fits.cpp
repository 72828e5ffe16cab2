#include <taper/framework/float8.h>
#include <taper/framework/scalar_fits.h>

#include <cmath>
#include <limits>

namespace taper::detail {
namespace {

double largest(ScalarType floating) {
  double v = 0;
  switch_dtype<dtypes::Joined<dtypes::Floating, dtypes::Float8>>(
      floating, "number",
      [&]<class scalar_t>() { v = static_cast<double>(std::numeric_limits<scalar_t>::max()); });
  return v;
}

void check_floating(const Scalar& value, ScalarType dtype) {
  TAPER_CHECK(value.toComplexDouble().imag() == 0, "value cannot be converted to type ",
              cpp_type_name(dtype), " without overflow: ", value);
  const double v = value.toDouble();
  TAPER_CHECK(!std::isfinite(v) || std::fabs(v) <= largest(dtype),
              "value cannot be converted to type ", dtype, " without overflow: ", v);
}

}  // namespace

void check_fits(const Scalar& value, ScalarType dtype) {
  if (dtype == kBool || isComplexType(dtype)) return;
  if (isFloatingType(dtype)) return check_floating(value, dtype);
  switch_dtype<dtypes::Joined<dtypes::Integral, TypeList<uint16_t, uint32_t, uint64_t>>>(
      dtype, "number", [&]<class scalar_t>() { static_cast<void>(value.to<scalar_t>()); });
}

}  // namespace taper::detail
