#include <taper/framework/cuda/tensor_lists.h>
#include <taper/optim/update_rules.h>

namespace torch::taper::cuda {
namespace {

using namespace optim;

constexpr unsigned kGradient = 1 << 1;  // the operand that is only read

// Calls run(T(), rule) with the rule for a dtype and for the operands in use, for which has(k) is
// true.
template <class Has, class Run>
void with_rule(ScalarType dtype, const Has& has, const SgdNumbers& n, const Run& run) {
#if TAPER_CUDA_KERNELS != 1
  if (is_skipped(n.found_inf)) return;
#endif
  switch_dtype<dtypes::Floating>(dtype, "SGD", [&]<class scalar_t>() {
    using M = opmath_t<scalar_t>;
    if (has(2)) return run(scalar_t(), SgdRule<M, true>(n));
    run(scalar_t(), SgdRule<M, false>(n));
  });
}
template <class Has, class Run>
void with_rule(ScalarType dtype, const Has& has, const AdamNumbers& n, const Run& run) {
#if TAPER_CUDA_KERNELS != 1
  if (is_skipped(n.found_inf)) return;
#endif
  switch_dtype<dtypes::Floating>(dtype, "Adam", [&]<class scalar_t>() {
    using M = opmath_t<scalar_t>;
    if (has(4)) return run(scalar_t(), AdamRule<M, true>(n));
    run(scalar_t(), AdamRule<M, false>(n));
  });
}
template <class Has, class Run>
void with_rule(ScalarType dtype, const Has&, const AdagradNumbers& n, const Run& run) {
  switch_dtype<dtypes::Floating>(dtype, "Adagrad", [&]<class scalar_t>() {
    run(scalar_t(), AdagradRule<opmath_t<scalar_t>>(n));
  });
}
template <class Has, class Run>
void with_rule(ScalarType dtype, const Has& has, const RmspropNumbers& n, const Run& run) {
  switch_dtype<dtypes::Floating>(dtype, "RMSprop", [&]<class scalar_t>() {
    using M = opmath_t<scalar_t>;
    if (has(3) && has(4))
      return run(scalar_t(), RmspropRule<M, kRmspropCentered | kRmspropMomentum>(n));
    if (has(3)) return run(scalar_t(), RmspropRule<M, kRmspropCentered>(n));
    if (has(4)) return run(scalar_t(), RmspropRule<M, kRmspropMomentum>(n));
    run(scalar_t(), RmspropRule<M, 0>(n));
  });
}

/// Returns the rule after reading its numbers on the device.
template <class Rule>
TAPER_DEVICE Rule now(const Rule& rule) {
  if constexpr (requires { rule.now(); })
    return rule.now();
  else
    return rule;
}

/// Applies the rule to one element of operands with any strides.
template <class T, class Rule>
struct Update {
  static constexpr int N = Rule::kOperands;
  char* base[N];
  Rule rule;
  TAPER_DEVICE void operator()(const int64_t (&at)[N]) const {
    opmath_t<T> v[N];
    for (int k = 0; k < N; ++k) v[k] = load(*reinterpret_cast<const T*>(base[k] + at[k]));
    now(rule)(v);
    for (int k = 0; k < N; ++k)
      if (!(kGradient >> k & 1)) *reinterpret_cast<T*>(base[k] + at[k]) = static_cast<T>(v[k]);
  }
};

/// Plans the loop over the operands in use.
template <int N, size_t kAll>
Plan<N> plan_update(const Out& p, const taper::detail::Operand (&all)[kAll],
                    const bool (&used)[kAll]) {
  taper::detail::Operand operands[N];
  Plan<N> plan;
  for (size_t i = 0, k = 0; i < kAll; ++i) {
    if (!used[i]) continue;
    operands[k] = all[i];
    plan.base[k++] = static_cast<char*>(const_cast<void*>(all[i].data));
  }
  plan.numel = p.numel;
  plan.rank = taper::detail::make_plan(p.sizes, operands, N, plan.sizes, &plan.strides[0][0]);
  return plan;
}

template <class Numbers, class... Rest>
void update(const Numbers& n, const Out& p, const Rest&... rest) {
  const taper::detail::Operand all[] = {taper::detail::operand_of(p),
                                        taper::detail::operand_of(rest)...};
  const bool used[] = {true, rest.defined()...};
  const auto has = [&](int k) { return used[k]; };
  with_rule(p.dtype, has, n, [&](auto element, const auto& rule) {
    Update<decltype(element), std::decay_t<decltype(rule)>> body{{}, rule};
    const auto plan = plan_update<body.N>(p, all, used);
    for (int k = 0; k < body.N; ++k) body.base[k] = plan.base[k];
    for_each_place(plan, body);
  });
}

template <class Numbers>
void update_all(const TensorLists& lists, const Numbers& n) {
  const auto has = [&](int k) { return lists.uses(k); };
  with_rule(lists.dtype(), has, n, [&](auto element, const auto& rule) {
    using Rule = std::decay_t<decltype(rule)>;
    for_each_in_lists<decltype(element), Rule::kOperands, kGradient>(lists, rule);
  });
}

/// Applies Rule of the dtype. Without a scale, the gradients are only read.
template <template <class> class Rule, class Numbers>
void fused(const char* op, const TensorLists& lists, const Numbers& n) {
  switch_dtype<dtypes::Floating>(lists.dtype(), op, [&]<class scalar_t>() {
    using R = Rule<opmath_t<scalar_t>>;
    if (n.grad_scale) return for_each_in_lists<scalar_t, R::kOperands, 0>(lists, R(n));
    for_each_in_lists<scalar_t, R::kOperands, kGradient>(lists, R(n));
  });
}

struct Advance {
  double *clock, lr, beta1, beta2;
  const float* found_inf;
  TAPER_DEVICE void operator()(int64_t) const { advance(clock, lr, beta1, beta2, found_inf); }
};

}  // namespace

void adam_advance(InOut clock, double lr, double beta1, double beta2, const float* found_inf) {
  for_each(1, Advance{clock.as<double>(), lr, beta1, beta2, found_inf});
}
void sgd_update(InOut p, In g, InOut buffer, SgdNumbers n) { update(n, p, g, buffer); }
void adam_update(InOut p, In g, InOut m, InOut v, InOut v_max, AdamNumbers n) {
  update(n, p, g, m, v, v_max);
}
void adagrad_update(InOut p, In g, InOut sum, AdagradNumbers n) { update(n, p, g, sum); }
void rmsprop_update(InOut p, In g, InOut square, InOut mean, InOut buffer, RmspropNumbers n) {
  update(n, p, g, square, mean, buffer);
}

void sgd_update_all(TensorLists lists, SgdNumbers n) { update_all(lists, n); }
void adam_update_all(TensorLists lists, AdamNumbers n) { update_all(lists, n); }
void fused_adam(TensorLists lists, FusedAdamNumbers n, std::vector<In>) {
  if (lists.uses(4)) return fused<FusedAdamAmsgrad>("_fused_adam_", lists, n);
  fused<FusedAdamPlain>("_fused_adam_", lists, n);
}
void fused_sgd(TensorLists lists, FusedSgdNumbers n, std::vector<In>) {
  if (lists.uses(2)) return fused<FusedSgdMomentum>("_fused_sgd_", lists, n);
  fused<FusedSgdPlain>("_fused_sgd_", lists, n);
}
void adagrad_update_all(TensorLists lists, AdagradNumbers n) { update_all(lists, n); }
void rmsprop_update_all(TensorLists lists, RmspropNumbers n) { update_all(lists, n); }

}  // namespace torch::taper::cuda
