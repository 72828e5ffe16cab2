#include <algorithm>
#include <type_traits>
#include <utility>

#include <taper/framework/cpu/denormals.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/cpu_tensor_lists.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/loops.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/optim/update_rules.h>

namespace torch::taper::cpu {
namespace {

/// Flushes denormals to zero in its scope. If a gradient becomes zero, its running mean decays to
/// denormal numbers and stays there. Then every instruction takes a hundred times as long.
class FlushDenormals {
 public:
  explicit FlushDenormals(bool flush) : before_(float_mode()), flush_(flush) {
    if (flush_) set_float_mode(before_ | kFlushDenormals);
  }
  ~FlushDenormals() {
    if (flush_) set_float_mode(before_);
  }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  const uint64_t before_;
  const bool flush_;
};

/// Updates one row of `count` contiguous elements.
using UpdateRow = void (*)(char* const* base, int64_t count, const void* rule);

}  // namespace
}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/optim/update_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

template <class T, class Rule>
UpdateRow row_for(const Rule& rule) {
  return TAPER_BY_ISA(row_of<T>, rule);
}

// ---------------------------------------------------------------- rows that the loops do not know
// Elements with gaps, and f16, pass through buffers that stay in L1.
constexpr int64_t kRun = 256;  // elements

void load(char* to, const char* from, int64_t step, ScalarType dtype, int64_t n) {
  alignas(64) char side[kRun * sizeof(Half)];
  const int64_t item = static_cast<int64_t>(elementSize(dtype));
  if (dtype != kHalf) return gather(to, from, step, item, n);
  if (step != item) gather(side, from, step, item, n), from = side;
  widen(reinterpret_cast<float*>(to), reinterpret_cast<const Half*>(from), n);
}

void store(char* to, const char* from, int64_t step, ScalarType dtype, int64_t n) {
  alignas(64) char side[kRun * sizeof(Half)];
  const int64_t item = static_cast<int64_t>(elementSize(dtype));
  if (dtype != kHalf) return scatter(to, from, step, item, n);
  char* const packed = step == item ? to : side;
  narrow(reinterpret_cast<Half*>(packed), reinterpret_cast<const float*>(from), n);
  if (packed == side) scatter(to, side, step, item, n);
}

template <int N>
void buffered_row(UpdateRow row, const void* rule, ScalarType dtype, char* const* base,
                  const int64_t* step, int64_t count) {
  alignas(64) char buffer[N][kRun * sizeof(double)];
  char* p[N];
  for (int k = 0; k < N; ++k) p[k] = buffer[k];
  for (int64_t i = 0; i < count; i += kRun) {
    const int64_t m = std::min(kRun, count - i);
    for (int k = 0; k < N; ++k) load(p[k], base[k] + i * step[k], step[k], dtype, m);
    row(p, m, rule);
    for (int k = 0; k < N; ++k)
      if (k != 1) store(base[k] + i * step[k], p[k], step[k], dtype, m);
  }
}

template <int N>
void update_all(const Plan<N>& plan, ScalarType dtype, int64_t grain, UpdateRow row,
                const void* rule) {
  const int64_t item = static_cast<int64_t>(elementSize(dtype));
  bool dense = dtype != kHalf;
  for (int k = 0; k < N; ++k) dense = dense && plan.strides[0][k] == item;
  parallel_for(0, plan.numel, grain, [&](int64_t begin, int64_t end) {
    const FlushDenormals guard(N > 2);
    for_each_row(plan, begin, end, [&](char* const* base, const int64_t* step, int64_t count) {
      if (dense) return row(base, count, rule);
      buffered_row<N>(row, rule, dtype, base, step, count);
    });
  });
}

template <template <class> class Rule, int N, class Numbers>
void update(const char* name, const Plan<N>& plan, ScalarType dtype, int64_t grain,
            const Numbers& n) {
  switch_dtype<dtypes::Floating>(dtype, name, [&]<class scalar_t>() {
    using Stored = std::conditional_t<std::is_same_v<scalar_t, Half>, float, scalar_t>;
    const Rule<opmath_t<scalar_t>> rule(n);
    update_all(plan, dtype, grain, row_for<Stored>(rule), &rule);
  });
}

// ---------------------------------------------------------------- the rules
template <class T>
using SgdPlain = optim::SgdRule<T, false>;
template <class T>
using SgdMomentum = optim::SgdRule<T, true>;
template <class T>
using AdamPlain = optim::AdamRule<T, false>;
template <class T>
using AdamAmsgrad = optim::AdamRule<T, true>;
template <int kKind>
struct Rmsprop {
  template <class T>
  using Rule = optim::RmspropRule<T, kKind>;
};

