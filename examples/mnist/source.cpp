#include "source.h"

#include <cstdio>
#include <cstdlib>

#include "digits.h"
#include "files.h"

namespace mnist {
namespace {

struct File {
  const char* name;
  /// The checksum of the uncompressed file.
  const char* sha256;
};
constexpr File kFiles[] = {
    {"train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {"t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
};
constexpr const char* kMirrors[] = {
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
};

bool has_all_files(const std::string& folder) {
  for (const File& f : kFiles)
    if (!exists(folder + "/" + f.name) && !exists(folder + "/" + f.name + ".gz")) return false;
  return true;
}

bool download(const std::string& url, const std::string& path) {
  return run_program({"curl", "--fail", "--silent", "--location", "--connect-timeout", "5",
                      "--max-time", "300", "--output", path, url}) == 0;
}

// Returns whether the downloaded and unpacked file has this checksum. Calls the system's tools.
bool has_checksum(const std::string& path, const char* sha256) {
  return run_program({"sh", "-c", "[ \"$(gzip -dc \"$1\" | sha256sum)\" = \"$2  -\" ]", "sh", path,
                      sha256}) == 0;
}

// Returns whether the folder holds the original MNIST.
bool is_mnist(const std::string& folder) {
  for (const File& f : kFiles)
    if (!has_checksum(folder + "/" + f.name + ".gz", f.sha256)) return false;
  return true;
}

bool download_all(const std::string& folder) {
  for (const char* mirror : kMirrors) {
    TemporaryFolder temporary(folder);
    bool complete = true;
    for (const File& f : kFiles) {
      const std::string name = std::string(f.name) + ".gz";
      complete = complete && download(mirror + name, temporary.path() + "/" + name);
    }
    if (!complete) continue;
    if (!is_mnist(temporary.path())) {
      std::fprintf(stderr, "mnist: what %s gave is not MNIST (its SHA-256 is another); not used\n",
                   mirror);
      continue;
    }
    temporary.keep();
    return true;
  }
  return false;
}

}  // namespace

Source find_data(const Options& options) {
  const std::string cache = cache_folder(), mnist = cache + "/mnist", drawn = cache + "/digits";
  if (!options.data.empty()) return {options.data, "from --data"};
  const char* variable = std::getenv("TAPER_DATA");
  if (variable && *variable && !options.drawn) return {variable, "from $TAPER_DATA"};
  if (!options.drawn) {
    if (has_all_files(mnist)) return {mnist, "MNIST from the cache"};
    if (!options.offline && download_all(mnist)) return {mnist, "MNIST, downloaded"};
  }
  if (has_all_files(drawn)) return {drawn, "digits drawn by this program, from the cache"};
  std::printf("drawing 70,000 digits into %s\n", drawn.c_str());
  std::fflush(stdout);
  write_digits(drawn);
  return {drawn, "digits drawn by this program"};
}

}  // namespace mnist
