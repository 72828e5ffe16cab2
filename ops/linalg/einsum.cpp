#include <taper/ops/linalg/einsum.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include <taper/framework/autograd/door.h>
#include <taper/framework/core/checked_arithmetic.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

constexpr int kLetters = 52;
constexpr int kEllipsis = kLetters;

int number_of(char letter) { return letter >= 'a' ? letter - 'a' + 26 : letter - 'A'; }
char letter_of(int number) {
  return static_cast<char>(number < 26 ? 'A' + number : 'a' + number - 26);
}

using Subscripts = std::vector<int>;

/// The subscripts of the operands, and of the result if it is written.
struct Equation {
  std::vector<Subscripts> operands;
  Subscripts result;
  bool has_result;
};

bool is_ellipsis(std::string_view text, size_t i) { return text.substr(i, 3) == "..."; }

// Returns the letter or ellipsis at `i`, and advances `i`.
int subscript_at(std::string_view text, size_t& i) {
  if (is_ellipsis(text, i)) {
    i += 3;
    return kEllipsis;
  }
  TAPER_CHECK(std::isalpha(static_cast<unsigned char>(text[i])),
              "einsum(): invalid subscript given at index ", i,
              " in the equation string, subscripts must be in [a-zA-Z]");
  return number_of(text[i++]);
}

bool contains(const Subscripts& list, int subscript) {
  for (int s : list)
    if (s == subscript) return true;
  return false;
}

std::vector<Subscripts> parse_operands(std::string_view text, size_t end) {
  std::vector<Subscripts> operands(1);
  for (size_t i = 0; i < end;) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == ',') {
      operands.emplace_back();
      ++i;
    } else {
      const bool dot = text[i] == '.', whole = is_ellipsis(text, i);
      TAPER_CHECK(!dot || !contains(operands.back(), kEllipsis), "einsum(): found '.' for operand ",
                  operands.size() - 1, " for which an ellipsis was already found");
      TAPER_CHECK(!dot || whole, "einsum(): found '.' for operand ", operands.size() - 1,
                  " that is not part of any ellipsis");
      operands.back().push_back(subscript_at(text, i));
    }
  }
  return operands;
}

Subscripts parse_result(std::string_view text, size_t i) {
  Subscripts result;
  while (i < text.size()) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    const bool dot = text[i] == '.', whole = is_ellipsis(text, i);
    TAPER_CHECK(!dot || !contains(result, kEllipsis),
                "einsum(): found '.' for output but an ellipsis (...) was already found");
    TAPER_CHECK(!dot || whole,
                "einsum(): found '.' for output that is not part of any ellipsis (...)");
    const int s = subscript_at(text, i);
    TAPER_CHECK(s == kEllipsis || !contains(result, s), "einsum(): output subscript ",
                letter_of(s % kLetters), " appears more than once in the output");
    result.push_back(s);
  }
  return result;
}

Equation parse(std::string_view text) {
  const size_t arrow = text.find("->");
  const bool has_result = arrow != std::string_view::npos;
  Equation e{parse_operands(text, has_result ? arrow : text.size()), {}, has_result};
  if (has_result) e.result = parse_result(text, arrow + 2);
  return e;
}

/// The position of each subscript in the common layout of the operands. The result's subscripts
/// come first. The ellipsis stands for `ellipsis` dimensions.
struct Alignment {
  std::array<int64_t, kLetters + 1> place;  ///< of each subscript, or -1 if it does not appear
  int64_t ellipsis = 0, rank = 0, result_rank = 0;
};

int64_t ellipsis_rank(const Equation& e, TensorList operands) {
  int64_t most = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto letters = static_cast<int64_t>(e.operands[i].size());
    const bool dots = contains(e.operands[i], kEllipsis);
    const int64_t rank = operands[i].dim(), named = letters - dots;
    TAPER_CHECK(dots ? named <= rank : named == rank,
                "einsum(): the number of subscripts in the equation (", named,
                dots ? ") is more than the number of dimensions ("
                     : ") does not match the number of dimensions (",
                rank, ") for operand ", i, dots ? "" : " and no ellipsis was given");
    if (dots) most = std::max(most, rank - named);
  }
  return most;
}

