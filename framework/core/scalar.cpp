#include <taper/framework/core/float8.h>
#include <taper/framework/core/scalar.h>
#include <taper/framework/core/scalar_fits.h>

#include <cmath>
#include <limits>
#include <ostream>

namespace torch::taper {

void Scalar::throw_not_real(ScalarType to) const {
  TAPER_CHECK(false, "value cannot be converted to type ", cpp_type_name(to),
              " without overflow: ", toComplexDouble());
}

void Scalar::throw_not_negated() const {
  TAPER_CHECK(!isBoolean(), "-Scalar: torch boolean negative, the `-` operator, is not supported.");
  TAPER_CHECK(false, "-Scalar: expected a number whose negative int64 holds, got ",
              static_cast<uint64_t>(i_));
}

namespace {

double largest(ScalarType floating) {
  double v = 0;
  switch_dtype<dtypes::Joined<dtypes::Floating, dtypes::Float8>>(
      floating, "number",
      [&]<class scalar_t>() { v = static_cast<double>(std::numeric_limits<scalar_t>::max()); });
  return v;
}

// Throws if `v` does not fit into `to`, a floating-point or complex type.
void check_range(double v, ScalarType to) {
  TAPER_CHECK(!std::isfinite(v) || std::fabs(v) <= largest(toRealValueType(to)),
              "value cannot be converted to type ", cpp_type_name(to), " without overflow: ", v);
}

// Returns the bits of a number that is converted to a uint64_t.
int64_t unsigned_bits(double d) {
  TAPER_CHECK(d > -1 && d < 18446744073709551616.0,
              "value cannot be converted to type uint64_t without overflow: ", d);
  return static_cast<int64_t>(static_cast<uint64_t>(d));
}

}  // namespace

double Scalar::checked_float(ScalarType to) const {
  const double v = real_value(to);
  check_range(v, to);
  return v;
}

void Scalar::check_parts(ScalarType to) const {
  const auto z = cast<numbers::complex<double>>();
  check_range(z.real(), to);
  check_range(z.imag(), to);
}

int64_t Scalar::checked_integer(size_t bits, bool is_signed) const {
  if (bits == 64 && !is_signed) return has_double() ? unsigned_bits(real_value()) : i_;
  TAPER_CHECK(!is_unsigned(), "value cannot be converted to type ", is_signed ? "int" : "uint",
              bits, " without overflow: ", static_cast<uint64_t>(i_));
  const int64_t lowest = is_signed ? (bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1))) : 0;
  const int64_t highest =
      bits == 64 ? INT64_MAX : (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  if (has_double()) {
    real_value();
    // 2^63 is a double and lies out of range, so the upper bound is strict.
    const bool fits =
        d_ >= static_cast<double>(lowest) &&
        (bits == 64 ? d_ < 9223372036854775808.0 : d_ <= static_cast<double>(highest));
    TAPER_CHECK(fits, "value cannot be converted to type int", bits, " without overflow: ", d_);
    return static_cast<int64_t>(d_);
  }
  // LibTorch lets small negative numbers wrap into unsigned types.
  const bool fits = i_ >= (is_signed ? lowest : -highest) && i_ <= highest;
  TAPER_CHECK(fits, "value cannot be converted to type ", is_signed ? "int" : "uint", bits,
              " without overflow: ", i_);
  return i_;
}

std::ostream& operator<<(std::ostream& out, const Scalar& s) {
  if (s.isFloatingPoint()) return out << s.toDouble();
  if (s.isComplex()) return out << s.toComplexDouble();
  if (s.isBoolean()) return out << (s.toBool() ? "true" : "false");
  if (s.type() == kUInt64) return out << s.to<uint64_t>();
  return out << s.toLong();
}

void detail::check_fits(const Scalar& value, ScalarType dtype) {
  if (dtype == kBool) return;
  switch_dtype<dtypes::Joined<dtypes::Any, dtypes::Stored>>(
      dtype, "number", [&]<class scalar_t>() { static_cast<void>(value.to<scalar_t>()); });
}

}  // namespace torch::taper
