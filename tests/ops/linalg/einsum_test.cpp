#include <taper/ops/linalg/einsum.h>

#include <gtest/gtest.h>

#include <map>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

struct Equation {
  std::string given;
  std::string plain;  ///< the same without dots, for the reference
  std::vector<std::vector<int64_t>> sizes;
};

const std::vector<Equation> kEquations = {
    {"ij,jk->ik", "ij,jk->ik", {{3, 4}, {4, 5}}},
    {"ij,jk", "ij,jk->ik", {{3, 4}, {4, 5}}},
    {"bij, bjk -> bik", "bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}},
    {"i,i->", "i,i->", {{33}, {33}}},
    {"i,j->ij", "i,j->ij", {{3}, {4}}},
    {"ij->ji", "ij->ji", {{3, 4}}},
    {"ij->", "ij->", {{3, 4}}},
    {"ii->i", "ii->i", {{4, 4}}},
    {"iij,jk->ki", "iij,jk->ki", {{3, 3, 2}, {2, 4}}},
    {"ijk,jil->kl", "ijk,jil->kl", {{3, 4, 2}, {4, 3, 5}}},
    {"bn,anm,bm->ba", "bn,anm,bm->ba", {{2, 3}, {4, 3, 5}, {2, 5}}},
    {"...ij,...jk->...ik", "abij,abjk->abik", {{2, 3, 2, 4}, {2, 3, 4, 3}}},
    {"...ij,jk", "abij,jk->abik", {{2, 3, 2, 4}, {4, 3}}},
    {"i...->...", "iab->ab", {{2, 3, 4}}},
    {"bhwc,hkc->bhwk", "bhwc,hkc->bhwk", {{2, 3, 4, 2}, {3, 5, 2}}},
    {"ba", "ba->ab", {{2, 3}}},
    {"ij,jk->ik", "ij,jk->ik", {{0, 4}, {4, 5}}},
    {"ij,jk->ik", "ij,jk->ik", {{2, 0}, {0, 3}}},
    {"abi,bci->abc", "abi,bci->abc", {{2, 3, 4}, {3, 2, 4}}},
    {"ij,i->ji", "ij,i->ji", {{2, 3}, {2}}},
    // More subscripts than a tensor has dimensions.
    {"abcdefgh,hijklmno->aho",
     "abcdefgh,hijklmno->aho",
     {{2, 1, 2, 1, 1, 2, 1, 3}, {3, 1, 2, 1, 1, 2, 1, 2}}},
    {"abcdefg,hijklmn->bn", "abcdefg,hijklmn->bn", {{2, 2, 1, 1, 1, 1, 2}, {2, 1, 1, 2, 1, 1, 3}}},
    {"abcdefg,ghijklm,mnopqrs->as",
     "abcdefg,ghijklm,mnopqrs->as",
     {{2, 1, 2, 1, 1, 1, 2}, {2, 1, 1, 1, 1, 2, 3}, {3, 1, 1, 1, 2, 1, 2}}},
};

// By the definition: for every value of all letters, the product of the operands' elements.
Array naive_einsum(const std::string& equation, const std::vector<Array>& operands) {
  const size_t arrow = equation.find("->");
  std::map<char, int64_t> sizes;
  std::vector<std::string> letters(1);
  for (char c : equation.substr(0, arrow))
    if (c == ',')
      letters.emplace_back();
    else
      letters.back() += c;
  for (size_t k = 0; k < operands.size(); ++k)
    for (size_t d = 0; d < letters[k].size(); ++d) sizes[letters[k][d]] = operands[k].sizes[d];
  const std::string result = equation.substr(arrow + 2);
  std::vector<int64_t> all, out;
  std::map<char, size_t> place;
  for (const auto& [letter, size] : sizes) {
    place[letter] = all.size();
    all.push_back(size);
  }
  for (char c : result) out.push_back(sizes[c]);
  Array y(out);
  for_each_index(all, [&](const std::vector<int64_t>& at) {
    const auto index = [&](const std::string& names) {
      std::vector<int64_t> i;
      for (char c : names) i.push_back(at[place[c]]);
      return i;
    };
    double product = 1;
    for (size_t k = 0; k < operands.size(); ++k) product *= operands[k].at(index(letters[k]));
    y.at(index(result)) += product;
  });
  return y;
}

TAPER_OP_CASES(einsum_cases, {
  std::vector<OpCase> list;
  for (size_t i = 0; i < kEquations.size(); ++i) {
    const Equation& e = kEquations[i];
    OpCase c;
    c.name = "einsum_" + std::to_string(i);
    c.samples = [e](ScalarType t) { return std::vector<Args>{sample_of(e.sizes, t)}; };
    c.call = [e](const Args& a) { return einsum(e.given, a.t); };
    c.reference = [e](const ArrayArgs& a) { return naive_einsum(e.plain, a.t); };
    c.is_view = e.sizes.size() == 1;
    list.push_back(c);
  }
  const auto refuse = [&list](const std::string& equation, std::vector<Tensor> operands,
                              const std::string& words) {
    list[0].errors.push_back(
        error<Error>("einsum(): " + words, [=] { einsum(equation, operands); }));
  };
  const Tensor x = numbers({2, 3});
  refuse("i", {x},
         "the number of subscripts in the equation (1) does not match the number of dimensions (2) "
         "for operand 0 and no ellipsis was given");
  refuse("i1", {x}, "invalid subscript given at index 1 in the equation string");
  refuse("i.j", {x}, "found '.' for operand 0 that is not part of any ellipsis");
  refuse("......", {x}, "found '.' for operand 0 for which an ellipsis was already found");
  refuse("ij,jk", {x}, "fewer operands were provided than specified in the equation");
  refuse("ij", {x, x}, "more operands were provided than specified in the equation");
  refuse(
      "ij,jk", {x, numbers({4, 5})},
      "subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3");
  refuse("ii", {x}, "subscript i is repeated for operand 0 but the sizes don't match, 3 != 2");
  refuse("ij->ik", {x}, "output subscript k does not appear in the equation for any input operand");
  refuse("ij->ii", {x}, "output subscript i appears more than once in the output");
  refuse("...i,...j", {x, numbers({4, 3})}, "dimension 0 covered by ellipsis in operand 1");
  refuse("ij", {}, "must provide at least one operand");
  return list;
});

TAPER_OP_CASES(tensordot_cases, {
  OpCase dot;
  dot.name = "tensordot";
  dot.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3, 4}, {4, 5, 3}}, t),
                             sample_of({{0, 3, 4}, {4, 1, 3}}, t)};
  };
  dot.call = [](const Args& a) { return tensordot(a.t[0], a.t[1], {1, 2}, {2, 0}); };
  dot.reference = [](const ArrayArgs& a) { return naive_einsum("xab,bya->xy", {a.t[0], a.t[1]}); };
  dot.errors = {
      error<Error>("contracted dimensions need to match, but first has size 3 in dim 1 and second "
                   "has size 4 in dim 0",
                   [] {
                     tensordot(numbers({2, 3}), numbers({4, 5}), {1}, {0});
                   }),
      error<Error>("both dimension lists should have same length", [] {
        tensordot(numbers({2, 3}), numbers({4, 5}), {1}, {0, 1});
      })};
  OpCase k;
  k.name = "kron";
  k.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{2, 3}, {4, 2}}, t), sample_of({{3}, {2, 2}}, t),
                             sample_of({{2, 2, 2}, {}}, t), sample_of({{0, 2}, {2, 2}}, t),
                             // Pairs of dimensions that are more than a tensor has.
                             sample_of({{2, 1, 3, 1, 2, 1, 1}, {1, 2, 2, 1, 3, 1, 2}}, t),
                             sample_of({{2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, {3, 2}}, t),
                             sample_of({{2, 1, 3, 1, 0, 1, 1}, {2}}, t)};
  };
  k.call = [](const Args& a) { return kron(a.t[0], a.t[1]); };
  k.reference = [](const ArrayArgs& a) {
    Array x = a.t[0], y = a.t[1];
    while (x.sizes.size() < y.sizes.size()) x.sizes.insert(x.sizes.begin(), 1);
    while (y.sizes.size() < x.sizes.size()) y.sizes.insert(y.sizes.begin(), 1);
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < x.sizes.size(); ++d) sizes.push_back(x.sizes[d] * y.sizes[d]);
    Array r(sizes);
    for_each_index(sizes, [&](const std::vector<int64_t>& at) {
      std::vector<int64_t> i = at, j = at;
      for (size_t d = 0; d < at.size(); ++d) {
        i[d] = at[d] / y.sizes[d];
        j[d] = at[d] % y.sizes[d];
      }
      r.at(at) = x.at(i) * y.at(j);
    });
    return r;
  };
  return std::vector<OpCase>{dot, k};
});

