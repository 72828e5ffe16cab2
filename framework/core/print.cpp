// Prints tensors as LibTorch does: columns of equal width, a common scale factor, and one block for
// each matrix of the leading dimensions.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

#include <taper/framework/core/options.h>
#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper {
namespace {

/// Restores the format of a stream when its scope ends.
class FormatKeeper {
 public:
  explicit FormatKeeper(std::ostream& out) : out_(out), saved_(nullptr) { saved_.copyfmt(out); }
  ~FormatKeeper() { out_.copyfmt(saved_); }
  FormatKeeper(const FormatKeeper&) = delete;
  FormatKeeper& operator=(const FormatKeeper&) = delete;

 private:
  std::ostream& out_;
  std::ios saved_;
};

/// Describes the finite numbers of one block.
struct Range {
  bool integral = true;
  /// Digits before the decimal point of the smallest and of the largest value.
  double min_digits = 1, max_digits = 1;
};

double digits_before_point(double v) { return v == 0 ? 1 : std::floor(std::log10(v)) + 1; }

// LibTorch takes the smallest magnitude, but the largest signed number; only the first number
// counts with its magnitude. A negative number can therefore be wider than its column.
Range range_of(const double* values, int64_t count) {
  Range range;
  bool any = false;
  double smallest = 1, largest = 1;
  for (int64_t i = 0; i < count; ++i) {
    const double v = values[i];
    if (!std::isfinite(v)) continue;
    range.integral = range.integral && v == std::ceil(v);
    if (!any) smallest = largest = std::abs(v);
    any = true;
    smallest = std::min(smallest, std::abs(v));
    largest = std::max(largest, v);
  }
  if (!any) return range;
  range.min_digits = digits_before_point(smallest);
  range.max_digits = digits_before_point(largest);
  return range;
}

struct Columns {
  double scale = 1;
  int width = 0;
};

void four_digits(std::ostream& out, std::ios_base& (*notation)(std::ios_base&)) {
  out << notation << std::setprecision(4);
}

/// Sets the notation of `out` for a block of numbers. Returns their width and scale.
Columns choose_format(std::ostream& out, const double* values, int64_t count) {
  if (count == 0) return {};
  const Range range = range_of(values, count);
  const double high = range.max_digits, low = range.min_digits;
  if (range.integral) {
    if (high <= 9) {
      out << std::defaultfloat;
      return {1, static_cast<int>(high) + 1};
    }
    four_digits(out, std::scientific);
    return {1, 11};
  }
  if (high - low > 4) {
    four_digits(out, std::scientific);
    return {1, std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11};
  }
  four_digits(out, std::fixed);
  if (high > 5 || high < 0) return {std::pow(10, high - 1), 7};
  return {1, high == 0 ? 7 : static_cast<int>(high) + 6};
}

void print_scale(std::ostream& out, double scale) {
  const FormatKeeper keep(out);
  out << std::defaultfloat << scale << " *\n";
}

void print_vector(std::ostream& out, const double* values, int64_t count) {
  const Columns columns = choose_format(out, values, count);
  if (columns.scale != 1) print_scale(out, columns.scale);
  for (int64_t i = 0; i < count; ++i)
    out << std::setw(columns.width) << values[i] / columns.scale << '\n';
}

/// Prints the columns [first, last) of a matrix. Every row but the first begins with the indent,
/// and with one more space if there is a scale. The caller has written the indent of the first row.
void print_columns(std::ostream& out, const double* values, int64_t rows, int64_t cols,
                   int64_t first, int64_t last, const Columns& columns, const std::string& indent) {
  for (int64_t r = 0; r < rows; ++r) {
    if (r > 0) out << indent << (columns.scale != 1 ? " " : "");
    for (int64_t c = first; c < last; ++c) {
      out << std::setw(columns.width) << values[r * cols + c] / columns.scale;
      out << (c + 1 < last ? ' ' : '\n');
    }
  }
}

/// Prints a matrix in groups of columns that fit into the line.
void print_matrix(std::ostream& out, const double* values, int64_t rows, int64_t cols,
                  int64_t linesize, int64_t indent_width) {
  const Columns columns = choose_format(out, values, rows * cols);
  const std::string indent(static_cast<size_t>(indent_width), ' ');
  const int64_t per_line = std::max<int64_t>(1, (linesize - indent_width) / (columns.width + 1));
  out << indent;
  for (int64_t first = 0; first < cols; first += per_line) {
    const int64_t last = std::min(first + per_line, cols);
    if (per_line < cols) {
      if (first != 0) out << '\n';
      out << "Columns " << first + 1 << " to " << last << indent;
    }
    if (columns.scale != 1) {
      print_scale(out, columns.scale);
      out << indent;
    }
    print_columns(out, values, rows, cols, first, last, columns, indent);
  }
}

/// Prints a tensor of three or more dimensions: one titled matrix for each index of the leading
/// ones.
void print_blocks(std::ostream& out, const double* values, IntArrayRef sizes, int64_t linesize) {
  const size_t leading = sizes.size() - 2;
  const int64_t rows = sizes[leading], cols = sizes[leading + 1];
  std::vector<int64_t> at(leading, 0);  // the first index runs fastest
  for (bool first = true;; first = false) {
    if (!first) out << '\n';
    out << '(';
    for (int64_t i : at) out << i + 1 << ',';
    out << ".,.) = \n";
    int64_t matrix = 0;
    for (size_t d = 0; d < leading; ++d) matrix = matrix * sizes[d] + at[d];
    print_matrix(out, values + matrix * rows * cols, rows, cols, linesize, 1);
    size_t d = 0;
    while (d < leading && ++at[d] == sizes[d]) at[d++] = 0;
    if (d == leading) return;
  }
}

std::vector<double> values_of(const Tensor& t) {
  detail::check_not_capturing("printing", t.device());
  const Tensor on_host = t.detach().to(Device(kCPU)).to(kDouble).contiguous();
  const double* p = on_host.data_ptr<double>();
  std::vector<double> values(p, p + on_host.numel());
  return values;
}

// Prints complex numbers as pairs, in one more dimension.
void print_values(std::ostream& out, const Tensor& t, int64_t linesize) {
  if (t.is_complex()) return print_values(out, detail::share_as_real(t.impl()), linesize);
  const std::vector<double> values = values_of(t);
  const IntArrayRef sizes = t.sizes();
  if (sizes.empty())
    out << std::defaultfloat << values[0] << '\n';
  else if (values.empty())
    return;
  else if (sizes.size() == 1)
    print_vector(out, values.data(), sizes[0]);
  else if (sizes.size() == 2)
    print_matrix(out, values.data(), sizes[0], sizes[1], linesize, 0);
  else
    print_blocks(out, values.data(), sizes, linesize);
}

}  // namespace

