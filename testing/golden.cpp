#include <taper/testing/golden.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <unordered_map>

#include <taper/framework/io/safetensors.h>

namespace torch::taper::testing {

using serialize::detail::FileContents;
using taper::detail::concat;

namespace {

enum class Mode { kRecordMissing, kUpdate, kRequire };

Mode mode() {
  const char* text = std::getenv("TAPER_GOLDEN");
  const std::string value = text ? text : "";
  if (value.empty()) return Mode::kRecordMissing;
  if (value == "update") return Mode::kUpdate;
  TAPER_CHECK_VALUE(value == "require" || value == "compare",
                    "golden: expected TAPER_GOLDEN to be update, require or compare, got '", value,
                    "'");
  return Mode::kRequire;
}

void check_name(const std::string& name) {
  const bool good = !name.empty() && name.front() != '/' && name.find("..") == std::string::npos &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return std::isalnum(c) || c == '.' || c == '_' || c == '-' || c == '/';
                    });
  TAPER_CHECK_VALUE(good, "golden: expected a name of letters, digits and ._-/ , got '", name, "'");
}

void check_tensors(const NamedTensors& tensors) {
  TAPER_CHECK_VALUE(!tensors.empty(), "golden: expected at least one tensor");
  std::unordered_map<std::string, int> count;
  for (const auto& [name, t] : tensors) {
    TAPER_CHECK_VALUE(t.defined(), "golden: expected a defined tensor as '", name,
                      "', got an undefined one");
    TAPER_CHECK_VALUE(++count[name] == 1, "golden: expected different names, got '", name,
                      "' twice");
  }
}

std::filesystem::path path_of(const std::string& name, const GoldenOptions& options,
                              const char* file) {
  const char* folder = std::getenv("TAPER_GOLDEN_DIR");
  const std::filesystem::path source = file;
  std::filesystem::path in = source.parent_path() / "golden";
  if (folder && *folder) in = folder;
  if (!options.folder().empty()) in = options.folder();
  const bool is_beside = in == source.parent_path() / "golden";
  TAPER_CHECK_VALUE(!is_beside || source.is_absolute() || std::filesystem::exists(source),
                    "golden: the test was compiled as '", file, "', which leads nowhere from ",
                    std::filesystem::current_path().string(),
                    ": set TAPER_GOLDEN_DIR, or pass a folder");
  return in / (name + ".safetensors");
}

// ---------------------------------------------------------------------- files
constexpr const char* kMark = "taper.golden";

void save(const std::filesystem::path& path, const std::string& name, const NamedTensors& tensors) {
  for (const auto& [n, t] : tensors) {
    const std::string wrong = isFloatingOrComplexType(t.scalar_type()) ? not_finite(t) : "";
    TAPER_CHECK_VALUE(wrong.empty(), "golden: '", n, "' is not written to ", path.string(), ": ",
                      wrong);
  }
  FileContents contents{tensors, {{kMark, name}}};
  std::error_code ignored;  // writing reports a missing folder
  std::filesystem::create_directories(path.parent_path(), ignored);
  serialize::detail::write_file(path.string(), [&](const serialize::detail::Sink& sink) {
    serialize::detail::write_safetensors(contents, sink, path.string());
  });
}

FileContents open(const std::filesystem::path& path) {
  FileContents contents;
  try {
    serialize::detail::read_file(
        path.string(), [&](const serialize::detail::Source& source, uint64_t nbytes) {
          contents = serialize::detail::read_safetensors(source, nbytes, path.string());
        });
  } catch (const Error& e) {
    throw Error(concat("golden: cannot use ", path.string(), ": ", e.what(),
                       ". Restore it, or write it again with TAPER_GOLDEN=update."));
  }
  return contents;
}

/// Throws for a file of another program or of another golden().
void check_mark(const FileContents& contents, const std::filesystem::path& path,
                const std::string& name) {
  for (const auto& [key, text] : contents.metadata) {
    if (key != kMark) continue;
    TAPER_CHECK(text == name, "golden: ", path.string(), " was written for '", text, "', not for '",
                name, "'");
    return;
  }
  throw Error(concat("golden: ", path.string(),
                     " was not written by golden(): it is another program's. Choose another name "
                     "or folder."));
}

