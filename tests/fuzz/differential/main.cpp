// differential FIRST COUNT [STEP...]: runs the programs of COUNT seeds from FIRST on. Of a single
// program, STEP... are the numbers of the steps to run (1000: the gradients at the end); the others
// are left out.
//
// Prints "program SEED", then a line for each step: its number, its name, its results, or "throws".
// FUZZ_VERBOSE=1 adds what an exception said.
#include "program.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>

namespace {

using fuzz::Program;

constexpr int kGradients = 1000;

const fuzz::Steps& steps() {
  static const fuzz::Steps all = [] {
    fuzz::Steps list;
    fuzz::add_views(list);
    fuzz::add_changes(list);
    fuzz::add_pointwise(list);
    fuzz::add_reductions(list);
    fuzz::add_indexing(list);
    fuzz::add_arrangements(list);
    fuzz::add_products(list);
    fuzz::add_networks(list);
    fuzz::add_gradients(list);
    return list;
  }();
  return all;
}

void run(uint64_t seed, const std::set<int>& wanted) {
  std::printf("program %" PRIu64 "\n", seed);
  const auto runs = [&](int number) { return wanted.empty() || wanted.count(number) > 0; };
  Program program(seed);
  const int count = static_cast<int>(program.random().between(3, 12));
  for (int i = 0; i < count; ++i) {
    program.begin(i);
    const fuzz::Step& step = steps().draw(program.random());
    if (!runs(i)) continue;
    try {
      step(program);
    } catch (const std::exception& e) {  // while its arguments were made, or its results printed
      std::printf("\n%d\targuments\tunsupported\n", i);
      if (std::getenv("FUZZ_VERBOSE")) std::printf("# %s\n", e.what());
    }
  }
  if (runs(kGradients)) program.finish(seed % 3 == 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: differential FIRST COUNT [STEP...]\n");
    return 2;
  }
  at::set_num_threads(1);
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);  // a crash loses no line
  const uint64_t first = std::strtoull(argv[1], nullptr, 10),
                 count = std::strtoull(argv[2], nullptr, 10);
  std::set<int> wanted;
  for (int i = 3; i < argc; ++i) wanted.insert(std::atoi(argv[i]));
  for (uint64_t seed = first; seed < first + count; ++seed) run(seed, wanted);
  return 0;
}