std::ostream& print(std::ostream& out, const Tensor& t, int64_t linesize) {
  const FormatKeeper keep(out);
  if (!t.defined()) return out << "[ Tensor (undefined) ]";
  print_values(out, t, linesize);
  out << "[ " << t.toString() << '{';
  for (int64_t d = 0; d < t.dim(); ++d) out << (d ? "," : "") << t.sizes()[d];
  return out << "} ]";
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) { return print(out, t, 80); }
void print(const Tensor& t, int64_t linesize) { print(std::cout, t, linesize); }

std::string Tensor::toString() const { return type().toString(); }

void Tensor::print() const {
  if (defined())
    std::cerr << '[' << toString() << ' ' << sizes() << "]\n";
  else
    std::cerr << "[UndefinedTensor]\n";
}

std::ostream& operator<<(std::ostream& out, const TensorOptions& o) {
  const FormatKeeper keep(out);
  const auto note = [](bool set) { return set ? "" : " (default)"; };
  out << std::boolalpha << "TensorOptions(dtype=" << o.dtype() << note(o.has_dtype())
      << ", device=" << o.device() << note(o.has_device()) << ", layout=" << o.layout()
      << note(o.has_layout()) << ", requires_grad=" << o.requires_grad()
      << note(o.has_requires_grad()) << ", pinned_memory=" << o.pinned_memory()
      << note(o.has_pinned_memory()) << ", memory_format=";
  if (o.has_memory_format()) return out << *o.memory_format_opt() << ')';
  return out << "(nullopt))";
}

std::ostream& operator<<(std::ostream& out, Layout l) {
  return out << (l == Layout::Strided ? "Strided" : "Sparse");
}

std::ostream& operator<<(std::ostream& out, MemoryFormat f) {
  switch (f) {
    case MemoryFormat::Contiguous:
      return out << "Contiguous";
    case MemoryFormat::Preserve:
      return out << "Preserve";
    case MemoryFormat::ChannelsLast:
      return out << "ChannelsLast";
    case MemoryFormat::ChannelsLast3d:
      break;
  }
  return out << "ChannelsLast3d";
}

}  // namespace torch::taper
