#include "program.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace fuzz {
namespace {

constexpr int kBitsOfFloat = 22;
constexpr double kLargest = 1e4;  // what grows beyond leaves the pool, before it overflows
constexpr int64_t kMostElements = 600;

const char* short_name(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool:
      return "b8";
    case at::kByte:
      return "u8";
    case at::kChar:
      return "i8";
    case at::kShort:
      return "i16";
    case at::kInt:
      return "i32";
    case at::kLong:
      return "i64";
    case at::kHalf:
      return "f16";
    case at::kBFloat16:
      return "bf16";
    case at::kFloat:
      return "f32";
    case at::kDouble:
      return "f64";
    case at::kComplexFloat:
      return "c64";
    case at::kComplexDouble:
      return "c128";
    default:
      return "other";
  }
}

void print_list(char open, at::IntArrayRef list, char close) {
  std::putchar(open);
  for (size_t i = 0; i < list.size(); ++i) std::printf(i ? ",%" PRId64 : "%" PRId64, list[i]);
  std::putchar(close);
}

// Of dimensions of size 1 the stride says nothing.
Sizes telling_strides(const Tensor& t) {
  Sizes strides = t.strides().vec();
  for (size_t i = 0; i < strides.size(); ++i)
    if (t.size(static_cast<int64_t>(i)) == 1) strides[i] = 0;
  return strides;
}

// The values in a row; a complex one is two.
Tensor as_doubles(const Tensor& t) {
  Tensor flat = t.detach();
  if (flat.is_complex()) flat = at::view_as_real(flat.resolve_conj());
  return flat.to(at::kDouble).contiguous();
}

// dtype[sizes]flags: values. Flags: g wants a gradient, l is a leaf.
void print_result(const Tensor& t, bool with_strides = false) {
  std::putchar('\t');
  if (!t.defined()) {
    std::printf("undefined");
    return;
  }
  (void)t.grad_fn();  // LibTorch finds out here that a view's base has been written to
  std::printf("%s", short_name(t.scalar_type()));
  print_list('[', t.sizes(), ']');
  if (with_strides && t.numel() > 0) print_list('/', telling_strides(t), '/');
  std::printf("%s%s:", t.requires_grad() ? "g" : "", t.is_leaf() ? "l" : "");
  const Tensor flat = as_doubles(t);
  const double* data = flat.data_ptr<double>();
  static const int digits = std::getenv("FUZZ_NUDGE") ? 17 : 7;
  for (int64_t i = 0; i < flat.numel(); ++i) std::printf(" %.*g", digits, data[i]);
}

// FUZZ_DOUBLE=1: every float is a double, so that what differs only by rounding agrees.
at::ScalarType widened(at::ScalarType dtype) {
  static const bool wanted = std::getenv("FUZZ_DOUBLE") != nullptr;
  if (!wanted) return dtype;
  if (at::isComplexType(dtype)) return at::kComplexDouble;
  return at::isFloatingType(dtype) ? at::kDouble : dtype;
}

// FUZZ_NUDGE="LEAF ELEMENT STEP": that element of that leaf is moved by STEP (elements in a row, a
// complex one is two), for difference quotients.
void nudge(Tensor& t, size_t leaf) {
  static const char* text = std::getenv("FUZZ_NUDGE");
  size_t wanted = 0;
  int64_t element = 0;
  double step = 0;
  if (!text || std::sscanf(text, "%zu %" SCNd64 " %lf", &wanted, &element, &step) != 3) return;
  if (leaf != wanted) return;
  Tensor dense = t.contiguous().clone();
  (dense.is_complex() ? at::view_as_real(dense) : dense).view(-1)[element] += step;
  t.copy_(dense);
}

