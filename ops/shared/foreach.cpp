#include <taper/ops/shared/foreach.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <string_view>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_norm.h>
#include <taper/ops/shared/amp.h>
#include <taper/ops/shared/foreach_kernels.h>
#include <taper/ops/shared/foreach_norm.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/promote.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/copy.h>

namespace torch::taper::detail {
namespace {

/// The operands of one tensor's op beside it.
struct Given {
  const Tensor* a = nullptr;
  const Tensor* b = nullptr;
  const Scalar* n = nullptr;
  Scalar factor() const { return n ? *n : Scalar(1); }
};

struct ForeachOp {
  std::string_view name;
  ForeachFormula formula;
  bool floats;  // integers become floats
  Tensor (*make)(const Tensor& x, const Given& g);
  void (*change)(const Tensor& x, const Given& g);
};

// Ops of one tensor, of two tensors or one and a number, and of three tensors and a number.
#define TAPER_UNARY(op, floats)                                                           \
  {#op, ForeachFormula::op, floats, [](const Tensor& x, const Given&) { return x.op(); }, \
   [](const Tensor& x, const Given&) { x.op##_(); }},
#define TAPER_FACTOR(op, floats)                                                              \
  {#op, ForeachFormula::op, floats,                                                           \
   [](const Tensor& x, const Given& g) { return g.a ? x.op(*g.a, g.factor()) : x.op(*g.n); }, \
   [](const Tensor& x, const Given& g) { g.a ? x.op##_(*g.a, g.factor()) : x.op##_(*g.n); }},
#define TAPER_BINARY(name, op, floats)                                            \
  {#name, ForeachFormula::name, floats,                                           \
   [](const Tensor& x, const Given& g) { return g.a ? x.op(*g.a) : x.op(*g.n); }, \
   [](const Tensor& x, const Given& g) { g.a ? x.op##_(*g.a) : x.op##_(*g.n); }},
#define TAPER_TERNARY(op, floats)                                                \
  {#op, ForeachFormula::op, floats,                                              \
   [](const Tensor& x, const Given& g) { return x.op(*g.a, *g.b, g.factor()); }, \
   [](const Tensor& x, const Given& g) { x.op##_(*g.a, *g.b, g.factor()); }},

constexpr ForeachOp kOps[] = {
    TAPER_UNARY(abs, false) TAPER_UNARY(ceil, false) TAPER_UNARY(floor, false) TAPER_UNARY(
        frac, false) TAPER_UNARY(neg, false) TAPER_UNARY(round, false) TAPER_UNARY(sign, false)
        TAPER_UNARY(trunc, false) TAPER_UNARY(acos, true) TAPER_UNARY(asin, true) TAPER_UNARY(
            atan, true) TAPER_UNARY(cos, true) TAPER_UNARY(cosh, true) TAPER_UNARY(erf, true)
            TAPER_UNARY(erfc, true) TAPER_UNARY(exp, true) TAPER_UNARY(expm1, true) TAPER_UNARY(
                lgamma, true) TAPER_UNARY(log, true) TAPER_UNARY(log10, true)
                TAPER_UNARY(log1p, true) TAPER_UNARY(log2, true) TAPER_UNARY(reciprocal, true)
                    TAPER_UNARY(rsqrt, true) TAPER_UNARY(sigmoid, true) TAPER_UNARY(sin, true)
                        TAPER_UNARY(sinh, true) TAPER_UNARY(sqrt, true) TAPER_UNARY(tan, true)
                            TAPER_UNARY(tanh, true) TAPER_FACTOR(add, false)
                                TAPER_FACTOR(sub, false) TAPER_BINARY(mul, mul, false) TAPER_BINARY(
                                    div, div, true) TAPER_BINARY(maximum, clamp_min, false)
                                    TAPER_BINARY(minimum, clamp_max, false) TAPER_BINARY(
                                        pow, pow, false) TAPER_TERNARY(addcmul, false)
                                        TAPER_TERNARY(addcdiv, false){
                                            "lerp", ForeachFormula::lerp, false,
                                            [](const Tensor& x, const Given& g) {
                                              return g.b ? x.lerp(*g.a, *g.b) : x.lerp(*g.a, *g.n);
                                            },
                                            [](const Tensor& x, const Given& g) {
                                              g.b ? x.lerp_(*g.a, *g.b) : x.lerp_(*g.a, *g.n);
                                            }},
    {"copy", ForeachFormula::copy, false,
     [](const Tensor& x, const Given& g) { return taper::copy(x, *g.a); },
     [](const Tensor& x, const Given& g) { x.copy_(*g.a, g.n && g.n->to<bool>()); }},
};

const ForeachOp& find_op(std::string_view name) {
  for (const ForeachOp& op : kOps)
    if (op.name == name) return op;
  TAPER_CHECK(false, "_foreach_", name, ": expected the name of an op of lists");
  return kOps[0];
}

/// Returns the op's name in messages.
std::string function_name(const ForeachOp& op) { return concat("_foreach_", op.name); }

/// One call: the op and the operands of each tensor.
class ForeachCall {
 public:
  ForeachCall(const char* name, TensorList self, const ForeachOperands& with)
      : op(find_op(name)), name_(function_name(op)), self_(self), with_(with) {
    TAPER_CHECK(!self.empty(), name_, ": Tensor list must have at least one tensor.");
    for (const TensorList* list : {with.first, with.second})
      TAPER_CHECK(!list || list->size() == self.size(), name_,
                  ": Tensor lists must have the same number of tensors, got ", self.size(), " and ",
                  list ? list->size() : 0);
    TAPER_CHECK(!with.numbers || with.numbers->size() == self.size(), name_,
                ": Tensor list must have same number of elements as scalar list, got ", self.size(),
                " and ", with.numbers ? with.numbers->size() : 0);
    TAPER_CHECK(!with.number_tensor || with.number_tensor->dim() == 0, name_,
                ": scalar tensor expected to be 0 dim but it has ",
                with.number_tensor ? with.number_tensor->dim() : 0, " dimensions");
    for (size_t i = 0; i < self.size(); ++i) check_operands(i);
  }
  Given given(size_t i) const {
    Given g;
    if (with_.first) g.a = &(*with_.first)[i];
    if (with_.second) g.b = &(*with_.second)[i];
    g.n = with_.numbers ? &(*with_.numbers)[i] : with_.number;
    if (with_.number_tensor) g.a = with_.number_tensor;
    return g;
  }
  /// Throws unless the op may change the tensor.
  void check_change(size_t i) const {
    const Tensor& x = self_[i];
    const Given g = given(i);
    static const Tensor none;
    const Tensor &a = g.a ? *g.a : none, &b = g.b ? *g.b : none;
    autograd::check_inplace(name_.c_str(), x, {a, b});
    Dims shape = x.impl().sizes;
    for (const Tensor* t : {g.a, g.b})
      if (t) shape = broadcast_shapes(name_.c_str(), shape, t->sizes());
    check_result_shape(name_.c_str(), x, shape);
    if (op.formula != ForeachFormula::copy)
      check_result_cast(name_.c_str(), result_dtype(x, g), x.scalar_type());
  }
  const Tensor* shared_number() const { return with_.number_tensor; }

  const ForeachOp& op;

 private:
  void check_operands(size_t i) const {
    const Given g = given(i);
    check_defined(name_.c_str(), self_[i], "self");
    for (const Tensor* t : {g.a, g.b}) {
      if (!t) continue;
      check_defined(name_.c_str(), *t, "other");
      if (op.formula != ForeachFormula::copy && !(t->is_cpu() && t->dim() == 0))
        check_same_device(name_.c_str(), self_[i], *t);
    }
  }
  ScalarType result_dtype(const Tensor& x, const Given& g) const {
    ScalarType dtype = x.scalar_type();
    if (g.a && g.b)
      dtype = promoted_dtype({x, *g.a, *g.b});
    else if (g.a)
      dtype = promoted_dtype(x, *g.a);
    else if (g.n)
      dtype = promoted_dtype(x, *g.n);
    return op.floats && isIntegralType(dtype, /*includeBool=*/true) ? default_dtype() : dtype;
  }

  std::string name_;
  TensorList self_;
  const ForeachOperands& with_;
};

using Launcher = std::function<void(const Tensor&, const TensorLists&, NoNumbers)>;

/// The launches of a call, for the tensors that list kernels take.
class Launches {
 public:
  explicit Launches(const ForeachCall& call)
      : call_(call), gathered_(kReads, launcher(), /*numbered=*/!call.shared_number()) {}

  static bool take(const Tensor& x, const Given& g) {
    for (const Tensor* t : {g.a, g.b})
      if (t && needs_grad(*t)) return false;
    return lists_take(x) && !(g.n && g.n->isComplex());
  }
  /// Adds y = op(x, ...). If all share a number in a tensor, that tensor is the operand.
  void add(const Tensor& y, const Tensor& x, const Given& g) {
    static const Tensor none;
    const bool shared = call_.shared_number();
    const double number = g.n ? g.n->toDouble() : 1;
    uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    gathered_.add({}, {&y, &x, g.a && !shared ? g.a : &none, g.b ? g.b : &none}, bits);
  }
  void finish() { gathered_.launch(); }

 private:
  static constexpr unsigned kReads = 0b1110;
  Launcher launcher() {
    return
        [this](const Tensor& where, const TensorLists& lists, NoNumbers) { launch(where, lists); };
  }
  void launch(const Tensor& where, const TensorLists& lists) {
    Tensor number;
    if (call_.shared_number()) number = call_.shared_number()->to(where.device(), kDouble);
    TAPER_ON_DEVICE(where, foreach_pointwise, lists, call_.op.formula, number);
  }

  const ForeachCall& call_;
  GatheredLaunches<NoNumbers, Launcher> gathered_;
};

/// Tests whether list kernels take the tensor with these operands, which must have its sizes and
/// dtype.
bool fits(const Tensor& x, const Given& g, const Tensor* shared) {
  if (!Launches::take(x, g)) return false;
  if (shared) return shared->dim() == 0 && isFloatingType(shared->scalar_type()) && !g.n;
  for (const Tensor* t : {g.a, g.b})
    if (t && !(t->device() == x.device() && t->scalar_type() == x.scalar_type() &&
               t->is_contiguous() && t->impl().sizes == x.impl().sizes))
      return false;
  return true;
}

}  // namespace

// Modes see the op of each tensor.
bool lists_take(const Tensor& x) {
  const ScalarType t = x.scalar_type();
  const bool computed = t == kFloat || t == kDouble || t == kHalf || t == kBFloat16;
  return computed && !x.device().is_cpu() && x.is_contiguous() && !needs_grad(x) && !has_modes();
}

std::vector<Tensor> foreach_make(const char* op, TensorList self, const ForeachOperands& with) {
  const AutocastOff as_given;
  const ForeachCall call(op, self, with);
  Launches launches(call);
  std::vector<Tensor> made;
  made.reserve(self.size());
  for (size_t i = 0; i < self.size(); ++i) {
    const Given g = call.given(i);
    if (!fits(self[i], g, call.shared_number())) {
      made.push_back(call.op.make(self[i], g));
      continue;
    }
    made.push_back(make_like(self[i]));
    launches.add(made.back(), self[i], g);
  }
  launches.finish();
  return made;
}

void foreach_change(const char* op, TensorList self, const ForeachOperands& with) {
  const AutocastOff as_given;
  const ForeachCall call(op, self, with);
  for (size_t i = 0; i < self.size(); ++i) call.check_change(i);
  Launches launches(call);
  for (size_t i = 0; i < self.size(); ++i) {
    const Given g = call.given(i);
    if (!fits(self[i], g, call.shared_number())) {
      call.op.change(self[i], g);
      continue;
    }
    launches.add(self[i], self[i], g);
    autograd::mark_changed(self[i]);
  }
  launches.finish();
}

std::vector<Scalar> foreach_numbers(const char* op, const Tensor& numbers, size_t count) {
  check_defined(op, numbers, "scalars");
  TAPER_CHECK(numbers.is_cpu(), op, ": Expected scalars to be on CPU, got ", numbers.device(),
              " instead.");
  TAPER_CHECK(numbers.dim() == 1, op, ": Expected packed scalar Tensor to be of dimension 1. Got ",
              numbers.dim(), " instead.");
  TAPER_CHECK(numbers.numel() == static_cast<int64_t>(count), op,
              ": Expected length of scalars to match input of length ", count, " but got ",
              numbers.numel(), " instead.");
  std::vector<Scalar> all;
  for (int64_t i = 0; i < numbers.numel(); ++i) all.push_back(numbers.select(0, i).item());
  return all;
}

namespace {

/// Applies in-place changes by list kernels: launch(where, lists) for dense tensors on devices.
/// one(tensor) runs for tensors that are not dense or have a history, and for CPU tensors unless
/// the CPU shares launches.
template <class Launch, class One>
void change_all(const char* op, TensorList self, bool cpu_shares, const Launch& launch,
                const One& one) {
  for (const Tensor& t : self) {
    check_defined(op, t, "self");
    autograd::check_inplace(op, t);
  }
  const auto launch_lists = [&](const Tensor& where, const TensorLists& lists, NoNumbers) {
    launch(where, lists);
  };
  GatheredLaunches<NoNumbers, decltype(launch_lists)> gathered(0, launch_lists);
  for (const Tensor& t : self) {
    if ((t.device().is_cpu() && !cpu_shares) || !t.is_contiguous() || needs_grad(t)) {
      one(t);
      continue;
    }
    gathered.add({}, {&t});
    autograd::mark_changed(t);
  }
  gathered.launch();
}

}  // namespace

void foreach_zeros(TensorList self) {
  change_all(
      "_foreach_zero_", self, captures_host(),
      [](const Tensor& where, const TensorLists& lists) {
        TAPER_ON_DEVICE(where, foreach_zero, lists);
      },
      [](const Tensor& t) { t.zero_(); });
}

void foreach_clamp(TensorList self, double low, double high) {
  change_all(
      "clamp", self, false,
      [=](const Tensor& where, const TensorLists& lists) {
        TAPER_ON_DEVICE(where, foreach_clamp, lists, low, high);
      },
      [=](const Tensor& t) { t.clamp_(low, high); });
}

}  // namespace torch::taper::detail

// ---------------------------------------------------------------------- norms
namespace torch::taper::detail {
namespace {

/// Norms by list kernels: two launches per list compute their sums of parts.
class ListedNorms {
 public:
  ListedNorms(size_t count, double order, bool root)
      : count_(count), order_(order), root_(root), gathered_(1, launcher(), /*numbered=*/true) {}
  void add(const Tensor& x, size_t i) {
    norms_on(x.device());
    gathered_.add({}, {&x}, i);
  }
  void finish() { gathered_.launch(); }
  Tensor result(const Tensor& x, size_t i) {
    for (const Tensor& made : converted_)
      if (made.device() == x.device() && made.scalar_type() == x.scalar_type())
        return made.select(0, static_cast<int64_t>(i)).detach();
    converted_.push_back(norms_on(x.device()).to(x.scalar_type()));
    return result(x, i);
  }

 private:
  const Tensor& norms_on(Device device) {
    for (const Tensor& t : norms_)
      if (t.device() == device) return t;
    norms_.push_back(make_tensor({static_cast<int64_t>(count_)}, kDouble, device));
    norms_.back().zero_();
    return norms_.back();
  }
  Launcher launcher() {
    return
        [this](const Tensor& where, const TensorLists& lists, NoNumbers) { launch(where, lists); };
  }
  void launch(const Tensor& where, const TensorLists& lists) {
    const Tensor parts = make_tensor({lists.chunks()}, kDouble, where.device());
    TAPER_ON_DEVICE(where, foreach_norm_parts, parts, lists, order_);
    TAPER_ON_DEVICE(where, foreach_norm_join, norms_on(where.device()), parts, lists, order_,
                    root_);
  }

  size_t count_;
  double order_;
  bool root_;
  std::vector<Tensor> norms_, converted_;
  GatheredLaunches<NoNumbers, Launcher> gathered_;
};

/// Joins all parts of a device.
Tensor join(const std::vector<Tensor>& parts, bool largest) {
  const Tensor all = parts.size() == 1 ? parts[0] : stack(parts);
  return largest ? all.max() : all.sum();
}

Tensor one_norm(const Tensor& x, const Scalar& order, optional<ScalarType> dtype, bool root) {
  if (root) return linalg_vector_norm(x, order, nullopt, false, dtype);
  const Tensor values = dtype ? x.to(*dtype) : x;
  return values.abs().pow(order).sum();
}

}  // namespace

std::vector<Tensor> foreach_norms(TensorList self, const Scalar& order, optional<ScalarType> dtype,
                                  bool root) {
  const char* const name = root ? "_foreach_norm" : "_foreach_powsum";
  TAPER_CHECK(!self.empty(), name, ": Tensor list must have at least one tensor.");
  for (const Tensor& t : self) check_defined(name, t, "self");
  const double p = order.toDouble();
  const bool listed = !dtype && (p == 1 || p == 2 || (std::isinf(p) && p > 0 && root));
  ListedNorms norms(self.size(), p, root);
  const auto fits_list = [&](const Tensor& x) { return listed && x.numel() > 0 && lists_take(x); };
  for (size_t i = 0; i < self.size(); ++i)
    if (fits_list(self[i])) norms.add(self[i], i);
  norms.finish();
  std::vector<Tensor> made;
  for (size_t i = 0; i < self.size(); ++i)
    made.push_back(fits_list(self[i]) ? norms.result(self[i], i)
                                      : one_norm(self[i], order, dtype, root));
  return made;
}

Tensor norm_of_all(TensorList self, double order) {
  const bool largest = std::isinf(order);
  std::vector<Tensor> norms;
  const auto launch = [&](const Tensor& where, const TensorLists& lists, NoNumbers) {
    const Tensor parts = make_tensor({lists.chunks()}, kDouble, where.device());
    TAPER_ON_DEVICE(where, foreach_norm_parts, parts, lists, order);
    norms.push_back(join({parts}, largest).to(self[0].device()));
  };
  std::vector<Tensor> dense;  // lives until everything is launched
  GatheredLaunches<NoNumbers, decltype(launch)> gathered(1, launch);
  for (const Tensor& t : self) dense.push_back(t.contiguous());
  for (const Tensor& t : dense) gathered.add({}, {&t});
  gathered.launch();
  if (norms.empty()) return make_tensor({}, kDouble, self[0].device()).zero_();
  const Tensor all = join(norms, largest);
  return order == 2 ? all.sqrt() : all;
}

}  // namespace torch::taper::detail

// ---------------------------------------------------------------------- amp
namespace torch::taper {

namespace {

constexpr const char* kUnscale = "_amp_foreach_non_finite_check_and_unscale_";

void check_number(const char* op, const Tensor& t, const char* name, ScalarType dtype,
                  Device device) {
  check_defined(op, t, name);
  TAPER_CHECK(t.numel() == 1, op, ": ", name, " must be a 1-element tensor.");
  TAPER_CHECK(t.scalar_type() == dtype, op, ": ", name, " must be ",
              dtype == kInt ? "an int" : "a float", " tensor.");
  TAPER_CHECK(t.device() == device, op, ": expected ", name, " on ", device, ", got it on ",
              t.device());
}

void check_gradient(const Tensor& g, Device device) {
  check_defined(kUnscale, g, "tensors");
  TAPER_CHECK(g.device() == device, kUnscale,
              ": scaled_grads must be on the same device as found_inf: expected ", device, ", got ",
              g.device());
  if (!g.is_floating_point()) detail::unsupported_dtype(kUnscale, g.scalar_type());
  autograd::check_no_internal_overlap(kUnscale, g);
}

}  // namespace

void _amp_foreach_non_finite_check_and_unscale_(TensorList self, Tensor& found_inf,
                                                const Tensor& inv_scale) {
  if (at_door<"_amp_foreach_non_finite_check_and_unscale_">(self, found_inf, inv_scale)) return;
  check_defined(kUnscale, found_inf, "found_inf");
  const Device device = found_inf.device();
  check_number(kUnscale, inv_scale, "inv_scale", kFloat, device);
  check_number(kUnscale, found_inf, "found_inf", kFloat, device);
  for (const Tensor& g : self) check_gradient(g, device);
  const auto launch = [&](const Tensor& where, const TensorLists& lists, NoNumbers) {
    TAPER_ON_DEVICE(where, foreach_unscale, lists, found_inf, inv_scale);
  };
  const NoGradGuard values_only;
  GatheredLaunches<NoNumbers, decltype(launch)> gathered(0, launch);
  std::vector<Tensor> dense;  // lives until everything is launched
  for (const Tensor& g : self) dense.push_back(g.contiguous());
  for (const Tensor& g : dense) gathered.add({}, {&g});
  gathered.launch();
  for (size_t i = 0; i < dense.size(); ++i)
    if (dense[i].is_same(self[i]))
      autograd::mark_changed(self[i]);
    else
      self[i].copy_(dense[i]);
  autograd::mark_changed(found_inf);
}

Tensor& _amp_update_scale_(Tensor& self, Tensor& growth_tracker, const Tensor& found_inf,
                           double scale_growth_factor, double scale_backoff_factor,
                           int64_t growth_interval) {
  if (at_door<"_amp_update_scale_">(self, growth_tracker, found_inf, scale_growth_factor,
                                    scale_backoff_factor, growth_interval))
    return self;
  constexpr const char* op = "_amp_update_scale_";
  check_defined(op, self, "current_scale");
  const Device device = self.device();
  check_number(op, growth_tracker, "growth_tracker", kInt, device);
  check_number(op, self, "current_scale", kFloat, device);
  check_number(op, found_inf, "found_inf", kFloat, device);
  TAPER_ON_DEVICE(self, amp_update_scale, self, growth_tracker, found_inf, scale_growth_factor,
                  scale_backoff_factor, growth_interval);
  autograd::mark_changed(self);
  autograd::mark_changed(growth_tracker);
  return self;
}

}  // namespace torch::taper
