#include <cmath>

#include <taper/framework/cuda/groups.h>
#include <taper/framework/cuda/map.h>
#include <taper/ops/index/embedding_kernels.h>

namespace torch::taper::cuda {
namespace {

template <class I>
struct TableRow {
  const I* rows;
  TAPER_DEVICE int64_t operator()(int64_t i) const { return rows[i]; }
};

// One thread per column. The threads of a group's first member add the whole group, in order.
template <class T, class I>
struct AddGradients {
  using Sum = opmath_t<T>;
  T* y;
  const T* gy;
  const I* from;
  const T* factors;
  int64_t count;
  GroupView groups;
  int64_t table, width, padding_idx;
  bool by_frequency;
  TAPER_DEVICE void operator()(const Team& team, int64_t at) const {
    const int64_t i = at / width, k = at - i * width;
    const int64_t v = static_cast<int64_t>(groups.places[i]);
    if (v == table || v == padding_idx || !groups.begins(i)) return;
    const int64_t n = groups.size(i);
    const Sum total =
        team.sum<Sum>(n, [&](int64_t j) { return summand(groups.positions[i + j], k); });
    if (team.rank == 0)
      y[v * width + k] = static_cast<T>(by_frequency ? total / static_cast<Sum>(n) : total);
  }
  TAPER_DEVICE Sum summand(int64_t i, int64_t k) const {
    const int64_t row = from ? static_cast<int64_t>(from[i]) : i;
    if (row < 0 || row >= count) return Sum(0);
    const Sum g = load(gy[row * width + k]);
    return factors ? load(factors[i]) * g : g;
  }
};

TAPER_DEVICE inline double raised(double v, double p) {
  return p == 2 ? v * v : p == 1 ? v : std::pow(v, p);
}

template <class T>
TAPER_DEVICE double row_norm(const Team& team, const T* row, int64_t width, double p) {
  if (std::isinf(p))
    return team.reduce(
        width, 0.0, [&](int64_t k) { return std::fabs(static_cast<double>(load(row[k]))); },
        Larger());
  const double total = team.sum<double>(
      width, [&](int64_t k) { return raised(std::fabs(static_cast<double>(load(row[k]))), p); });
  return p == 2 ? std::sqrt(total) : p == 1 ? total : std::pow(total, 1 / p);
}

template <class T>
struct RenormRows {
  T* weight;
  GroupView groups;
  int64_t table, width;
  double max_norm, norm_type;
  TAPER_DEVICE void operator()(const Team& team, int64_t i) const {
    const int64_t v = static_cast<int64_t>(groups.places[i]);
    if (v == table || !groups.begins(i)) return;
    T* const row = weight + v * width;
    const double norm = row_norm(team, row, width, norm_type);
    if (!(norm > max_norm)) return;
    const double scale = max_norm / (norm + 1e-7);
    team.each(width, [&](int64_t k) {
      row[k] = static_cast<T>(static_cast<opmath_t<T>>(static_cast<double>(load(row[k])) * scale));
    });
  }
};

/// Calls f(groups, a value of the type of rows).
template <class F>
void by_rows(const In& rows, int64_t table, const F& f) {
  switch_dtype<dtypes::Index>(rows.dtype, "embedding", [&]<class scalar_t>() {
    f(Groups(rows.numel, table, TableRow<scalar_t>{rows.as<scalar_t>()}).view(), scalar_t());
  });
}

}  // namespace

void embedding_gradient(Out y, In gy, In rows, In from, In factors, int64_t padding_idx,
                        bool by_frequency) {
  const int64_t table = y.sizes[0], width = y.sizes[1];
  const int64_t count = from.defined() ? gy.sizes[0] : rows.numel;
  set_zero(y.data, static_cast<size_t>(y.numel) * elementSize(y.dtype));
  by_rows(rows, table, [&](const GroupView& groups, auto index) {
    using I = decltype(index);
    switch_dtype<dtypes::Floating>(y.dtype, "embedding_backward", [&]<class scalar_t>() {
      for_each_row(groups.n * width, width >= Team::kWarp ? 1 : Team::kWarp,
                   AddGradients<scalar_t, I>{
                       y.as<scalar_t>(), gy.as<scalar_t>(), from.defined() ? from.as<I>() : nullptr,
                       factors.defined() ? factors.as<scalar_t>() : nullptr, count, groups, table,
                       width, padding_idx, by_frequency});
    });
  });
}

void embedding_renorm(InOut weight, In rows, double max_norm, double norm_type) {
  const int64_t table = weight.sizes[0], width = weight.sizes[1];
  by_rows(rows, table, [&](const GroupView& groups, auto) {
    switch_dtype<dtypes::Floating>(weight.dtype, "embedding_renorm", [&]<class scalar_t>() {
      for_each_row(
          groups.n, team_for(width),
          RenormRows<scalar_t>{weight.as<scalar_t>(), groups, table, width, max_norm, norm_type});
    });
  });
}

}  // namespace torch::taper::cuda