// ---------------------------------------------------------------------- comparing
Tolerance tolerance_of(const std::string& name, const GoldenOptions& options, const Tensor& got,
                       const Tensor& want) {
  for (const auto& [pattern, tolerance] : options.tolerances()) {
    const bool prefix = !pattern.empty() && pattern.back() == '*';
    if (prefix ? name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0
               : name == pattern)
      return tolerance;
  }
  return default_tolerance(got.scalar_type(), want.scalar_type());
}

const Tensor* find(const NamedTensors& list, const std::string& name) {
  for (const auto& [n, t] : list)
    if (n == name) return &t;
  return nullptr;
}

std::string compare(const std::string& name, const Tensor& got, const Tensor& want,
                    const GoldenOptions& options) {
  if (got.scalar_type() != want.scalar_type())
    return concat("expected dtype ", want.scalar_type(), ", got ", got.scalar_type());
  return difference(got, want, tolerance_of(name, options, got, want));
}

std::vector<std::string> differences(const NamedTensors& got, const NamedTensors& want,
                                     const GoldenOptions& options) {
  std::vector<std::string> list;
  for (const auto& [name, w] : want) {
    const Tensor* g = find(got, name);
    const std::string d = g ? compare(name, *g, w, options) : "is in the file, but was not given";
    if (!d.empty()) list.push_back(concat("'", name, "': ", d));
  }
  for (const auto& [name, g] : got)
    if (!find(want, name))
      list.push_back(concat("'", name, "': is new, the file does not have it"));
  return list;
}

void compare_with_file(Verdict& verdict, const std::filesystem::path& path, const std::string& name,
                       const NamedTensors& tensors, const GoldenOptions& options) {
  const FileContents contents = open(path);
  check_mark(contents, path, name);
  const std::vector<std::string> list = differences(tensors, contents.tensors, options);
  if (list.empty()) return;
  verdict.failures.push_back(concat("'", name, "': ", list.size(), " of ", tensors.size(),
                                    " tensors are not what ", path.string(),
                                    " holds (if that is meant: TAPER_GOLDEN=update)"));
  verdict.failures.insert(verdict.failures.end(), list.begin(), list.end());
}

/// Notes the changes of an update, if the old file can be read.
void note_changes(Verdict& verdict, const std::filesystem::path& path, const NamedTensors& tensors,
                  const GoldenOptions& options) {
  try {
    const std::vector<std::string> list = differences(tensors, open(path).tensors, options);
    for (const std::string& d : list) verdict.notes.push_back("changed: " + d);
  } catch (const Error& e) {
    verdict.notes.push_back(concat("replaced: ", e.what()));
  }
}

}  // namespace

Verdict golden_report(const std::string& name, const NamedTensors& tensors,
                      const GoldenOptions& options, const char* file) {
  const Mode m = mode();
  check_name(name);
  check_tensors(tensors);
  const std::filesystem::path path = path_of(name, options, file);
  const bool is_there = std::filesystem::exists(path);
  Verdict verdict;
  if (m == Mode::kRequire && !is_there) {
    verdict.failures.push_back(concat("golden: there is no ", path.string(),
                                      ", and TAPER_GOLDEN=require. Run the test once without it, "
                                      "and commit the file."));
  } else if (m == Mode::kUpdate || !is_there) {
    if (is_there) note_changes(verdict, path, tensors, options);
    save(path, name, tensors);
    verdict.notes.push_back(concat("wrote ", tensors.size(), " tensors to ", path.string()));
  } else {
    compare_with_file(verdict, path, name, tensors, options);
  }
  return verdict;
}

void golden(const std::string& name, const NamedTensors& tensors, const GoldenOptions& options,
            const char* file) {
  const Verdict verdict = golden_report(name, tensors, options, file);
  if (!verdict.passed()) throw GoldenError("golden failed: " + verdict.text());
  std::cout << verdict.text();
}

void append_gradients(NamedTensors& to, const NamedTensors& leaves) {
  for (const auto& [name, t] : leaves) {
    TAPER_CHECK_VALUE(t.defined() && t.grad().defined(), "golden: expected a gradient of '", name,
                      "', got none: call backward() first");
    to.emplace_back(name + ".grad", t.grad().detach().clone());
  }
}

void append_gradients(NamedTensors& to, const nn::Module& module) {
  NamedTensors leaves;
  for (const auto& item : module.named_parameters())
    if (item.value().requires_grad()) leaves.emplace_back(item.key(), item.value());
  append_gradients(to, leaves);
}

}  // namespace torch::taper::testing
