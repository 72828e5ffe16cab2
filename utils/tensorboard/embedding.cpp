#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include <taper/framework/core/check.h>
#include <taper/framework/io/safetensors.h>
#include <taper/utils/image_grid.h>
#include <taper/utils/tensorboard/embedding.h>

namespace torch::taper::utils::tensorboard::detail {

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  namespace files = serialize::detail;
  files::write_file(path.string(),
                    [&](const files::Sink& sink) { sink(text.data(), text.size()); });
}

std::string table_of(const Tensor& points) {
  const Tensor x = points.detach().to(kCPU).to(kDouble).contiguous();
  const auto rows = x.accessor<double, 2>();
  std::ostringstream text;
  text << std::setprecision(9);
  for (int64_t i = 0; i < x.size(0); ++i)
    for (int64_t j = 0; j < x.size(1); ++j) text << rows[i][j] << (j + 1 < x.size(1) ? '\t' : '\n');
  return text.str();
}

std::string lines_of(const std::vector<std::string>& metadata) {
  std::string text;
  for (const std::string& line : metadata) text += line + '\n';
  return text;
}

// Encodes a square of square images, as the projector expects.
std::string sprite_of(const Tensor& images) {
  const auto side = static_cast<int64_t>(std::ceil(std::sqrt(images.size(0))));
  return encode_png(make_grid(images.detach(), ImageGridOptions().nrow(side).padding(0)));
}

// Quotes text as C does, which the text format of protocol buffers requires.
std::string quoted(const std::string& text) {
  std::ostringstream to;
  to << std::quoted(text);
  return to.str();
}

void check(const Tensor& points, const std::vector<std::string>& metadata, const Tensor& images) {
  TAPER_CHECK_VALUE(points.defined() && points.dim() == 2 && points.numel() > 0,
                    "add_embedding: expected points [N, D]");
  const auto N = static_cast<size_t>(points.size(0));
  TAPER_CHECK_VALUE(metadata.empty() || metadata.size() == N,
                    "add_embedding: expected a line of metadata for each of ", N, " points, got ",
                    metadata.size());
  for (const std::string& line : metadata)
    TAPER_CHECK_VALUE(line.find('\n') == std::string::npos,
                      "add_embedding: expected metadata of one line each");
  TAPER_CHECK_VALUE(!images.defined() || (images.dim() == 4 && images.size(0) == points.size(0) &&
                                          images.size(2) == images.size(3)),
                    "add_embedding: expected a square image for each of ", N, " points");
}

}  // namespace

void write_embedding(const std::string& log_dir, const Tensor& points,
                     const std::vector<std::string>& metadata, const Tensor& images, int64_t step,
                     const std::string& tag) {
  namespace fs = std::filesystem;
  check(points, metadata, images);
  std::ostringstream number;
  number << std::setw(5) << std::setfill('0') << step;
  const fs::path folder = fs::path(number.str()) / tag, whole = fs::path(log_dir) / folder;
  std::error_code error;
  TAPER_CHECK(fs::create_directories(whole, error) || !error,
              "add_embedding: cannot make the folder '", whole.string(), "': ", error.message());
  std::string config = "embeddings {\ntensor_name: " + quoted(tag + ":" + number.str()) +
                       "\ntensor_path: " + quoted((folder / "tensors.tsv").string()) + '\n';
  write(whole / "tensors.tsv", table_of(points));
  if (!metadata.empty()) {
    write(whole / "metadata.tsv", lines_of(metadata));
    config += "metadata_path: " + quoted((folder / "metadata.tsv").string()) + '\n';
  }
  if (images.defined()) {
    write(whole / "sprite.png", sprite_of(images));
    config += "sprite {\nimage_path: " + quoted((folder / "sprite.png").string()) +
              "\nsingle_image_dim: " + std::to_string(images.size(3)) +
              "\nsingle_image_dim: " + std::to_string(images.size(2)) + "\n}\n";
  }
  const fs::path list = fs::path(log_dir) / "projector_config.pbtxt";
  std::ofstream out(list, std::ios::app);
  out << config << "}\n" << std::flush;
  TAPER_CHECK(out.good(), "add_embedding: cannot write '", list.string(), "'");
}

}  // namespace torch::taper::utils::tensorboard::detail
