// Tables of the ways to compute an op, and the choice among them. Not installed.
//
//   constexpr Way<Problem> kWays[] = {{"fast", can_be_fast, fast_pays, run_fast},
//                                     {"plain", always<Problem>, always<Problem>, run_plain}};
//   run_best<kWays>(problem, forced);
//
// A way's can() tests only the limits of this way. The table also holds the thresholds that compare
// ways (pays). The rows are in order of preference. The last way computes every problem.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <taper/framework/core/check.h>

namespace torch::taper::detail {

/// A way to compute an op. `Problem` holds the sizes and operands of one call.
template <class Problem>
struct Way {
  std::string_view name;
  bool (*can)(const Problem& p);   ///< Returns whether the way computes the problem correctly.
  bool (*pays)(const Problem& p);  ///< Returns whether the way is faster than the ways below it.
  bool (*run)(const Problem& p);   ///< Computes p. If it returns false, the next way computes p.
};

/// The name of the way that an environment variable or a test forces. If it is empty, each problem
/// gets the fastest way.
class ForcedWay {
 public:
  explicit ForcedWay(const char* variable) : variable_(variable) { set(std::getenv(variable)); }
  /// Sets the name of the forced way, or none if `name` is null. The text must stay valid until the
  /// next call of set().
  void set(const char* name) {
    name_.store(name && *name ? name : nullptr, std::memory_order_relaxed);
  }
  bool is_set() const {
    return __builtin_expect(name_.load(std::memory_order_relaxed) != nullptr, 0);
  }
  std::string_view name() const {
    const char* const name = name_.load(std::memory_order_relaxed);
    return name ? name : "";
  }
  /// Returns how many problems were computed because their way was forced.
  int64_t runs() const { return runs_.load(std::memory_order_relaxed); }
  void count_run() const { runs_.fetch_add(1, std::memory_order_relaxed); }
  /// Throws ValueError if a name is set and no table of `tables` has a way of that name.
  template <class... Tables>
  void check(const Tables&... tables) const;

 private:
  const char* variable_;
  std::atomic<const char*> name_{nullptr};
  mutable std::atomic<int64_t> runs_{0};
};

template <class Problem>
constexpr bool always(const Problem&) {
  return true;
}

/// If a way is forced and its can() is true, computes the problem by this way. Otherwise uses the
/// first way for which can(), pays() and run() are true.
template <const auto& ways, class Problem>
void run_best(const Problem& p, const ForcedWay& forced) {
  if (forced.is_set())
    for (const Way<Problem>& way : ways)
      if (way.name == forced.name() && way.can(p) && way.run(p)) return forced.count_run();
  // One expression, so that the compiler can inline each way.
  [&p]<size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(((ways[i].can(p) && ways[i].pays(p) && ways[i].run(p)) || ...));
  }
  (std::make_index_sequence<std::size(ways)>());
}

/// Returns the row of the table whose name is `name`, or null.
template <class Row, size_t n>
const Row* find_way(const Row (&rows)[n], std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

/// Returns the names of the ways of all `tables`, in the order of the tables. Each name is returned
/// once.
template <class... Tables>
std::vector<std::string> names_of(const Tables&... tables) {
  std::vector<std::string> names;
  const auto add = [&names](const auto& table) {
    for (const auto& way : table)
      if (std::find(names.begin(), names.end(), way.name) == names.end())
        names.emplace_back(way.name);
  };
  (add(tables), ...);
  return names;
}

template <class... Tables>
void ForcedWay::check(const Tables&... tables) const {
  if (!is_set() || (find_way(tables, name()) || ...)) return;
  std::string known;
  for (const std::string& way : names_of(tables...)) known += (known.empty() ? "" : ", ") + way;
  throw ValueError(concat(variable_, ": expected one of ", known, ", but got ", name()));
}

}  // namespace torch::taper::detail