void place_subscript(Alignment& l, int subscript) {
  l.place[static_cast<size_t>(subscript)] = l.rank;
  l.rank += subscript == kEllipsis ? l.ellipsis : 1;
}

// Returns the result's subscripts if the equation does not write them.
Subscripts implied_result(const std::array<int, kLetters + 1>& counts) {
  Subscripts result{kEllipsis};
  for (int s = 0; s < kLetters; ++s)
    if (counts[static_cast<size_t>(s)] == 1) result.push_back(s);
  return result;
}

Alignment lay_out(const Equation& e, TensorList operands) {
  Alignment l;
  l.place.fill(-1);
  l.ellipsis = ellipsis_rank(e, operands);
  std::array<int, kLetters + 1> counts{};
  for (const Subscripts& operand : e.operands)
    for (int s : operand) ++counts[static_cast<size_t>(s)];
  for (int s : e.has_result ? e.result : implied_result(counts)) {
    TAPER_CHECK(s == kEllipsis || counts[static_cast<size_t>(s)] > 0, "einsum(): output subscript ",
                letter_of(s % kLetters), " does not appear in the equation for any input operand");
    place_subscript(l, s);
  }
  l.result_rank = l.rank;
  for (int s = 0; s <= kLetters; ++s)
    if (counts[static_cast<size_t>(s)] > 0 && l.place[static_cast<size_t>(s)] < 0)
      place_subscript(l, s);
  return l;
}

/// Positions of dimensions in the layout.
using Places = std::vector<int64_t>;

/// An operand and the layout positions of its dimensions whose size is not 1. So an equation may
/// have more subscripts than a tensor has dimensions.
struct Operand {
  Tensor x;
  Places places;  ///< of each dimension of x

  /// Returns the dimension of x at `place`, or -1.
  int64_t dim_at(int64_t place) const {
    for (size_t d = 0; d < places.size(); ++d)
      if (places[d] == place) return static_cast<int64_t>(d);
    return -1;
  }
  bool has(int64_t place) const { return dim_at(place) >= 0; }
  int64_t size_at(int64_t place) const {
    const int64_t d = dim_at(place);
    return d < 0 ? 1 : x.size(d);
  }
};

// Adds the dimension `d` of the operand, or takes its diagonal with an earlier one of its
// subscript. Returns the dimension that comes next.
int64_t add_place(Operand& o, int64_t d, int64_t place, int subscript, size_t index) {
  const int64_t seen = o.dim_at(place);
  if (seen < 0) {
    o.places.push_back(place);
    return d + 1;
  }
  TAPER_CHECK(o.x.size(seen) == o.x.size(d), "einsum(): subscript ", letter_of(subscript),
              " is repeated for operand ", index, " but the sizes don't match, ", o.x.size(d),
              " != ", o.x.size(seen));
  o.x = o.x.diagonal(0, seen, d).movedim(-1, seen);
  return d;
}

void drop_ones(Operand& o) {
  for (int64_t d = o.x.dim() - 1; d >= 0; --d) {
    if (o.x.size(d) != 1) continue;
    o.x = o.x.squeeze(d);
    o.places.erase(o.places.begin() + d);
  }
}

/// Returns the operand's dimensions in the order of `places`, all of which it has.
Tensor ordered(const Operand& o, const Places& places) {
  Dims order;
  for (int64_t place : places) order.push_back(o.dim_at(place));
  return o.x.permute(order);
}

Operand placed(const Tensor& given, const Subscripts& subscripts, const Alignment& l,
               size_t index) {
  Operand o{given, {}};
  int64_t d = 0;
  for (int s : subscripts) {
    const int64_t first = l.place[static_cast<size_t>(s)];
    if (s != kEllipsis) {
      d = add_place(o, d, first, s, index);
      continue;
    }
    const int64_t covered = given.dim() - static_cast<int64_t>(subscripts.size()) + 1;
    for (int64_t k = l.ellipsis - covered; k < l.ellipsis; ++k, ++d) o.places.push_back(first + k);
  }
  drop_ones(o);
  Places in_order = o.places;
  std::sort(in_order.begin(), in_order.end());
  return {ordered(o, in_order), in_order};
}

