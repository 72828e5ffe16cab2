#include <taper/ops/elementwise/complex.h>

#include <cmath>
#include <cstring>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex_kernels.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/shared/out.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/shared/promote.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_part.h>

namespace torch::taper {

// ---------------------------------------------------------------- kernels by name
namespace detail {

void run_complex_unary(const char* op, const Tensor& y, const Tensor& x) {
#define TAPER_FIND(name)                                         \
  if (std::strcmp(op, #name) == 0)                               \
    TAPER_ON_DEVICE(x, complex_unary, y, x, ComplexUnary::name); \
  else
  TAPER_COMPLEX_UNARY(TAPER_FIND) unsupported_dtype(concat(op, "_cpu").c_str(), x.scalar_type());
#undef TAPER_FIND
}

void run_complex_binary(const char* op, const Tensor& y, const In& a, const In& b) {
#define TAPER_FIND(name)                                              \
  if (std::strcmp(op, #name) == 0)                                    \
    TAPER_ON_DEVICE(y, complex_binary, y, a, b, ComplexBinary::name); \
  else
  TAPER_COMPLEX_BINARY(TAPER_FIND) unsupported_dtype(concat(op, "_cpu").c_str(), a.dtype);
#undef TAPER_FIND
}

}  // namespace detail

// ---------------------------------------------------------------- views
namespace {

// Makes a view with elements of another dtype. Autograd replays only views whose elements keep
// their size. So neither side may be written if there is history.
void make_parts_view(const Tensor& y, const Tensor& x) {
  autograd::make_view_of(y, x, TensorImpl::ViewOrigin::kOtherDtype);
}

void record_as_complex(const Tensor& y, const Tensor& x) {
  if (needs_grad(x))
    record("ViewAsComplexBackward0", y, {x}, [](const Tensor& g) { return view_as_real(g); });
}

}  // namespace

Tensor view_as_real(const Tensor& x) {
  if (auto done = at_door<"view_as_real">(x)) return done;
  check_defined("view_as_real", x, "self");
  TAPER_CHECK(x.is_complex(), "view_as_real is only supported for complex tensors");
  Tensor y = detail::share_as_real(x.impl());
  make_parts_view(y, x);
  if (needs_grad(x))
    record("ViewAsRealBackward0", y, {x}, [](const Tensor& g) {
      return detail::fresh_as_complex(g.clone(MemoryFormat::Contiguous));
    });
  return y;
}

Tensor view_as_complex(const Tensor& x) {
  if (auto done = at_door<"view_as_complex">(x)) return done;
  check_defined("view_as_complex", x, "self");
  TAPER_CHECK(
      x.scalar_type() == kFloat || x.scalar_type() == kDouble,
      "view_as_complex is only supported for half, float and double tensors, but got a tensor "
      "of scalar type: ",
      toString(x.scalar_type()));
  TAPER_CHECK(x.dim() != 0, "view_as_complex: Input tensor must have one or more dimensions");
  TAPER_CHECK(x.size(-1) == 2, "view_as_complex: Tensor must have a last dimension of size 2");
  TAPER_CHECK(x.stride(-1) == 1,
              "view_as_complex: Tensor must have a last dimension with stride 1");
  for (int64_t d = 0; d + 1 < x.dim(); ++d)
    TAPER_CHECK(
        x.stride(d) % 2 == 0,
        "view_as_complex: Tensor must have a stride divisible by 2 for all but last dimension");
  TAPER_CHECK(x.storage_offset() % 2 == 0,
              "view_as_complex: Tensor must have a storage_offset divisible by 2");
  Tensor y = detail::share_as_complex(x.impl());
  make_parts_view(y, x);
  record_as_complex(y, x);
  return y;
}

Tensor detail::fresh_as_complex(const Tensor& x) {
  Tensor y = share_as_complex(x.impl());
  record_as_complex(y, x);
  return y;
}

Tensor real(const Tensor& x) {
  if (auto done = at_door<"real">(x)) return done;
  return x.is_complex() ? select(view_as_real(x), x.dim(), 0) : x;
}

Tensor imag(const Tensor& x) {
  if (auto done = at_door<"imag">(x)) return done;
  check_defined("imag", x, "self");
  TAPER_CHECK(x.is_complex(), "imag is not implemented for tensors with non-complex dtypes.");
  return select(view_as_real(x), x.dim(), 1);
}

// ---------------------------------------------------------------- from parts
namespace {

void check_parts(const Tensor& a, const Tensor& b) {
  TAPER_CHECK(isFloatingType(a.scalar_type()) && isFloatingType(b.scalar_type()),
              "complex: Expected both inputs to be Half, Float or Double tensors but got ",
              toString(a.scalar_type()), " and ", toString(b.scalar_type()));
  TAPER_CHECK(a.scalar_type() == b.scalar_type(), "complex: Expected object of scalar type ",
              toString(a.scalar_type()), " but got scalar type ", toString(b.scalar_type()),
              " for second argument");
  if (isReducedFloatingType(a.scalar_type())) detail::unsupported_dtype("complex", a.scalar_type());
}

}  // namespace

Tensor complex(const Tensor& re, const Tensor& im) {
  if (auto done = at_door<"complex">(re, im)) return done;
  check_defined("complex", re, "real");
  check_defined("complex", im, "imag");
  check_parts(re, im);
  check_same_device("complex", re, im);
  const Dims shape = broadcast_shapes("complex", re.sizes(), im.sizes());
  Tensor z = detail::make_tensor(shape, toComplexType(re.scalar_type()), re.device());
  if (z.numel() > 0) TAPER_ON_DEVICE(z, complex_of_parts, z, re, im);
  if (needs_grad(re, im))
    record("ComplexBackward0", z, {re, im},
           [fr = detail::InputForm(re), fi = detail::InputForm(im)](autograd::Grads& g) {
             std::array<Tensor, 2> out;
             if (g.needs(0)) out[0] = fr(taper::real(g[0]));
             if (g.needs(1)) out[1] = fi(taper::imag(g[0]));
             return out;
           });
  return z;
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
  if (auto done = at_door<"polar">(abs, angle)) return done;
  check_defined("polar", abs, "abs");
  check_defined("polar", angle, "angle");
  check_parts(abs, angle);
  return complex(abs * cos(angle), abs * sin(angle));
}

// ---------------------------------------------------------------- functions
Tensor conj(const Tensor& x) { return x.conj(); }

Tensor Tensor::conj_complex() const {
  if (auto done = at_door<"conj_complex">(*this)) return done;
  Tensor y = detail::make_like(*this);
  if (numel() > 0) TAPER_ON_DEVICE(*this, complex_unary, y, *this, ComplexUnary::conj);
  if (needs_grad(*this))
    record("ConjPhysicalBackward0", y, {*this}, [](const Tensor& g) { return g.conj(); });
  return y;
}

Tensor& Tensor::conj_physical_() const {
  if (at_door<"conj_physical_">(*this)) return detail::as_mutable(*this);
  autograd::check_inplace("conj_physical_", *this);
  if (!is_complex()) return detail::as_mutable(*this);
  return in_place("conj_physical_", *this, {}, [](const Tensor& x) { return x.conj(); });
}

namespace {

// Returns g (-im, re) / |x|^2, or 0 if x is 0.
Tensor angle_backward(const Tensor& g, const Tensor& x) {
  const Tensor re = real(x), im = imag(x), square = re * re + im * im;
  const Tensor scale = where(square.eq(0), Scalar(0), g / square);
  return complex(-im * scale, re * scale);
}

Tensor angle_of_real(const Tensor& x) {
  const ScalarType t = isFloatingType(x.scalar_type()) ? x.scalar_type() : default_dtype();
  const Tensor y = zeros(x.sizes(), x.options().dtype(t).requires_grad(false));
  y.masked_fill_(x.lt(0), M_PI);
  return isFloatingType(x.scalar_type()) ? where(x.isnan(), x.detach(), y) : y;
}

}  // namespace

Tensor angle(const Tensor& x) {
  if (auto done = at_door<"angle">(x)) return done;
  check_defined("angle", x, "self");
  Tensor y;
  {
    const NoGradGuard values_only;
    y = x.is_complex() ? atan2(imag(x), real(x)) : angle_of_real(x);
  }
  if (needs_grad(x))
    record("AngleBackward0", y, {x}, [x = saved(x)](const Tensor& g) {
      return x.get().is_complex() ? angle_backward(g, x.get()) : g * 0;
    });
  return y;
}

namespace {

// Returns the component of g perpendicular to x, divided by |x|, or 0 if x is 0.
Tensor sgn_backward(const Tensor& g, const Tensor& x) {
  const Tensor size = abs(x), unit = sgn(x);
  const Tensor across = g - unit * real(g * conj(unit));
  return where(size.eq(0), Scalar(0), across / size);
}

}  // namespace

Tensor sgn(const Tensor& x) {
  if (auto done = at_door<"sgn">(x)) return done;
  check_defined("sgn", x, "self");
  if (!x.is_complex()) return sign(x);
  Tensor y = detail::make_like(x);
  if (y.numel() > 0) TAPER_ON_DEVICE(x, complex_unary, y, x, ComplexUnary::sgn);
  if (needs_grad(x))
    record("SgnBackward0", y, {x},
           [x = saved(x)](const Tensor& g) { return sgn_backward(g, x.get()); });
  return y;
}

Tensor isreal(const Tensor& x) {
  if (auto done = at_door<"isreal">(x)) return done;
  check_defined("isreal", x, "self");
  if (x.is_complex()) return imag(x).eq(0);
  return ones(x.sizes(), x.options().dtype(kBool).requires_grad(false));
}

Tensor positive(const Tensor& x) {
  if (auto done = at_door<"positive">(x)) return done;
  check_defined("positive", x, "self");
  TAPER_CHECK(x.scalar_type() != kBool,
              "positive: The `+` operator, on a bool tensor is not supported.");
  return x;
}

Tensor adjoint(const Tensor& x) {
  if (auto done = at_door<"adjoint">(x)) return done;
  check_defined("adjoint", x, "self");
  TAPER_CHECK(x.dim() >= 2,
              "tensor.adjoint() is only supported on matrices or batches of matrices. Got ",
              x.dim(), "-D tensor.");
  return conj(transpose(x, -2, -1));
}

namespace {

Tensor is_infinity(const char* op, const Tensor& x, double which) {
  TAPER_CHECK(!x.is_complex(), op, " does not support complex inputs.");
  if (isFloatingType(x.scalar_type())) return x.eq(which);
  return zeros(x.sizes(), x.options().dtype(kBool));
}

}  // namespace

Tensor isposinf(const Tensor& x) {
  if (auto done = at_door<"isposinf">(x)) return done;
  return is_infinity("isposinf", x, INFINITY);
}
Tensor isneginf(const Tensor& x) {
  if (auto done = at_door<"isneginf">(x)) return done;
  return is_infinity("isneginf", x, -INFINITY);
}

// ---------------------------------------------------------------- methods
Tensor Tensor::positive() const { return taper::positive(*this); }
Tensor Tensor::isreal() const { return taper::isreal(*this); }
Tensor& angle_out(Tensor& out, const Tensor& x) {
  if (at_door<"angle_out">(out, x)) return out;
  return store_out("angle", out, angle(x.detach()), {x});
}
Tensor& sgn_out(Tensor& out, const Tensor& x) {
  if (at_door<"sgn_out">(out, x)) return out;
  if (out.defined()) check_out_dtype("sgn", out, x.scalar_type());
  return store_out("sgn", out, sgn(x.detach()), {x});
}
Tensor Tensor::angle() const { return taper::angle(*this); }
Tensor Tensor::sgn() const { return taper::sgn(*this); }
Tensor& Tensor::sgn_() const {
  if (at_door<"sgn_">(*this)) return detail::as_mutable(*this);
  if (!is_complex()) return sign_();
  return in_place("sgn_", *this, {}, [](const Tensor& x) { return x.sgn(); });
}
Tensor Tensor::adjoint() const { return taper::adjoint(*this); }
Tensor Tensor::isposinf() const { return taper::isposinf(*this); }
Tensor Tensor::isneginf() const { return taper::isneginf(*this); }

// ---------------------------------------------------------------- out forms
TAPER_OUT(complex, (out, real, imag), complex(real, imag), (real, imag), const Tensor& real,
          const Tensor& imag)
TAPER_OUT(polar, (out, abs, angle), polar(abs, angle), (abs, angle), const Tensor& abs,
          const Tensor& angle)

}  // namespace torch::taper
