// Writes tensors as Python's repr does: tensor([1., 2.], grad_fn=<MulBackward0>).
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/core/float8.h>
#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/devices.h>

namespace torch::taper {
namespace {

constexpr int64_t kThreshold = 1000;  // tensors with more elements are summarised
constexpr int64_t kEdgeItems = 3;     // elements shown at each end of a summarised dimension
constexpr int64_t kLineWidth = 80;

/// Holds the elements of a tensor on the host.
class Elements {
 public:
  explicit Elements(const Tensor& t)
      : host_(t.detach().to(Device(kCPU)).contiguous()), summarize_(t.numel() > kThreshold) {
    detail::check_not_capturing("printing", t.device());
  }
  IntArrayRef sizes() const { return host_.sizes(); }
  bool floating() const { return host_.is_floating_point(); }
  Scalar at(int64_t i) const {
    Scalar value;
    switch_dtype<dtypes::Joined<dtypes::Real, dtypes::Stored>>(
        host_.scalar_type(), "repr",
        [&]<class scalar_t>() { value = Scalar(host_.data_ptr<scalar_t>()[i]); });
    return value;
  }
  /// Returns whether only the ends of dimension `dim` are shown.
  bool cut(size_t dim) const { return summarize_ && sizes()[dim] > 2 * kEdgeItems; }
  /// Calls f(flat index) for every element that is shown.
  template <class F>
  void for_each_shown(const F& f, size_t dim = 0, int64_t at = 0) const {
    if (dim == sizes().size()) return f(at);
    const int64_t n = sizes()[dim];
    for (int64_t i = 0; i < n; ++i) {
      if (cut(dim) && i == kEdgeItems) i = n - kEdgeItems;
      for_each_shown(f, dim + 1, at * n + i);
    }
  }

 private:
  Tensor host_;
  bool summarize_;
};

std::string format_number(const char* format, double v) {
  if (std::isnan(v)) return "nan";
  char text[400];  // a double has up to 309 digits before its point
  return std::string(text, static_cast<size_t>(std::snprintf(text, sizeof text, format, v)));
}

/// Formats all elements in one notation and one width.
class Formatter {
 public:
  explicit Formatter(const Elements& elements) : floating_(elements.floating()) {
    if (floating_) choose_notation(elements);
    elements.for_each_shown([&](int64_t i) { widen(elements.at(i)); });
  }
  int64_t width() const { return width_; }
  std::string operator()(const Scalar& v) const {
    const std::string s = text(v);
    const size_t width = static_cast<size_t>(width_);
    return s.size() < width ? std::string(width - s.size(), ' ') + s : s;
  }

 private:
  void choose_notation(const Elements& elements) {
    double smallest = INFINITY, largest = 0;
    elements.for_each_shown([&](int64_t i) {
      const double v = elements.at(i).toDouble();
      if (!std::isfinite(v) || v == 0) return;
      smallest = std::min(smallest, std::abs(v));
      largest = std::max(largest, std::abs(v));
      integral_ = integral_ && v == std::ceil(v);
    });
    if (largest == 0) return;
    scientific_ =
        largest / smallest > 1000.0 || largest > 1.0e8 || (!integral_ && smallest < 1.0e-4);
  }
  // Zeros and non-finite values do not count for the width of floating columns.
  void widen(const Scalar& v) {
    if (floating_ && (!std::isfinite(v.toDouble()) || v.toDouble() == 0)) return;
    width_ = std::max(width_, static_cast<int64_t>(text(v).size()));
  }
  std::string text(const Scalar& v) const {
    if (v.isBoolean()) return v.toBool() ? "True" : "False";
    if (v.type() == kUInt64) return std::to_string(v.to<uint64_t>());
    if (!floating_) return std::to_string(v.toLong());
    const double d = v.toDouble();
    if (scientific_) return format_number("%.4e", d);
    if (!integral_) return format_number("%.4f", d);
    return format_number("%.0f", d) + (std::isfinite(d) ? "." : "");
  }

  bool floating_;
  bool integral_ = true;
  bool scientific_ = false;
  int64_t width_ = 1;
};

/// Formats the text of each element: a number, or two parts, each in its own notation.
class Cells {
 public:
  explicit Cells(const Tensor& t) : elements(t.is_complex() ? part(t, 0) : t), first_(elements) {
    if (!t.is_complex()) return;
    imaginary_.emplace(part(t, 1));
    second_.emplace(*imaginary_);
  }
  int64_t width() const { return first_.width() + (second_ ? second_->width() + 1 : 0); }
  std::string operator()(int64_t i) const {
    const std::string real = first_(elements.at(i));
    if (!second_) return real;
    std::string imag = (*second_)(imaginary_->at(i)) + "j";
    imag.erase(0, imag.find_first_not_of(' '));
    return real + (imag[0] == '-' ? "" : "+") + imag;
  }

