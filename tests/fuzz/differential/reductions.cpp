// Reductions, cumulative sums, sorts and searches.
#include "program.h"

namespace fuzz {
namespace {

struct Reduction {
  const char* name;
  Tensor (*run)(const Tensor&, at::IntArrayRef, bool);
  bool rounds;
};

#define REDUCTION(name, rounds)                                      \
  Reduction {                                                        \
#name, [](const Tensor& x, at::IntArrayRef dims,                 \
              bool keep) { return at::name(x, dims, keep); }, rounds \
  }

const std::vector<Reduction>& over_dims() {
  static const std::vector<Reduction> list{
      REDUCTION(sum, false),
      REDUCTION(sum, false),
      REDUCTION(nansum, false),
      REDUCTION(mean, true),
      REDUCTION(amax, false),
      REDUCTION(amin, false),
      REDUCTION(logsumexp, true),
      Reduction{"std",
                [](const Tensor& x, at::IntArrayRef dims, bool keep) {
                  return at::std(x, dims, true, keep);
                },
                true},
      Reduction{"var",
                [](const Tensor& x, at::IntArrayRef dims, bool keep) {
                  return at::var(x, dims, false, keep);
                },
                true},
      Reduction{"norm",
                [](const Tensor& x, at::IntArrayRef dims, bool keep) {
                  return at::norm(x, 2, dims, keep);
                },
                true},
      Reduction{"norm 1",
                [](const Tensor& x, at::IntArrayRef dims, bool keep) {
                  return at::norm(x, 1, dims, keep);
                },
                true},
      Reduction{"norm 3",
                [](const Tensor& x, at::IntArrayRef dims, bool keep) {
                  return at::norm(x, 3, dims, keep);
                },
                true},
      Reduction{"vector_norm",
                [](const Tensor& x, at::IntArrayRef dims, bool keep) {
                  return at::linalg_vector_norm(x, INFINITY, dims, keep);
                },
                true}};
  return list;
}

#undef REDUCTION

void by_dims(Program& p) {
  const Reduction& f = p.random().of(over_dims());
  const Item x = p.pick();
  Sizes dims{p.dim(x.t)};
  if (p.maybe(4)) dims.push_back(p.dim(x.t));
  const bool keep = p.maybe(3);
  p.made(f.name, f.rounds ? kInexact : sum_bits(x), [&] { return f.run(x.t, dims, keep); });
}

void of_all(Program& p) {
  const Item x = p.pick();
  switch (p.random().below(8)) {
    case 0:
      return p.made("sum all", sum_bits(x), [&] { return x.t.sum(); });
    case 1:
      return p.made("mean all", kInexact, [&] { return x.t.mean(); });
    case 2:
      return p.made("prod all", kInexact, [&] { return off_quarters(x.t).prod(); });
    case 3:
      return p.made("max all", x.bits, [&] { return x.t.max(); });
    case 4:
      return p.made("min all", x.bits, [&] { return x.t.min(); });
    case 5:
      return p.made("std all", kInexact, [&] { return x.t.std(); });
    case 6:
      return p.made("norm all", kInexact, [&] { return x.t.norm(); });
    default:
      return p.made("sum dtype", kInexact, [&] { return x.t.sum(p.dim(x.t), false, at::kDouble); });
  }
}

void flags(Program& p) {
  const Item x = p.pick(exact);
  const int64_t d = p.dim(x.t);
  const bool keep = p.maybe(3);
  switch (p.random().below(7)) {
    case 0:
      return p.made("any", 1, [&] { return x.t.any(d, keep); });
    case 1:
      return p.made("all", 1, [&] { return x.t.all(d, keep); });
    case 2:
      return p.made("any all", 1, [&] { return x.t.any(); });
    case 3:
      return p.made("all all", 1, [&] { return x.t.all(); });
    case 4:
      return p.made("count_nonzero", 5,
                    [&] { return x.t.count_nonzero(c10::optional<int64_t>(d)); });
    case 5:
      return p.made("argmax", 5, [&] { return x.t.argmax(d, keep); });
    default:
      return p.made("argmin all", 5, [&] { return x.t.argmin(); });
  }
}

Tensors both(std::tuple<Tensor, Tensor> pair) { return {std::get<0>(pair), std::get<1>(pair)}; }

// Of distinct values: which of several equal ones is named may differ.
void ordered(Program& p) {
  const std::vector<at::ScalarType> dtypes{at::kFloat, at::kDouble, at::kLong};
  Item x = p.distinct(p.shape(1, 3), p.random().of(dtypes));
  const int64_t d = p.dim(x.t),
                k = p.random().between(1, std::max<int64_t>(1, x.t.size(p.valid_dim(x.t))));
  const bool flag = p.maybe(2), keep = p.maybe(3);
  switch (p.random().below(12)) {
    case 0:
      return p.made("max", x.bits, [&] { return both(x.t.max(d, keep)); });
    case 1:
      return p.made("min", x.bits, [&] { return both(x.t.min(d, keep)); });
    case 2:
      return p.made("sort", x.bits, [&] { return both(x.t.sort(d, flag)); });
    case 3:
      return p.made("argsort", x.bits, [&] { return x.t.argsort(d, flag); });
    case 4:
      return p.made("topk", x.bits, [&] { return both(x.t.topk(k, d, flag)); });
    case 5:
      return p.made("kthvalue", x.bits, [&] { return both(x.t.kthvalue(k, d, keep)); });
    case 6:
      return p.made("median", x.bits, [&] { return both(x.t.median(d, keep)); });
    case 7:
      return p.made("median all", x.bits, [&] { return x.t.median(); });
    case 8:
      return p.made("nanmedian", x.bits, [&] { return both(x.t.nanmedian(d, keep)); });
    case 9:
      return p.made("aminmax", x.bits, [&] { return both(at::aminmax(x.t, d, keep)); });
    case 10:
      return p.made("msort", x.bits, [&] { return at::msort(x.t); });
    default:
      return p.made("quantile", kInexact, [&] { return x.t.quantile(0.3, d, keep); });
  }
}

void cumulative(Program& p) {
  const Item x = p.pick(), e = p.pick(exact);
  const int64_t d = p.dim(x.t), g = p.dim(e.t);
  switch (p.random().below(8)) {
    case 0:
    case 1:
      return p.made("cumsum", sum_bits(x), [&] { return x.t.cumsum(d); });
    case 2:
      return p.made("cumprod", kInexact, [&] { return x.t.cumprod(d); });
    case 3:
      // Of complex numbers the exponential: which branch a logarithm takes is not compared.
      return p.made("logcumsumexp", kInexact, [&] {
        const Tensor y = x.t.logcumsumexp(d);
        return y.is_complex() ? y.exp() : y;
      });
    case 4:
      return p.made("cummax", e.bits, [&] { return both(e.t.cummax(g)); });
    case 5:
      return p.made("cummin", e.bits, [&] { return both(e.t.cummin(g)); });
    case 6:
      return p.made("diff", add_bits(x.bits, 2),
                    [&] { return x.t.diff(p.random().between(0, 2), d); });
    default:
      return p.made("prod", kInexact, [&] { return off_quarters(x.t).prod(d, p.maybe(2)); });
  }
}

void statistics(Program& p) {
  const Item x = p.pick(floating);
  const int64_t d = p.dim(x.t);
  switch (p.random().below(7)) {
    case 0:
      return p.made("std_mean", kInexact,
                    [&] { return both(at::std_mean(x.t, Sizes{d}, true, false)); });
    case 1:
      return p.made("var_mean", kInexact,
                    [&] { return both(at::var_mean(x.t, Sizes{d}, false, true)); });
    case 2:
      return p.made("softmax", kInexact, [&] { return x.t.softmax(d); });
    case 3:
      return p.made("log_softmax", kInexact, [&] { return x.t.log_softmax(d); });
    case 4:
      return p.made("trapezoid", kInexact, [&] { return at::trapezoid(x.t, 0.5, d); });
    case 5:
      return p.made("renorm", kInexact, [&] { return x.t.renorm(2, d, 1.5); });
    default:
      return p.made("cov", kInexact, [&] { return at::cov(x.t); });
  }
}

void counted(Program& p) {
  const Item x = p.pick(exact_number);
  const Tensor small = p.indices_from_zero({p.random().between(0, 6)}, 4);
  const Item sorted = p.distinct({5}, at::kFloat);
  switch (p.random().below(6)) {
    case 0:
      return p.made("bincount", 5, [&] { return small.bincount({}, p.random().between(0, 6)); });
    case 1:
      return p.made("histc", 5, [&] { return x.t.histc(4, -3, 3); });
    case 2:
      return p.made("searchsorted", 5, [&] {
        return at::searchsorted(std::get<0>(sorted.t.detach().sort()),
                                x.t.to(at::kFloat).contiguous(), false, p.maybe(2));
      });
    case 3:
      return p.made("bucketize", 5, [&] {
        return at::bucketize(x.t.contiguous(), std::get<0>(sorted.t.detach().sort()));
      });
    case 4:
      return p.made("unique", 5, [&] {
        const auto [values, inverse, counts] = at::_unique2(x.t, true, true, true);
        return Tensors{values, inverse, counts};
      });
    default:
      return p.made("isin", 1, [&] { return at::isin(x.t, p.partner(x, exact_number).t); });
  }
}

}  // namespace

void add_reductions(Steps& steps) {
  steps.add(6, by_dims);
  steps.add(3, of_all);
  steps.add(2, flags);
  steps.add(4, ordered);
  steps.add(3, cumulative);
  steps.add(2, statistics);
  steps.add(2, counted);
}

}  // namespace fuzz
