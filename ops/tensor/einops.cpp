#include <taper/ops/tensor/einops.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include <taper/framework/core/checked_arithmetic.h>

namespace torch::taper::einops {
namespace {

constexpr int64_t kUnknown = -1;
constexpr std::string_view kDots = "...";

/// Describes a dimension. A number in a pattern has a size, but no name.
struct Axis {
  std::string name;
  int64_t size = kUnknown;
};
using Group = std::vector<Axis>;  ///< the dimensions that parentheses join to one

/// Checks for one call. Its errors name the op and the pattern.
struct Call {
  std::string op;
  std::string pattern;

  template <class... Parts>
  void check(bool ok, const Parts&... parts) const {
    if (!ok) throw Error(detail::concat(op, ": expected ", parts..., " (pattern '", pattern, "')"));
  }
};

// ---------------------------------------------------------------- patterns
// Returns the name, the number or the dots at `i`, and advances `i`.
std::string_view word_at(const Call& call, std::string_view text, size_t& i) {
  const size_t begin = i;
  if (text.substr(i, kDots.size()) == kDots) {
    i += kDots.size();
  } else {
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'))
      ++i;
    call.check(i > begin, "names, numbers, parentheses and ..., got '", text[i], "'");
  }
  return text.substr(begin, i - begin);
}

// Returns the dimensions of a word: several for dots, none for 1.
Group axes_of(const Call& call, std::string_view word, int64_t dots) {
  Group axes;
  if (word == kDots) {
    for (int64_t i = 0; i < dots; ++i) axes.push_back({std::string(kDots) + std::to_string(i)});
  } else if (std::isdigit(static_cast<unsigned char>(word[0]))) {
    int64_t size = 0;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, size);
    call.check(error == std::errc() && end == last && size > 0,
               "a name or a positive number, got '", std::string(word), "'");
    if (size != 1) axes.push_back({"", size});
  } else {
    axes.push_back({std::string(word)});
  }
  return axes;
}

// Returns the groups of one side, if ... stands for `dots` dimensions.
std::vector<Group> parse(const Call& call, std::string_view text, int64_t dots, bool is_left) {
  std::vector<Group> side;
  bool inside = false;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '(' || text[i] == ')') {
      call.check(inside == (text[i] == ')'), "pairs of parentheses that are not nested");
      inside = !inside;
      if (inside) side.emplace_back();
    }
    if (text[i] == ' ' || text[i] == '(' || text[i] == ')') {
      ++i;
      continue;
    }
    const std::string_view word = word_at(call, text, i);
    call.check(!is_left || !inside || word != kDots, "no parentheses around ... on the left");
    const Group axes = axes_of(call, word, dots);
    if (inside)
      side.back().insert(side.back().end(), axes.begin(), axes.end());
    else if (word == kDots)
      for (const Axis& axis : axes) side.push_back({axis});
    else
      side.push_back(axes);
  }
  call.check(!inside, "pairs of parentheses that are not nested");
  return side;
}

/// Holds both sides of a pattern.
struct Pattern {
  std::vector<Group> left, right;
};

Group joined(const std::vector<Group>& side) {
  Group all;
  for (const Group& group : side) all.insert(all.end(), group.begin(), group.end());
  return all;
}

const Axis* find(const Group& axes, const std::string& name) {
  for (const Axis& axis : axes)
    if (!name.empty() && axis.name == name) return &axis;
  return nullptr;
}

void check_distinct(const Call& call, const std::vector<Group>& side) {
  Group seen;
  for (const Axis& axis : joined(side)) {
    call.check(!find(seen, axis.name), "each name once per side, got '", axis.name, "' twice");
    seen.push_back(axis);
  }
}

Pattern parse(const Call& call, int64_t dim) {
  const std::string_view text = call.pattern;
  const size_t arrow = text.find("->");
  call.check(arrow != std::string_view::npos, "-> between the sides, got none");
  const std::string_view left = text.substr(0, arrow), right = text.substr(arrow + 2);
  const bool open = left.find(kDots) != std::string_view::npos;
  call.check(open || right.find(kDots) == std::string_view::npos, "... on both sides");
  const auto count = static_cast<int64_t>(parse(call, left, 0, true).size());
  call.check(open ? dim >= count : dim == count, "a tensor of ", count, open ? " or more" : "",
             " dimensions, got ", dim);
  Pattern p{parse(call, left, dim - count, true), parse(call, right, dim - count, false)};
  check_distinct(call, p.left);
  check_distinct(call, p.right);
  return p;
}

// ---------------------------------------------------------------- sizes
void give_sizes(const Call& call, Pattern& p, const Sizes& sizes) {
  for (const auto& [name, size] : sizes) {
    call.check(size > 0, "positive sizes, got ", size, " for '", name, "'");
    bool used = false;
    for (std::vector<Group>* side : {&p.left, &p.right})
      for (Group& group : *side)
        for (Axis& axis : group)
          if (axis.name == name) axis.size = size, used = true;
    call.check(used, "sizes of names in the pattern, got one for '", name, "'");
  }
}

