// Iteration over the operands of pointwise kernels: code shared by all ops, dtypes and instruction
// sets. The loops over a row are in loops.inc.
#pragma once

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/targets.h>
#include <taper/framework/kernel/vec_widen.h>

namespace torch::taper::cpu {

// How a loop takes rows of 16-bit floats. kAsTheyAre: the loop takes 16-bit floats. kAsFloats: the
// loop takes floats, because its arithmetic takes much longer than conversions. Rows are then
// converted to floats in buffers. Results are converted back unless they are bools.
enum class NarrowRows { kAsTheyAre, kAsFloats };

/// A loop over one row of n adjacent elements. s holds the steps of y and the inputs, in bytes. An
/// input's step is 0 if it has one element for the whole row.
using MapRow = void (*)(const void* f, char* y, const char* x, const int64_t* s, int64_t n);
/// A loop over `rows` rows of two inputs. After the steps within a row, s holds the steps from row
/// to row.
using Map2Rows = void (*)(const void* f, char* y, const char* a, const char* b, const int64_t* s,
                          int64_t n, int64_t rows);
/// A loop over a row of three inputs. The second or the third input may be one element for the
/// whole row.
using Map3Row = void (*)(const void* f, char* y, const char* const* x, const int64_t* s, int64_t n);

/// Calls row(f, ...) for all rows of y = f(x). Runs in parallel if there are more than `grain`
/// elements.
void run_map(const Out& y, const In& x, int64_t grain, MapRow row, const void* f,
             NarrowRows narrow = NarrowRows::kAsTheyAre);
/// Calls rows(f, ...) for all rows of y = f(a, b). a and b broadcast to y's shape.
void run_map2(const Out& y, const In& a, const In& b, int64_t grain, Map2Rows rows, const void* f,
              NarrowRows narrow = NarrowRows::kAsTheyAre);
/// Calls row(f, ...) for all rows of y = f(a, b, c).
void run_map3(const Out& y, const In& a, const In& b, const In& c, int64_t grain, Map3Row row,
              const void* f, NarrowRows narrow = NarrowRows::kAsTheyAre);

/// Returns whether vectors of 32 bytes are faster than vectors of 64 for y = f(a, b). f must be one
/// instruction with equal bits in all instruction sets. The vectors of 32 bytes are faster for
/// floats that exceed L2 (the caller compares with kMostInL2), unless y is written by non-temporal
/// stores. (On Zen 4, add of 1 M floats runs at 94 GB/s instead of 87.)
bool wants_half_vectors(const Out& y, const In& a, const In& b);
constexpr int64_t kMostInL2 = 1 << 17;  // elements. Smaller operands fit in L2

/// Copy n elements of `item` bytes that are `step` bytes apart. gather copies from them to adjacent
/// memory, scatter copies from adjacent memory to them.
void gather(char* to, const char* from, int64_t step, int64_t item, int64_t n);
void scatter(char* to, const char* from, int64_t step, int64_t item, int64_t n);

}  // namespace torch::taper::cpu
