// CSV: tables of numbers in text files.
#pragma once

#include <string>

#include <taper/data/map.h>
#include <taper/framework/core/arg.h>

#pragma GCC visibility push(default)

namespace torch::taper::data::datasets {

/// How a table is written, and which of its columns are what is to be learnt.
struct CSVOptions {
  /// What stands between two numbers of a line.
  TAPER_ARG(char, delimiter) = ',';
  /// Whether the first line holds the columns' names.
  TAPER_ARG(bool, header) = false;
  /// The columns of the targets, by number; -1 is the last. The others are the data.
  TAPER_ARG(std::vector<int64_t>, targets) = {-1};
  /// Of the data.
  TAPER_ARG(Dtype, dtype) = kFloat;
  /// Of the targets: kLong for classes.
  TAPER_ARG(Dtype, target_dtype) = kFloat;
};

/// The rows of a table of numbers: data [columns] and target [] (or [T] for T > 1 columns). Empty
/// lines and spaces around numbers are passed over; numbers may stand in double quotes. Throws
/// Error, naming the file and line, for what is no number (an empty field included), for a row of
/// another length, for a file without rows, and IndexError for a target column that is not there.
class CSV : public Dataset<CSV> {
 public:
  /// Reads the whole file.
  explicit CSV(const std::string& path, CSVOptions options = CSVOptions());

  /// The row of that number, as views: data [columns], target [] or [T].
  Example<> get(size_t index) override;
  /// Rows as one batch: data [B, columns], target [B] or [B, T].
  Example<> get_stacked(ArrayRef<size_t> indices);
  optional<size_t> size() const override { return static_cast<size_t>(data_.size(0)); }
  /// All rows: [N, columns], and [N] or [N, T].
  const Tensor& data() const { return data_; }
  /// See data().
  const Tensor& targets() const { return targets_; }
  /// The columns' names, of the data first; empty without a header.
  const std::vector<std::string>& names() const { return names_; }

 private:
  Tensor data_, targets_;
  std::vector<std::string> names_;
};

}  // namespace torch::taper::data::datasets

#pragma GCC visibility pop