TEST(Einsum, FollowsAPath) {
  const Tensor a = numbers({2, 3}, kDouble), b = numbers({3, 4}, kDouble),
               c = numbers({4, 5}, kDouble), d = numbers({5}, kDouble);
  const Tensor expected = einsum("ij,jk,kl,l->i", {a, b, c, d});
  EXPECT_TRUE(
      einsum("ij,jk,kl,l->i", {a, b, c, d}, IntArrayRef{2, 3, 1, 2, 0, 1}).allclose(expected));
  EXPECT_TRUE(
      einsum("ij,jk,kl,l->i", {a, b, c, d}, IntArrayRef{0, 3, 2, 0, 1, 0}).allclose(expected));
  EXPECT_TRUE(einsum("ij->j", {a}, IntArrayRef{0}).allclose(a.sum({0})));
  expect_error(
      "einsum(): expected contraction path given in path parameter to have size 2 but got 1", [&] {
        einsum("ij,jk", {a, b}, IntArrayRef{0});
      });
  expect_error("einsum(): invalid contraction (0, 2)", [&] {
    einsum("ij,jk", {a, b}, IntArrayRef{0, 2});
  });
  expect_error("einsum(): invalid contraction (1, 1)", [&] {
    einsum("ij,jk", {a, b}, IntArrayRef{1, 1});
  });
}

