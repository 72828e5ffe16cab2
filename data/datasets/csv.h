// CSV: tables of numbers in text files.
#pragma once

#include <initializer_list>
#include <string>

#include <taper/data/map.h>
#include <taper/framework/core/arg.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// Configures CSV: the format of a table, and the columns of the targets.
struct CSVOptions {
  /// The character between two numbers of a line.
  TAPER_ARG(char, delimiter) = ',';
  /// Whether the first line holds the names of the columns.
  TAPER_ARG(bool, header) = false;
  /// The indices of the target columns. -1 is the last column. The other columns are the data.
  TAPER_ARG(std::vector<int64_t>, targets) = {-1};
  /// Deleted, because columns are identified by indices, not names. Without this declaration, a
  /// list of two strings would call the constructor of std::vector that takes two iterators.
  CSVOptions& targets(std::initializer_list<const char*> names) = delete;
  /// The dtype of the data.
  TAPER_ARG(Dtype, dtype) = kFloat;
  /// The dtype of the targets, kLong for classes.
  TAPER_ARG(Dtype, target_dtype) = kFloat;
};

/// Reads the rows of a table of numbers. An example is a row: its data [columns], and its target
/// [], or [T] for T > 1 target columns. Empty lines, and spaces around numbers, are skipped.
/// Numbers may be in double quotes. Throws Error, which names file and line, for a field that is
/// empty or not a number, and for a row whose length differs from the first row's. Throws Error for
/// a file without rows, and IndexError for a target column that does not exist.
///
///     datasets::CSV table("iris.csv", datasets::CSVOptions().header(true).target_dtype(kLong));
class CSV : public Dataset<CSV> {
 public:
  /// Reads the whole file.
  explicit CSV(const std::string& path, CSVOptions options = CSVOptions());

  /// Returns the row at `index`, as views: data [columns], target [] or [T].
  Example<> get(size_t index) override;
  /// Returns rows as one batch: data [B, columns], target [B] or [B, T].
  Example<> get_stacked(ArrayRef<size_t> indices);
  optional<size_t> size() const override { return static_cast<size_t>(data_.size(0)); }
  /// Returns the data of all rows, [N, columns].
  const Tensor& data() const { return data_; }
  /// Returns the targets of all rows, [N] or [N, T].
  const Tensor& targets() const { return targets_; }
  /// Returns the names of the columns, the data columns first. Without a header, the list is empty.
  const std::vector<std::string>& names() const { return names_; }

 private:
  Tensor data_, targets_;
  std::vector<std::string> names_;
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