/// Plans one row for operands without gaps.
template <int N>
[[gnu::always_inline]] inline Plan<N> plan_row(int64_t numel, ScalarType dtype,
                                               const void* const (&data)[N]) {
  Plan<N> plan;
  plan.numel = numel;
  plan.rank = 1;
  plan.sizes[0] = numel;
  for (int i = 0; i < N; ++i) {
    plan.base[i] = static_cast<char*>(const_cast<void*>(data[i]));
    plan.strides[0][i] = static_cast<int64_t>(elementSize(dtype));
  }
  return plan;
}
/// Plans the loop over all operands. Without gaps, it is trivial.
template <class... Rest>
Plan<1 + sizeof...(Rest)> plan_update(const InOut& p, const Rest&... rest) {
  if (!(p.contiguous && ... && rest.contiguous)) return plan_over(p.sizes, p, rest...);
  return plan_row<1 + sizeof...(Rest)>(p.numel, p.dtype, {p.data, rest.data...});
}
/// Calls run(plan) for each entry of the lists, which have N operands.
template <int N, class Run>
void for_each_entry(const TensorLists& lists, const Run& run) {
  for (int i = 0; i < lists.size(); ++i) {
    const void* data[N];
    for (int k = 0; k < N; ++k) data[k] = lists.data(i, k);
    run(plan_row<N>(lists.numel(i), lists.dtype(), data));
  }
}

void sgd_momentum(const Plan<3>& plan, ScalarType dtype, const optim::SgdNumbers& n) {
  update<SgdMomentum>("SGD", plan, dtype, kGrain, n);
}
void sgd_plain(const Plan<2>& plan, ScalarType dtype, const optim::SgdNumbers& n) {
  update<SgdPlain>("SGD", plan, dtype, kGrain, n);
}
void adam_amsgrad(const Plan<5>& plan, ScalarType dtype, const optim::AdamNumbers& n) {
  update<AdamAmsgrad>("Adam", plan, dtype, kGrain / 4, optim::read_clock(n));
}
void adam_plain(const Plan<4>& plan, ScalarType dtype, const optim::AdamNumbers& n) {
  update<AdamPlain>("Adam", plan, dtype, kGrain / 4, optim::read_clock(n));
}
void adagrad(const Plan<3>& plan, ScalarType dtype, const optim::AdagradNumbers& n) {
  update<optim::AdagradRule>("Adagrad", plan, dtype, kGrain / 4, n);
}
template <int kKind>
void rmsprop_kind(const Plan<optim::rmsprop_operands(kKind)>& plan, ScalarType dtype,
                  const optim::RmspropNumbers& n) {
  update<Rmsprop<kKind>::template Rule>("RMSprop", plan, dtype, kGrain / 4, n);
}

}  // namespace

void sgd_update(InOut p, In g, InOut buffer, optim::SgdNumbers n) {
  if (optim::is_skipped(n.found_inf)) return;
  if (buffer.defined())
    sgd_momentum(plan_update(p, g, buffer), p.dtype, n);
  else
    sgd_plain(plan_update(p, g), p.dtype, n);
}

void adam_update(InOut p, In g, InOut m, InOut v, InOut v_max, optim::AdamNumbers n) {
  if (optim::is_skipped(n.found_inf)) return;
  if (v_max.defined())
    adam_amsgrad(plan_update(p, g, m, v, v_max), p.dtype, n);
  else
    adam_plain(plan_update(p, g, m, v), p.dtype, n);
}

void adam_advance(InOut clock, double lr, double beta1, double beta2, const float* found_inf) {
  optim::advance(clock.as<double>(), lr, beta1, beta2, found_inf);
}

void adagrad_update(InOut p, In g, InOut sum, optim::AdagradNumbers n) {
  adagrad(plan_update(p, g, sum), p.dtype, n);
}

void rmsprop_update(InOut p, In g, InOut square, InOut mean, InOut buffer,
                    optim::RmspropNumbers n) {
  using namespace optim;
  if (mean.defined() && buffer.defined())
    rmsprop_kind<kRmspropCentered | kRmspropMomentum>(plan_update(p, g, square, mean, buffer),
                                                      p.dtype, n);
  else if (mean.defined())
    rmsprop_kind<kRmspropCentered>(plan_update(p, g, square, mean), p.dtype, n);
  else if (buffer.defined())
    rmsprop_kind<kRmspropMomentum>(plan_update(p, g, square, buffer), p.dtype, n);
  else
    rmsprop_kind<0>(plan_update(p, g, square), p.dtype, n);
}

