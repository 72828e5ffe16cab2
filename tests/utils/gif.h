// A reader of GIF files, for tests of what writes them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::testing {

/// The frames of a GIF file, by appendix F of its specification: [T][H * W] colors.
struct Gif {
  explicit Gif(std::string bytes) : data(std::move(bytes)) {
    EXPECT_EQ(data.substr(0, 6), "GIF89a");
    width = u16(6), height = u16(8);
    at = 13;
    while (at < data.size() && data[at] != 0x3b) block();
    EXPECT_EQ(at, data.size() - 1);
  }
  int u16(size_t i) const { return u8(i) | u8(i + 1) << 8; }
  int u8(size_t i) const { return static_cast<uint8_t>(data.at(i)); }
  std::string sub_blocks() {
    std::string all;
    for (int n; (n = u8(at++)) != 0; at += size_t(n)) all += data.substr(at, size_t(n));
    return all;
  }
  void block() {
    if (data[at] == 0x21) {  // an extension
      if (u8(at + 1) == 0xf9) hundredths.push_back(u16(at + 4));
      at += 2;
      sub_blocks();
      return;
    }
    EXPECT_EQ(data[at], 0x2c);
    EXPECT_EQ(u16(at + 5), width);
    EXPECT_EQ(u16(at + 7), height);
    const size_t table = at + 10;
    at = table + 768 + 1;
    std::vector<int> frame;
    for (const int i : decompressed(sub_blocks()))
      frame.push_back(u8(table + 3 * size_t(i)) << 16 | u8(table + 3 * size_t(i) + 1) << 8 |
                      u8(table + 3 * size_t(i) + 2));
    frames.push_back(frame);
  }
  static std::vector<int> decompressed(const std::string& codes) {
    std::vector<std::vector<int>> strings;
    std::vector<int> values, last;
    size_t bit = 0, width = 9;
    const auto next = [&] {
      size_t code = 0;
      for (size_t i = 0; i < width; ++i, ++bit)
        code |= size_t(static_cast<uint8_t>(codes.at(bit / 8)) >> bit % 8 & 1) << i;
      return code;
    };
    for (size_t code; (code = next()) != 257;) {
      if (code == 256) {
        strings.clear();
        for (int i = 0; i < 258; ++i) strings.push_back({i});
        last.clear();
        width = 9;
        continue;
      }
      std::vector<int> string = last;
      if (code < strings.size())
        string = strings[code];
      else
        string.push_back(last.at(0));
      if (!last.empty() && strings.size() < 4096) {
        last.push_back(string[0]);
        strings.push_back(last);
        if (strings.size() == size_t{1} << width && width < 12) ++width;
      }
      values.insert(values.end(), string.begin(), string.end());
      last = string;
    }
    return values;
  }
  std::string data;
  size_t at = 0;
  int width = 0, height = 0;
  std::vector<int> hundredths;
  std::vector<std::vector<int>> frames;
};

}  // namespace torch::taper::testing
