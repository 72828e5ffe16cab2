// Every function that the sources look up in cuBLAS, cuBLASLt and cuDNN when they run is in the
// libraries that are installed here: a name that is not would show on a GPU only.
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace taper::testing {
namespace {

/// The functions of a library that the files of a folder name, which begin with its prefix; names
/// that end in _t are types.
std::set<std::string> names_in(const std::string& folder, const std::string& prefix) {
  const std::regex name("\\b" + prefix + "[A-Z]\\w*\\b(?!\\.)");  // but for names of headers
  std::set<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TAPER_TEST_SOURCES) + "/" + folder)) {
    if (!entry.is_regular_file()) continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const std::string all = text.str();
    for (std::sregex_iterator at(all.begin(), all.end(), name), end; at != end; ++at)
      if (!at->str().ends_with("_t")) found.insert(at->str());
  }
  return found;
}

void expect_all(const std::string& prefix, const std::string& stem, size_t at_least) {
  if (!std::filesystem::exists(TAPER_TEST_SOURCES)) GTEST_SKIP() << "the sources are not here";
  void* library = nullptr;
  for (const char* version : {".so", ".so.13", ".so.12", ".so.9"})
    if (!library) library = dlopen((stem + version).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) GTEST_SKIP() << "no " << stem << " is installed here";
  std::set<std::string> names = names_in("framework/cuda/gpu", prefix);
  names.merge(names_in("framework/cuda", prefix));
  names.merge(names_in("ops", prefix));
  EXPECT_GE(names.size(), at_least);
  for (const std::string& name : names) EXPECT_TRUE(dlsym(library, name.c_str())) << name;
  EXPECT_FALSE(dlsym(library, (prefix + "NoSuchFunction").c_str()));
}

TEST(LibraryNames, AreInCublas) { expect_all("cublas", "libcublas", 8); }
TEST(LibraryNames, AreInCudnn) { expect_all("cudnn", "libcudnn", 20); }

}  // namespace
}  // namespace taper::testing
