// Functions of whole tensors, values and gradients: reductions, sorting, scans, scattering, linear
// algebra, special functions, random numbers and initial values.
#include <parity.h>

using namespace parity;
using torch::Tensor;
using List = std::vector<Tensor>;
using Dims = std::vector<int64_t>;
namespace init = torch::nn::init;

using Unary = Tensor (*)(const Tensor&);
using Table = std::vector<std::pair<const char*, Unary>>;

static void run(const std::string& family, const Tensor& x, const Table& table) {
  for (const auto& row : table)
    with_gradients(family + "." + row.first, {x.clone()},
                   [&](List& t) { return row.second(t[0]); });
}
#define ROW(name, ...)                                          \
  {                                                             \
    name, [](const Tensor& x) -> Tensor { return __VA_ARGS__; } \
  }

static void reductions() {
  const Table table = {
      ROW("sum", x.sum()),
      ROW("sum.dims", x.sum(Dims{0, 2}, true)),
      ROW("mean", x.mean(1)),
      ROW("prod", x.prod()),
      ROW("prod.dim", x.prod(1, true)),
      ROW("var", x.var(1, false)),
      ROW("std", x.std(Dims{0, 1}, true, true)),
      ROW("var_mean", std::get<0>(torch::var_mean(x, 2)) * std::get<1>(torch::var_mean(x, 2))),
      ROW("amax", x.amax(Dims{0, 2})),
      ROW("amin", x.amin(1, true)),
      ROW("max", x.max()),
      ROW("max.dim", std::get<0>(x.max(1))),
      ROW("min.dim", std::get<0>(x.min(2, true))),
      ROW("median", std::get<0>(x.median(2))),
      ROW("mode", std::get<0>(x.mode(2))),
      ROW("kthvalue", std::get<0>(x.kthvalue(2, 1))),
      ROW("quantile", torch::quantile(x, 0.3, 2)),
      ROW("nansum", torch::nansum(x, 1)),
      ROW("nanmean", torch::nanmean(x, 2)),
      ROW("logsumexp", x.logsumexp(Dims{0, 2})),
      ROW("norm", x.norm()),
      ROW("norm.1", x.norm(1, Dims{0, 1}, true)),
      ROW("norm.3", x.norm(3, 2)),
      ROW("norm.inf", x.norm(INFINITY, 1)),
      ROW("dist", torch::dist(x, x * 0.5 + 0.1, 3)),
      ROW("renorm", x.renorm(2, 0, 0.7)),
      ROW("cov", torch::cov(x[0])),
      ROW("corrcoef", torch::corrcoef(x[0])),
      ROW("trace", x[1].trace()),
      ROW("softmax", x.softmax(1)),
      ROW("log_softmax", x.log_softmax(0)),
  };
  run("reduce", numbers({2, 3, 4}, 1), table);
  const Tensor x = numbers({3, 5}, 2);
  show("reduce.argmin", x.argmin(1, true));
  show("reduce.count_nonzero", (x > 0).count_nonzero(c10::optional<int64_t>(1)));
  show("reduce.all", (x > -0.9).all(0));
  show("reduce.bincount", torch::bincount(torch::tensor({0, 3, 3, 1}), {}, 6));
  show("reduce.histc", torch::histc(x, 4, -1, 1));
  show("reduce.unique",
       std::get<1>(torch::unique_consecutive(torch::tensor({1, 1, 2, 2, 1}), true)));
}

static void sorting_and_scans() {
  const Table table = {
      ROW("sort", std::get<0>(x.sort(2, true))),
      ROW("msort", torch::msort(x)),
      ROW("topk", std::get<0>(x.topk(2, 1, false))),
      ROW("cumsum", x.cumsum(1)),
      ROW("cumprod", x.cumprod(2)),
      ROW("cummax", std::get<0>(x.cummax(1))),
      ROW("cummin", std::get<0>(x.cummin(2))),
      ROW("logcumsumexp", x.logcumsumexp(2)),
      ROW("diff", torch::diff(x, 2, 2)),
      ROW("trapezoid", torch::trapezoid(x, 0.5, 1)),
      ROW("cumulative_trapezoid", torch::cumulative_trapezoid(x, 2, 2)),
  };
  run("order", numbers({2, 3, 4}, 3), table);
  const Tensor x = torch::tensor({3, 1, 2, 3, 1, 2, 0, 3});
  show("order.stable", std::get<1>(x.sort(c10::optional<bool>(true), 0, true)));
  show("order.argsort", numbers({3, 4}, 4).argsort(1, true));
  const Tensor edges = torch::tensor({0.f, 0.25f, 0.5f});
  show("order.bucketize", torch::bucketize(numbers({6}, 5), edges, false, true));
  show("order.searchsorted", torch::searchsorted(edges, torch::tensor({0.25f, 0.6f})));
  const auto all = torch::_unique2(x, true, true, true);
  show("order.unique", std::get<0>(all));
  show("order.unique.counts", std::get<2>(all));
}

