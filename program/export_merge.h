// Makes one graph of the recordings of several calls. Not installed.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <taper/program/trace.h>

namespace torch::taper::program {

/// A symbol, with the dimensions that have it as their size.
struct Symbol {
  std::string name;
  std::vector<std::pair<size_t, int64_t>> dims;  // argument and dimension
  int64_t example = 0;
  Range range;
  bool allows(int64_t n) const {
    return n >= std::max<int64_t>(range.min.value_or(1), 1) && (!range.max || n <= *range.max);
  }
};

/// The recordings of calls at several values of the symbols. The first is the example.
struct Samples {
  std::vector<std::vector<int64_t>> points;
  std::vector<Recording> calls;
};

/// Returns the graph that all calls have in common. Integers that differ become expressions of the
/// symbols. Throws Error that names the difference if there is no such graph.
Graph merged_graph(const Samples& samples, const std::vector<Symbol>& symbols,
                   const std::vector<TraceInput>& inputs);

}  // namespace torch::taper::program