// Finds the size that is missing in a group of dimension `d`.
void solve(const Call& call, Group& group, int64_t d, int64_t size) {
  int64_t known = 1;
  Axis* open = nullptr;
  for (Axis& axis : group) {
    call.check(axis.size != kUnknown || !open, "the size of '", open ? open->name : "", "' or '",
               axis.name, "', got neither");
    if (axis.size == kUnknown)
      open = &axis;
    else
      known = detail::checked_mul(call.op.c_str(), known, axis.size);
  }
  call.check(open ? size % known == 0 : size == known, "a size of ", open ? "a multiple of " : "",
             known, " in dimension ", d, ", got ", size);
  if (open) open->size = size / known;
}

Dims sizes_of(const Group& axes) {
  Dims sizes;
  for (const Axis& axis : axes) sizes.push_back(axis.size);
  return sizes;
}

// ---------------------------------------------------------------- steps
// Repeats `f` for each dimension, the last first.
template <class F>
Tensor one_by_one(Tensor x, const Dims& dims, const F& f) {
  for (int64_t i = dims.size() - 1; i >= 0; --i) x = f(x, dims[i]);
  return x;
}

Tensor reduced(const Call& call, const Tensor& x, std::string_view by, const Dims& dims) {
  const auto is = [by](std::string_view name) { return by == name; };
  call.check(
      is("sum") || is("mean") || is("max") || is("min") || is("prod") || is("any") || is("all"),
      "sum, mean, max, min, prod, any or all, got '", std::string(by), "'");
  if (dims.empty()) return x;
  if (is("sum")) return x.sum(IntArrayRef(dims));
  if (is("mean")) return x.mean(IntArrayRef(dims));
  if (is("max")) return x.amax(dims);
  if (is("min")) return x.amin(dims);
  if (is("any")) return one_by_one(x, dims, [](const Tensor& y, int64_t d) { return y.any(d); });
  if (is("all")) return one_by_one(x, dims, [](const Tensor& y, int64_t d) { return y.all(d); });
  return one_by_one(x, dims, [](const Tensor& y, int64_t d) { return y.prod(d); });
}

// Permutes the kept dimensions, and expands x along the new ones.
Tensor ordered(const Call& call, const Tensor& x, const Group& kept, const Group& wanted,
               bool repeats) {
  Dims order;
  for (const Axis& axis : wanted)
    if (const Axis* at = find(kept, axis.name)) order.push_back(at - kept.data());
  Tensor y = x.permute(order);
  Dims sizes;
  for (const Axis& axis : wanted) {
    const Axis* at = find(kept, axis.name);
    call.check(at || repeats, "names of the left side on the right, got '", axis.name, "'");
    call.check(at || axis.size != kUnknown, "a size of the new dimension '", axis.name, "'");
    if (!at) y = y.unsqueeze(sizes.size());
    sizes.push_back(at ? at->size : axis.size);
  }
  return repeats ? y.expand(sizes) : y;
}

enum class Kind : int8_t { kRearrange, kReduce, kRepeat };

Tensor run(Kind kind, const Call& call, const Tensor& x, const Sizes& sizes,
           std::string_view reduction = "sum") {
  TAPER_CHECK(x.defined(), call.op, ": expected a defined tensor, got an undefined one");
  Pattern p = parse(call, x.dim());
  give_sizes(call, p, sizes);
  for (size_t d = 0; d < p.left.size(); ++d)
    solve(call, p.left[d], static_cast<int64_t>(d), x.size(static_cast<int64_t>(d)));
  const Group all = joined(p.left), wanted = joined(p.right);
  Group kept;
  Dims dropped;
  for (const Axis& axis : all)
    if (find(wanted, axis.name))
      kept.push_back(axis);
    else
      dropped.push_back(&axis - all.data());
  call.check(dropped.empty() || kind == Kind::kReduce, "the names of the left side on the right");
  const Tensor y = reduced(call, x.reshape(sizes_of(all)), reduction, dropped);
  const Tensor z = ordered(call, y, kept, wanted, kind == Kind::kRepeat);
  Dims result;
  int64_t next = 0;
  for (const Group& group : p.right) {
    result.push_back(1);
    for (size_t i = 0; i < group.size(); ++i) result.back() *= z.size(next++);
  }
  return z.reshape(result);
}

}  // namespace

Tensor rearrange(const Tensor& x, std::string_view pattern, const Sizes& sizes) {
  return run(Kind::kRearrange, {"rearrange", std::string(pattern)}, x, sizes);
}
Tensor reduce(const Tensor& x, std::string_view pattern, std::string_view reduction,
              const Sizes& sizes) {
  return run(Kind::kReduce, {"reduce", std::string(pattern)}, x, sizes, reduction);
}
Tensor repeat(const Tensor& x, std::string_view pattern, const Sizes& sizes) {
  return run(Kind::kRepeat, {"repeat", std::string(pattern)}, x, sizes);
}

}  // namespace torch::taper::einops