static void scattering() {
  const Tensor x = numbers({3, 4}, 6), v = numbers({2, 4}, 7), rows = torch::tensor({2, 0});
  const Tensor index = torch::tensor({{0, 2, 1, 0}, {1, 0, 0, 2}});
  const auto both = [&](const char* name, const std::function<Tensor(List&)>& f) {
    with_gradients(std::string("scatter.") + name, {x.clone(), v.clone()}, f);
  };
  both("scatter", [&](List& t) { return t[0].scatter(0, index, t[1]); });
  both("scatter_add", [&](List& t) { return t[0].scatter_add(0, index, t[1]); });
  both("gather", [&](List& t) { return t[0].gather(0, index) * t[1]; });
  both("index_add", [&](List& t) { return t[0].index_add(0, rows, t[1], 2); });
  both("index_copy", [&](List& t) { return t[0].index_copy(0, rows, t[1]); });
  both("index_fill", [&](List& t) { return t[0].index_fill(1, rows, 3) * t[1].sum(); });
  both("index_select", [&](List& t) { return t[0].index_select(0, rows) * t[1]; });
  both("index_put", [&](List& t) { return t[0].index_put({rows}, t[1], true); });
  both("masked_fill", [&](List& t) { return t[0].masked_fill(t[0] > 0.2, t[1].sum()); });
  both("masked_scatter", [&](List& t) { return t[0].masked_scatter(t[0].detach() > 0.2, t[1]); });
  both("masked_select", [&](List& t) { return t[0].masked_select(x > 0) * t[1][0][0]; });
  both("take", [&](List& t) { return t[0].take(index) * t[1]; });
  both("take_along_dim", [&](List& t) { return t[0].take_along_dim(index, 0) * t[1]; });
  both("put", [&](List& t) {
    return t[0].put(index + 3 * torch::arange(8).view({2, 4}) % 12, t[1], true);
  });
  both("slice_scatter", [&](List& t) { return torch::slice_scatter(t[0], t[1], 0, 1, 3); });
  both("select_scatter", [&](List& t) { return torch::select_scatter(t[0], t[1][0], 0, 1); });
  both("diagonal_scatter",
       [&](List& t) { return torch::diagonal_scatter(t[0], t[1][0].slice(0, 0, 3), 1); });
  both("repeat_interleave", [&](List& t) {
    return t[0].repeat_interleave(torch::tensor({2, 0, 1}), 0) * t[1].sum();
  });
  both("embedding", [&](List& t) { return torch::embedding(t[0], index) * t[1][0]; });
}

static void shapes() {
  const Table table = {
      ROW("roll", torch::roll(x, {1, -1}, {0, 2})),
      ROW("flip", x.flip({0, 2})),
      ROW("rot90", torch::rot90(x, 3, {1, 2})),
      ROW("tril", x.tril(1)),
      ROW("triu", x.triu(-1)),
      ROW("diag_embed", torch::diag_embed(x, 1, 0, 2)),
      ROW("diagonal", x.diagonal(1, 1, 2)),
      ROW("kron", torch::kron(x[0], x[1])),
      ROW("tile", x.tile({2, 1, 2})),
      ROW("block_diag", torch::block_diag({x[0], x[1]})),
      ROW("cartesian_prod", torch::cartesian_prod({x[0][0], x[1][1]})),
      ROW("combinations", torch::combinations(x[0][0], 2, true)),
      ROW("tensordot", torch::tensordot(x, x, {0, 2}, {0, 2})),
      ROW("einsum", torch::einsum("bij,bkj->bik", {x, x})),
      ROW("meshgrid", torch::meshgrid({x[0][0], x[0][1]}, "ij")[1]),
      ROW("unfold", x.unfold(2, 2, 1)),
      ROW("movedim", x.movedim({0, 1}, {2, 0})),
      ROW("as_strided", x.as_strided({2, 3}, {3, 2}, 1)),
      ROW("cdist", torch::cdist(x[0], x[1], 2)),
      ROW("pdist", torch::pdist(x[0], 3)),
  };
  run("shape", numbers({2, 3, 4}, 8), table);
  show("shape.vander", torch::vander(numbers({4}, 8)));
}

