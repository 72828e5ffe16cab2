#include <taper/ops/linalg/einsum.h>

#include <array>
#include <cctype>
#include <string>
#include <vector>

#include <taper/framework/checked.h>
#include <taper/framework/iterate.h>
#include <taper/framework/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/shared/autocast.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/view.h>

namespace taper {

namespace {

constexpr int kLetters = 52;
constexpr int kEllipsis = kLetters;

int number_of(char letter) { return letter >= 'a' ? letter - 'a' + 26 : letter - 'A'; }
char letter_of(int number) {
  return static_cast<char>(number < 26 ? 'A' + number : 'a' + number - 26);
}

using Subscripts = std::vector<int>;

/// The subscripts of the operands, and of the result where it is written.
struct Equation {
  std::vector<Subscripts> operands;
  Subscripts result;
  bool has_result;
};

bool is_ellipsis(std::string_view text, size_t i) { return text.substr(i, 3) == "..."; }

// One letter, or an ellipsis, at `i`; which is moved behind it.
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

/// All subscripts in the order in which the operands are laid out: those of the result first. The
/// ellipsis stands for `ellipsis` dimensions.
struct Alignment {
  std::array<int64_t, kLetters + 1> place;  ///< of each subscript; -1: it does not appear
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

// The result's subscripts where the equation does not write them.
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

/// An operand with one dimension for each of the layout, of size 1 where it has none.
Tensor aligned(const Tensor& given, const Subscripts& subscripts, const Alignment& l,
               size_t index) {
  Tensor x = given;
  std::vector<int64_t> from(static_cast<size_t>(l.rank), -1);
  int64_t d = 0;
  for (int s : subscripts) {
    const auto first = static_cast<size_t>(l.place[static_cast<size_t>(s)]);
    if (s == kEllipsis) {
      const int64_t covered = given.dim() - static_cast<int64_t>(subscripts.size()) + 1;
      for (int64_t k = l.ellipsis - covered; k < l.ellipsis; ++k)
        from[first + static_cast<size_t>(k)] = d++;
    } else if (from[first] < 0) {
      from[first] = d++;
    } else {
      const int64_t seen = from[first];
      TAPER_CHECK(x.size(seen) == x.size(d), "einsum(): subscript ", letter_of(s),
                  " is repeated for operand ", index, " but the sizes don't match, ", x.size(d),
                  " != ", x.size(seen));
      x = x.diagonal(0, seen, d).movedim(-1, seen);
    }
  }
  Dims order;
  for (int64_t source : from) order.push_back(source < 0 ? d++ : source);
  while (x.dim() < l.rank) x = x.unsqueeze(-1);
  return x.permute(order);
}

void check_broadcast(const std::vector<Tensor>& operands, const Alignment& l) {
  for (int64_t d = 0; d < l.rank; ++d) {
    int64_t seen = 1;
    for (size_t i = 0; i < operands.size(); ++i) {
      const int64_t size = operands[i].size(d);
      if (size == 1 || size == seen || seen == 1) {
        seen = size == 1 ? seen : size;
        continue;
      }
      const int64_t dots = l.place[kEllipsis];
      TAPER_CHECK(dots < 0 || d < dots || d >= dots + l.ellipsis, "einsum(): dimension ", d - dots,
                  " covered by ellipsis in operand ", i, "has size ", size,
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

/// Dimensions of a pair of aligned operands by their part in the product.
struct Roles {
  Dims batch, left, right, summed;  ///< dimensions
  Dims batch_size, left_size, right_size, summed_size;
  int64_t depth() const { return product_of(summed_size); }
};

Roles roles_of(const Tensor& a, const Tensor& b, const std::vector<bool>& summed) {
  Roles r;
  for (int64_t d = 0; d < a.dim(); ++d) {
    const auto add = [d](Dims& dims, Dims& sizes, int64_t size) {
      dims.push_back(d);
      sizes.push_back(size);
    };
    if (summed[static_cast<size_t>(d)])
      add(r.summed, r.summed_size, a.size(d));
    else if (a.size(d) != 1 && b.size(d) != 1)
      add(r.batch, r.batch_size, a.size(d));
    else if (a.size(d) != 1)
      add(r.left, r.left_size, a.size(d));
    else
      add(r.right, r.right_size, b.size(d));
  }
  return r;
}

Dims joined(std::initializer_list<Dims> parts) {
  Dims all;
  for (const Dims& p : parts)
    for (int64_t v : p) all.push_back(v);
  return all;
}

/// The product of two aligned operands, summed over the dimensions that `ends` marks (their size
/// becomes 1): one bmm.
Tensor contract(Tensor a, Tensor b, const std::vector<bool>& ends) {
  std::vector<bool> summed(ends.size(), false);
  for (size_t i = 0; i < ends.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (!ends[i]) continue;
    if (a.size(d) != 1 && b.size(d) != 1)
      summed[i] = true;
    else
      (a.size(d) != 1 ? a : b) = (a.size(d) != 1 ? a : b).sum(d, true);
  }
  const Roles r = roles_of(a, b, summed);
  if (r.summed.empty()) return a * b;
  const int64_t batch = product_of(r.batch_size), rows = product_of(r.left_size),
                columns = product_of(r.right_size);
  const Tensor left =
      a.permute(joined({r.batch, r.left, r.summed, r.right})).reshape({batch, rows, r.depth()});
  const Tensor right =
      b.permute(joined({r.batch, r.summed, r.right, r.left})).reshape({batch, r.depth(), columns});
  Dims sizes = joined({r.batch_size, r.left_size, r.right_size});
  for (int64_t i = 0; i < r.summed.size(); ++i) sizes.push_back(1);
  const Dims order = joined({r.batch, r.left, r.right, r.summed});
  Dims back(order.size(), 0);
  for (int64_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return bmm(left, right).reshape(sizes).permute(back);
}

// Which summed dimensions none of the operands from the i-th on has.
std::vector<bool> ending_before(size_t i, const std::vector<Tensor>& operands, const Alignment& l) {
  std::vector<bool> ends(static_cast<size_t>(l.rank), false);
  for (int64_t d = l.result_rank; d < l.rank; ++d) {
    bool later = false;
    for (size_t k = i; k < operands.size(); ++k) later = later || operands[k].size(d) != 1;
    ends[static_cast<size_t>(d)] = !later;
  }
  return ends;
}

Tensor sum_marked(const Tensor& x, const std::vector<bool>& marked) {
  std::vector<int64_t> dims;
  for (size_t d = 0; d < marked.size(); ++d)
    if (marked[d]) dims.push_back(static_cast<int64_t>(d));
  return dims.empty() ? x : x.sum(dims, true);
}

// Takes one of the operands out.
Tensor take(std::vector<Tensor>& operands, int64_t place) {
  const Tensor t = operands[static_cast<size_t>(place)];
  operands.erase(operands.begin() + place);
  return t;
}

Tensor contract_along(IntArrayRef path, std::vector<Tensor> left, const Alignment& l) {
  const size_t size = left.size() == 1 ? 1 : (left.size() - 1) * 2;
  TAPER_CHECK(path.size() == size,
              "einsum(): expected contraction path given in path parameter to have size ", size,
              " but got ", path.size());
  if (left.size() == 1) return sum_marked(left[0], ending_before(1, left, l));
  for (size_t step = 0; step < size; step += 2) {
    const int64_t i = std::min(path[step], path[step + 1]),
                  j = std::max(path[step], path[step + 1]);
    TAPER_CHECK(i >= 0 && i != j && j < static_cast<int64_t>(left.size()),
                "einsum(): invalid contraction (", path[step], ", ", path[step + 1], ") for ",
                left.size(), " operands");
    const Tensor b = take(left, j), a = take(left, i);
    left.push_back(contract(a, b, ending_before(0, left, l)));
  }
  return left[0];
}

Tensor contract_in_order(const std::vector<Tensor>& all, const Alignment& l) {
  Tensor y = sum_marked(all[0], ending_before(1, all, l));
  for (size_t i = 1; i < all.size(); ++i) y = contract(y, all[i], ending_before(i + 1, all, l));
  return y;
}

}  // namespace

Tensor einsum(std::string_view equation, TensorList operands, OptionalIntArrayRef path) {
  if (auto cast = autocast_call("einsum", einsum, equation, operands, path)) return *cast;
  TAPER_CHECK(!operands.empty(), "einsum(): must provide at least one operand");
  const Equation e = parse(equation);
  TAPER_CHECK(e.operands.size() <= operands.size(),
              "einsum(): fewer operands were provided than specified in the equation");
  TAPER_CHECK(e.operands.size() >= operands.size(),
              "einsum(): more operands were provided than specified in the equation");
  for (const Tensor& t : operands) check_defined("einsum", t, "operand");
  const Alignment l = lay_out(e, operands);
  std::vector<Tensor> all;
  for (size_t i = 0; i < operands.size(); ++i)
    all.push_back(aligned(operands[i], e.operands[i], l, i));
  check_broadcast(all, l);
  const Tensor y = path ? contract_along(*path, all, l) : contract_in_order(all, l);
  Dims sizes;
  for (int64_t d = 0; d < l.result_rank; ++d) sizes.push_back(y.size(d));
  return y.reshape(sizes);
}

// ---------------------------------------------------------------------- tensordot, kron, cross
Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other) {
  if (auto cast = autocast_call("tensordot", tensordot, self, other, dims_self, dims_other))
    return *cast;
  check_defined("tensordot", self, "self");
  check_defined("tensordot", other, "other");
  TAPER_CHECK(dims_self.size() == dims_other.size(),
              "tensordot: both dimension lists should have same length");
  const Dims a_dims = wrap_dims(dims_self, self.dim()), b_dims = wrap_dims(dims_other, other.dim());
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
  return mm(a.permute(joined({a_rest, a_dims})).reshape({rows, depth}),
            b.permute(joined({b_dims, b_rest})).reshape({depth, columns}))
      .reshape(sizes);
}

Tensor kron(const Tensor& self, const Tensor& other) {
  check_defined("kron", self, "self");
  check_defined("kron", other, "other");
  const int64_t rank = std::max(self.dim(), other.dim());
  Dims a, b, sizes;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t i = d - rank + self.dim(), j = d - rank + other.dim();
    const int64_t m = i < 0 ? 1 : self.size(i), n = j < 0 ? 1 : other.size(j);
    a.push_back(m);
    a.push_back(1);
    b.push_back(1);
    b.push_back(n);
    sizes.push_back(detail::checked_mul("kron", m, n));
  }
  return (self.reshape(a) * other.reshape(b)).reshape(sizes);
}

// ---------------------------------------------------------------- methods
Tensor Tensor::kron(const Tensor& other) const { return taper::kron(*this, other); }

// ---------------------------------------------------------------- out forms
TAPER_OUT(kron, kron(self, other), (self, other), const Tensor& self, const Tensor& other)
TAPER_OUT(tensordot, tensordot(self, other, dims_self, dims_other), (self, other),
          const Tensor& self, const Tensor& other, IntArrayRef dims_self, IntArrayRef dims_other)

}  // namespace taper