void check_broadcast(const std::vector<Operand>& operands, const Alignment& l) {
  for (int64_t d = 0; d < l.rank; ++d) {
    int64_t seen = 1;
    for (size_t i = 0; i < operands.size(); ++i) {
      const int64_t size = operands[i].size_at(d);
      if (size == 1 || size == seen || seen == 1) {
        seen = size == 1 ? seen : size;
        continue;
      }
      const int64_t dots = l.place[kEllipsis];
      TAPER_CHECK(dots < 0 || d < dots || d >= dots + l.ellipsis, "einsum(): dimension ", d - dots,
                  " covered by ellipsis in operand ", i, " has size ", size,
                  " which does not broadcast with previously seen ellipsis with size ", seen,
                  " for the respective dimension");
      for (int s = 0; s < kLetters; ++s)
        TAPER_CHECK(l.place[static_cast<size_t>(s)] != d, "einsum(): subscript ", letter_of(s),
                    " has size ", size, " for operand ", i,
                    " which does not broadcast with previously seen size ", seen);
    }
  }
}

int64_t product_of(const Dims& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

/// Layout positions of a pair's dimensions, by their role in the product.
struct Roles {
  Places batch, left, right, summed;
};

bool is_in(const Places& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Roles roles_of(const Operand& a, const Operand& b, const Places& ends) {
  Roles r;
  for (int64_t place : a.places)
    (!b.has(place) ? r.left : is_in(ends, place) ? r.summed : r.batch).push_back(place);
  for (int64_t place : b.places)
    if (!a.has(place)) r.right.push_back(place);
  return r;
}

template <class List>
List joined(std::initializer_list<List> parts) {
  List all;
  for (const List& part : parts)
    for (int64_t v : part) all.push_back(v);
  return all;
}

Dims sizes_at(const Operand& o, const Places& places) {
  Dims sizes;
  for (int64_t place : places) sizes.push_back(o.size_at(place));
  return sizes;
}

int64_t elements_at(const Operand& o, const Places& places) {
  return product_of(sizes_at(o, places));
}

/// Returns the sum over the positions in `ends`.
Operand summed_over(Operand o, const Places& ends) {
  Places dims, left;
  for (int64_t place : o.places)
    is_in(ends, place) ? dims.push_back(o.dim_at(place)) : left.push_back(place);
  if (dims.empty()) return o;
  return {o.x.sum(dims), left};
}

/// Sums each operand over the positions in `ends` that only this operand has.
void sum_alone(Operand& a, Operand& b, const Places& ends) {
  Places alone;
  for (int64_t place : ends)
    if (a.has(place) != b.has(place)) alone.push_back(place);
  a = summed_over(a, alone);
  b = summed_over(b, alone);
}

/// Tests whether the last position of the product in the result comes only from the first operand.
bool ends_in_first(const Operand& a, const Operand& b, const Places& ends) {
  int64_t last = -1;
  for (const Operand* o : {&a, &b})
    for (int64_t place : o->places)
      if (!is_in(ends, place)) last = std::max(last, place);
  return last >= 0 && !b.has(last);
}

/// Returns the product of two operands, summed over the positions in `ends`. It is one bmm, or an
/// elementwise product if nothing is summed. The operand with the result's last position comes
/// second, so that the result's memory is in the result's order, as in PyTorch 2.
Operand contract(Operand a, Operand b, const Places& ends) {
  sum_alone(a, b, ends);
  if (ends_in_first(a, b, ends)) std::swap(a, b);
  const Roles r = roles_of(a, b, ends);
  const Places places = joined<Places>({r.batch, r.left, r.right});
  TAPER_CHECK(static_cast<int64_t>(places.size()) <= kMaxDims, "einsum(): expected at most ",
              kMaxDims, " dimensions in a product of two operands, got ", places.size());
  const Tensor left = ordered(a, joined<Places>({r.batch, r.left, r.summed}));
  const Tensor right = ordered(b, joined<Places>({r.batch, r.summed, r.right}));
  if (r.summed.empty())
    return {left.reshape(sizes_at(a, places)) * right.reshape(sizes_at(b, places)), places};
  const int64_t batch = elements_at(a, r.batch), depth = elements_at(a, r.summed);
  const Dims kept = joined<Dims>({sizes_at(a, r.batch), sizes_at(a, r.left), sizes_at(b, r.right)});
  return {bmm(left.reshape({batch, elements_at(a, r.left), depth}),
              right.reshape({batch, depth, elements_at(b, r.right)}))
              .reshape(kept),
          places};
}

// Returns the summed positions that no operand from the i-th on has.
Places ending_before(size_t i, const std::vector<Operand>& operands, const Alignment& l) {
  Places ends;
  for (int64_t d = l.result_rank; d < l.rank; ++d) {
    bool later = false;
    for (size_t k = i; k < operands.size(); ++k) later = later || operands[k].has(d);
    if (!later) ends.push_back(d);
  }
  return ends;
}

// Removes and returns one of the operands.
Operand take(std::vector<Operand>& operands, int64_t place) {
  const Operand o = operands[static_cast<size_t>(place)];
  operands.erase(operands.begin() + place);
  return o;
}

Operand contract_along(IntArrayRef path, std::vector<Operand> left, const Alignment& l) {
  const size_t size = left.size() == 1 ? 1 : (left.size() - 1) * 2;
  TAPER_CHECK(path.size() == size,
              "einsum(): expected contraction path given in path parameter to have size ", size,
              " but got ", path.size());
  if (left.size() == 1) return summed_over(left[0], ending_before(1, left, l));
  for (size_t step = 0; step < size; step += 2) {
    const int64_t i = std::min(path[step], path[step + 1]),
                  j = std::max(path[step], path[step + 1]);
    TAPER_CHECK(i >= 0 && i != j && j < static_cast<int64_t>(left.size()),
                "einsum(): invalid contraction (", path[step], ", ", path[step + 1], ") for ",
                left.size(), " operands");
    const Operand b = take(left, j), a = take(left, i);
    left.push_back(contract(a, b, ending_before(0, left, l)));
  }
  return left[0];
}

Operand contract_in_order(const std::vector<Operand>& all, const Alignment& l) {
  Operand y = summed_over(all[0], ending_before(1, all, l));
  for (size_t i = 1; i < all.size(); ++i) y = contract(y, all[i], ending_before(i + 1, all, l));
  return y;
}

/// Returns the result's dimensions in order, including those of size 1.
Tensor in_order_of_result(const Operand& y, const Alignment& l) {
  Places places;
  Dims sizes;
  for (int64_t d = 0; d < l.result_rank; ++d) {
    sizes.push_back(y.size_at(d));
    if (y.has(d)) places.push_back(d);
  }
  // A separate tensor, such as the sum of an operand, is no view.
  const Tensor z = places == y.places ? y.x : ordered(y, places);
  return sizes == Dims(z.sizes()) ? z : z.reshape(sizes);
}

}  // namespace

Tensor einsum(std::string_view equation, TensorList operands, OptionalIntArrayRef path) {
  if (auto done = at_door<"einsum">(equation, operands, path)) return done;
  TAPER_CHECK(!operands.empty(), "einsum(): must provide at least one operand");
  const Equation e = parse(equation);
  TAPER_CHECK(e.operands.size() <= operands.size(),
              "einsum(): fewer operands were provided than specified in the equation");
  TAPER_CHECK(e.operands.size() >= operands.size(),
              "einsum(): more operands were provided than specified in the equation");
  for (const Tensor& t : operands) check_defined("einsum", t, "operand");
  const Alignment l = lay_out(e, operands);
  std::vector<Operand> all;
  for (size_t i = 0; i < operands.size(); ++i)
    all.push_back(placed(operands[i], e.operands[i], l, i));
  check_broadcast(all, l);
  const Tensor y =
      in_order_of_result(path ? contract_along(*path, all, l) : contract_in_order(all, l), l);
  // A sum over dimensions of size 1 gives a separate tensor, too.
  const bool sums = operands.size() == 1 && l.rank > l.result_rank;
  return sums && y.is_alias_of(operands[0]) ? y.clone() : y;
}

// ---------------------------------------------------------------------- tensordot, kron, cross
Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other) {
  if (auto done = at_door<"tensordot">(self, other, dims_self, dims_other)) return done;
  check_defined("tensordot", self, "self");
  check_defined("tensordot", other, "other");
  TAPER_CHECK(dims_self.size() == dims_other.size(),
              "tensordot: both dimension lists should have same length");
  const Dims a_dims = wrap_dims("tensordot", dims_self, self.dim()),
             b_dims = wrap_dims("tensordot", dims_other, other.dim());
  Tensor a = self, b = other;
  for (int64_t i = 0; i < a_dims.size(); ++i) {
    const int64_t m = a.size(a_dims[i]), n = b.size(b_dims[i]);
    TAPER_CHECK(m == n || m == 1 || n == 1,
                "tensordot: contracted dimensions need to match, but first has size ", m,
                " in dim ", dims_self[i], " and second has size ", n, " in dim ", dims_other[i]);
    if (m == 1 && n != 1) b = b.sum(b_dims[i], true);
    if (n == 1 && m != 1) a = a.sum(a_dims[i], true);
  }
  Dims a_rest, b_rest, sizes;
  int64_t depth = 1;
  for (int64_t d : a_dims) depth *= a.size(d);
  const auto rest = [&sizes](const Tensor& x, const Dims& dims, Dims& left) {
    for (int64_t d = 0; d < x.dim(); ++d) {
      bool taken = false;
      for (int64_t t : dims) taken = taken || t == d;
      if (taken) continue;
      left.push_back(d);
      sizes.push_back(x.size(d));
    }
  };
  rest(a, a_dims, a_rest);
  const int64_t rows = product_of(sizes);
  rest(b, b_dims, b_rest);
  int64_t columns = 1;
  for (int64_t d : b_rest) columns *= b.size(d);
  return mm(a.permute(joined<Dims>({a_rest, a_dims})).reshape({rows, depth}),
            b.permute(joined<Dims>({b_dims, b_rest})).reshape({depth, columns}))
      .reshape(sizes);
}

