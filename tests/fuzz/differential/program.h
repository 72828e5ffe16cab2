// One random program of the differential fuzzer. It is the same source for LibTorch and for Taper:
// from a seed it draws steps over a pool of tensors and prints what came of each, and run.py
// compares the two libraries' lines.
//
// Draws depend on the seed, on the step's number and on sizes and dtypes, never on values, so that
// two libraries walk the same path up to the first difference.
//
// Values: fresh tensors hold multiples of 1/4, and each item counts the bits of mantissa that its
// values can fill. While these fit into f32, sums do not depend on their order, and an op with
// jumps (floor, comparisons, sorting) can be asked of the item. Beyond, an item is inexact: its
// values are compared within a tolerance, and no op with jumps is asked of it.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace fuzz {

using at::Tensor;
using Tensors = std::vector<Tensor>;
using Sizes = std::vector<int64_t>;

constexpr int kInexact = 1000;  // bits of an item whose values depend on the order of rounding

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool one_in(int64_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[static_cast<size_t>(below(static_cast<int64_t>(list.size())))];
  }

 private:
  uint64_t state_;
};

struct Item {
  Tensor t;
  int family;  // items of one family may share memory
  int bits;
  bool known_layout = false;  // memory's order is that of a fresh tensor, not one that an op chose
};

using Filter = bool (*)(const Item&);
bool any(const Item& item);
bool floating(const Item& item);        // f16, bf16, f32, f64
bool differentiable(const Item& item);  // floating and complex
bool real(const Item& item);            // neither complex nor bool
bool number(const Item& item);          // not bool
bool exact(const Item& item);           // real or bool, and no rounding so far
bool exact_number(const Item& item);    // real, not bool, and no rounding so far

class Program {
 public:
  explicit Program(uint64_t seed);

  // Number of the step about to run; its draws depend on the seed and on this number.
  void begin(int number);
  Random& random() { return random_; }

  // An item of the pool that the filter takes, or a fresh one. Copies: the pool may grow.
  Item pick(Filter filter = any);
  Item pick_of_rank(int64_t low, int64_t high, Filter filter = floating);
  // An operand for `item`: of its shape, of a shape that broadcasts with it, or any.
  Item partner(const Item& item, Filter filter = any);

  Item fresh(Sizes sizes, at::ScalarType dtype, bool may_want_grad = true);
  Item fresh(Sizes sizes) { return fresh(std::move(sizes), dtype()); }
  Item distinct(Sizes sizes, at::ScalarType dtype);      // no two elements are equal
  Tensor indices(Sizes sizes, int64_t limit);            // i64, mostly within [-limit, limit)
  Tensor indices_from_zero(Sizes sizes, int64_t limit);  // i64 within [0, limit)
  Tensor mask(Sizes sizes);

  at::ScalarType dtype();
  at::ScalarType floating_dtype();
  int64_t size();
  Sizes shape(int64_t low_rank = 0, int64_t high_rank = 4);
  int64_t dim(const Tensor& t);  // mostly valid, negative half of the time
  int64_t valid_dim(const Tensor& t);
  at::Scalar scalar(const Item& item);
  bool maybe(int64_t n) { return random_.one_in(n); }

  // Each runs `op` once, prints its outcome under `name`, and keeps the results.
  void made(const std::string& name, int bits, const std::function<Tensors()>& op);
  void made(const std::string& name, int bits, const std::function<Tensor()>& op);
  void viewed(const std::string& name, const Item& of, const std::function<Tensor()>& op);
  // `reads`: what else the op reads, which may share memory with what it writes.
  void changed(const std::string& name, const Item& item, int bits, const std::function<void()>& op,
               std::initializer_list<Item> reads = {});
  // Prints without keeping.
  void seen(const std::string& name, const std::function<Tensors()>& op);

  // Every leaf's gradient of a loss over the pool's tensors; with `twice`, that of the gradients
  // too.
  void finish(bool twice);

 private:
  bool run(const std::string& name, const std::function<void()>& op);
  Item join(Tensor t, int bits, bool may_want_grad);  // the pool, as fresh
  void keep(const Tensor& t, int family, int bits, bool known_layout = false);
  void retire(int family);
  void forget_last();  // the item that fresh() made
  Tensor values(const Sizes& sizes, at::ScalarType dtype);
  Tensor laid_out(Tensor t);

  uint64_t seed_;
  int number_ = 0;
  int families_ = 0;
  Random random_;
  std::vector<Item> pool_;
  std::vector<Tensor> leaves_;
};

/// A step's name, and "overlapping" where several elements of `t` are one place in memory: what an
/// op writes there depends on its order.
std::string name_over(const Tensor& t, const std::string& name);

// `a + b` bits, or inexact.
int add_bits(int a, int b);
int sum_bits(const Item& item);
inline int widest(const Item& a, const Item& b) { return std::max(a.bits, b.bits) + 1; }

using Step = std::function<void(Program&)>;
struct Steps {
  std::vector<std::pair<int, Step>> list;  // how often, relative to the others
  int total = 0;
  void add(int weight, Step step);
  const Step& draw(Random& random) const;
};

/// x off the multiples of 1/4, where slopes have kinks and products zeros; integers as they are.
/// (Of a product of several zeros LibTorch's second derivative is 0, the true one is not.)
Tensor off_quarters(const Tensor& x);

void add_views(Steps& steps);
void add_changes(Steps& steps);
void add_pointwise(Steps& steps);
void add_reductions(Steps& steps);
void add_indexing(Steps& steps);
void add_arrangements(Steps& steps);
void add_products(Steps& steps);
void add_networks(Steps& steps);
void add_gradients(Steps& steps);

}  // namespace fuzz