// A size of 1 goes with any other, also where the subscript is summed.
TEST(Einsum, BroadcastsSizesOfOne) {
  const Tensor x = numbers({2, 1}, kDouble), y = numbers({3, 4}, kDouble);
  EXPECT_TRUE(einsum("ij,jk->ik", {x, y}).allclose(x * y.sum(0)));
  EXPECT_TRUE(einsum("ij,jk->ijk", {x, y}).allclose(x.unsqueeze(2) * y));
  EXPECT_TRUE(
      einsum("ab,ab->ab", {x, numbers({1, 1}, kDouble)}).equal(x * numbers({1, 1}, kDouble)));
}

TEST(Einsum, SaysWhenAProductHasTooManyDimensions) {
  const Tensor x = ones({2, 2, 2, 2, 2, 2, 2});
  expect_error("einsum(): expected at most 12 dimensions in a product of two operands, got 13",
               [&] {
                 einsum("abcdefg,hijklmn,agn->abcdefghijkl", {x, x, ones({2, 2, 2})});
               });
}

// As LibTorch's: what is moved only is a view, a sum is none.
TEST(Einsum, GivesViewsOfWhatItMoves) {
  const Tensor x = zeros({2, 2});
  einsum("ii->i", {x}).fill_(1);
  expect_values(x, {2, 2}, {1, 0, 0, 1});
  EXPECT_TRUE(einsum("ij->ij", {x}).is_view());
  EXPECT_FALSE(einsum("ij->i", {x}).is_view());
  EXPECT_FALSE(einsum("ijk->kj", {zeros({2, 3, 4})}).is_view());
  EXPECT_FALSE(einsum("ij->i", {zeros({2, 1})}).is_view());
}

// As PyTorch 2.15's, which programs see that read a result's memory.
TEST(Einsum, LaysResultsOutInTheirOrder) {
  const Tensor a = ones({4, 3}), b = ones({5, 3}), c = ones({2, 4, 3}), d = ones({3, 5});
  const auto strides = [](const char* equation, const Tensor& x, const Tensor& y) {
    return einsum(equation, {x, y}).strides().vec();
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(strides("ij,kj->ki", a, b), (V{4, 1}));
  EXPECT_EQ(strides("ij,kj->ik", a, b), (V{5, 1}));
  EXPECT_EQ(strides("...ij,...j->...i", a, b), (V{4, 1}));
  EXPECT_EQ(strides("jk,bij->bik", d, c), (V{20, 5, 1}));
  EXPECT_EQ(strides("jk,bij->bki", d, c), (V{4, 8, 1}));
  EXPECT_EQ(strides("bij,jk->ibk", c, d), (V{10, 5, 1}));
  EXPECT_EQ(strides("i,j->ji", ones({4}), ones({5})), (V{4, 1}));
}

TEST(Einsum, TakesIntegers) {
  const Tensor x = counting({2, 2}, kLong);
  expect_values(einsum("ij,jk->ik", {x, x}), {2, 2}, {2, 3, 6, 11});
}

}  // namespace
}  // namespace torch::taper::testing
