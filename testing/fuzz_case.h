// One case of fuzz(): sizes, dtype, layouts and a seed for values. Not installed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <taper/testing/fuzz.h>
#include <taper/testing/memory.h>

namespace torch::taper::testing::impl {

enum class FuzzLayout { kPlain, kTransposed, kGaps, kExpanded };

struct FuzzCase {
  ScalarType dtype = kDouble;
  std::map<std::string, int64_t> sizes;  ///< size of each name
  std::vector<int64_t> more;             ///< sizes of the dimensions of "..."
  std::vector<FuzzLayout> layouts;       ///< layout of each input
  /// For each input, a number that encodes its broadcasting. If bit d of the low 32 bits is set,
  /// the dimension d places before the last has size 1. The high 32 bits are the number of first
  /// dimensions that are left out.
  std::vector<uint64_t> broadcast;
  uint64_t values = 1;
};

/// Returns the words of a shape: names, numbers, "...". Throws ValueError for other words.
std::vector<std::string> shape_words(const std::string& shape);

FuzzCase random_case(const std::vector<FuzzInput>& inputs, const FuzzOptions& options, Dice& dice);
std::vector<int64_t> sizes_of(const FuzzCase& c, const FuzzInput& input, size_t i);
/// Returns the inputs of the case. They are contiguous, and in float64 or the dtype that FuzzInput
/// sets. laid_out() copies tensors to the layouts of the case.
std::vector<Tensor> tensors_of(const FuzzCase& c, const std::vector<FuzzInput>& inputs);
std::vector<Tensor> in_dtype(const std::vector<Tensor>& tensors, ScalarType dtype);
std::vector<Tensor> laid_out(const FuzzCase& c, const std::vector<Tensor>& tensors);

/// Returns cases that differ from `c` in one change that makes the case simpler.
std::vector<FuzzCase> simpler(const FuzzCase& c, const std::vector<FuzzInput>& inputs);

/// Convert a case to a text, "dtype=Double N=2 ...=3x1 layouts=pt values=17", and back.
std::string case_text(const FuzzCase& c);
FuzzCase parse_case(const std::string& text, const std::vector<FuzzInput>& inputs);
/// Returns a description for a report: "input 0 Double [2, 3] with gaps; input 1 ...".
std::string describe_case(const FuzzCase& c, const std::vector<FuzzInput>& inputs);

}  // namespace torch::taper::testing::impl
