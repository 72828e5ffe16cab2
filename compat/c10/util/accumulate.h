// c10::multiply_integers and c10::sum_integers: the product and the sum of the integers in a
// container or a range.
#pragma once

#include <cstdint>
#include <iterator>
#include <numeric>

#include <torch/names.h>

namespace c10 {

template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
int64_t sum_integers(Iterator first, Iterator last) {
  return std::accumulate(first, last, int64_t{0});
}
template <class List>
int64_t sum_integers(const List& list) {
  return sum_integers(list.begin(), list.end());
}
template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
int64_t multiply_integers(Iterator first, Iterator last) {
  return std::accumulate(first, last, int64_t{1}, [](int64_t a, int64_t b) { return a * b; });
}
template <class List>
int64_t multiply_integers(const List& list) {
  return multiply_integers(list.begin(), list.end());
}
/// numelements_from_dim() returns the product of sizes[k] and all later sizes. numelements_to_dim()
/// returns the product of all sizes before sizes[k].
template <class List>
int64_t numelements_from_dim(int k, const List& sizes) {
  return multiply_integers(sizes.begin() + k, sizes.end());
}
template <class List>
int64_t numelements_to_dim(int k, const List& sizes) {
  return multiply_integers(sizes.begin(), sizes.begin() + k);
}

}  // namespace c10
