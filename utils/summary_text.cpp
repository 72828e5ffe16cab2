#include <iomanip>
#include <ostream>
#include <sstream>

#include <taper/utils/summary.h>

namespace torch::taper::utils {

namespace {

constexpr int kNameWidth = 41, kSizesWidth = 26, kWidth = 90;

// Formats 1234567 as 1,234,567.
std::string with_commas(int64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string in_megabytes(int64_t nbytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << static_cast<double>(nbytes) / 1e6;
  return text.str();
}

std::string sizes_of(const LayerSummary& layer) {
  if (!layer.was_seen) return "--";
  std::ostringstream text;
  text << IntArrayRef(layer.output_sizes);
  return text.str();
}

// Draws branches such as "│    └─". They depend on whether rows of the same module follow at each
// depth.
std::string branches(const std::vector<LayerSummary>& layers, size_t row) {
  std::string text;
  const auto goes_on = [&](int64_t depth) {
    for (size_t next = row + 1; next < layers.size() && layers[next].depth >= depth; ++next)
      if (layers[next].depth == depth) return true;
    return false;
  };
  for (int64_t depth = 1; depth < layers[row].depth; ++depth)
    text += goes_on(depth) ? "│    " : "     ";
  if (layers[row].depth > 0) text += goes_on(layers[row].depth) ? "├─" : "└─";
  return text;
}

// Counts columns in characters, because those of a branch take three bytes each.
std::string padded(std::string text, int width) {
  int characters = 0;
  for (const char c : text) characters += (c & 0xc0) != 0x80;
  if (characters < width) text.append(static_cast<size_t>(width - characters), ' ');
  return text + (characters >= width ? " " : "");
}

std::string title_of(const LayerSummary& layer) {
  if (layer.depth == 0) return layer.type;
  return layer.type + " (" + layer.name + "): " + std::to_string(layer.depth) + '-' +
         std::to_string(layer.index);
}

std::string params_of(const LayerSummary& layer) {
  if (layer.num_params == 0) return "--";
  const std::string n = with_commas(layer.num_params);
  return layer.num_trainable == layer.num_params ? n : '(' + n + ')';
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const ModelSummary& s) {
  const std::string rule(kWidth, '=');
  out << rule << '\n'
      << padded("Layer (type (name):depth-idx)", kNameWidth) << padded("Output Shape", kSizesWidth)
      << "Param #\n"
      << rule << '\n';
  for (size_t row = 0; row < s.layers.size(); ++row)
    out << padded(branches(s.layers, row) + title_of(s.layers[row]), kNameWidth)
        << padded(sizes_of(s.layers[row]), kSizesWidth) << params_of(s.layers[row]) << '\n';
  std::ostringstream millions;
  millions << std::fixed << std::setprecision(2) << static_cast<double>(s.mult_adds) / 1e6;
  out << rule << "\nTotal params: " << with_commas(s.num_params)
      << "\nTrainable params: " << with_commas(s.num_trainable)
      << "\nNon-trainable params: " << with_commas(s.num_params - s.num_trainable)
      << "\nTotal mult-adds (M): " << millions.str() << '\n'
      << rule << "\nInput size (MB): " << in_megabytes(s.input_bytes)
      << "\nForward/backward pass size (MB): " << in_megabytes(s.pass_bytes)
      << "\nParams size (MB): " << in_megabytes(s.param_bytes) << "\nEstimated Total Size (MB): "
      << in_megabytes(s.input_bytes + s.pass_bytes + s.param_bytes) << '\n'
      << rule << '\n';
  return out;
}

}  // namespace torch::taper::utils
