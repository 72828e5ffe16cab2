// Naive products of matrices, of batches of them, and sums with another tensor.
#pragma once

#include <vector>

#include "test_util.h"

namespace torch::taper::testing {

inline Array multiply(const Array& a, const Array& b) {
  Array y({a.size(0), b.size(1)});
  for (int64_t i = 0; i < a.size(0); ++i)
    for (int64_t j = 0; j < b.size(1); ++j)
      for (int64_t k = 0; k < a.size(1); ++k) y.at({i, j}) += a.at({i, k}) * b.at({k, j});
  return y;
}

inline Array multiply_batch(const Array& a, const Array& b) {
  Array y({a.size(0), a.size(1), b.size(2)});
  for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
    for (int64_t k = 0; k < a.size(2); ++k)
      y.at(at) += a.at({at[0], at[1], k}) * b.at({at[0], k, at[2]});
  });
  return y;
}

// beta * self + alpha * product, self broadcast.
inline Array blend(const Array& self, const Array& product, double beta, double alpha) {
  Array y(product.sizes);
  for_each_index(y.sizes, [&](const std::vector<int64_t>& at) {
    y.at(at) = (beta != 0 ? beta * self.broadcast_at(at) : 0) + alpha * product.at(at);
  });
  return y;
}

// What matmul should do, by index: every rank is a batch of matrices.
inline Array multiply_any(Array a, Array b) {
  const bool row = a.dim() == 1, column = b.dim() == 1;
  if (row) a.sizes.insert(a.sizes.begin(), 1);
  if (column) b.sizes.push_back(1);
  const std::vector<int64_t> ba(a.sizes.begin(), a.sizes.end() - 2);
  const std::vector<int64_t> bb(b.sizes.begin(), b.sizes.end() - 2);
  std::vector<int64_t> sizes = broadcast(ba, bb);
  const size_t batch = sizes.size();
  sizes.push_back(a.size(-2));
  sizes.push_back(b.size(-1));
  Array y(sizes);
  for_each_index(sizes, [&](const std::vector<int64_t>& at) {
    for (int64_t k = 0; k < a.size(-1); ++k) {
      std::vector<int64_t> ia, ib;
      for (size_t d = batch - ba.size(); d < batch; ++d)
        ia.push_back(ba[d - (batch - ba.size())] == 1 ? 0 : at[d]);
      for (size_t d = batch - bb.size(); d < batch; ++d)
        ib.push_back(bb[d - (batch - bb.size())] == 1 ? 0 : at[d]);
      ia.insert(ia.end(), {at[batch], k});
      ib.insert(ib.end(), {k, at[batch + 1]});
      y.at(at) += a.at(ia) * b.at(ib);
    }
  });
  if (column) y.sizes.pop_back();
  if (row) y.sizes.erase(y.sizes.end() - (column ? 1 : 2));
  return y;
}

}  // namespace torch::taper::testing
