// What the fake of cuDNN has of operations on matrices, which attention is a graph of: products,
// formulas, sums and maxima of rows, views; checked, and computed from their definition.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "cuda_fake/dnn_graph.h"
#include "cuda_fake/state.h"

namespace fake_cuda::graphs {

inline bool is_operation(const Part& p) {
  return is_convolution(p) || p.type == kFormula || p.type == kProduct || p.type == kReduce ||
         p.type == kView;
}

// ---------------------------------------------------------------------- rules
/// What a formula takes and makes.
struct FormulaRule {
  cudnnPointwiseMode_t mode;
  size_t operands;
  bool makes_truth = false;
};
inline const FormulaRule* rule_of(const Part& formula) {
  static constexpr FormulaRule kRules[] = {
      {CUDNN_POINTWISE_ADD, 2},          {CUDNN_POINTWISE_SUB, 2},
      {CUDNN_POINTWISE_MUL, 2},          {CUDNN_POINTWISE_DIV, 2},
      {CUDNN_POINTWISE_EXP, 1},          {CUDNN_POINTWISE_LOG, 1},
      {CUDNN_POINTWISE_IDENTITY, 1},     {CUDNN_POINTWISE_GEN_INDEX, 1},
      {CUDNN_POINTWISE_RELU_FWD, 1},     {CUDNN_POINTWISE_CMP_GE, 2, true},
      {CUDNN_POINTWISE_BINARY_SELECT, 3}};
  const auto mode = formula.one<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
  for (const FormulaRule& r : kRules)
    if (r.mode == mode) return &r;
  return nullptr;
}
inline bool broadcasts(const Grid& x, const Grid& y) {
  const auto fits = [](int64_t own, int64_t wanted) { return own == 1 || own == wanted; };
  bool all = x.rank == y.rank && fits(x.n, y.n) && fits(x.c, y.c);
  for (int d = 0; d < 3; ++d) all = all && fits(x.size[d], y.size[d]);
  return all;
}
inline void check_formula(LibraryCall& call, const Part& p) {
  const Part& how = p.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  call.demand(how.type == kPointwise, "a pointwise operation that is not described");
  if (!call) return;
  const FormulaRule* const rule = rule_of(how);
  const auto parts = tensors_of(p);
  call.demand(rule && parts.size() == rule->operands + 1, "a formula of other operands");
  if (!call) return;
  const Grid y(*parts.back());
  for (const PartOf& t : parts)
    call.demand(broadcasts(Grid(*t), y), "terms that do not fit each other");
  call.demand(rule->makes_truth == (y.type == CUDNN_DATA_BOOLEAN), "a truth that is a number");
  if (rule->mode == CUDNN_POINTWISE_BINARY_SELECT)
    call.demand(Grid(*parts[2]).type == CUDNN_DATA_BOOLEAN, "a choice by numbers");
  if (rule->mode == CUDNN_POINTWISE_GEN_INDEX)
    call.demand(how.has(CUDNN_ATTR_POINTWISE_AXIS) && y.type == CUDNN_DATA_INT32,
                "indices of no dimension");
}
inline void check_product(LibraryCall& call, const Part& p) {
  call.demand(p.part(CUDNN_ATTR_OPERATION_MATMUL_DESC).type == kMatmul, "what is no product");
  const auto parts = tensors_of(p);
  const Grid a(*parts[0]), b(*parts[1]), c(*parts[2]);
  call.demand(a.n == c.n && b.n == c.n && a.c == c.c && b.c == c.c && a.size[1] == c.size[1] &&
                  b.size[2] == c.size[2] && a.size[2] == b.size[1],
              "matrices that do not fit each other");
}
inline void check_reduce(LibraryCall& call, const Part& p) {
  call.demand(p.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC).type == kReduction, "what reduces not");
  const auto parts = tensors_of(p);
  const Grid x(*parts[0]), y(*parts[1]);
  call.demand(x.n == y.n && x.c == y.c && x.size[1] == y.size[1] && y.size[2] == 1,
              "rows that do not fit each other");
}
inline void check_view(LibraryCall& call, const Part& p) {
  const auto parts = tensors_of(p);
  const Grid x(*parts[0]), y(*parts[1]);
  call.demand(x.reach() == y.reach() && x.numel() == y.numel(), "a view of other elements");
}
inline void check_operation(LibraryCall& call, const Part& p) {
  for (const PartOf& t : tensors_of(p)) call.demand(t->type == kTensor, "what is no tensor");
  if (!call) return;
  if (p.type == kFormula) check_formula(call, p);
  if (p.type == kProduct) check_product(call, p);
  if (p.type == kReduce) check_reduce(call, p);
  if (p.type == kView) check_view(call, p);
}
/// Whether two descriptors are of one tensor.
inline bool is_same(const Part& a, const Part& b) {
  return a.all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS) ==
             b.all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS) &&
         a.all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES) == b.all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES) &&
         Grid(a).type == Grid(b).type && Grid(a).is_virtual == Grid(b).is_virtual;
}

