#include "harness/check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/grad_mode.h>
#include <taper/framework/runtime/runtime.h>

namespace taper::testing {
namespace {

using taper::detail::concat;

struct Tolerance {
  double rtol;
  double atol;
};

Tolerance tolerance_of(ScalarType t) {
  switch (t) {
    case kDouble:
      return {1e-9, 1e-10};
    case kFloat:
      return {4e-6, 1e-6};
    case kHalf:
      return {2e-3, 1e-3};
    case kBFloat16:
      return {1.6e-2, 1e-2};
    default:
      return {0, 0};
  }
}

Array read(const Tensor& t) { return to_array(t.detach().cpu()); }

ArrayArgs read(const Args& a) {
  ArrayArgs r{{}, a.i, a.d};
  for (const Tensor& t : a.t) r.t.push_back(read(t));
  return r;
}

std::string describe(const Args& a) {
  std::string text;
  for (const Tensor& t : a.t)
    text += concat(text.empty() ? "" : ", ", t.scalar_type(), t.sizes(), " strides ", t.strides());
  if (!a.i.empty()) text += concat("; ints ", IntArrayRef(a.i));
  if (!a.d.empty()) text += concat("; numbers ", ArrayRef<double>(a.d));
  return text;
}

/// Collects failures of one sample; at most a few, so that a broken op stays readable.
class Log {
 public:
  explicit Log(Failures& list) : list_(list) {}
  void context(std::string text) { context_ = std::move(text); }
  template <class... Parts>
  void add(const Parts&... parts) {
    if (list_.size() < 8) list_.push_back(concat(parts..., "  [", context_, "]"));
  }
  void compare(const char* what, const Array& got, const Array& want, Tolerance tol) {
    const std::string d = difference(got, want, tol.rtol, tol.atol);
    if (!d.empty()) add(what, ": ", d);
  }
  /// Runs `body`; an exception is a failure.
  template <class Body>
  void guarded(const Body& body) {
    try {
      body();
    } catch (const std::exception& e) {
      add("threw: ", e.what());
    }
  }

