#include "harness/pointwise.h"

namespace torch::taper::testing {

Arrays map(const Array& x, Unary f) {
  Array y = x;
  for (double& v : y.v) v = f(v);
  return y;
}

Arrays map(const Array& x, const Array& y, Binary f) {
  Array z(broadcast(x.sizes, y.sizes));
  for_each_index(z.sizes, [&](const std::vector<int64_t>& index) {
    z.at(index) = f(x.broadcast_at(index), y.broadcast_at(index));
  });
  return z;
}

ScalarType float_result(ScalarType t) { return isFloatingType(t) ? t : kFloat; }
ScalarType bool_result(ScalarType) { return kBool; }

OpCase unary_case(std::string name, std::function<Tensor(const Tensor&)> op, Unary f, Range range) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt, kByte};
  c.samples = [range](ScalarType dtype) { return samples_of_one(dtype, range); };
  c.call = [op](const Args& a) { return op(a.t[0]); };
  c.reference = [f](const ArrayArgs& a) { return map(a.t[0], f); };
  return c;
}

OpCase binary_case(std::string name, std::function<Tensor(const Tensor&, const Tensor&)> op,
                   Binary f, Range first, Range second) {
  OpCase c;
  c.name = std::move(name);
  c.dtypes = {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt};
  c.samples = [=](ScalarType dtype) { return samples_of_two(dtype, first, second); };
  c.call = [op](const Args& a) { return op(a.t[0], a.t[1]); };
  c.reference = [f](const ArrayArgs& a) { return map(a.t[0], a.t[1], f); };
  return c;
}

}  // namespace torch::taper::testing
