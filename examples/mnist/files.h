// Files and folders that appear as a whole or not at all, and where they belong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mnist {

bool exists(const std::string& path);
/// Makes the folder and those above it. Throws std::runtime_error.
void make_folders(const std::string& path);
/// Throws std::runtime_error, naming it, where a file cannot be written or replaced.
void check_writable(const std::string& path);
/// Writes and syncs a file. Throws std::runtime_error, naming it, for example when the disk is
/// full.
void write_file(const std::string& path, const std::string& head, const std::vector<uint8_t>& rest);
/// The user's cache for this program: $XDG_CACHE_HOME/taper or ~/.cache/taper.
std::string cache_folder();
/// Runs a program without a shell, its output thrown away; returns its exit code, or -1 when it
/// cannot be started.
int run_program(const std::vector<std::string>& words);

/// A folder to fill, which keep() gives its final name. Without that it is removed again.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string final_path);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  void keep();

 private:
  const std::string final_path_, path_;
  bool kept_ = false;
};

}  // namespace mnist