 private:
  static Tensor part(const Tensor& t, int64_t which) {
    return detail::share_as_real(t.impl()).select(-1, which);
  }

 public:
  const Elements elements;

 private:
  Formatter first_;
  optional<Elements> imaginary_;
  optional<Formatter> second_;
};

std::string spaces(int64_t n) { return std::string(static_cast<size_t>(n), ' '); }

std::string vector_text(const Cells& cells, int64_t start, int64_t indent) {
  const Elements& elements = cells.elements;
  const size_t dim = elements.sizes().size() - 1;
  const int64_t n = elements.sizes()[dim];
  const int64_t per_line = std::max<int64_t>(1, (kLineWidth - indent) / (cells.width() + 2));
  std::string out = "[";
  int64_t shown = 0;
  const auto append = [&](const std::string& item) {
    if (shown > 0) out += shown % per_line == 0 ? ",\n" + spaces(indent + 1) : ", ";
    out += item;
    ++shown;
  };
  for (int64_t i = 0; i < n; ++i) {
    if (elements.cut(dim) && i == kEdgeItems) {
      append(" ...");
      i = n - kEdgeItems;
    }
    append(cells(start + i));
  }
  return out + "]";
}

// The recursion goes over the dimensions, of which there are at most kMaxDims.
std::string nested_text(const Cells& cells, size_t dim, int64_t index, int64_t indent) {
  const Elements& elements = cells.elements;
  const size_t rank = elements.sizes().size();
  const int64_t n = elements.sizes()[dim];
  if (dim + 1 == rank) return vector_text(cells, index * n, indent);
  const std::string separator = "," + std::string(rank - dim - 1, '\n') + spaces(indent + 1);
  std::string out = "[";
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) out += separator;
    if (elements.cut(dim) && i == kEdgeItems) {
      out += "..." + separator;
      i = n - kEdgeItems;
    }
    out += nested_text(cells, dim + 1, index * n + i, indent + 1);
  }
  return out + "]";
}

std::string contents_text(const Tensor& t, int64_t indent) {
  if (t.numel() == 0) return "[]";
  const Cells cells(t);
  return t.dim() == 0 ? cells(0) : nested_text(cells, 0, 0, indent);
}

/// Writes a tuple of numbers as Python prints it. The number of elements must not be one.
std::string tuple_text(IntArrayRef sizes) {
  std::string out = "(";
  for (size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + std::to_string(sizes[i]);
  return out + ")";
}

// As in PyTorch, the text omits the device if new tensors would also be placed there.
bool names_device(const Tensor& t) {
  if (t.device().type() != get_default_device().type()) return true;
  return t.is_cuda() && t.device().index() != cuda::current_device();
}

bool omits_dtype(ScalarType t) {
  return t == default_dtype() || t == toComplexType(default_dtype()) || t == kLong || t == kBool;
}

std::vector<std::string> suffixes_of(const Tensor& t) {
  std::vector<std::string> out;
  const ScalarType dtype = t.scalar_type();
  const std::string dtype_text = std::string("dtype=torch.") + python_name(dtype);
  if (names_device(t)) out.push_back("device='" + t.device().str() + "'");
  if (t.numel() == 0) {
    if (t.dim() != 1) out.push_back("size=" + tuple_text(t.sizes()));
    if (dtype != default_dtype()) out.push_back(dtype_text);
  } else if (!omits_dtype(dtype)) {
    out.push_back(dtype_text);
  }
  if (const intrusive_ptr<autograd::Node> grad_fn = t.grad_fn())
    out.push_back("grad_fn=<" + grad_fn->name() + ">");
  else if (t.requires_grad())
    out.push_back("requires_grad=True");
  return out;
}

}  // namespace

std::string repr(const Tensor& t) {
  if (!t.defined()) return "tensor(undefined)";
  const std::string prefix = "tensor(";
  const int64_t indent = static_cast<int64_t>(prefix.size());
  std::string out = prefix + contents_text(t, indent);
  const size_t newline = out.rfind('\n');
  // PyTorch counts two characters more than the last line has.
  size_t line_length = out.size() + 1 - (newline == std::string::npos ? size_t(-1) : newline);
  for (const std::string& suffix : suffixes_of(t)) {
    const bool wraps = static_cast<int64_t>(line_length + suffix.size()) + 2 > kLineWidth;
    out += wraps ? ",\n" + spaces(indent) + suffix : ", " + suffix;
    line_length =
        wraps ? static_cast<size_t>(indent) + suffix.size() : line_length + suffix.size() + 2;
  }
  return (t.impl().parameter ? "Parameter containing:\n" : "") + out + ")";
}

}  // namespace torch::taper