// Whether two elements are one place in memory: what a write leaves there depends on its order.
bool overlaps_itself(const Tensor& t) {
  Sizes places{0};
  for (int64_t d = 0; d < t.dim(); ++d) {
    Sizes next;
    for (const int64_t place : places)
      for (int64_t i = 0; i < t.size(d); ++i) next.push_back(place + i * t.stride(d));
    places = std::move(next);
  }
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

// Whether two tensors may be parts of one memory; one tensor read and written is well defined.
bool shares_memory(const Item& a, const Item& b) {
  const bool same = a.t.sizes() == b.t.sizes() && telling_strides(a.t) == telling_strides(b.t) &&
                    a.t.storage_offset() == b.t.storage_offset();
  return a.family == b.family && a.t.numel() > 0 && b.t.numel() > 0 && !same;
}

bool has_gradient_dtype(const Tensor& t) { return t.is_floating_point() || t.is_complex(); }

// Of an item of the dtype: 16-bit floats round at once.
int bits_in(at::ScalarType dtype, int bits) {
  const bool low = dtype == at::kHalf || dtype == at::kBFloat16;
  return low || bits > kBitsOfFloat ? kInexact : bits;
}

// Whether values are small enough to go on with.
bool tame(const Tensor& t) {
  if (t.numel() > kMostElements || t.dim() > 6) return false;
  if (t.numel() == 0 || t.scalar_type() == at::kBool) return true;
  const Tensor flat = as_doubles(t);
  const double* data = flat.data_ptr<double>();
  return std::all_of(data, data + flat.numel(), [](double v) { return std::fabs(v) <= kLargest; });
}

}  // namespace

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

bool any(const Item&) { return true; }
bool floating(const Item& item) { return item.t.is_floating_point(); }
bool differentiable(const Item& item) { return has_gradient_dtype(item.t); }
bool number(const Item& item) { return item.t.scalar_type() != at::kBool; }
bool real(const Item& item) { return number(item) && !item.t.is_complex(); }
bool exact(const Item& item) { return item.bits <= kBitsOfFloat && !item.t.is_complex(); }
bool exact_number(const Item& item) { return exact(item) && number(item); }

int add_bits(int a, int b) { return a + b > kBitsOfFloat ? kInexact : a + b; }

int sum_bits(const Item& item) {
  int bits = item.bits;
  for (int64_t n = item.t.numel(); n > 0; n /= 2) ++bits;
  return add_bits(bits, 0);
}

Program::Program(uint64_t seed) : seed_(seed), random_(seed) {
  begin(-1);
  const int64_t count = random_.between(2, 4);
  const Sizes common = shape(1, 3);  // tensors that fit each other are what most steps want
  for (int64_t i = 0; i < count; ++i)
    fresh(random_.one_in(3) ? shape() : common, i == 0 ? floating_dtype() : dtype());
}

void Program::begin(int number) {
  number_ = number;
  random_ = Random((seed_ + 1) * 0x9e3779b97f4a7c15ULL ^
                   static_cast<uint64_t>(number + 2) * 0xd1342543de82ef95ULL);
}

at::ScalarType Program::floating_dtype() {
  static const std::vector<at::ScalarType> list{at::kFloat, at::kFloat, at::kFloat, at::kDouble,
                                                at::kDouble};
  return random_.one_in(40) ? (random_.one_in(2) ? at::kHalf : at::kBFloat16) : random_.of(list);
}

at::ScalarType Program::dtype() {
  static const std::vector<at::ScalarType> rare{
      at::kLong, at::kLong, at::kLong,  at::kInt,          at::kByte,          at::kBool,
      at::kBool, at::kChar, at::kShort, at::kComplexFloat, at::kComplexDouble, at::kComplexDouble};
  return widened(random_.one_in(3) ? random_.of(rare) : floating_dtype());
}

int64_t Program::size() {
  static const std::vector<int64_t> list{1, 1, 2, 2, 3, 3, 4, 5};
  return random_.one_in(40) ? 0 : random_.of(list);
}

Sizes Program::shape(int64_t low_rank, int64_t high_rank) {
  Sizes sizes(static_cast<size_t>(random_.between(low_rank, high_rank)));
  for (int64_t& n : sizes) n = size();
  return sizes;
}

int64_t Program::valid_dim(const Tensor& t) {
  const int64_t rank = std::max<int64_t>(t.dim(), 1);
  return random_.between(-rank, rank - 1);
}

int64_t Program::dim(const Tensor& t) {
  if (!random_.one_in(24)) return valid_dim(t);
  return random_.one_in(2) ? t.dim() : -t.dim() - 1;
}

