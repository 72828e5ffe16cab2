// Files of a SummaryWriter, read back.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <taper/utils/tensorboard/event_file.h>
#include <taper/utils/tensorboard/schema.h>
#include <taper/utils/utils.h>

#include "test_util.h"

namespace torch::taper::testing {

namespace schema = utils::tensorboard::schema;

inline std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The whole records of a folder's one file; one that is cut off at its end is passed over, as
/// TensorBoard does.
inline std::vector<schema::Event> events_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().find("tfevents") != std::string::npos)
      files.push_back(entry.path());
  EXPECT_EQ(files.size(), 1u) << folder;
  const std::string bytes = contents(files.at(0));
  constexpr size_t kFrame = 16, kHead = 12;
  std::vector<schema::Event> events;
  for (size_t at = 0; at + kFrame <= bytes.size();) {
    uint64_t size;
    std::memcpy(&size, &bytes[at], sizeof size);
    if (at + kFrame + size > bytes.size()) break;
    const std::string data = bytes.substr(at + kHead, size);
    EXPECT_EQ(utils::tensorboard::detail::record_of(data), bytes.substr(at, size + kFrame));
    EXPECT_TRUE(events.emplace_back().ParseFromString(data));
    at += kFrame + size;
  }
  return events;
}

}  // namespace torch::taper::testing
