// What the tests share beside the harness: small tensors, their values, errors and warnings.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <taper/framework/core/warning.h>

#include "expect_error.h"
#include "harness/samples.h"

namespace torch::taper::testing {

// ---------------------------------------------------------------------- tensors
/// A tensor of these values, row-major.
inline Tensor tensor_of(std::vector<int64_t> sizes, std::vector<double> v,
                        ScalarType dtype = kFloat) {
  Array a(std::move(sizes));
  a.v = std::move(v);
  return to_tensor(a, dtype);
}
/// A vector of these values.
inline Tensor values(std::vector<double> v, ScalarType dtype = kFloat) {
  const auto n = static_cast<int64_t>(v.size());
  return tensor_of({n}, std::move(v), dtype);
}
/// first, first + 1, first + 2, ... in row-major order; for bools 0 and 1 in turns.
inline Tensor counting(std::vector<int64_t> sizes, ScalarType dtype = kFloat, int64_t first = 0) {
  Array a(std::move(sizes));
  for (size_t i = 0; i < a.v.size(); ++i) {
    const int64_t n = first + static_cast<int64_t>(i);
    a.v[i] = static_cast<double>(dtype == kBool ? n % 2 : n);
  }
  return to_tensor(a, dtype);
}
/// Random values of both signs, the same in every call.
inline Tensor numbers(const std::vector<int64_t>& sizes, ScalarType dtype = kFloat) {
  return sample_of({sizes}, dtype).t[0];
}

/// The values of a tensor of any dtype, row-major.
inline std::vector<double> values_of(const Tensor& t) { return to_array(t.detach()).v; }
/// Expects a tensor of these sizes with exactly these values.
inline void expect_values(const Tensor& t, const std::vector<int64_t>& sizes,
                          const std::vector<double>& expected) {
  EXPECT_EQ(t.sizes().vec(), sizes);
  EXPECT_EQ(values_of(t), expected);
}

// ---------------------------------------------------------------------- warnings
/// The texts of the warnings that `body` gives, also of those that come once in a process.
template <class Body>
std::vector<std::string> warnings_of(const Body& body) {
  struct Texts : WarningHandler {
    void process(const Warning& w) override { all.push_back(w.msg()); }
    std::vector<std::string> all;
  } texts;
  const WarningUtils::WarningHandlerGuard handler(&texts);
  const WarningUtils::WarnAlways each_time(true);
  body();
  return texts.all;
}
/// Expects that `body` gives just one warning, with this text in it.
template <class Body>
void expect_warning(const std::string& text, const Body& body) {
  const std::vector<std::string> got = warnings_of(body);
  ASSERT_EQ(got.size(), 1u) << "expected: " << text;
  EXPECT_NE(got[0].find(text), std::string::npos) << "expected: " << text << "\ngot: " << got[0];
}

// ---------------------------------------------------------------------- files
/// A new folder that goes with its owner, and all in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "taper_test_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// How many entries it has.
  size_t size() const {
    const std::filesystem::directory_iterator begin(path_), end;
    return static_cast<size_t>(std::distance(begin, end));
  }

 private:
  std::string path_;
};

}  // namespace torch::taper::testing
