// Tables of the ways to compute an op, and the choice among them. Not installed.
//
//   constexpr Way<Problem> kWays[] = {{"fast", can_be_fast, fast_pays, run_fast},
//                                     {"plain", always<Problem>, always<Problem>, run_plain}};
//   run_best<kWays>(problem, forced);
//
// A way knows its own limits and no other way. Rows stand in the order of preference, and
// thresholds that compare ways stand in the table. The last way computes every problem.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <taper/framework/core/check.h>

namespace torch::taper::detail {

/// A way to compute an op. A problem has the sizes and the operands.
template <class Problem>
struct Way {
  std::string_view name;
  bool (*can)(const Problem& p);   ///< Returns whether the way computes the problem correctly.
  bool (*pays)(const Problem& p);  ///< Returns whether it is faster than the ways below it.
  bool (*run)(const Problem& p);   ///< Computes it. If it returns false, the results are undefined.
};

/// The way that an environment variable or a test asks for. Empty: each problem gets the fastest
/// way.
class ForcedWay {
 public:
  explicit ForcedWay(const char* variable) : variable_(variable), name_(std::getenv(variable)) {}
  /// Sets the name, which must outlive its use; null: none.
  void set(const char* name) { name_.store(name, std::memory_order_relaxed); }
  bool is_set() const {
    return __builtin_expect(name_.load(std::memory_order_relaxed) != nullptr, 0);
  }
  std::string_view name() const {
    const char* const name = name_.load(std::memory_order_relaxed);
    return name ? name : "";
  }
  /// Throws ValueError if a name is set and none of the tables has a way of that name.
  template <class... Tables>
  void check(const Tables&... tables) const;

 private:
  const char* variable_;
  std::atomic<const char*> name_;
};

template <class Problem>
constexpr bool always(const Problem&) {
  return true;
}

/// Computes a problem by the first way that can and pays, or by the forced way if that can.
template <const auto& ways, class Problem>
void run_best(const Problem& p, const ForcedWay& forced) {
  if (forced.is_set())
    for (const Way<Problem>& way : ways)
      if (way.name == forced.name() && way.can(p) && way.run(p)) return;
  // One expression, so that the compiler can inline each way.
  [&p]<size_t... i>(std::index_sequence<i...>) {
    static_cast<void>(((ways[i].can(p) && ways[i].pays(p) && ways[i].run(p)) || ...));
  }
  (std::make_index_sequence<std::size(ways)>());
}

/// Returns a way that computes the problem, by its name, or null.
template <class Problem, size_t n>
const Way<Problem>* find_way(const Way<Problem> (&ways)[n], std::string_view name) {
  for (const Way<Problem>& way : ways)
    if (way.name == name) return &way;
  return nullptr;
}

template <class... Tables>
void ForcedWay::check(const Tables&... tables) const {
  if (!is_set() || name().empty() || (find_way(tables, name()) || ...)) return;
  std::string known;
  const auto note = [&known](const auto& table) {
    for (const auto& way : table)
      if (known.find(way.name) == std::string::npos)
        known += (known.empty() ? "" : ", ") + std::string(way.name);
  };
  (note(tables), ...);
  throw ValueError(concat(variable_, ": expected one of ", known, ", but got ", name()));
}

}  // namespace torch::taper::detail