at::Scalar Program::scalar(const Item& item) {
  static const std::vector<double> fractions{0.5, -1.5, 2.0, 0.25, 3.0, -0.75, 1.0, 0.0};
  static const std::vector<int64_t> integers{0, 1, 2, -1, 3, -2, 5};
  const bool fraction = has_gradient_dtype(item.t) ? !random_.one_in(4) : random_.one_in(4);
  return fraction ? at::Scalar(random_.of(fractions)) : at::Scalar(random_.of(integers));
}

Tensor Program::values(const Sizes& sizes, at::ScalarType dtype) {
  Tensor t = at::empty(sizes, at::TensorOptions().dtype(at::kDouble));
  double* data = t.data_ptr<double>();
  const bool fractions = at::isFloatingType(dtype) || at::isComplexType(dtype);
  const bool negative = dtype != at::kByte;
  for (int64_t i = 0; i < t.numel(); ++i)
    data[i] = fractions ? static_cast<double>(random_.between(-10, 10)) / 4
                        : static_cast<double>(random_.between(negative ? -3 : 0, 5));
  if (dtype == at::kBool) {
    for (int64_t i = 0; i < t.numel(); ++i) data[i] = data[i] > 0;
  }
  if (!at::isComplexType(dtype)) return t.to(dtype);
  Tensor imaginary = values(sizes, at::kDouble);
  return at::complex(t, imaginary).to(dtype);
}

// The same values in another layout, one time in three.
Tensor Program::laid_out(Tensor t) {
  if (t.dim() == 0 || !random_.one_in(3)) return t;
  const int64_t d = random_.below(t.dim());
  switch (random_.below(3)) {
    case 0:
      return t.transpose(d, 0).contiguous().transpose(d, 0);
    case 1:
      return at::cat({t, t}, d).narrow(d, t.size(d), t.size(d));  // an offset
    default:
      return t.repeat_interleave(2, d).slice(d, 0, INT64_MAX, 2);  // a step
  }
}

Item Program::join(Tensor t, int bits, bool may_want_grad) {
  t = laid_out(t);
  if (may_want_grad && has_gradient_dtype(t) && !random_.one_in(3)) {
    t = t.detach();
    nudge(t, leaves_.size());
    leaves_.push_back(t.requires_grad_());
  }
  pool_.push_back({t, families_++, bits_in(t.scalar_type(), bits), true});
  return pool_.back();
}

Item Program::fresh(Sizes sizes, at::ScalarType dtype, bool may_want_grad) {
  return join(values(sizes, widened(dtype)), bits_in(dtype, 5), may_want_grad);
}

Item Program::distinct(Sizes sizes, at::ScalarType dtype) {
  int64_t count = 1;
  for (const int64_t n : sizes) count *= n;
  std::vector<double> list(static_cast<size_t>(count));
  const double step = at::isIntegralType(dtype, true) ? 1 : 0.25;
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = (static_cast<double>(i) - static_cast<double>(count / 2)) * step;
  for (size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[static_cast<size_t>(random_.below(static_cast<int64_t>(i)))]);
  const Tensor t = at::tensor(at::ArrayRef<double>(list), at::TensorOptions().dtype(at::kDouble));
  return join(t.reshape(sizes).to(widened(dtype)), bits_in(dtype, 9), true);
}

Tensor Program::indices_from_zero(Sizes sizes, int64_t limit) {
  Tensor t = at::zeros(sizes, at::TensorOptions().dtype(at::kLong));
  int64_t* data = t.data_ptr<int64_t>();
  for (int64_t i = 0; i < t.numel() && limit > 0; ++i) data[i] = random_.below(limit);
  return t;
}

Tensor Program::indices(Sizes sizes, int64_t limit) {
  Tensor t = indices_from_zero(std::move(sizes), limit);
  if (t.numel() > 0 && random_.one_in(3)) t.data_ptr<int64_t>()[random_.below(t.numel())] -= limit;
  if (t.numel() > 0 && limit > 0 && random_.one_in(30))
    t.data_ptr<int64_t>()[random_.below(t.numel())] = limit;
  return t;
}

