#include <taper/testing/memory.h>

#include <algorithm>
#include <unordered_set>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/ops/elementwise/complex.h>

namespace torch::taper::testing::impl {

// Uses splitmix64.
uint64_t Dice::bits() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Dice::uniform(double low, double high) {
  return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
}

int64_t Dice::integer(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(bits() % static_cast<uint64_t>(high - low));
}

double Dice::weight() { return uniform(0.5, 1.5) * (bits() % 2 ? 1 : -1); }

namespace {

double load(ScalarType t, const char* p) {
  switch (t) {
    case kDouble:
      return *reinterpret_cast<const double*>(p);
    case kFloat:
      return *reinterpret_cast<const float*>(p);
    case kHalf:
      return *reinterpret_cast<const Half*>(p);
    case kBFloat16:
      return *reinterpret_cast<const BFloat16*>(p);
    default:
      throw TypeError(detail::concat("gradcheck: expected floating elements, got ", t));
  }
}

void put(ScalarType t, char* p, double v) {
  switch (t) {
    case kDouble:
      *reinterpret_cast<double*>(p) = v;
      break;
    case kFloat:
      *reinterpret_cast<float*>(p) = static_cast<float>(v);
      break;
    case kHalf:
      *reinterpret_cast<Half*>(p) = Half(static_cast<float>(v));
      break;
    case kBFloat16:
      *reinterpret_cast<BFloat16*>(p) = BFloat16(static_cast<float>(v));
      break;
    default:
      throw TypeError(detail::concat("gradcheck: expected floating elements, got ", t));
  }
}

/// Returns the place of each element, counted in elements from the first one.
std::vector<int64_t> places_of(const Tensor& t) {
  std::vector<int64_t> places(static_cast<size_t>(t.numel()));
  std::vector<int64_t> index(static_cast<size_t>(t.dim()), 0);
  int64_t at = 0;
  for (int64_t& place : places) {
    place = at;
    for (int64_t d = t.dim(); d-- > 0;) {
      at += t.strides()[d];
      if (++index[d] < t.sizes()[d]) break;
      at -= t.strides()[d] * t.sizes()[d];
      index[d] = 0;
    }
  }
  return places;
}

Tensor on_host(const Tensor& t) {
  const NoGradGuard no_grad;
  return parts_of(t.detach()).to(Device(kCPU), kDouble).contiguous();
}

}  // namespace

int64_t num_parts(const Tensor& t) { return t.is_complex() ? 2 * t.numel() : t.numel(); }

Tensor parts_of(const Tensor& t) { return t.is_complex() ? view_as_real(t) : t; }

void read_into(const Tensor& t, double* to) {
  const bool direct = t.scalar_type() == kDouble && t.is_cpu() && t.is_contiguous();
  const Tensor host = direct ? t : on_host(t);
  const auto* from = static_cast<const double*>(host.data_ptr());
  std::copy(from, from + host.numel(), to);
}

std::vector<double> read(const Tensor& t) {
  std::vector<double> values(static_cast<size_t>(num_parts(t)));
  read_into(t, values.data());
  return values;
}

Tensor write(const std::vector<double>& values, IntArrayRef sizes, ScalarType dtype) {
  const NoGradGuard no_grad;
  const bool is_complex = isComplexType(dtype);
  Tensor t = taper::detail::make_tensor(sizes, is_complex ? kComplexDouble : kDouble, Device());
  std::copy(values.begin(), values.end(), static_cast<double*>(t.data_ptr()));
  return dtype == t.scalar_type() ? t : t.to(dtype);
}

Tensor write_like(const std::vector<double>& values, const Tensor& like) {
  const NoGradGuard no_grad;
  return write(values, like.sizes(), like.scalar_type()).to(like.device());
}

std::string index_text(int64_t position, IntArrayRef sizes) {
  if (sizes.empty()) return "";
  std::string text;
  for (size_t d = sizes.size(); d-- > 0;) {
    const std::string part = std::to_string(position % sizes[d]);
    text = text.empty() ? part : part + ", " + text;
    position /= sizes[d];
  }
  return "[" + text + "]";
}

std::string part_text(int64_t part, const Tensor& t) {
  if (!t.is_complex()) return index_text(part, t.sizes());
  return index_text(part / 2, t.sizes()) + (part % 2 ? ".imag" : ".real");
}

bool overlaps_itself(const Tensor& t) {
  if (t.numel() < 2 || t.is_contiguous()) return false;
  const std::vector<int64_t> places = places_of(t);
  return std::unordered_set<int64_t>(places.begin(), places.end()).size() != places.size();
}

bool overlap(const Tensor& a, const Tensor& b) {
  if (!a.is_alias_of(b) || a.numel() == 0 || b.numel() == 0) return false;
  const NoGradGuard no_grad;
  const Tensor x = parts_of(a), y = parts_of(b);
  std::unordered_set<int64_t> taken;
  for (int64_t p : places_of(x)) taken.insert(p + x.storage_offset());
  for (int64_t p : places_of(y))
    if (taken.count(p + y.storage_offset())) return true;
  return false;
}

// ---------------------------------------------------------------------- Elements
Elements::Elements(const Tensor& t)
    : data_(parts_of(t.data())),
      on_host_(t.is_cpu()),
      places_(places_of(data_)),
      original_(read(t)) {}

Elements::~Elements() {
  try {
    restore();
  } catch (const std::exception&) {
    // The device has failed, and its error is thrown elsewhere.
  }
}

void Elements::store(int64_t i, double value) {
  if (on_host_) {
    const auto step = static_cast<int64_t>(data_.itemsize());
    return put(data_.scalar_type(), static_cast<char*>(data_.data_ptr()) + places_[i] * step,
               value);
  }
  const NoGradGuard no_grad;
  data_.as_strided({}, {}, data_.storage_offset() + places_[i]).fill_(value);
}

double Elements::set(int64_t i, double value) {
  store(i, value);
  if (data_.scalar_type() == kDouble) return value;
  char rounded[8];
  put(data_.scalar_type(), rounded, value);
  return load(data_.scalar_type(), rounded);
}

void Elements::restore() { set_all(original_); }

void Elements::set_all(const std::vector<double>& values) {
  if (on_host_) {
    for (int64_t i = 0; i < size(); ++i) store(i, values[i]);
    return;
  }
  const NoGradGuard no_grad;
  data_.copy_(write_like(values, data_));
}

}  // namespace torch::taper::testing::impl