static void linear_algebra() {
  const Table square = {
      ROW("det", torch::linalg_det(x)),
      ROW("slogdet", std::get<1>(torch::linalg_slogdet(x))),
      ROW("inv", torch::linalg_inv(x)),
      ROW("solve", torch::linalg_solve(x, x.transpose(-2, -1) + 1)),
      ROW("cholesky", torch::linalg_cholesky(x.matmul(x.transpose(-2, -1)))),
      ROW("eigvalsh", torch::linalg_eigvalsh(x + x.transpose(-2, -1))),
      ROW("eigh", std::get<1>(torch::linalg_eigh(x + x.transpose(-2, -1))).abs()),
      ROW("qr", std::get<1>(torch::linalg_qr(x))),
      ROW("svdvals", torch::linalg_svdvals(x)),
      ROW("svd", std::get<0>(torch::linalg_svd(x, false)).abs()),
      ROW("pinv", torch::linalg_pinv(x)),
      ROW("matrix_power", torch::linalg_matrix_power(x, 3)),
      ROW("matrix_power.negative", torch::linalg_matrix_power(x, -2)),
      ROW("matrix_exp", torch::matrix_exp(x)),
      ROW("triangular", std::get<0>(torch::triangular_solve(x, x + 2, true, true))),
      ROW("cholesky_solve", torch::cholesky_solve(x, (x + 3).tril())),
      ROW("logdet", torch::logdet(x.matmul(x.transpose(-2, -1)))),
  };
  const Tensor eye = torch::eye(3, torch::kDouble);
  run("linalg", numbers({2, 3, 3}, 9, torch::kDouble) + 2 * eye, square);
  const Table others = {
      ROW("multi_dot", torch::linalg_multi_dot({x[0], x[1].t(), x[0]})),
      ROW("cross", torch::linalg_cross(x, x.flip(0) + 1, 1)),
      ROW("addbmm", torch::addbmm(x[0], x.slice(2, 0, 3), x)),
      ROW("baddbmm", torch::baddbmm(x, x.slice(2, 0, 3), x, 0.5, 2)),
      ROW("addmv", torch::addmv(x[0].select(1, 0), x[0], x[1][0], 0.5, 2)),
      ROW("addr", torch::addr(x[0], x[0].select(1, 0), x[1][0])),
      ROW("chain", torch::chain_matmul({x[0], x[1].t(), x[0]})),
      ROW("pinverse", torch::pinverse(x[0])),
      ROW("cosine", torch::cosine_similarity(x[0], x[1], 1)),
      ROW("pairwise", torch::pairwise_distance(x[0], x[1], 3)),
  };
  run("linalg", numbers({2, 3, 4}, 10, torch::kDouble), others);
}

static void special_functions() {
  const Table table = {
      ROW("lgamma", torch::lgamma(x)),
      ROW("digamma", torch::digamma(x)),
      ROW("polygamma", torch::polygamma(2, x)),
      ROW("mvlgamma", torch::mvlgamma(x + 2, 3)),
      ROW("erf", torch::erf(x)),
      ROW("erfc", torch::special::erfc(x)),
      ROW("erfinv", torch::erfinv(x - 0.8)),
      ROW("entr", torch::special::entr(x)),
      ROW("expit", torch::special::expit(x)),
      ROW("exp2", torch::special::exp2(x)),
      ROW("expm1", torch::special::expm1(x)),
      ROW("logit", torch::logit(x / 2)),
      ROW("ndtr", torch::special::ndtr(x)),
      ROW("ndtri", torch::special::ndtri(x / 2)),
      ROW("sinc", torch::sinc(x)),
      ROW("i0", torch::i0(x)),
      ROW("i1", torch::special::i1(x)),
      ROW("xlogy", torch::xlogy(x, x + 1)),
      ROW("xlog1py", torch::special::xlog1py(x, x)),
      ROW("logaddexp", torch::logaddexp(x, 2 * x)),
      ROW("logaddexp2", torch::logaddexp2(x, 2 * x)),
  };
  run("special", numbers({7}, 11, torch::kDouble).abs() * 0.9 + 0.3, table);
}

