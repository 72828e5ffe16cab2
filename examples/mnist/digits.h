// Draws digits, for training without MNIST.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mnist {

/// Draws `count` images of 28 x 28 bytes and their labels: pen strokes that shake, turned, slanted,
/// stretched and moved at random, with noise. Equal seeds give equal images.
void draw_digits(int64_t count, uint64_t seed, std::vector<uint8_t>& images,
                 std::vector<uint8_t>& labels);

/// Writes 60,000 training and 10,000 test images to `folder`, in the format of MNIST's files. The
/// folder appears as a whole or not at all. Throws std::runtime_error if it cannot be written.
void write_digits(const std::string& folder);

}  // namespace mnist
