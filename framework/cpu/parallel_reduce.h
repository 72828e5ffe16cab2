// A parallel loop whose pieces each return a value.
#pragma once

#include <cstddef>
#include <vector>

#include <taper/framework/cpu/parallel.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Splits [begin, end) into pieces [b, e) of at least `grain` indices each. Returns combine(...
/// combine(body(b0, e0, identity), body(b1, e1, identity)) ..., in order. Returns `identity` if
/// there are no pieces. The pieces and the result do not depend on the number of threads.
template <class T, class Body, class Combine>
T parallel_reduce(int64_t begin, int64_t end, int64_t grain, const T identity, const Body& body,
                  const Combine& combine) {
  if (end <= begin) return identity;
  constexpr int64_t kMostPieces = 1024;
  struct Part {  // because threads cannot write different elements of a vector<bool>
    T value;
  };
  const int64_t n = end - begin, least = (n + kMostPieces - 1) / kMostPieces;
  const int64_t length = grain > least ? grain : least, pieces = (n + length - 1) / length;
  std::vector<Part> parts(static_cast<size_t>(pieces), Part{identity});
  parallel_for(0, pieces, 1, [&](int64_t from, int64_t to) {
    for (int64_t p = from; p < to; ++p) {
      const int64_t b = begin + p * length;
      parts[static_cast<size_t>(p)].value = body(b, p + 1 < pieces ? b + length : end, identity);
    }
  });
  T total = parts[0].value;
  for (size_t p = 1; p < parts.size(); ++p) total = combine(total, parts[p].value);
  return total;
}

}  // namespace torch::taper

#pragma GCC visibility pop
