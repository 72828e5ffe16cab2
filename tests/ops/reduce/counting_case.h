// Cases of ops that count elements or find places.
#pragma once

#include "test_util.h"

namespace torch::taper::testing {

inline OpCase counting_case(std::string name, std::vector<ScalarType> dtypes,
                            std::function<std::vector<Args>(ScalarType)> samples,
                            std::function<Results(const Args&)> call,
                            std::function<Arrays(const ArrayArgs&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = std::move(dtypes);
  c.samples = std::move(samples);
  c.call = std::move(call);
  c.reference = std::move(reference);
  c.differentiable = false;
  return c;
}

}  // namespace torch::taper::testing