 private:
  Failures& list_;
  std::string context_;
};

Tolerance scaled(Tolerance t, double factor) { return {t.rtol * factor, t.atol * factor}; }

Args copy(const Args& a) {
  Args r = a;
  for (Tensor& t : r.t) t = to_tensor(to_array(t), t.scalar_type());
  return r;
}

// ---------------------------------------------------------------------- value

void compare_results(const OpCase& c, ScalarType dtype, const Results& got, const Arrays& want,
                     const char* what, Log& log) {
  if (got.size() != want.size())
    return log.add(what, ": expected ", want.size(), " results, got ", got.size());
  for (size_t k = 0; k < got.size(); ++k) {
    const ScalarType wide = isFloatingType(got[k].scalar_type()) ? got[k].scalar_type() : dtype;
    const bool exact = !isFloatingType(got[k].scalar_type());
    const Tolerance tol = exact ? Tolerance{0, 0} : scaled(tolerance_of(wide), c.tolerance);
    log.compare(what, read(got[k]), want[k], tol);
  }
}

void check_out_form(const OpCase& c, const Args& args, const Results& plain, Log& log) {
  const Array want = read(plain[0]);
  Tensor fresh = to_tensor(Array(want.sizes, 77), plain[0].scalar_type());
  const Tensor returned = c.out(fresh, args);
  if (!returned.is_same(fresh)) log.add("out form: expected the given tensor as result");
  log.compare("out form", read(fresh), want, {0, 0});
}

void check_inplace_form(const OpCase& c, const Args& args, const Results& plain, Log& log) {
  Args own = copy(args);
  const auto version = own.t[0]._version();
  const Tensor returned = c.inplace(own);
  if (!returned.is_same(own.t[0])) log.add("in-place form: expected the given tensor as result");
  if (own.t[0]._version() == version) log.add("in-place form: expected a new version");
  log.compare("in-place form", read(own.t[0]), read(plain[0]), {0, 0});
}

void check_value_of(const OpCase& c, ScalarType dtype, const Args& args, Log& log) {
  const Results got = c.call(args);
  const ScalarType want_dtype = c.result_dtype ? c.result_dtype(dtype) : dtype;
  if (got.empty()) return log.add("expected a result");
  if (got[0].scalar_type() != want_dtype)
    log.add("expected a result of dtype ", want_dtype, ", got ", got[0].scalar_type());
  compare_results(c, dtype, got, c.reference(read(args)), "value", log);
  if (c.out) check_out_form(c, args, got, log);
  const bool fits = got[0].sizes() == args.t[0].sizes() && want_dtype == dtype;
  if (c.inplace && fits) check_inplace_form(c, args, got, log);
}

}  // namespace

std::string difference(const Array& got, const Array& want, double rtol, double atol) {
  if (got.sizes != want.sizes)
    return concat("expected sizes ", IntArrayRef(want.sizes), ", got ", IntArrayRef(got.sizes));
  for (int64_t i = 0; i < want.numel(); ++i) {
    const double g = got.v[i], w = want.v[i];
    const bool same = g == w || (std::isnan(g) && std::isnan(w));
    // Not `err > tol`: that lets a NaN pass.
    if (!same && !(std::abs(g - w) <= atol + rtol * std::abs(w)))
      return concat("expected ", w, " at element ", i, " of ", IntArrayRef(want.sizes), ", got ",
                    g);
    if (!same && std::isinf(w)) return concat("expected ", w, " at element ", i, ", got ", g);
  }
  return "";
}

Failures check_value(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (ScalarType dtype : c.dtypes)
    for (const Args& args : c.samples(dtype)) {
      log.context(describe(args));
      log.guarded([&] { check_value_of(c, dtype, args, log); });
    }
  return failures;
}

// ---------------------------------------------------------------------- device

std::vector<Device> other_devices(std::vector<std::string>* skipped) {
  std::vector<Device> devices;
  if (cuda::is_available())
    devices.push_back(Device(kCUDA, 0));
  else if (skipped)
    skipped->push_back("cuda");
  return devices;
}

Failures check_device(const OpCase& c, std::vector<std::string>* skipped) {
  Failures failures;
  Log log(failures);
  for (Device device : other_devices(skipped))
    for (ScalarType dtype : c.dtypes)
      for (const Args& args : c.samples(dtype)) {
        log.context(describe(args) + " on " + device.str());
        log.guarded([&] {
          Args moved = args;
          for (Tensor& t : moved.t) t = t.to(device);
          const Results got = c.call(moved), want = c.call(args);
          Arrays arrays;
          for (const Tensor& w : want) arrays.push_back(read(w));
          compare_results(c, dtype, got, arrays, "device", log);
        });
      }
  return failures;
}

// ---------------------------------------------------------------------- gradient
namespace {

constexpr double kStep = 1e-5;
constexpr Tolerance kGradientTolerance{2e-5, 1e-6};

bool wants_gradient(const OpCase& c, const Args& args, size_t input) {
  for (size_t without : c.inputs_without_gradient)
    if (without == input) return false;
  return args.t[input].is_floating_point();
}

/// A function of tensors of float64 whose gradients are compared.
using Function = std::function<Results(const std::vector<Tensor>&)>;

std::vector<Tensor> cotangents_for(const Results& results, Random& random) {
  std::vector<Tensor> list;
  for (const Tensor& r : results) {
    Array a(r.sizes().vec());
    for (double& v : a.v) v = random.uniform(0.5, 2) * (random.bits() % 2 ? 1 : -1);
    list.push_back(to_tensor(a, kDouble));
  }
  return list;
}

/// Only what depends on the inputs.
Results differentiable_of(const Results& results) {
  Results kept;
  for (const Tensor& r : results)
    if (r.defined() && r.is_floating_point() && r.requires_grad()) kept.push_back(r);
  return kept;
}

/// sum(results * cotangents), computed here.
double loss_of(const Results& results, const std::vector<Tensor>& cotangents) {
  double sum = 0;
  for (size_t k = 0; k < results.size(); ++k) {
    const Array r = read(results[k]), g = read(cotangents[k]);
    for (int64_t i = 0; i < r.numel(); ++i) sum += r.v[i] * g.v[i];
  }
  return sum;
}

std::vector<Tensor> leaves_of(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : inputs)
    leaves.push_back(to_tensor(to_array(x.detach()), kDouble).requires_grad_());
  return leaves;
}

Array grad_of(const Tensor& leaf) {
  return leaf.grad().defined() ? read(leaf.grad()) : Array(leaf.sizes().vec());
}

void run_backward(const Results& results, const std::vector<Tensor>& cotangents, bool retain) {
  for (size_t k = 0; k < results.size(); ++k)
    results[k].backward(cotangents[k], retain || k + 1 < results.size());
}

/// Elements to vary one by one: all of few, else some, with the first and the last among them.
std::vector<int64_t> elements_to_vary(int64_t numel, Random& random) {
  std::vector<int64_t> list;
  if (numel <= 40) {
    for (int64_t i = 0; i < numel; ++i) list.push_back(i);
    return list;
  }
  list = {0, numel - 1};
  for (int i = 0; i < 20; ++i) list.push_back(random.integer(0, numel));
  return list;
}

double difference_quotient(const std::function<double()>& loss, const Tensor& x, int64_t element) {
  const double before = get_element(x, element);
  set_element(x, element, before + kStep);
  const double above = loss();
  set_element(x, element, before - kStep);
  const double below = loss();
  set_element(x, element, before);
  return (above - below) / (2 * kStep);
}

bool close(double got, double want, Tolerance tol) {
  return std::abs(got - want) <= tol.atol + tol.rtol * std::abs(want);
}

/// First derivatives of `f` at `inputs` against difference quotients, and accumulation.
void check_first(const Function& f, const std::vector<Tensor>& inputs, const char* what,
                 double factor, Log& log) {
  Random random(7);
  const std::vector<Tensor> leaves = leaves_of(inputs);
  const Results results = differentiable_of(f(leaves));
  if (results.empty()) return log.add(what, ": no result requires a gradient");
  const std::vector<Tensor> cotangents = cotangents_for(results, random);
  run_backward(results, cotangents, true);
  const auto loss = [&] {
    NoGradGuard no_grad;
    const Results all = f(leaves);
    Results kept;
    for (const Tensor& r : all)
      if (r.defined() && r.is_floating_point()) kept.push_back(r);
    return loss_of(kept, cotangents);
  };
  std::vector<Array> first;
  for (size_t j = 0; j < leaves.size(); ++j) {
    first.push_back(grad_of(leaves[j]));
    if (first[j].sizes != leaves[j].sizes().vec())
      return log.add(what, " ", j, ": expected a gradient of sizes ", leaves[j].sizes(), ", got ",
                     IntArrayRef(first[j].sizes));
    const Tolerance tol = scaled(kGradientTolerance, factor);
    for (int64_t i : elements_to_vary(leaves[j].numel(), random)) {
      const double want = difference_quotient(loss, leaves[j], i);
      if (!close(first[j].v[i], want, tol))
        log.add(what, " of input ", j, " element ", i, ": expected ", want, ", got ",
                first[j].v[i]);
    }
  }
  run_backward(results, cotangents, false);
  for (size_t j = 0; j < leaves.size(); ++j) {
    Array twice = first[j];
    for (double& v : twice.v) v *= 2;
    log.compare("a second backward must double the gradient", grad_of(leaves[j]), twice,
                {1e-12, 0});
  }
}

/// The gradients of `f` as a function of its inputs and the cotangents (appended).
Function gradient_function(const Function& f, size_t num_inputs) {
  return [f, num_inputs](const std::vector<Tensor>& all) {
    const bool record = GradMode::is_enabled();
    AutoGradMode enable(true);
    std::vector<Tensor> x(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(num_inputs));
    for (Tensor& t : x)
      if (!t.requires_grad()) t = t.detach().requires_grad_();
    const Results results = differentiable_of(f(x));
    const std::vector<Tensor> cotangents(all.begin() + static_cast<std::ptrdiff_t>(num_inputs),
                                         all.end());
    return Results(autograd::grad(results, x, cotangents, true, record, true));
  };
}

void check_second(const OpCase& c, const Function& f, const std::vector<Tensor>& inputs, Log& log) {
  Random random(11);
  const Results results = differentiable_of(f(leaves_of(inputs)));
  std::vector<Tensor> all = inputs;
  for (const Tensor& g : cotangents_for(results, random)) all.push_back(g);
  const Function g = gradient_function(f, inputs.size());
  // A derivative that is linear and does not depend on the inputs still depends on the cotangents.
  check_first(
      [&](const std::vector<Tensor>& x) {
        Results out;
        for (const Tensor& t : g(x))
          if (t.defined()) out.push_back(t);
        return out;
      },
      all, "second derivative", 10 * c.tolerance, log);
}

void check_gradient_of(const OpCase& c, const Args& args, Log& log) {
  std::vector<size_t> which;
  std::vector<Tensor> inputs;
  for (size_t j = 0; j < args.t.size(); ++j)
    if (wants_gradient(c, args, j)) {
      which.push_back(j);
      inputs.push_back(args.t[j]);
    }
  const auto form = [&](const std::function<Results(const Args&)>& call) {
    return [&, call](const std::vector<Tensor>& x) {
      Args own = args;
      for (size_t k = 0; k < which.size(); ++k) own.t[which[k]] = x[k];
      return call(own);
    };
  };
  const Function f = form(c.call);
  check_first(f, inputs, "gradient", c.tolerance, log);
  if (c.inplace && c.call(args)[0].sizes() == args.t[0].sizes())
    check_first(form([&](const Args& a) {
                  Args own = a;
                  own.t[0] = a.t[0].clone();
                  return Results(c.inplace(own));
                }),
                inputs, "gradient of the in-place form", c.tolerance, log);
  if (c.twice_differentiable) check_second(c, f, inputs, log);
}

bool is_small(const Args& args) {
  int64_t numel = 0;
  for (const Tensor& t : args.t) numel += t.numel();
  return numel <= 300;
}

std::vector<Args> gradient_samples(const OpCase& c) {
  std::vector<Args> kept;
  for (const Args& a : c.gradient_samples ? c.gradient_samples() : c.samples(kDouble))
    if (is_small(a)) kept.push_back(a);
  return kept;
}

}  // namespace

