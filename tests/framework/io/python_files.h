// The files of tests/data_files/python, which make_python_files.py wrote with PyTorch and NumPy.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "data_folder.h"

namespace torch::taper::testing {

inline std::string python_file(const std::string& name) {
  return data_folder(TAPER_TEST_DATA) + "/python/" + name;
}

inline std::vector<char> bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace torch::taper::testing
