#include <taper/ops/random/rand.h>

#include <cmath>
#include <limits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/random/random_kernels.h>
#include <taper/ops/reduce/sort.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/factory_finish.h>

namespace torch::taper {
namespace {

using detail::finish;

using MaybeGenerator = optional<Generator>;

// Ends an in-place op whose result does not depend on x: the gradient is zero.
Tensor& finish_inplace(const char* name, const Tensor& x) {
  mark_changed(x);
  if (needs_grad(x)) record_inplace(name, x, {x}, [](const Tensor& gy) { return zeros_like(gy); });
  return detail::as_mutable(x);
}

TensorOptions without_grad(const TensorOptions& options) { return options.requires_grad(false); }

void check_floating(const char* op, const char* kernel, const Tensor& x) {
  if (!x.is_floating_point()) detail::unsupported_dtype(op, kernel, x.scalar_type());
}

void check_uniform_bounds(ScalarType dtype, double from, double to) {
  double most = 0;
  switch_dtype<dtypes::Floating>(dtype, "check_uniform_bounds", [&]<class scalar_t>() {
    most = static_cast<double>(std::numeric_limits<scalar_t>::max());
  });
  TAPER_CHECK(from >= -most && from <= most, "uniform_: from is out of bounds for ",
              cpp_type_name(dtype));
  TAPER_CHECK(to >= -most && to <= most, "uniform_: to is out of bounds for ",
              cpp_type_name(dtype));
  TAPER_CHECK(from <= to,
              "uniform_: uniform_ expects to return a [from, to) range, but found from=", from,
              " > to=", to);
  TAPER_CHECK(to - from <= most, "uniform_: uniform_ expects to-from <= std::numeric_limits<",
              toString(dtype), ">::max(), but found to=", to, " and from=", from,
              " which result in to-from to exceed the limit");
}

}  // namespace

// ---------------------------------------------------------------- in place, continuous
Tensor& Tensor::uniform_(double from, double to, MaybeGenerator generator) const {
  if (at_door<"uniform_">(*this, from, to, generator)) return detail::as_mutable(*this);
  check_inplace("uniform_", *this);
  if (is_complex()) {
    view_as_real(data()).uniform_(from, to, generator);
    return finish_inplace("UniformBackward0", *this);
  }
  check_floating("uniform_", "check_uniform_bounds", *this);
  check_uniform_bounds(scalar_type(), from, to);
  const GeneratorPtr g = detail::generator_for(device(), generator);
  TAPER_ON_DEVICE(*this, uniform, *this, from, to, g);
  return finish_inplace("UniformBackward0", *this);
}

Tensor& Tensor::normal_(double mean, double std, MaybeGenerator generator) const {
  if (at_door<"normal_">(*this, mean, std, generator)) return detail::as_mutable(*this);
  check_inplace("normal_", *this);
  TAPER_CHECK(std >= 0, "normal expects std >= 0.0, but found std ", std);
  if (is_complex()) {  // the variances of both parts add up, and each part has the mean
    view_as_real(data()).normal_(mean, std / std::sqrt(2.0), generator);
    return finish_inplace("NormalBackward0", *this);
  }
  check_floating("normal_", "normal_kernel_cpu", *this);
  const GeneratorPtr g = detail::generator_for(device(), generator);
  TAPER_ON_DEVICE(*this, normal, *this, mean, std, g);
  return finish_inplace("NormalBackward0", *this);
}

Tensor& Tensor::exponential_(double lambd, MaybeGenerator generator) const {
  if (at_door<"exponential_">(*this, lambd, generator)) return detail::as_mutable(*this);
  check_inplace("exponential_", *this);
  TAPER_CHECK(lambd > 0, "exponential_ expects lambda > 0.0, but found lambda=", lambd);
  check_floating("exponential_", "exponential_cpu", *this);
  const GeneratorPtr g = detail::generator_for(device(), generator);
  TAPER_ON_DEVICE(*this, exponential, *this, lambd, g);
  return finish_inplace("ExponentialBackward0", *this);
}

// ---------------------------------------------------------------- in place, yes or no
Tensor& Tensor::bernoulli_(double p, MaybeGenerator generator) const {
  if (at_door<"bernoulli_">(*this, p, generator)) return detail::as_mutable(*this);
  check_inplace("bernoulli_", *this);
  TAPER_CHECK(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  const GeneratorPtr g = detail::generator_for(device(), generator);
  TAPER_ON_DEVICE(*this, bernoulli, *this, p, g);
  return finish_inplace("BernoulliBackward2", *this);
}

namespace {

void check_probabilities(const Tensor& p) {
  check_floating("bernoulli_", "bernoulli_tensor_cpu_p_", p);
  if (p.numel() == 0 || detail::is_captured(p.device())) return;
  NoGradGuard no_grad;
  const Tensor valid = p.ge(0).logical_and(p.le(1));
  TAPER_CHECK(valid.all().item<bool>(),
              "bernoulli: expected probabilities p_in >= 0 && p_in <= 1, got one outside");
}

}  // namespace

Tensor& Tensor::bernoulli_(const Tensor& p, MaybeGenerator generator) const {
  if (at_door<"bernoulli_">(*this, p, generator)) return detail::as_mutable(*this);
  check_inplace("bernoulli_", *this);
  check_defined("bernoulli_", p, "p");
  check_same_device("bernoulli_", *this, p);
  check_probabilities(p);
  const Tensor each = p.detach().expand(sizes());
  const GeneratorPtr g = detail::generator_for(device(), generator);
  TAPER_ON_DEVICE(*this, bernoulli_each, *this, each, g);
  return finish_inplace("BernoulliBackward1", *this);
}

Tensor Tensor::bernoulli(MaybeGenerator generator) const {
  if (auto done = at_door<"bernoulli">(*this, generator)) return done;
  check_floating("bernoulli", "bernoulli_tensor_cpu_p_", *this);
  Tensor y = empty_like(*this, {}, MemoryFormat::Contiguous);  // in the order of the draws
  y.bernoulli_(*this, std::move(generator));
  if (needs_grad(*this))
    record("BernoulliBackward0", y, {*this}, [](const Tensor& gy) { return zeros_like(gy); });
  return y;
}

Tensor bernoulli(const Tensor& x, MaybeGenerator generator) {
  return x.bernoulli(std::move(generator));
}

Tensor Tensor::bernoulli(double p, MaybeGenerator generator) const {
  return taper::bernoulli(*this, p, std::move(generator));
}

Tensor bernoulli(const Tensor& x, const Tensor& p, MaybeGenerator generator) {
  if (auto done = at_door<"bernoulli">(x, p, generator)) return done;
  return empty_like(x, {}, MemoryFormat::Contiguous).bernoulli_(p, std::move(generator));
}

Tensor bernoulli(const Tensor& x, double p, MaybeGenerator generator) {
  if (auto done = at_door<"bernoulli">(x, p, generator)) return done;
  return empty_like(x, {}, MemoryFormat::Contiguous).bernoulli_(p, std::move(generator));
}

// ---------------------------------------------------------------- in place, integers
namespace {

// Returns the largest number up to which the dtype holds every integer.
int64_t largest_integer(ScalarType t) {
  int64_t largest = 0;
  switch_dtype<dtypes::Real>(t, "random_", [&]<class scalar_t>() {
    using limits = std::numeric_limits<scalar_t>;
    if constexpr (limits::is_integer)
      largest = static_cast<int64_t>(limits::max());
    else
      largest = int64_t{1} << limits::digits;
  });
  return largest;
}

int64_t largest_half() { return static_cast<int64_t>(std::numeric_limits<Half>::max()); }

int64_t smallest_integer(ScalarType t) {
  if (t == kByte || t == kBool) return 0;
  if (t == kHalf) return -largest_half();
  if (isFloatingType(t)) return INT64_MIN;
  return -largest_integer(t) - 1;
}

void check_in_range(const char* what, int64_t v, ScalarType t) {
  // A floating dtype rounds numbers that it cannot hold, as in PyTorch.
  const int64_t largest = t == kHalf          ? largest_half()
                          : isFloatingType(t) ? INT64_MAX
                                              : largest_integer(t);
  TAPER_CHECK(v >= smallest_integer(t) && v <= largest, "random_: ", what, " is out of bounds for ",
              cpp_type_name(t));
}

// Returns v rounded to the floating dtype, or v if the result is no int64.
int64_t rounded_to(ScalarType t, int64_t v) {
  double r = 0;
  switch_dtype<dtypes::Floating>(t, "random_", [&]<class scalar_t>() {
    r = static_cast<double>(static_cast<scalar_t>(static_cast<opmath_t<scalar_t>>(v)));
  });
  return std::fabs(r) < 0x1p63 ? static_cast<int64_t>(r) : v;
}

// Returns the distance of neighbours in the dtype near v, which it does not hold exactly.
int64_t spacing_at(ScalarType t, int64_t v) {
  const int64_t exact = largest_integer(t);
  int64_t step = 1;
  for (int64_t size = std::abs(v); size >= exact; size >>= 1) step *= 2;
  return step;
}

// The bounds of a floating dtype move inward if adjacent draws would round past them.
int64_t inner_first(ScalarType t, int64_t from) {
  if (!isFloatingType(t)) return from;
  const int64_t next = rounded_to(t, from + 1);
  return next < from ? next + spacing_at(t, from + 1) : from;
}
int64_t inner_last(ScalarType t, int64_t last) {
  if (!isFloatingType(t)) return last;
  const int64_t rounded = rounded_to(t, last);
  return rounded > last ? rounded - spacing_at(t, last) - 1 : last;
}

// Draws integers in [from, last].
Tensor& random_between(const char* name, const Tensor& x, int64_t from, int64_t last,
                       const MaybeGenerator& generator) {
  check_inplace("random_", x);
  check_in_range("from", from, x.scalar_type());
  check_in_range("to - 1", last, x.scalar_type());
  const uint64_t range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  const GeneratorPtr g = detail::generator_for(x.device(), generator);
  TAPER_ON_DEVICE(x, random_range, x, range, from, g);
  return finish_inplace(name, x);
}

}  // namespace

Tensor& Tensor::random_(MaybeGenerator generator) const {
  if (at_door<"random_">(*this, generator)) return detail::as_mutable(*this);
  check_inplace("random_", *this);
  const GeneratorPtr g = detail::generator_for(device(), generator);
  TAPER_ON_DEVICE(*this, random_full, *this, g);
  return finish_inplace("RandomBackward2", *this);
}

Tensor& Tensor::random_(int64_t to, MaybeGenerator generator) const {
  if (at_door<"random_">(*this, to, generator)) return detail::as_mutable(*this);
  TAPER_CHECK(to > 0, "random_ expects 'from' to be less than 'to', but got from=0 >= to=", to);
  return random_between("RandomBackward1", *this, 0, inner_last(scalar_type(), to - 1), generator);
}

Tensor& Tensor::random_(int64_t from, optional<int64_t> to, MaybeGenerator generator) const {
  if (at_door<"random_">(*this, from, to, generator)) return detail::as_mutable(*this);
  TAPER_CHECK(!to || from < *to, "random_ expects 'from' to be less than 'to', but got from=", from,
              " >= to=", *to);
  const ScalarType t = scalar_type();
  if (!to) return random_between("RandomBackward0", *this, from, largest_integer(t), generator);
  const int64_t first = inner_first(t, from), last = inner_last(t, *to - 1);
  TAPER_CHECK(first <= last,
              "random_ expects 'from' casted to dtype to be less than 'to' casted "
              "to dtype, but got from=",
              first, " >= to=", last + 1);
  return random_between("RandomBackward0", *this, first, last, generator);
}

// ---------------------------------------------------------------- factories
Tensor rand(IntArrayRef size, MaybeGenerator generator, TensorOptions options) {
  if (auto done = at_door<"rand">(size, generator, options)) return done;
  Tensor y = empty(size, without_grad(options));
  y.uniform_(0, 1, std::move(generator));
  return finish(std::move(y), options);
}

Tensor rand(IntArrayRef size, TensorOptions options) {
  if (auto done = at_door<"rand">(size, options)) return done;
  return rand(size, nullopt, options);
}

Tensor rand_like(const Tensor& like, TensorOptions options, optional<MemoryFormat> format) {
  if (auto done = at_door<"rand_like">(like, options, format)) return done;
  Tensor y = empty_like(like, without_grad(options), format);
  y.uniform_();
  return finish(std::move(y), options);
}

Tensor randn(IntArrayRef size, MaybeGenerator generator, TensorOptions options) {
  if (auto done = at_door<"randn">(size, generator, options)) return done;
  return normal(0, 1, size, std::move(generator), options);
}

Tensor randn(IntArrayRef size, TensorOptions options) {
  if (auto done = at_door<"randn">(size, options)) return done;
  return randn(size, nullopt, options);
}

Tensor randn_like(const Tensor& like, TensorOptions options, optional<MemoryFormat> format) {
  if (auto done = at_door<"randn_like">(like, options, format)) return done;
  Tensor y = empty_like(like, without_grad(options), format);
  y.normal_();
  return finish(std::move(y), options);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef size, MaybeGenerator generator,
               TensorOptions options) {
  if (auto done = at_door<"randint">(low, high, size, generator, options)) return done;
  Tensor y = empty(size, without_grad(options));
  y.random_(low, high, std::move(generator));
  return finish(std::move(y), options);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef size, TensorOptions options) {
  if (auto done = at_door<"randint">(low, high, size, options)) return done;
  return randint(low, high, size, nullopt, options);
}

Tensor randint(int64_t high, IntArrayRef size, MaybeGenerator generator, TensorOptions options) {
  if (auto done = at_door<"randint">(high, size, generator, options)) return done;
  return randint(0, high, size, std::move(generator), options);
}

Tensor randint(int64_t high, IntArrayRef size, TensorOptions options) {
  if (auto done = at_door<"randint">(high, size, options)) return done;
  return randint(0, high, size, nullopt, options);
}

Tensor randint_like(const Tensor& like, int64_t low, int64_t high, TensorOptions options,
                    optional<MemoryFormat> format) {
  if (auto done = at_door<"randint_like">(like, low, high, options, format)) return done;
  Tensor y = empty_like(like, without_grad(options), format);
  y.random_(low, high);
  return finish(std::move(y), options);
}

Tensor randint_like(const Tensor& like, int64_t high, TensorOptions options,
                    optional<MemoryFormat> format) {
  if (auto done = at_door<"randint_like">(like, high, options, format)) return done;
  return randint_like(like, 0, high, options, format);
}

Tensor randperm(int64_t n, MaybeGenerator generator, TensorOptions options) {
  if (auto done = at_door<"randperm">(n, generator, options)) return done;
  Tensor y = empty(n, without_grad(options));
  const ScalarType t = y.scalar_type();
  TAPER_CHECK(n - 1 <= largest_integer(t) && n <= INT64_C(0xffffffff),
              "randperm: expected n - 1 to be a number that ", toString(t),
              " holds exactly, and below 2^32, got n = ", n);
  const GeneratorPtr g = detail::generator_for(y.device(), generator);
  TAPER_ON_DEVICE(y, permutation, y, g);
  return finish(std::move(y), options);
}

Tensor randperm(int64_t n, TensorOptions options) {
  if (auto done = at_door<"randperm">(n, options)) return done;
  return randperm(n, nullopt, options);
}

// ---------------------------------------------------------------- normal
Tensor normal(double mean, double std, IntArrayRef size, MaybeGenerator generator,
              TensorOptions options) {
  if (auto done = at_door<"normal">(mean, std, size, generator, options)) return done;
  Tensor y = empty(size, without_grad(options));
  y.normal_(mean, std, std::move(generator));
  return finish(std::move(y), options);
}

namespace {

void check_std(const Tensor& std) {
  check_defined("normal", std, "std");
  TAPER_CHECK(std.numel() == 0 || detail::is_captured(std.device()) ||
                  std.detach().ge(0).all().item<bool>(),
              "normal expects all elements of std >= 0.0");
}

Tensor standard_normal(IntArrayRef size, const Tensor& like, const MaybeGenerator& generator) {
  return empty(size, like.options()).normal_(0, 1, generator);
}

Tensor zero_gradient(const Tensor& gy, const Dims& size) { return zeros(size, gy.options()); }

}  // namespace

Tensor normal(const Tensor& mean, double std, MaybeGenerator generator) {
  if (auto done = at_door<"normal">(mean, std, generator)) return done;
  check_defined("normal", mean, "mean");
  Tensor y = empty_like(mean, {}, MemoryFormat::Contiguous);
  {
    NoGradGuard no_grad;
    y.normal_(0, std, std::move(generator)).add_(mean);
  }
  if (needs_grad(mean))
    record("NormalBackward1", y, {mean}, [](const Tensor& gy) { return zeros_like(gy); });
  return y;
}

Tensor normal(double mean, const Tensor& std, MaybeGenerator generator) {
  if (auto done = at_door<"normal">(mean, std, generator)) return done;
  check_std(std);
  Tensor y;
  {
    NoGradGuard no_grad;
    y = standard_normal(std.sizes(), std, generator).mul_(std).add_(mean);
  }
  if (needs_grad(std))
    record("NormalBackward2", y, {std}, [](const Tensor& gy) { return zeros_like(gy); });
  return y;
}

Tensor normal(const Tensor& mean, const Tensor& std, MaybeGenerator generator) {
  if (auto done = at_door<"normal">(mean, std, generator)) return done;
  check_defined("normal", mean, "mean");
  check_std(std);
  check_same_device("normal", mean, std);
  const Dims size = broadcast_shapes("normal", mean.sizes(), std.sizes());
  Tensor y;
  {
    NoGradGuard no_grad;
    y = standard_normal(size, mean, generator).mul_(std).add_(mean);
  }
  if (needs_grad(mean, std))
    record("NormalBackward3", y, {mean, std},
           [a = Dims(mean.sizes()), b = Dims(std.sizes())](const Tensor& gy) {
             return std::array<Tensor, 2>{zero_gradient(gy, a), zero_gradient(gy, b)};
           });
  return y;
}

// ---------------------------------------------------------------- multinomial
namespace {

void check_multinomial(const Tensor& p, int64_t num_samples, bool replacement) {
  TAPER_CHECK(p.dim() == 1 || p.dim() == 2, "multinomial: prob_dist must be 1 or 2 dim");
  TAPER_CHECK(p.is_floating_point(),
              "multinomial only supports floating-point dtypes for input, got: ",
              toString(p.scalar_type()));
  TAPER_CHECK(num_samples > 0, "multinomial: cannot sample n_sample <= 0 samples");
  TAPER_CHECK(
      replacement || num_samples <= p.size(-1),
      "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  TAPER_CHECK(p.size(-1) > 0 || (p.dim() == 2 && p.size(0) == 0),
              "multinomial: expected at least one category to draw from, got prob_dist of sizes ",
              p.sizes());
  if (p.numel() == 0 || detail::is_captured(p.device())) return;
  // A NaN is both extremes.
  const Tensor largest = p.amax({-1});
  TAPER_CHECK(p.min().ge(0).item<bool>() && largest.max().lt(INFINITY).item<bool>(),
              "multinomial: probability tensor contains either `inf`, `nan` or element < 0");
  TAPER_CHECK(largest.min().gt(0).item<bool>(),
              "multinomial: invalid multinomial distribution (sum of probabilities <= 0)");
}

}  // namespace

Tensor multinomial(const Tensor& probabilities, int64_t num_samples, bool replacement,
                   MaybeGenerator generator) {
  if (auto done = at_door<"multinomial">(probabilities, num_samples, replacement, generator))
    return done;
  check_defined("multinomial", probabilities, "self");
  NoGradGuard no_grad;
  const Tensor p = probabilities.detach().contiguous();
  check_multinomial(p, num_samples, replacement);
  Dims size = p.sizes();
  size.back() = num_samples;
  if (p.numel() == 0) return empty(size, p.options().dtype(kLong));
  if (!replacement || num_samples == 1) {
    // The largest of p / Exponential(1) is a draw with weight p. The next one is a draw from the
    // rest.
    const Tensor q = p.div(empty_like(p).exponential_(1, std::move(generator)));
    return num_samples == 1 ? q.argmax(-1, true) : std::get<1>(topk(q, num_samples, -1));
  }
  Tensor y = empty(size, p.options().dtype(kLong));
  const GeneratorPtr g = detail::generator_for(y.device(), generator);
  TAPER_ON_DEVICE(y, multinomial_replace, y, p, g);
  return y;
}

Tensor Tensor::multinomial(int64_t num_samples, bool replacement, MaybeGenerator generator) const {
  return taper::multinomial(*this, num_samples, replacement, std::move(generator));
}

// ---------------------------------------------------------------- out forms
Tensor& rand_out(Tensor& out, IntArrayRef size, optional<Generator> generator) {
  if (at_door<"rand_out">(out, size, generator)) return out;
  return sized_out("rand", out, size).uniform_(0, 1, std::move(generator));
}
Tensor& randn_out(Tensor& out, IntArrayRef size, optional<Generator> generator) {
  if (at_door<"randn_out">(out, size, generator)) return out;
  return sized_out("randn", out, size).normal_(0, 1, std::move(generator));
}
Tensor& randint_out(Tensor& out, int64_t high, IntArrayRef size) {
  if (at_door<"randint_out">(out, high, size)) return out;
  return randint_out(out, 0, high, size);
}
Tensor& randint_out(Tensor& out, int64_t low, int64_t high, IntArrayRef size) {
  if (at_door<"randint_out">(out, low, high, size)) return out;
  return sized_out("randint", out, size).random_(low, high);
}
Tensor& randperm_out(Tensor& out, int64_t n, optional<Generator> generator) {
  if (at_door<"randperm_out">(out, n, generator)) return out;
  return store_out("randperm", out, randperm(n, std::move(generator), options_of_out(out)), {});
}
TAPER_OUT(bernoulli, (out, self, generator), bernoulli(self, std::move(generator)), (self),
          const Tensor& self, optional<Generator> generator)
TAPER_OUT(multinomial, (out, self, num_samples, replacement, generator),
          multinomial(self, num_samples, replacement, std::move(generator)), (self),
          const Tensor& self, int64_t num_samples, bool replacement, optional<Generator> generator)

}  // namespace torch::taper