// ---------------------------------------------------------------------- computing
inline double result_of(const Part& formula, const std::vector<double>& x, const int64_t (&at)[4]) {
  switch (formula.one<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE)) {
    case CUDNN_POINTWISE_ADD:
      return x[0] + x[1];
    case CUDNN_POINTWISE_SUB:
      return x[0] - x[1];
    case CUDNN_POINTWISE_MUL:
      return x[0] * x[1];
    case CUDNN_POINTWISE_DIV:
      return x[0] / x[1];
    case CUDNN_POINTWISE_EXP:
      return std::exp(x[0]);
    case CUDNN_POINTWISE_LOG:
      return std::log(x[0]);
    case CUDNN_POINTWISE_GEN_INDEX:
      return static_cast<double>(at[formula.one<int64_t>(CUDNN_ATTR_POINTWISE_AXIS)]);
    case CUDNN_POINTWISE_CMP_GE:
      return x[0] >= x[1];
    case CUDNN_POINTWISE_RELU_FWD:
      return x[0] > 0 ? x[0] : 0;
    case CUDNN_POINTWISE_BINARY_SELECT:
      return x[2] != 0 ? x[0] : x[1];
    default:
      return x[0];
  }
}
inline void compute_formula(const Part& p, Memory& memory) {
  const Part& how = p.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
  const auto parts = tensors_of(p);
  std::vector<Grid> grids;
  std::vector<std::vector<double>> values;
  for (size_t i = 0; i + 1 < parts.size(); ++i)
    values.push_back(memory.read(grids.emplace_back(*parts[i])));
  const Grid y(*parts.back());
  std::vector<double> to(y.reach()), x(grids.size());
  const auto within = [](int64_t at, int64_t size) { return size == 1 ? 0 : at; };
  const int factors[] = {CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1,
                         CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2};
  for (int64_t n = 0; n < y.n; ++n)
    for (int64_t c = 0; c < y.c; ++c)
      positions(y.size, [&](const int64_t(&at)[3]) {
        for (size_t i = 0; i < grids.size(); ++i) {
          const Grid& g = grids[i];
          x[i] = values[i][g.at(
              within(n, g.n), within(c, g.c),
              {within(at[0], g.size[0]), within(at[1], g.size[1]), within(at[2], g.size[2])})];
          if (i < 2 && p.has(factors[i])) x[i] *= factor_of(p, factors[i]);
        }
        to[y.at(n, c, at)] = result_of(how, x, {n, c, at[1], at[2]});
      });
  memory.write(y, to);
}
inline void compute_product(const Part& p, Memory& memory) {
  const auto parts = tensors_of(p);
  const Grid a(*parts[0]), b(*parts[1]), c(*parts[2]);
  const auto x = memory.read(a), z = memory.read(b);
  std::vector<double> to(c.reach());
  for (int64_t n = 0; n < c.n; ++n)
    for (int64_t h = 0; h < c.c; ++h)
      positions(c.size, [&](const int64_t(&at)[3]) {
        double sum = 0;
        for (int64_t k = 0; k < a.size[2]; ++k)
          sum += x[a.at(n, h, {0, at[1], k})] * z[b.at(n, h, {0, k, at[2]})];
        to[c.at(n, h, at)] = sum;
      });
  memory.write(c, to);
}
inline void compute_reduce(const Part& p, Memory& memory) {
  const auto op = p.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC)
                      .one<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR);
  const auto parts = tensors_of(p);
  const Grid x(*parts[0]), y(*parts[1]);
  const auto from = memory.read(x);
  const bool is_max = op == CUDNN_REDUCE_TENSOR_MAX;
  std::vector<double> to(y.reach(), is_max ? -std::numeric_limits<double>::infinity() : 0);
  for (int64_t n = 0; n < x.n; ++n)
    for (int64_t c = 0; c < x.c; ++c)
      positions(x.size, [&](const int64_t(&at)[3]) {
        double& sum = to[y.at(n, c, {0, at[1], 0})];
        const double v = from[x.at(n, c, at)];
        sum = is_max ? std::max(sum, v) : sum + v;
      });
  memory.write(y, to);
}
inline void compute_operation(const Part& p, Memory& memory) {
  if (is_convolution(p)) compute_convolution(p, memory);
  if (p.type == kFormula) compute_formula(p, memory);
  if (p.type == kProduct) compute_product(p, memory);
  if (p.type == kReduce) compute_reduce(p, memory);
  if (p.type != kView) return;
  const auto parts = tensors_of(p);
  memory.write(Grid(*parts[1]), memory.read(Grid(*parts[0])));
}
inline void compute(const Part& graph, Memory memory) {
  for (const PartOf& operation : graph.values.at(CUDNN_ATTR_OPERATIONGRAPH_OPS).parts)
    compute_operation(*operation, memory);
}

}  // namespace fake_cuda::graphs
