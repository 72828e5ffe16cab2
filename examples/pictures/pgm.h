// Pictures without a library: PGM files, which most viewers show and `pnmtopng` converts.
#pragma once

#include <torch/torch.h>

#include <fstream>
#include <stdexcept>
#include <string>

/// Writes images [N, 1, H, W] with values in [0, 1] to a file, side by side in rows of `columns`.
/// Throws std::runtime_error if the file cannot be written.
inline void write_pgm(const torch::Tensor& images, int64_t columns, const std::string& path) {
  const int64_t rows = images.size(0) / columns, height = images.size(2), width = images.size(3);
  const torch::Tensor bytes = (images.detach().slice(0, 0, rows * columns).clamp(0, 1) * 255)
                                  .round()
                                  .to(torch::kU8)
                                  .reshape({rows, columns, height, width})
                                  .permute({0, 2, 1, 3})
                                  .contiguous();
  std::ofstream out(path, std::ios::binary);
  out << "P5\n" << columns * width << ' ' << rows * height << "\n255\n";
  out.write(reinterpret_cast<const char*>(bytes.data_ptr<uint8_t>()), bytes.numel());
  if (!out.flush()) throw std::runtime_error(path + " cannot be written");
}