Tensor Program::mask(Sizes sizes) { return values(sizes, at::kBool); }

Item Program::pick(Filter filter) {
  for (int attempt = 0; attempt < 12; ++attempt) {
    const Item& item = random_.of(pool_);
    if (filter(item)) return item;
  }
  for (int attempt = 0; attempt < 20; ++attempt) {
    Item item = fresh(shape(1, 3), dtype());
    if (filter(item)) return item;
    forget_last();
  }
  return fresh(shape(1, 3), at::kFloat);
}

Item Program::pick_of_rank(int64_t low, int64_t high, Filter filter) {
  for (int attempt = 0; attempt < 12; ++attempt) {
    const Item& item = random_.of(pool_);
    if (filter(item) && item.t.dim() >= low && item.t.dim() <= high) return item;
  }
  return fresh(shape(low, high), floating_dtype());
}

Item Program::partner(const Item& item, Filter filter) {
  const auto fits = [&](const Item& other) {
    const auto a = item.t.sizes(), b = other.t.sizes();
    for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
      const int64_t n = a[a.size() - i], m = b[b.size() - i];
      if (n != m && n != 1 && m != 1) return false;
    }
    return true;
  };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Item& other = random_.of(pool_);
    if (filter(other) && (fits(other) || random_.one_in(40))) return other;
  }
  Sizes sizes = item.t.sizes().vec();
  if (!sizes.empty() && random_.one_in(3))
    sizes[static_cast<size_t>(random_.below(static_cast<int64_t>(sizes.size())))] = 1;
  if (!sizes.empty() && random_.one_in(4)) sizes.erase(sizes.begin());
  for (int attempt = 0; attempt < 20; ++attempt) {
    Item made = fresh(sizes, random_.one_in(2) ? item.t.scalar_type() : dtype());
    if (filter(made)) return made;
    forget_last();
  }
  return fresh(sizes, at::kFloat);
}

void Program::forget_last() {
  if (pool_.back().t.requires_grad()) leaves_.pop_back();
  pool_.pop_back();
}

bool Program::run(const std::string& name, const std::function<void()>& op) {
  std::printf("%d\t%s", number_, name.c_str());
  std::string why;
  try {
    op();
    return true;
  } catch (const std::exception& e) {
    why = e.what();
  }
  // What LibTorch never wrote is no measure of what Taper should do.
  const auto says = [&](const char* words) { return why.find(words) != std::string::npos; };
  const bool missing = says("not implemented for") || says("is not implemented") ||
                       says("does not support automatic differentiation") ||
                       says("got None (or an undefined Tensor in C++)") ||
                       says("-1 can be any value and is ambiguous");
  // How much an op saves for backward is its own affair: a library that saves less is content where
  // the other finds its saved tensor changed.
  std::printf(missing                                    ? "\tunsupported\n"
              : says("modified by an inplace operation") ? "\tstale\n"
                                                         : "\tthrows\n");
  static const bool verbose = std::getenv("FUZZ_VERBOSE") != nullptr;
  if (verbose) std::printf("# %s\n", why.substr(0, why.find('\n')).c_str());
  return false;
}

void Program::keep(const Tensor& t, int family, int bits, bool known_layout) {
  if (t.defined() && tame(t) && pool_.size() < 24)
    pool_.push_back({t, family, bits_in(t.scalar_type(), bits), known_layout});
}

void Program::retire(int family) {
  pool_.erase(std::remove_if(pool_.begin(), pool_.end(),
                             [&](const Item& item) { return item.family == family; }),
              pool_.end());
  if (pool_.empty()) fresh(shape(1, 3), at::kFloat);
}

void Program::made(const std::string& name, int bits, const std::function<Tensors()>& op) {
  Tensors results;
  if (!run(name, [&] { results = op(); })) return;
  for (const Tensor& t : results) print_result(t);
  std::putchar('\n');
  for (const Tensor& t : results) keep(t, families_++, bits);
}

void Program::made(const std::string& name, int bits, const std::function<Tensor()>& op) {
  made(name, bits, std::function<Tensors()>([&] { return Tensors{op()}; }));
}