// Every function that draws, from one seed, and what the generator gives next.
static void random_numbers() {
  const auto drawn = [](const char* name, const std::function<Tensor()>& f) {
    torch::manual_seed(7);
    show(std::string("random.") + name, f());
    show(std::string("random.") + name + ".next", torch::rand({1}));
  };
  const Tensor p = numbers({3, 5}, 12).abs();
  const auto f64 = torch::kDouble;
  drawn("rand", [] { return torch::rand({19}); });
  drawn("rand.f64", [&] { return torch::rand({5}, f64); });
  drawn("randn", [] { return torch::randn({7}); });
  drawn("randn.16", [] { return torch::randn({37}); });
  drawn("randn.f64", [&] { return torch::randn({18}, f64); });
  drawn("randint", [] { return torch::randint(-5, 100, {9}); });
  drawn("randperm", [] { return torch::randperm(20); });
  drawn("normal", [] { return torch::normal(2, 3, {9}); });
  drawn("bernoulli", [&] { return torch::bernoulli(p); });
  drawn("bernoulli_", [] { return torch::empty({20}).bernoulli_(0.3); });
  drawn("multinomial", [&] { return torch::multinomial(p, 3); });
  drawn("multinomial.again", [&] { return torch::multinomial(p, 8, true); });
  drawn("uniform_", [] { return torch::empty({3, 3}).uniform_(-2, 5); });
  drawn("normal_", [] { return torch::empty({20}).normal_(1, 2); });
  drawn("exponential_", [] { return torch::empty({9}).exponential_(2); });
  drawn("random_", [] { return torch::empty({9}).random_(3, 17); });
  drawn("dropout", [&] { return torch::dropout(p, 0.4, true); });
  drawn("feature_dropout", [&] { return torch::feature_dropout(p.view({3, 5, 1}), 0.4, true); });
  drawn("alpha_dropout", [&] { return torch::alpha_dropout(p, 0.4, true); });
  drawn("rrelu", [&] { return torch::rrelu(p - 0.5, 0.1, 0.4, true); });
}

static void initial_values() {
  const auto filled = [](const char* name, const std::function<Tensor(Tensor)>& f) {
    torch::manual_seed(8);
    show(std::string("init.") + name, f(torch::empty({4, 3, 2, 5})));
    show(std::string("init.") + name + ".next", torch::rand({1}));
  };
  filled("uniform_", [](Tensor t) { return init::uniform_(t, -1, 2); });
  filled("normal_", [](Tensor t) { return init::normal_(t, 1, 2); });
  filled("xavier_uniform_", [](Tensor t) { return init::xavier_uniform_(t, 2); });
  filled("xavier_normal_", [](Tensor t) { return init::xavier_normal_(t); });
  filled("kaiming_uniform_", [](Tensor t) { return init::kaiming_uniform_(t, 0.1); });
  filled("kaiming_normal_",
         [](Tensor t) { return init::kaiming_normal_(t, 0, torch::kFanOut, torch::kReLU); });
  filled("dirac_", [](Tensor t) { return init::dirac_(t); });
  filled("sparse_", [](Tensor t) { return init::sparse_(t.view({12, 10}), 0.3, 2); });
  filled("orthogonal_", [](Tensor t) { return init::orthogonal_(t, 2).abs(); });
  show("init.gain", init::calculate_gain(torch::kLeakyReLU, 0.3));
}

int main() {
  reductions();
  sorting_and_scans();
  scattering();
  shapes();
  linear_algebra();
  special_functions();
  random_numbers();
  initial_values();
}
