#include "harness/array.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "harness/for_each_offset.h"

namespace torch::taper::testing {

int64_t numel_of(const std::vector<int64_t>& sizes) {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}

Array::Array(std::vector<int64_t> shape, double fill) : sizes(std::move(shape)) {
  v.assign(static_cast<size_t>(numel_of(sizes)), fill);
}

namespace {

char* address(const Tensor& t, int64_t position, int part = 0) {
  int64_t offset = 0;
  const auto sizes = t.sizes(), strides = t.strides();
  for (size_t d = sizes.size(); d-- > 0;) {
    if (d == 0) {
      offset += position * strides[0];  // without dividing: much of the suite's time is spent here
      break;
    }
    const int64_t above = position / sizes[d];
    offset += (position - above * sizes[d]) * strides[d];
    position = above;
  }
  const auto size = static_cast<int64_t>(t.itemsize());
  return static_cast<char*>(t.data_ptr()) + offset * size + part * (size / 2);
}

/// Calls f with a null pointer to the type of the tensor's elements, or of their parts.
template <class F>
void with_type(const char* who, const Tensor& t, const F& f) {
  switch_dtype<dtypes::Real>(toRealValueType(t.scalar_type()), who,
                             [&]<class scalar_t>() { f(static_cast<scalar_t*>(nullptr)); });
}

}  // namespace

int64_t Array::position(const std::vector<int64_t>& index) const {
  int64_t position = 0;
  for (size_t d = 0; d < sizes.size(); ++d) position = position * sizes[d] + index[d];
  return position;
}
double& Array::at(const std::vector<int64_t>& index) { return v[position(index)]; }
double Array::at(const std::vector<int64_t>& index) const { return v[position(index)]; }

std::complex<double> Array::z(int64_t position) const {
  return {v[position], im.empty() ? 0 : im[position]};
}
void Array::set_z(int64_t position, std::complex<double> value) {
  im.resize(v.size(), 0);
  v[position] = value.real();
  im[position] = value.imag();
}

double Array::broadcast_at(const std::vector<int64_t>& index) const {
  const size_t extra = index.size() - sizes.size();
  int64_t position = 0;
  for (size_t d = 0; d < sizes.size(); ++d)
    position = position * sizes[d] + (sizes[d] == 1 ? 0 : index[d + extra]);
  return v[position];
}

std::vector<int64_t> broadcast(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const std::vector<int64_t>& longer = a.size() >= b.size() ? a : b;
  const std::vector<int64_t>& shorter = a.size() >= b.size() ? b : a;
  std::vector<int64_t> out = longer;
  const size_t extra = longer.size() - shorter.size();
  for (size_t d = 0; d < shorter.size(); ++d)
    if (out[d + extra] == 1) out[d + extra] = shorter[d];
  return out;
}

double get_element(const Tensor& t, int64_t position, int part) {
  double value = 0;
  with_type("get_element", t, [&](auto* type) {
    value = static_cast<double>(*reinterpret_cast<decltype(type)>(address(t, position, part)));
  });
  return value;
}

void set_element(const Tensor& t, int64_t position, double value, int part) {
  with_type("set_element", t, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    *reinterpret_cast<T*>(address(t, position, part)) = static_cast<T>(value);
  });
}

void copy_element(const Tensor& to, const Tensor& from, int64_t position) {
  std::memcpy(address(to, position), address(from, position), to.itemsize());
}

namespace {

/// Calls visit(address, position) for all elements of a CPU tensor in row-major order.
template <class T, class Visit>
void for_each_place(const Tensor& t, const Visit& visit) {
  T* const first = static_cast<T*>(t.data_ptr());
  const int64_t each = static_cast<int64_t>(t.itemsize() / sizeof(T));  // two parts, if complex
  for_each_offset(
      t, [&](int64_t offset, int64_t position) { visit(first + offset * each, position); });
}

}  // namespace

Array to_array(const Tensor& t) {
  Array a(t.sizes().vec());
  if (t.is_complex()) a.im.resize(a.v.size());
  with_type("to_array", t, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for_each_place<T>(t, [&](const T* p, int64_t i) {
      a.v[i] = static_cast<double>(p[0]);
      if (!a.im.empty()) a.im[i] = static_cast<double>(p[1]);
    });
  });
  return a;
}

Tensor to_tensor(const Array& a, ScalarType dtype) {
  Tensor t = detail::make_tensor(a.sizes, dtype, Device());
  const bool is_complex = t.is_complex();
  with_type("to_tensor", t, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for_each_place<T>(t, [&](T* p, int64_t i) {
      p[0] = static_cast<T>(a.v[i]);
      if (is_complex) p[1] = static_cast<T>(a.z(i).imag());
    });
  });
  return t;
}

// SplitMix64.
uint64_t Random::bits() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1.0p-53);
}

int64_t Random::integer(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low));
}

}  // namespace torch::taper::testing
