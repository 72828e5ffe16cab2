#include <taper/data/datasets/csv.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include <taper/framework/core/shape.h>
#include <taper/framework/io/bytes.h>
#include <taper/ops/index/index_advanced.h>

namespace torch::taper::data::datasets {
namespace {

/// Holds the rows of a file, one after another.
struct Table {
  std::vector<std::string> names;
  std::vector<double> values;
  size_t columns = 0;
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t\r"), last = s.find_last_not_of(" \t\r");
  if (first == std::string::npos) return "";
  const bool quoted = last > first && s[first] == '"' && s[last] == '"';
  return quoted ? s.substr(first + 1, last - first - 1) : s.substr(first, last - first + 1);
}

std::vector<std::string> fields_of(const std::string& line, char delimiter) {
  std::vector<std::string> fields;
  for (size_t at = 0;;) {
    const size_t end = line.find(delimiter, at);
    fields.push_back(trimmed(line.substr(at, end - at)));
    if (end == std::string::npos) return fields;
    at = end + 1;
  }
}

// Quotes a text for a message, shortened if it is long.
std::string quoted(const std::string& text) {
  constexpr size_t kShown = 60;
  if (text.size() <= kShown) return "'" + text + "'";
  return "'" + text.substr(0, kShown) + "...' (" + std::to_string(text.size()) + " bytes)";
}

double number_of(const std::string& text, const std::string& where) {
  double v = 0;
  const char *first = text.data(), *last = first + text.size();
  if (first != last && *first == '+') ++first;
  const auto [end, error] = std::from_chars(first, last, v);
  TAPER_CHECK(error == std::errc() && end == last && first != last, where,
              ": expected a number, got ", quoted(text));
  return v;
}

// A binary file may have no line ends.
constexpr size_t kLongestLine = size_t{64} << 20;

/// Reads the next line without its end. Returns false after the last line.
bool read_line(std::streambuf& in, std::string& line, const std::string& where) {
  constexpr int kEnd = std::streambuf::traits_type::eof();
  line.clear();
  int c = in.sbumpc();
  if (c == kEnd) return false;
  for (; c != kEnd && c != '\n'; c = in.sbumpc()) {
    TAPER_CHECK(line.size() < kLongestLine, where, ": expected a line of at most ", kLongestLine,
                " bytes, got a longer one");
    line += static_cast<char>(c);
  }
  return true;
}

// Skips a byte order mark, which some programs write at the start.
void skip_mark(std::ifstream& in) {
  char start[3] = {};
  in.read(start, 3);
  in.clear();
  if (std::memcmp(start, "\xef\xbb\xbf", 3) != 0) in.seekg(0);
}

Table read_table(const std::string& path, const CSVOptions& options) {
  const char* const why = serialize::detail::why_not_regular(path);
  TAPER_CHECK(!why, path, ": cannot be opened: ", why);
  std::ifstream in(path);
  TAPER_CHECK(in, path, ": cannot be opened: ", std::strerror(errno));
  Table table;
  bool is_header = options.header();
  skip_mark(in);
  size_t number = 1;
  std::string where = path + ":1";
  for (std::string line; read_line(*in.rdbuf(), line, where);
       where = path + ":" + std::to_string(++number)) {
    if (trimmed(line).empty()) continue;
    const std::vector<std::string> fields = fields_of(line, options.delimiter());
    if (table.columns == 0) table.columns = fields.size();
    TAPER_CHECK(fields.size() == table.columns, where, ": expected ", table.columns,
                " columns, got ", fields.size());
    if (is_header)
      table.names = fields;
    else
      for (const std::string& field : fields) table.values.push_back(number_of(field, where));
    is_header = false;
  }
  TAPER_CHECK(!table.values.empty(), path, ": expected rows of numbers, got none");
  return table;
}

/// Returns some columns of a table as [N, columns].
Tensor select(const Table& table, const std::vector<size_t>& columns, Dtype dtype) {
  const size_t rows = table.values.size() / table.columns;
  const Tensor t = taper::detail::make_tensor(
      {static_cast<int64_t>(rows), static_cast<int64_t>(columns.size())}, kDouble, Device());
  double* to = t.data_ptr<double>();
  for (size_t row = 0; row < rows; ++row)
    for (size_t column : columns) *to++ = table.values[row * table.columns + column];
  return t.to(dtype);
}

}  // namespace

CSV::CSV(const std::string& path, CSVOptions options) {
  const Table table = read_table(path, options);
  std::vector<size_t> data, targets;
  for (int64_t column : options.targets())
    targets.push_back(
        static_cast<size_t>(wrap_dim("CSV", column, static_cast<int64_t>(table.columns))));
  for (size_t i = 0; i < table.columns; ++i)
    if (std::find(targets.begin(), targets.end(), i) == targets.end()) data.push_back(i);
  data_ = select(table, data, options.dtype());
  targets_ = select(table, targets, options.target_dtype());
  if (targets.size() == 1) targets_ = targets_.squeeze(1);
  if (table.names.empty()) return;
  for (const auto* columns : {&data, &targets})
    for (size_t i : *columns) names_.push_back(table.names[i]);
}

Example<> CSV::get(size_t index) {
  const auto i = static_cast<int64_t>(index);
  return {data_.select(0, i), targets_.select(0, i)};
}

Example<> CSV::get_stacked(ArrayRef<size_t> indices) {
  const Tensor rows =
      taper::detail::make_tensor({static_cast<int64_t>(indices.size())}, kLong, Device());
  std::copy(indices.begin(), indices.end(), rows.data_ptr<int64_t>());
  return {data_.index_select(0, rows), targets_.index_select(0, rows)};
}

}  // namespace torch::taper::data::datasets