namespace {

/// Prepares the loops over lists, for replays. Returns nothing if an entry needs several threads,
/// or if rows pass through buffers.
template <template <class> class Rule, int N, class Numbers>
Prepared prepare_rows(const char* name, const TensorLists& lists, int64_t grain, const Numbers& n) {
  struct Row {
    char* base[N];
    int64_t count;
  };
  std::vector<Row> rows;
  for (int i = 0; i < lists.size(); ++i) {
    if (lists.numel(i) > grain || lists.dtype() == kHalf) return nullptr;
    Row& row = rows.emplace_back();
    for (int k = 0; k < N; ++k) row.base[k] = lists.data(i, k);
    row.count = lists.numel(i);
  }
  Prepared ready;
  switch_dtype<dtypes::Floating>(lists.dtype(), name, [&]<class scalar_t>() {
    using Stored = std::conditional_t<std::is_same_v<scalar_t, Half>, float, scalar_t>;
    using Filled = Rule<opmath_t<scalar_t>>;
    ready = [rows, numbers = Filled(n), update = row_for<Stored>(Filled(n))] {
      if (optim::is_skipped(numbers.found_inf)) return;
      const Filled rule = numbers.now();
      const FlushDenormals guard(N > 2);
      for (const Row& row : rows) update(row.base, row.count, &rule);
    };
  });
  return ready;
}
Prepared prepare_sgd(const TensorLists& lists, const optim::SgdNumbers& n) {
  if (lists.uses(2)) return prepare_rows<SgdMomentum, 3>("SGD", lists, kGrain, n);
  return prepare_rows<SgdPlain, 2>("SGD", lists, kGrain, n);
}
Prepared prepare_adam(const TensorLists& lists, const optim::AdamNumbers& n) {
  if (lists.uses(4)) return prepare_rows<AdamAmsgrad, 5>("Adam", lists, kGrain / 4, n);
  return prepare_rows<AdamPlain, 4>("Adam", lists, kGrain / 4, n);
}

}  // namespace

void sgd_update_all(TensorLists lists, optim::SgdNumbers n) {
  if (optim::is_skipped(n.found_inf)) return;
  if (lists.uses(2))
    for_each_entry<3>(lists, [&](const auto& plan) { sgd_momentum(plan, lists.dtype(), n); });
  else
    for_each_entry<2>(lists, [&](const auto& plan) { sgd_plain(plan, lists.dtype(), n); });
}

void adam_update_all(TensorLists lists, optim::AdamNumbers n) {
  if (optim::is_skipped(n.found_inf)) return;
  if (lists.uses(4))
    for_each_entry<5>(lists, [&](const auto& plan) { adam_amsgrad(plan, lists.dtype(), n); });
  else
    for_each_entry<4>(lists, [&](const auto& plan) { adam_plain(plan, lists.dtype(), n); });
}

constinit const KernelInfo sgd_update_all_info = prepared<&cpu::sgd_update_all, &prepare_sgd>();
constinit const KernelInfo adam_update_all_info = prepared<&cpu::adam_update_all, &prepare_adam>();

void adagrad_update_all(TensorLists lists, optim::AdagradNumbers n) {
  for_each_entry<3>(lists, [&](const auto& plan) { adagrad(plan, lists.dtype(), n); });
}

namespace {

template <int kKind>
void rmsprop_lists(const TensorLists& lists, const optim::RmspropNumbers& n) {
  for_each_entry<optim::rmsprop_operands(kKind)>(
      lists, [&](const auto& plan) { rmsprop_kind<kKind>(plan, lists.dtype(), n); });
}

}  // namespace

void rmsprop_update_all(TensorLists lists, optim::RmspropNumbers n) {
  using namespace optim;
  const bool centered = lists.uses(3), momentum = lists.uses(4);
  if (centered && momentum)
    rmsprop_lists<kRmspropCentered | kRmspropMomentum>(lists, n);
  else if (centered)
    rmsprop_lists<kRmspropCentered>(lists, n);
  else if (momentum)
    rmsprop_lists<kRmspropMomentum>(lists, n);
  else
    rmsprop_lists<0>(lists, n);
}

namespace {

template <template <class> class Rule, class Numbers>
void fused(const char* op, const TensorLists& lists, const Numbers& n) {
  switch_dtype<dtypes::Floating>(lists.dtype(), op, [&]<class scalar_t>() {
    using R = Rule<opmath_t<scalar_t>>;
    if (n.grad_scale) return for_each_in_lists<scalar_t, R::kOperands, 0>(lists, R(n));
    for_each_in_lists<scalar_t, R::kOperands, 2>(lists, R(n));
  });
}

}  // namespace

void fused_adam(TensorLists lists, optim::FusedAdamNumbers n, std::vector<In>) {
  if (lists.uses(4)) return fused<optim::FusedAdamAmsgrad>("_fused_adam_", lists, n);
  fused<optim::FusedAdamPlain>("_fused_adam_", lists, n);
}

void fused_sgd(TensorLists lists, optim::FusedSgdNumbers n, std::vector<In>) {
  if (lists.uses(2)) return fused<optim::FusedSgdMomentum>("_fused_sgd_", lists, n);
  fused<optim::FusedSgdPlain>("_fused_sgd_", lists, n);
}

}  // namespace torch::taper::cpu
