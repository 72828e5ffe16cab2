// Writes files and folders as a whole or not at all, and finds the cache folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mnist {

bool exists(const std::string& path);
/// Makes the folder and those above it. Throws std::runtime_error.
void make_folders(const std::string& path);
/// Throws std::runtime_error with the name of the file if it cannot be written or replaced.
void check_writable(const std::string& path);
/// Writes and syncs a file. Throws std::runtime_error with the name of the file, for example if the
/// disk is full.
void write_file(const std::string& path, const std::string& head, const std::vector<uint8_t>& rest);
/// Returns the user's cache for this program: $XDG_CACHE_HOME/taper or ~/.cache/taper.
std::string cache_folder();
/// Runs a program without a shell, and drops its output. Returns its exit code, or -1 if it cannot
/// be started.
int run_program(const std::vector<std::string>& words);

/// A folder to fill. keep() gives it its final name. Without keep(), the destructor removes it.
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