Failures check_gradient(const OpCase& c) {
  Failures failures;
  if (!c.differentiable) return failures;
  Log log(failures);
  const std::vector<Args> samples = gradient_samples(c);
  if (samples.empty()) log.add("expected a sample of at most 300 values for the gradient");
  for (const Args& args : samples) {
    log.context(describe(args));
    log.guarded([&] { check_gradient_of(c, args, log); });
  }
  return failures;
}

// ---------------------------------------------------------------------- views and state
namespace {

/// A tensor of the same values whose memory is laid out in another way.
using Layout = Tensor (*)(const Tensor&);

Tensor transposed(const Tensor& t) {
  const std::vector<int64_t> sizes = t.sizes().vec();
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  Tensor r = detail::make_tensor({t.numel()}, t.scalar_type(), Device()).as_strided(sizes, strides);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(r, i, get_element(t, i));
  return r;
}

/// Every second element of a buffer, from an odd offset; the gaps hold a value that would show.
Tensor offset_and_spread(const Tensor& t) {
  const int64_t offset = 3;
  const double filler = t.scalar_type() == kBool ? 1 : 99;
  Tensor buffer = to_tensor(Array({2 * t.numel() + 8}, filler), t.scalar_type());
  Dims strides;
  contiguous_strides(Dims(t.sizes()), strides);
  for (int64_t& s : strides) s *= 2;
  Tensor r = buffer.as_strided(t.sizes(), strides, offset);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(r, i, get_element(t, i));
  return r;
}

/// Dimensions along which all values are equal get stride 0.
Tensor expanded(const Tensor& t) {
  const Array a = to_array(t);
  Array narrow = a;
  Dims strides;
  contiguous_strides(Dims(t.sizes()), strides);
  Tensor r = to_tensor(a, t.scalar_type());
  for (int64_t d = 0; d < t.dim(); ++d) {
    bool equal = true;
    for_each_index(a.sizes, [&](const std::vector<int64_t>& index) {
      std::vector<int64_t> first = index;
      first[d] = 0;
      equal = equal && a.at(index) == a.at(first);
    });
    if (equal) strides[d] = 0;
  }
  return r.as_strided(t.sizes(), strides);
}

constexpr std::pair<const char*, Layout> kLayouts[] = {{"transposed input", transposed},
                                                       {"offset input", offset_and_spread},
                                                       {"expanded input", expanded}};

std::vector<unsigned char> bytes_of(const Tensor& t) {
  const auto* p = static_cast<const unsigned char*>(t.storage().data());
  return {p, p + t.storage().nbytes()};
}

void check_layout(const OpCase& c, ScalarType dtype, const Args& args, const Arrays& want,
                  const char* name, Layout layout, Log& log) {
  Args other = args;
  for (Tensor& t : other.t) t = layout(t);
  std::vector<std::vector<unsigned char>> before;
  std::vector<int64_t> versions;
  for (const Tensor& t : other.t) {
    before.push_back(bytes_of(t));
    versions.push_back(t._version());
  }
  compare_results(c, dtype, c.call(other), want, name, log);
  for (size_t j = 0; j < other.t.size(); ++j)
    if (bytes_of(other.t[j]) != before[j] || other.t[j]._version() != versions[j])
      log.add(name, ": the call changed input ", j);
}

void check_history(const OpCase& c, const Args& args, Log& log) {
  Args leaves = copy(args);
  for (size_t j = 0; j < leaves.t.size(); ++j)
    if (wants_gradient(c, leaves, j)) leaves.t[j].set_requires_grad(true);
  for (const Tensor& r : c.call(leaves)) {
    if (!c.differentiable && r.requires_grad()) log.add("expected a result without history");
    if (r.requires_grad() && !r.grad_fn()) log.add("expected a grad_fn");
  }
  if (c.differentiable && differentiable_of(c.call(leaves)).empty())
    log.add("expected a result with history");
  NoGradGuard no_grad;
  // A view made under no_grad still says that its base requires a gradient.
  for (const Tensor& r : c.call(leaves))
    if (!c.is_view && (r.requires_grad() || r.grad_fn()))
      log.add("expected no history under no_grad");
}

/// The gradient must not depend on how the inputs and the cotangents lie in memory.
void check_gradient_layouts(const OpCase& c, const Args& args, Log& log) {
  const auto gradients = [&](Layout of_inputs, Layout of_cotangents) {
    Random random(3);
    Args leaves = copy(args);
    std::vector<Tensor> wanted;
    for (size_t j = 0; j < leaves.t.size(); ++j) {
      if (of_inputs) leaves.t[j] = of_inputs(leaves.t[j]).detach();
      if (wants_gradient(c, leaves, j)) wanted.push_back(leaves.t[j].requires_grad_());
    }
    const Results results = differentiable_of(c.call(leaves));
    std::vector<Tensor> cotangents = cotangents_for(results, random);
    for (Tensor& g : cotangents) {
      // Equal values along a dimension, so that it can be expanded.
      if (g.dim() > 0) g = to_tensor(Array(g.sizes().vec(), random.uniform(0.5, 2)), kDouble);
      if (of_cotangents) g = of_cotangents(g);
    }
    run_backward(results, cotangents, false);
    std::vector<Array> list;
    for (const Tensor& x : wanted) list.push_back(grad_of(x));
    return list;
  };
  const std::vector<Array> want = gradients(nullptr, nullptr);
  for (const auto& [name, layout] : kLayouts)
    for (int side = 0; side < 2; ++side) {
      const std::vector<Array> got =
          side == 0 ? gradients(layout, nullptr) : gradients(nullptr, layout);
      for (size_t j = 0; j < want.size(); ++j)
        log.compare(side == 0 ? name : "strided cotangent", got[j], want[j], {1e-10, 1e-12});
    }
}

}  // namespace

