// The pieces of the interpreter of runs (row_runs.h): the work of each step, by its formula and the
// place of its operand. Each pointwise op of the lists has pieces. Those of formulas that take no
// vectors are empty. Not installed.
#pragma once

#include <taper/framework/fusion/cpu/row_runs.h>

// clang-format off
#define TAPER_ROW_SOURCES(X, code, formula)                                                        \
  X(code, formula, kRow) X(code, formula, kOne) X(code, formula, kKept) X(code, formula, kKept2)
#define TAPER_ROW_BESIDE(X, code, formula)                                                         \
  X(code, formula, kBefore) X(code, formula, kBefore2)                                             \
  X(code, formula, kBehind) X(code, formula, kBehind2)
#define TAPER_ROW_PRODUCTS(X, code)                                                                \
  X(code, none, kRow) X(code, none, kKept) X(code, none, kKept2)
/// Pieces of one operand, and of two in both orders.
#define TAPER_ROW_ONE(X, formula) X(kOf, formula, kRow)
#define TAPER_ROW_TWO(X, formula)                                                                  \
  TAPER_ROW_SOURCES(X, kWith, formula) TAPER_ROW_SOURCES(X, kFrom, formula)

/// Calls X for all pieces of one step. `One` and `Two` do so for an op of the lists, by
/// TAPER_ROW_ONE and TAPER_ROW_TWO: a macro cannot pass X on through a list.
#define TAPER_ROW_PIECES(X, One, Two)                                                              \
  TAPER_UNARY_OPS(One) TAPER_BINARY_KERNELS(Two)                                                   \
  TAPER_ROW_ONE(X, logical_not) TAPER_ROW_ONE(X, power_3) TAPER_ROW_ONE(X, power_minus_2)          \
  TAPER_ROW_TWO(X, add_scaled)                                                                     \
  X(kWith, bitwise_and, kBools) X(kWith, bitwise_or, kBools) X(kWith, bitwise_xor, kBools)         \
  TAPER_ROW_BESIDE(X, kWith, add) TAPER_ROW_BESIDE(X, kWith, mul)                                  \
  TAPER_ROW_BESIDE(X, kWith, sub) TAPER_ROW_BESIDE(X, kFrom, sub)                                  \
  X(kStore, none, kRow) X(kStore, none, kBools) X(kStoreRows, none, kRow)                          \
  X(kKeep, none, kKept) X(kKeep, none, kKept2) X(kFill, none, kKept) X(kFill, none, kKept2)        \
  X(kTruth, none, kRow) X(kLoad, none, kBools)                                                     \
  TAPER_ROW_SOURCES(X, kLoad, none) TAPER_ROW_BESIDE(X, kLoad, none)                               \
  X(kCondition, none, kKept) X(kCondition, none, kBools)                                           \
  X(kSelect, none, kRow) X(kSelect, none, kOne) X(kSelect, none, kKept)                            \
  X(kSelectElse, none, kRow) X(kSelectElse, none, kOne) X(kSelectElse, none, kKept)                \
  TAPER_ROW_PRODUCTS(X, kAddTimes) TAPER_ROW_PRODUCTS(X, kSubTimes)                                \
  TAPER_ROW_PRODUCTS(X, kTimesSub) TAPER_ROW_PRODUCTS(X, kAddRest) TAPER_ROW_PRODUCTS(X, kSubRest)

/// Steps that often follow each other form one piece, which saves a jump.
#define TAPER_ROW_PAIRS(X)                                                                         \
  X(kLoad, none, kRow, kWith, add, kRow) X(kLoad, none, kRow, kWith, sub, kRow)                    \
  X(kLoad, none, kRow, kWith, mul, kRow) X(kLoad, none, kRow, kWith, add, kOne)                    \
  X(kLoad, none, kRow, kWith, mul, kOne) X(kLoad, none, kOne, kWith, sub, kRow)                    \
  X(kWith, add, kRow, kWith, add, kRow) X(kWith, add, kRow, kWith, mul, kRow)                      \
  X(kWith, add, kRow, kWith, mul, kOne) X(kWith, add, kRow, kWith, sub, kRow)                      \
  X(kWith, add, kRow, kOf, relu, kRow) X(kWith, add, kRow, kStore, none, kRow)                     \
  X(kWith, sub, kRow, kWith, mul, kRow) X(kWith, sub, kRow, kWith, mul, kOne)                      \
  X(kWith, sub, kRow, kStore, none, kRow) X(kWith, mul, kOne, kWith, add, kRow)                    \
  X(kWith, mul, kOne, kWith, sub, kRow) X(kWith, mul, kOne, kStore, none, kRow)                    \
  X(kWith, mul, kRow, kWith, add, kRow) X(kWith, mul, kRow, kWith, add, kOne)                      \
  X(kWith, mul, kRow, kStore, none, kRow) X(kWith, add, kOne, kOf, neg, kRow)                      \
  X(kOf, relu, kRow, kWith, mul, kOne) X(kFill, none, kKept, kFill, none, kKept2)                  \
  X(kLoad, none, kKept, kWith, mul, kKept2) X(kLoad, none, kBefore, kWith, add, kKept)             \
  X(kWith, add, kBefore, kWith, add, kBehind) X(kWith, add, kBefore2, kWith, add, kBehind2)        \
  X(kWith, mul, kOne, kWith, add, kKept) X(kWith, mul, kOne, kWith, add, kKept2)                   \
  X(kWith, mul, kKept2, kStore, none, kRow) X(kLoad, none, kKept2, kWith, mul, kKept)              \
  X(kWith, mul, kKept, kStore, none, kRow)
// clang-format on
