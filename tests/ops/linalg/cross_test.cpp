#include <taper/ops/linalg/cross.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

TAPER_OP_CASES(cross_case, {
  OpCase c;
  c.name = "cross";
  c.samples = [](ScalarType t) {
    return std::vector<Args>{sample_of({{4, 3}, {4, 3}}, t), sample_of({{3}, {3}}, t),
                             sample_of({{0, 3}, {0, 3}}, t)};
  };
  c.call = [](const Args& a) { return cross(a.t[0], a.t[1]); };
  c.reference = [](const ArrayArgs& a) {
    Array y(a.t[0].sizes);
    for (size_t i = 0; i < y.v.size(); ++i) {
      const size_t row = i / 3 * 3, p = row + (i - row + 1) % 3, q = row + (i - row + 2) % 3;
      y.v[i] = a.t[0].v[p] * a.t[1].v[q] - a.t[0].v[q] * a.t[1].v[p];
    }
    return y;
  };
  c.errors = {error<Error>("no dimension of size 3 in input",
                           [] {
                             cross(numbers({2, 4}), numbers({2, 4}));
                           }),
              error<Error>("linalg.cross: inputs dimension 0 must have length 3. Got 2 and 2", [] {
                cross(numbers({2, 3}), numbers({2, 3}), 0);
              })};
  return std::vector<OpCase>{c};
});

}  // namespace
}  // namespace torch::taper::testing
