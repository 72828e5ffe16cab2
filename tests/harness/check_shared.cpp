#include "harness/check_shared.h"

#include <algorithm>
#include <cstring>

#include "harness/for_each_offset.h"

namespace torch::taper::testing {

Tolerance tolerance_of(ScalarType t) {
  switch (toRealValueType(t)) {
    case kDouble:
      return {1e-9, 1e-10};
    case kFloat:
      return {4e-6, 1e-6};
    case kHalf:
      return {2e-3, 1e-3};
    case kBFloat16:
      return {1.6e-2, 1e-2};
    default:
      return {0, 0};
  }
}

Array read(const Tensor& t) { return to_array(t.detach().cpu()); }

ArrayArgs read(const Args& a) {
  ArrayArgs r{{}, a.i, a.d};
  for (const Tensor& t : a.t) r.t.push_back(read(t));
  return r;
}

Args copy(const Args& a) {
  Args r = a;
  for (Tensor& t : r.t) t = to_tensor(to_array(t), t.scalar_type());
  return r;
}

int64_t numel_of(const Args& a) {
  int64_t numel = 0;
  for (const Tensor& t : a.t) numel += t.numel();
  return numel;
}

namespace {

bool takes(const OpCase& c, ScalarType t) {
  return std::find(c.dtypes.begin(), c.dtypes.end(), t) != c.dtypes.end();
}

}  // namespace

ScalarType widest_dtype(const OpCase& c) {
  return takes(c, kDouble) ? kDouble : takes(c, kComplexDouble) ? kComplexDouble : c.dtypes[0];
}

std::vector<Args> gradient_samples(const OpCase& c) {
  if (c.gradient_samples) return c.gradient_samples();
  return c.samples(widest_dtype(c) == kComplexDouble ? kComplexDouble : kDouble);
}

bool wants_gradient(const OpCase& c, const Args& args, size_t input) {
  for (size_t without : c.inputs_without_gradient)
    if (without == input) return false;
  return isFloatingOrComplexType(args.t[input].scalar_type());
}

bool fits_in_place(const Tensor& result, const Args& args) {
  const ScalarType own = args.t[0].scalar_type(), t = result.scalar_type();
  return result.sizes() == args.t[0].sizes() && (t == own || t == kBool);
}

namespace {

std::string describe(const Args& a) {
  std::string text;
  for (const Tensor& t : a.t)
    text += concat(text.empty() ? "" : ", ", t.scalar_type(), t.sizes(), " strides ", t.strides());
  if (!a.i.empty()) text += concat("; ints ", IntArrayRef(a.i));
  if (!a.d.empty()) text += concat("; numbers ", ArrayRef<double>(a.d));
  return text;
}

}  // namespace

void Log::sample(const Args& args, const std::string& more) { context(describe(args) + more); }

void compare_results(const OpCase& c, const Results& got, const Arrays& want, const char* what,
                     Log& log) {
  if (got.size() != want.size())
    return log.add(what, ": expected ", want.size(), " results, got ", got.size());
  for (size_t k = 0; k < got.size(); ++k) {
    const ScalarType own = got[k].scalar_type();
    const bool exact = !isFloatingOrComplexType(own);
    const Tolerance tol = exact ? Tolerance{0, 0} : scaled(tolerance_of(own), c.tolerance);
    log.compare(what, read(got[k]), want[k], tol);
  }
}

// ---------------------------------------------------------------------- layouts
namespace {

/// The elements of a CPU tensor into another of its sizes and dtype.
void copy_elements(const Tensor& to, const Tensor& from) {
  const size_t nbytes = from.itemsize();
  const auto* const first = static_cast<const char*>(from.data_ptr());
  auto* const first_to = static_cast<char*>(to.data_ptr());
  std::vector<int64_t> offsets;
  for_each_offset(from, [&](int64_t offset, int64_t) { offsets.push_back(offset); });
  for_each_offset(to, [&](int64_t offset, int64_t position) {
    std::memcpy(first_to + offset * static_cast<int64_t>(nbytes),
                first + offsets[position] * static_cast<int64_t>(nbytes), nbytes);
  });
}

/// Whether all of an array along dimension d, whose steps are `inner` elements, is its first.
bool is_constant_along(const Array& a, int64_t d, int64_t inner) {
  for (int64_t i = 0; i < a.numel(); ++i)
    if (a.z(i) != a.z(i - i / inner % a.sizes[d] * inner)) return false;
  return true;
}

}  // namespace

Tensor transposed(const Tensor& t) {
  const std::vector<int64_t> sizes = t.sizes().vec();
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  Tensor r = detail::make_tensor({t.numel()}, t.scalar_type(), Device()).as_strided(sizes, strides);
  copy_elements(r, t);
  return r;
}

Tensor offset_and_spread(const Tensor& t) {
  const int64_t offset = 3;
  const double filler = t.scalar_type() == kBool ? 1 : 99;
  Tensor buffer = to_tensor(Array({2 * t.numel() + 8}, filler), t.scalar_type());
  Dims strides;
  contiguous_strides(Dims(t.sizes()), strides);
  for (int64_t& s : strides) s *= 2;
  Tensor r = buffer.as_strided(t.sizes(), strides, offset);
  copy_elements(r, t);
  return r;
}

Tensor expanded(const Tensor& t) {
  const Array a = to_array(t);
  Dims strides;
  contiguous_strides(Dims(t.sizes()), strides);
  Tensor r = to_tensor(a, t.scalar_type());
  int64_t inner = 1;
  for (int64_t d = t.dim(); d-- > 0; inner *= a.sizes[d])
    if (is_constant_along(a, d, inner)) strides[d] = 0;
  return r.as_strided(t.sizes(), strides);
}

Tensor windows_of(const Tensor& line, IntArrayRef sizes) {
  return line.as_strided(sizes, Dims(static_cast<int64_t>(sizes.size()), 1));
}

Tensor line_for(const Tensor& t) {
  int64_t length = 1;
  for (int64_t n : t.sizes()) length += std::max<int64_t>(n, 1) - 1;
  const Tensor flat = to_tensor(to_array(t), t.scalar_type()).view({-1});
  Tensor line = detail::make_tensor({length}, t.scalar_type(), Device());
  line.zero_();
  for (int64_t i = 0; i < std::min(length, t.numel()); ++i) copy_element(line, flat, i);
  return line;
}

std::vector<unsigned char> bytes_of(const Tensor& t) {
  const int64_t nbytes = static_cast<int64_t>(t.storage().nbytes());
  const int64_t count = nbytes / static_cast<int64_t>(t.itemsize());
  const Tensor all = t.detach().as_strided({count}, {1}, 0).to(kCPU);
  const auto* p = static_cast<const unsigned char*>(all.data_ptr());
  return {p, p + nbytes};
}

}  // namespace torch::taper::testing