void Program::seen(const std::string& name, const std::function<Tensors()>& op) {
  Tensors results;
  if (!run(name, [&] { results = op(); })) return;
  for (const Tensor& t : results) print_result(t);
  std::putchar('\n');
}

void Program::viewed(const std::string& name, const Item& of, const std::function<Tensor()>& op) {
  Tensor result;
  if (!run(name, [&] { result = op(); })) return;
  print_result(result, of.known_layout);
  std::putchar('\n');
  keep(result, of.family, of.bits, of.known_layout);
}

void Program::changed(const std::string& name, const Item& item, int bits,
                      const std::function<void()>& op, std::initializer_list<Item> reads) {
  const bool shared = std::any_of(reads.begin(), reads.end(),
                                  [&](const Item& read) { return shares_memory(item, read); });
  if (!run(name_over(item.t, name) + (shared ? " shared" : ""), op)) return retire(item.family);
  bool all_tame = true;
  for (Item& other : pool_) {
    if (other.family != item.family) continue;
    other.bits = bits_in(other.t.scalar_type(), std::max(bits, other.bits));
    print_result(other.t);
    all_tame = all_tame && tame(other.t);
  }
  std::putchar('\n');
  if (!all_tame) retire(item.family);
}

void Program::finish(bool twice) {
  begin(1000);
  Tensor loss = at::zeros({}, at::TensorOptions().dtype(at::kDouble));
  if (!run("loss", [&] {
        for (const Item& item : pool_) {
          if (!item.t.requires_grad()) continue;
          Tensor t = item.t.is_complex() ? at::real(item.t) + 2 * at::imag(item.t) : item.t;
          const Tensor weights = values(item.t.sizes().vec(), at::kDouble);
          loss = loss + (t.to(at::kDouble) * weights).sum();
        }
      }))
    return;
  print_result(loss);
  std::putchar('\n');
  if (!loss.requires_grad() || leaves_.empty()) return;
  // Whether a gradient that does not depend on anything is zero or undefined, and whether it says
  // that it could be differentiated, is not compared.
  const auto plain = [&](const Tensors& grads) {
    Tensors list;
    for (size_t i = 0; i < grads.size(); ++i)
      list.push_back(grads[i].defined() ? grads[i].detach() : at::zeros_like(leaves_[i]).detach());
    return list;
  };
  Tensors grads;
  seen("gradients", [&] {
    return plain(grads = torch::autograd::grad({loss}, leaves_, {}, true, twice, true));
  });
  if (!twice || grads.empty()) return;
  const auto squares_of = [](const Tensors& list) {
    Tensor squares = at::zeros({}, at::TensorOptions().dtype(at::kDouble));
    for (const Tensor& g : list) {
      const Tensor part = g.is_complex() ? at::view_as_real(g) : g;
      squares = squares + part.to(at::kDouble).square().sum();
    }
    return squares;
  };
  seen("squares of gradients", [&] { return Tensors{squares_of(plain(grads))}; });
  seen("second gradients", [&] {
    Tensors with_history;
    for (const Tensor& g : grads)
      if (g.defined() && g.requires_grad()) with_history.push_back(g);
    const Tensor squares = squares_of(with_history);
    if (!squares.requires_grad()) return plain(Tensors(leaves_.size()));
    return plain(torch::autograd::grad({squares}, leaves_, {}, false, false, true));
  });
}

std::string name_over(const Tensor& t, const std::string& name) {
  return t.numel() > 0 && overlaps_itself(t) ? name + " overlapping" : name;
}

Tensor off_quarters(const Tensor& x) {
  return at::isIntegralType(x.scalar_type(), /*includeBool=*/true) ? x : x + 0.1;
}

void Steps::add(int weight, Step step) {
  list.emplace_back(weight, std::move(step));
  total += weight;
}

const Step& Steps::draw(Random& random) const {
  int64_t at = random.below(total);
  for (const auto& [weight, step] : list) {
    if (at < weight) return step;
    at -= weight;
  }
  return list.back().second;
}

}  // namespace fuzz
