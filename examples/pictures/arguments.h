// Checks of the small programs' arguments, before training.
#pragma once

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

/// Throws std::runtime_error if the file cannot be written. Call it before a long run that ends
/// with a picture.
inline void expect_writable(const std::string& path) {
  if (!std::ofstream(path, std::ios::app)) throw std::runtime_error(path + " cannot be written");
}

/// Prints `usage` and returns true if the first argument is --help.
inline bool prints_help(int argc, char** argv, const char* usage) {
  if (argc < 2 || std::string(argv[1]) != "--help") return false;
  std::printf("%s\n", usage);
  return true;
}

/// Returns the argument at `index` as a whole number of at least 1, or `absent` if there is none.
/// Throws std::invalid_argument for any other text.
inline int count_argument(int argc, char** argv, int index, const char* name, int absent) {
  if (index >= argc) return absent;
  int count = 0, end = 0;
  if (std::sscanf(argv[index], "%9d%n", &count, &end) != 1 || argv[index][end] || count < 1)
    throw std::invalid_argument("expected as " + std::string(name) +
                                " a number from 1 to 999999999, got " + argv[index]);
  return count;
}
