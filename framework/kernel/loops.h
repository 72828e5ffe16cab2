// Walking the operands of pointwise kernels: the part that is the same for every op, dtype and
// instruction set. The loops over a row are in loops.inc.
#pragma once

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/vec_widen.h>

namespace torch::taper::cpu {

// A loop for f16 takes rows as they are (narrow_loops.inc) or, where its arithmetic takes so long
// that conversions do not matter, is that of floats: rows are then given as floats in buffers, and
// results, unless bool, taken as floats.
enum class HalfRows { kAsFloats, kAsTheyAre };

/// One row of n elements that lie side by side; s holds the steps of y and the inputs in bytes: 0
/// where one of two inputs is one element for the whole row.
using MapRow = void (*)(const void* f, char* y, const char* x, const int64_t* s, int64_t n);
/// The same for `rows` rows of two inputs; s then holds the steps from row to row behind the
/// others.
using Map2Rows = void (*)(const void* f, char* y, const char* a, const char* b, const int64_t* s,
                          int64_t n, int64_t rows);
/// The same for a row of three inputs, of which the second or the third may be one element.
using Map3Row = void (*)(const void* f, char* y, const char* const* x, const int64_t* s, int64_t n);

/// Calls row(f, ...) for all rows of y = f(x), in parallel above `grain` elements.
void run_map(const Out& y, const In& x, int64_t grain, MapRow row, const void* f,
             HalfRows halves = HalfRows::kAsFloats);
/// The same for y = f(a, b); a and b broadcast to y's shape.
void run_map2(const Out& y, const In& a, const In& b, int64_t grain, Map2Rows rows, const void* f,
              HalfRows halves = HalfRows::kAsFloats);
/// The same for y = f(a, b, c).
void run_map3(const Out& y, const In& a, const In& b, const In& c, int64_t grain, Map3Row row,
              const void* f, HalfRows halves = HalfRows::kAsFloats);

/// Whether a loop of one instruction, of which all sets make the same bits, is faster by vectors of
/// 32 bytes than by those of 64: over floats that do not stay in L2, and are not written past L3.
/// (add of 1 M floats at 94 GB/s in place of 87, Zen 4.)
bool wants_half_vectors(const Out& y, const In& a, const In& b);
constexpr int64_t kMostInL2 = 1 << 17;  // elements; below it need not be asked

/// n elements of `item` bytes that lie `step` bytes apart, put side by side, and back.
void gather(char* to, const char* from, int64_t step, int64_t item, int64_t n);
void scatter(char* to, const char* from, int64_t step, int64_t item, int64_t n);

}  // namespace torch::taper::cpu
