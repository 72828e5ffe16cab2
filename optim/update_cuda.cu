#include <tuple>

#include <taper/framework/cuda/map.h>
#include <taper/optim/update_rules.h>

namespace taper::cuda {
namespace {

/// Applies the rule to one element; operand 1, the gradient, is only read.
template <class T, int N, class Rule>
struct Update {
  char* base[N];
  Rule rule;
  TAPER_DEVICE void operator()(const int64_t (&at)[N]) const {
    opmath_t<T> v[N];
    for (int k = 0; k < N; ++k) v[k] = load(*reinterpret_cast<const T*>(base[k] + at[k]));
    rule(v);
    for (int k = 0; k < N; ++k)
      if (k != 1) *reinterpret_cast<T*>(base[k] + at[k]) = static_cast<T>(v[k]);
  }
};

template <class T, class Rule, class... Operands>
void update(const Rule& rule, const Operands&... operands) {
  constexpr int n = sizeof...(Operands);
  const Out& p = std::get<0>(std::tie(operands...));
  const Plan<n> plan = plan_over(p.sizes, operands...);
  Update<T, n, Rule> body{{}, rule};
  for (int k = 0; k < n; ++k) body.base[k] = plan.base[k];
  for_each_place(plan, body);
}

}  // namespace

void sgd_update(InOut p, In g, InOut buffer, optim::SgdNumbers n) {
  TAPER_SWITCH(p.dtype, "SGD", TAPER_FLOATING_DTYPES, [&] {
    using M = opmath_t<scalar_t>;
    if (buffer.defined())
      update<scalar_t>(optim::SgdRule<M, true>(n), p, g, buffer);
    else
      update<scalar_t>(optim::SgdRule<M, false>(n), p, g);
  });
}

void adam_update(InOut p, In g, InOut m, InOut v, InOut v_max, optim::AdamNumbers n) {
  TAPER_SWITCH(p.dtype, "Adam", TAPER_FLOATING_DTYPES, [&] {
    using M = opmath_t<scalar_t>;
    if (v_max.defined())
      update<scalar_t>(optim::AdamRule<M, true>(n), p, g, m, v, v_max);
    else
      update<scalar_t>(optim::AdamRule<M, false>(n), p, g, m, v);
  });
}

void adagrad_update(InOut p, In g, InOut sum, optim::AdagradNumbers n) {
  TAPER_SWITCH(p.dtype, "Adagrad", TAPER_FLOATING_DTYPES,
               [&] { update<scalar_t>(optim::AdagradRule<opmath_t<scalar_t>>(n), p, g, sum); });
}

void rmsprop_update(InOut p, In g, InOut square, InOut mean, InOut buffer,
                    optim::RmspropNumbers n) {
  using namespace optim;
  TAPER_SWITCH(p.dtype, "RMSprop", TAPER_FLOATING_DTYPES, [&] {
    using T = scalar_t;
    using M = opmath_t<T>;
    if (mean.defined() && buffer.defined())
      update<T>(RmspropRule<M, kRmspropCentered | kRmspropMomentum>(n), p, g, square, mean, buffer);
    else if (mean.defined())
      update<T>(RmspropRule<M, kRmspropCentered>(n), p, g, square, mean);
    else if (buffer.defined())
      update<T>(RmspropRule<M, kRmspropMomentum>(n), p, g, square, buffer);
    else
      update<T>(RmspropRule<M, 0>(n), p, g, square);
  });
}

}  // namespace taper::cuda