namespace {

/// Returns x with a dimension of size 1 after, or before, each of `sizes`.
Tensor interleaved(const Tensor& x, const Dims& sizes, bool behind) {
  Dims pairs;
  for (int64_t s : sizes) {
    pairs.push_back(behind ? s : 1);
    pairs.push_back(behind ? 1 : s);
  }
  return x.reshape(pairs);
}

// Handles more pairs of dimensions than a tensor may have. It starts from the product of all
// elements, and moves other's dimensions after their partners one by one.
Tensor kron_by_steps(const Tensor& self, const Tensor& other, const Dims& a, const Dims& b) {
  int64_t done = 1, left = self.numel(), right = other.numel();
  Tensor y = self.reshape({left, 1}) * other.reshape({1, right});
  if (y.numel() == 0) return y;
  for (int64_t d = 0; d < a.size(); ++d) {
    left /= a[d];
    right /= b[d];
    if (left > 1 && b[d] > 1) y = y.reshape({done, a[d], left, b[d], right}).transpose(2, 3);
    done *= a[d] * b[d];
  }
  return y;
}

}  // namespace

Tensor kron(const Tensor& self, const Tensor& other) {
  if (auto done = at_door<"kron">(self, other)) return done;
  check_defined("kron", self, "self");
  check_defined("kron", other, "other");
  const int64_t rank = std::max(self.dim(), other.dim());
  Dims a, b, sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t i = d - rank + self.dim(), j = d - rank + other.dim();
    a.push_back(i < 0 ? 1 : self.size(i));
    b.push_back(j < 0 ? 1 : other.size(j));
    sizes.push_back(detail::checked_mul("kron", a[d], b[d]));
  }
  return (2 * rank > kMaxDims ? kron_by_steps(self, other, a, b)
                              : interleaved(self, a, true) * interleaved(other, b, false))
      .reshape(sizes);
}

// ---------------------------------------------------------------- methods
Tensor Tensor::kron(const Tensor& other) const { return taper::kron(*this, other); }

// ---------------------------------------------------------------- out forms
TAPER_OUT(kron, (out, self, other), kron(self, other), (self, other), const Tensor& self,
          const Tensor& other)
TAPER_OUT(tensordot, (out, self, other, dims_self, dims_other),
          tensordot(self, other, dims_self, dims_other), (self, other), const Tensor& self,
          const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other)

}  // namespace torch::taper