Failures check_views_and_state(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (ScalarType dtype : c.dtypes)
    for (const Args& args : c.samples(dtype)) {
      log.context(describe(args));
      log.guarded([&] {
        const Arrays want = c.reference(read(args));
        for (const auto& [name, layout] : kLayouts)
          check_layout(c, dtype, args, want, name, layout, log);
      });
    }
  const bool has_double = std::find(c.dtypes.begin(), c.dtypes.end(), kDouble) != c.dtypes.end();
  for (const Args& args : c.samples(has_double ? kDouble : c.dtypes[0])) {
    if (!is_small(args)) continue;
    log.context(describe(args));
    log.guarded([&] { check_history(c, args, log); });
    if (c.differentiable) log.guarded([&] { check_gradient_layouts(c, args, log); });
  }
  return failures;
}

// ---------------------------------------------------------------------- errors

Failures check_errors(const OpCase& c) {
  Failures failures;
  Log log(failures);
  for (const ErrorCase& e : c.errors) {
    log.context(e.what);
    try {
      e.run();
      log.add("expected an error, got none");
    } catch (const std::exception& got) {
      if (!e.is_type(got)) log.add("expected an error of type ", e.type, ", got ", got.what());
      if (!std::strstr(got.what(), e.what.c_str())) log.add("got the words: ", got.what());
    }
  }
  return failures;
}

}  // namespace taper::testing
