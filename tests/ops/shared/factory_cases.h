// Cases of tensors that are made of numbers alone. An empty tensor carries the dtype and the device
// of each sample.
#pragma once

#include "test_util.h"

namespace torch::taper::testing {

using Sizes = std::vector<int64_t>;

inline Args numbers_of(ScalarType t, Sizes ints, std::vector<double> doubles = {}) {
  return {{to_tensor(Array({0}), t)}, std::move(ints), std::move(doubles)};
}
inline TensorOptions options_of(const Args& a) {
  return TensorOptions(a.t[0].scalar_type()).device(a.t[0].device());
}
/// f(0), f(1), ...
inline Array sequence(int64_t n, const std::function<double(double)>& f) {
  Array y({n});
  for (int64_t i = 0; i < n; ++i) y.v[static_cast<size_t>(i)] = f(static_cast<double>(i));
  return y;
}

struct Numbers {
  Sizes ints;
  std::vector<double> doubles = {};
};
inline OpCase made_case(std::string name, std::vector<Numbers> samples,
                        std::function<Tensor(const Args&)> call,
                        std::function<Array(const Sizes&, const std::vector<double>&)> reference) {
  OpCase c;
  c.name = std::move(name);
  c.samples = [samples = std::move(samples)](ScalarType t) {
    std::vector<Args> list;
    for (const Numbers& n : samples) list.push_back(numbers_of(t, n.ints, n.doubles));
    return list;
  };
  c.call = std::move(call);
  c.reference = [reference = std::move(reference)](const ArrayArgs& a) {
    return reference(a.i, a.d);
  };
  c.differentiable = false;
  return c;
}

}  // namespace torch::taper::testing
