// Standard containers as text, as LibTorch's logging header makes `std::cout << vector` compile.
#pragma once

#include <map>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include <torch/names.h>

namespace torch_compat {

/// The first 100 elements with blanks between them, then " ..." where there are more.
template <class List>
std::ostream& print_elements(std::ostream& out, const List& list) {
  int printed = 0;
  for (const auto& element : list) {
    if (printed == 100) return out << " ...";
    out << (printed++ ? " " : "") << element;
  }
  return out;
}

}  // namespace torch_compat

// In std because argument-dependent lookup looks there for containers of numbers.
namespace std {

template <class First, class Second>
ostream& operator<<(ostream& out, const pair<First, Second>& p) {
  return out << '(' << p.first << ", " << p.second << ')';
}
template <class... T>
ostream& operator<<(ostream& out, const vector<T...>& list) {
  return torch_compat::print_elements(out, list);
}
template <class... T>
ostream& operator<<(ostream& out, const map<T...>& list) {
  return torch_compat::print_elements(out, list);
}
template <class... T>
ostream& operator<<(ostream& out, const set<T...>& list) {
  return torch_compat::print_elements(out, list);
}

}  // namespace std
