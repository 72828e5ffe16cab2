// Digits drawn by this program: what it trains on where MNIST cannot be had.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mnist {

/// Draws `count` images of 28 x 28 bytes and their labels: pen strokes that shake, turned, slanted,
/// stretched and moved at random, with noise. The same seed gives the same images.
void draw_digits(int64_t count, uint64_t seed, std::vector<uint8_t>& images,
                 std::vector<uint8_t>& labels);

/// Writes a data set of 60,000 and 10,000 such images to `folder` in MNIST's files. The folder is
/// there as a whole or not at all. Throws std::runtime_error when it cannot be written.
void write_digits(const std::string& folder);

}  // namespace mnist
