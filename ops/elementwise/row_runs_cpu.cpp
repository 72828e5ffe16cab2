// The interpreter of runs (framework/fusion/cpu/row_runs.h) with the formulas of the pointwise ops.
// It consists of pieces: the work of each step, by its formula and the place of its operand. Each
// pointwise op of the lists has pieces. Those of formulas that take no vectors are empty.
#include <taper/framework/core/check.h>
#include <taper/framework/fusion/cpu/row_runs.h>
#include <taper/framework/kernel/math/vec_double.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/elementwise/unary_functors.h>

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

#define TAPER_ROW_LABEL(code, formula, source) &&code##_##formula##_##source,
#define TAPER_ROW_LABEL_ONE(name, kind) TAPER_ROW_ONE(TAPER_ROW_LABEL, name)
#define TAPER_ROW_LABEL_TWO(name, kind) TAPER_ROW_TWO(TAPER_ROW_LABEL, name)
#define TAPER_ROW_LABELS TAPER_ROW_PIECES(TAPER_ROW_LABEL, TAPER_ROW_LABEL_ONE, TAPER_ROW_LABEL_TWO)
#define TAPER_ROW_PIECE(code, formula, source)                                         \
  code##_##formula##_##source : {                                                      \
    r.template step<RowCode::code, Formula::formula, RowSource::source>(*s, i, lanes); \
    s += count_of(RowCode::code);                                                      \
    goto* pieces[s->piece];                                                            \
  }
#define TAPER_ROW_PIECE_ONE(name, kind) TAPER_ROW_ONE(TAPER_ROW_PIECE, name)
#define TAPER_ROW_PIECE_TWO(name, kind) TAPER_ROW_TWO(TAPER_ROW_PIECE, name)
#define TAPER_ROW_ALL_PIECES \
  TAPER_ROW_PIECES(TAPER_ROW_PIECE, TAPER_ROW_PIECE_ONE, TAPER_ROW_PIECE_TWO)

#define TAPER_ROW_PAIR_LABEL(code, formula, source, code2, formula2, source2) \
  &&code##_##formula##_##source##_##code2##_##formula2##_##source2,
#define TAPER_ROW_FIRST_LABEL(code, formula, source, code2, formula2, source2) \
  &&code##_##formula##_##source,
#define TAPER_ROW_PAIR_PIECE(code, formula, source, code2, formula2, source2)               \
  code##_##formula##_##source##_##code2##_##formula2##_##source2 : {                        \
    r.template step<RowCode::code, Formula::formula, RowSource::source>(*s, i, lanes);      \
    r.hide_all();                                                                           \
    r.template step<RowCode::code2, Formula::formula2, RowSource::source2>(s[1], i, lanes); \
    s += 2; /* none of several steps is in a pair */                                        \
    goto* pieces[s->piece];                                                                 \
  }

#define TAPER_FUNCTOR_OF(formula, functor_type) \
  template <>                                   \
  struct FunctorOf<Formula::formula> {          \
    using type = functor::functor_type;         \
  };
#define TAPER_FUNCTOR_OF_OP(name, kind) TAPER_FUNCTOR_OF(name, name)

namespace torch::taper::cpu {
/// Returns the lanes of two adjacent vectors, from lane `From` of the first.
template <int From, class V>
V lanes_from(V low, V high);  // for AVX-512 only
template <class V>
void store_lanes(float* p, V v, uint16_t lanes);
template <class Words, class Bytes>
Words words_of(Bytes bytes);  // compilers convert them one by one
template <class Bytes, class Words>
Bytes bytes_of(Words words);
#if TAPER_ISA_VARIANTS()
namespace avx512 {
template <int From>
__attribute__((target("avx512f"))) TAPER_INLINE Vec<float> lanes_from(Vec<float> low,
                                                                      Vec<float> high) {
  return (Vec<float>)_mm512_alignr_epi32((__m512i)high, (__m512i)low, From);
}
__attribute__((target("avx512f"))) TAPER_INLINE void store_lanes(float* p, Vec<float> v,
                                                                 uint16_t lanes) {
  _mm512_mask_storeu_ps(p, lanes, (__m512)v);
}
template <class Words, class Bytes>
__attribute__((target("avx512f"))) TAPER_INLINE Words words_of(Bytes bytes) {
  return (Words)_mm512_cvtepu8_epi32((__m128i)bytes);
}
template <class Bytes, class Words>
__attribute__((target("avx512f"))) TAPER_INLINE Bytes bytes_of(Words words) {
  return (Bytes)_mm512_cvtepi32_epi8((__m512i)words);
}
}  // namespace avx512
#endif
}  // namespace torch::taper::cpu

// Loads stay in the order of memory, because uncached memory arrives in this order: 4 M floats take
// 1.25 ms, else 1.55 (seven ops, Zen 4).
#ifndef __clang__
#pragma GCC optimize("no-schedule-insns2")
#endif
#define TAPER_ISA_FILE <taper/ops/elementwise/row_runs_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void run_row_steps(const RowStep* steps, bool keeps, int64_t begin, int64_t end) {
  return TAPER_BY_ISA(run_row_steps, steps, keeps, begin, end);
}

namespace {

/// Describes one step, or two. No code stands for a missing second step.
struct Piece {
  RowCode code;
  Formula formula;
  RowSource source;
  RowCode code2 = RowCode::kEnd;
  Formula formula2 = Formula::none;
  RowSource source2 = RowSource::kRow;
};
#define TAPER_ROW_SINGLE(code, formula, source) \
  {RowCode::code, Formula::formula, RowSource::source},
#define TAPER_ROW_SINGLE_ONE(name, kind) TAPER_ROW_ONE(TAPER_ROW_SINGLE, name)
#define TAPER_ROW_SINGLE_TWO(name, kind) TAPER_ROW_TWO(TAPER_ROW_SINGLE, name)
#define TAPER_ROW_PAIR(code, formula, source, code2, formula2, source2) \
  {RowCode::code,  Formula::formula,  RowSource::source,                \
   RowCode::code2, Formula::formula2, RowSource::source2},
constexpr Piece kPieces[] = {
    TAPER_ROW_PIECES(TAPER_ROW_SINGLE, TAPER_ROW_SINGLE_ONE, TAPER_ROW_SINGLE_TWO){
        RowCode::kEnd, Formula::none, RowSource::kRow},
    TAPER_ROW_PAIRS(TAPER_ROW_PAIR){RowCode::kRows, Formula::none, RowSource::kRow}};

bool is_piece(const RowStep& s, RowCode code, Formula formula, RowSource source) {
  return s.code == code && s.formula == formula && (has_no_operand(code) || s.source == source);
}
/// Returns the piece for the steps from `s` on, the last of which is kEnd. It prefers pairs.
uint16_t piece_of(const RowStep* s) {
  size_t found = std::size(kPieces);
  for (size_t i = 0; i < std::size(kPieces); ++i) {
    const Piece& p = kPieces[i];
    const bool one = p.code2 == RowCode::kEnd;
    if (is_piece(*s, p.code, p.formula, p.source) &&
        (one || is_piece(s[1], p.code2, p.formula2, p.source2)))
      found = i;
  }
  TAPER_CHECK(found < std::size(kPieces),
              "Graph.replay: a step has no piece (this is an error of Taper)");
  return static_cast<uint16_t>(found);
}

}  // namespace

void find_pieces(std::vector<RowStep>& steps) {
  for (size_t i = 0; i < steps.size(); i += static_cast<size_t>(count_of(steps[i].code)))
    steps[i].piece = piece_of(&steps[i]);
}

}  // namespace torch::taper::cpu
