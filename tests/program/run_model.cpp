// run_model PROGRAM.pt2 EXPECTED.pt: prints the differences from PyTorch, for models.py.
#include <cstdio>

#include "program/check.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: run_model PROGRAM.pt2 EXPECTED.pt\n");
    return 2;
  }
  try {
    const taper::testing::Differences d = taper::testing::check(arguments[1], arguments[2]);
    std::printf("%.3g %.3g %.3g %.3g %.3g %d\n", d.outputs, d.buffers, d.gradients, d.sgd, d.adamw,
                d.learns);
    return 0;
  } catch (const std::exception& e) {
    std::printf("error %s\n", e.what());
    return 1;
  }
}
