#include <algorithm>
#include <cmath>

#include <taper/framework/core/check.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/utils/image_grid.h>
#include <taper/utils/tensorboard/summaries.h>

namespace torch::taper::utils::tensorboard::detail {

namespace {

schema::Summary::Value& add_value(schema::Summary& to, const std::string& tag) {
  schema::Summary::Value& value = *to.add_value();
  value.set_tag(tag);
  return value;
}

// Adds a value for the named plugin, which reads `content`.
schema::TensorProto& add_tensor(schema::Summary& to, const std::string& tag, const char* plugin,
                                const std::string& content) {
  schema::Summary::Value& value = add_value(to, tag);
  auto& data = *value.mutable_metadata()->mutable_plugin_data();
  data.set_plugin_name(plugin);
  data.set_content(content);
  return *value.mutable_tensor();
}

// Returns the range [first, end) of buckets to write: those with values, and one empty bucket
// before them.
std::pair<size_t, size_t> used(const std::vector<double>& counts) {
  const auto any = [](double n) { return n > 0; };
  const auto first = std::find_if(counts.begin(), counts.end(), any);
  if (first == counts.end()) return {0, 1};
  const auto end = std::find_if(counts.rbegin(), counts.rend(), any).base();
  const auto begin = first == counts.begin() ? first : first - 1;
  return {begin - counts.begin(), end - counts.begin()};
}

Tensor doubles_of(const Tensor& t) { return t.detach().to(kCPU).to(kDouble).contiguous().view(-1); }

}  // namespace

schema::Summary scalar_summary(const std::string& tag, double value) {
  schema::Summary summary;
  add_value(summary, tag).set_simple_value(static_cast<float>(value));
  return summary;
}

const std::vector<double>& default_edges() {
  static const std::vector<double> edges = [] {
    std::vector<double> up;
    for (double v = 1e-12; v < 1e20; v *= 1.1) up.push_back(v);
    std::vector<double> all(up.rbegin(), up.rend());
    for (double& v : all) v = -v;
    all.push_back(0);
    all.insert(all.end(), up.begin(), up.end());
    return all;
  }();
  return edges;
}

schema::Summary histogram_summary(const std::string& tag, const Tensor& values,
                                  const std::vector<double>& edges) {
  TAPER_CHECK_VALUE(values.defined() && values.numel() > 0 && !values.is_complex(),
                    "add_histogram: expected at least one real value");
  TAPER_CHECK_VALUE(edges.size() > 1 && std::is_sorted(edges.begin(), edges.end()),
                    "add_histogram: expected at least two edges in ascending order, got ",
                    edges.size());
  const Tensor x = doubles_of(values);
  const double* v = x.data_ptr<double>();
  std::vector<double> counts(edges.size() - 1);
  RawHistogram h;
  h.min = h.max = v[0];
  h.num = static_cast<double>(x.numel());
  for (int64_t i = 0; i < x.numel(); ++i) {
    h.min = std::min(h.min, v[i]);
    h.max = std::max(h.max, v[i]);
    h.sum += v[i];
    h.sum_squares += v[i] * v[i];
    if (!(v[i] >= edges.front() && v[i] <= edges.back())) continue;
    const auto above = std::upper_bound(edges.begin(), edges.end() - 1, v[i]) - edges.begin();
    counts[std::max<size_t>(above, 1) - 1] += 1;
  }
  const auto [first, end] = used(counts);
  h.bucket_counts.assign(counts.begin() + first, counts.begin() + end);
  h.bucket_limits.assign(edges.begin() + first + 1, edges.begin() + end + 1);
  return histogram_summary(tag, h);
}

schema::Summary histogram_summary(const std::string& tag, const RawHistogram& h) {
  TAPER_CHECK_VALUE(h.bucket_limits.size() == h.bucket_counts.size(),
                    "add_histogram_raw: expected as many counts as limits, got ",
                    h.bucket_counts.size(), " and ", h.bucket_limits.size());
  schema::Summary summary;
  schema::HistogramProto& to = *add_value(summary, tag).mutable_histo();
  to.set_min(h.min);
  to.set_max(h.max);
  to.set_num(h.num);
  to.set_sum(h.sum);
  to.set_sum_squares(h.sum_squares);
  to.mutable_bucket_limit()->Add(h.bucket_limits.begin(), h.bucket_limits.end());
  to.mutable_bucket()->Add(h.bucket_counts.begin(), h.bucket_counts.end());
  return summary;
}

schema::Summary png_summary(const std::string& tag, const std::string& png) {
  // The first chunk of every PNG file is the header: width, height, bits and colour type.
  constexpr size_t kWidthAt = 16, kHeightAt = 20, kColorAt = 25;
  TAPER_CHECK_VALUE(png.size() > kColorAt && png.compare(1, 3, "PNG") == 0,
                    "add_figure: expected the bytes of a PNG file, got ", png.size(), " others");
  const auto number_at = [&](size_t at) {
    int32_t n = 0;
    for (size_t i = at; i < at + 4; ++i) n = n << 8 | static_cast<uint8_t>(png[i]);
    return n;
  };
  constexpr int kHasColor = 2, kHasAlpha = 4;  // bits of the colour type
  const int color = png[kColorAt];
  schema::Summary summary;
  schema::Summary::Image& image = *add_value(summary, tag).mutable_image();
  image.set_width(number_at(kWidthAt));
  image.set_height(number_at(kHeightAt));
  image.set_colorspace((color & kHasColor ? 3 : 1) + (color & kHasAlpha ? 1 : 0));
  image.set_encoded_image_string(png);
  return summary;
}

schema::Summary image_summary(const std::string& tag, const Tensor& image) {
  return png_summary(tag, encode_png(image));
}

schema::Summary video_summary(const std::string& tag, const Tensor& frames, double fps) {
  schema::Summary summary;
  schema::Summary::Image& image = *add_value(summary, tag).mutable_image();
  image.set_encoded_image_string(encode_gif(frames, fps));
  image.set_width(static_cast<int32_t>(frames.size(3)));
  image.set_height(static_cast<int32_t>(frames.size(2)));
  image.set_colorspace(3);
  return summary;
}

schema::Summary text_summary(const std::string& tag, const std::string& text) {
  schema::Summary summary;
  schema::TensorProto& tensor = add_tensor(summary, tag + "/text_summary", "text",
                                           schema::TextPluginData().SerializeAsString());
  tensor.set_dtype(schema::DT_STRING);
  tensor.mutable_tensor_shape()->add_dim()->set_size(1);
  tensor.add_string_val(text);
  return summary;
}

namespace {

void append_number(std::string& to, uint32_t n, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) to += static_cast<char>(n >> 8 * i & 0xff);
}

// Returns the header of a PCM WAV file with one channel of 16 bits.
std::string wav_header(uint32_t num_samples, uint32_t sample_rate) {
  constexpr uint32_t kHeaderBytes = 36, kFormatBytes = 16, kPcm = 1, kChannels = 1, kBytes = 2;
  std::string header = "RIFF";
  append_number(header, kHeaderBytes + num_samples * kBytes, 4);
  header += "WAVEfmt ";
  append_number(header, kFormatBytes, 4);
  append_number(header, kPcm, 2);
  append_number(header, kChannels, 2);
  append_number(header, sample_rate, 4);
  append_number(header, sample_rate * kBytes, 4);
  append_number(header, kBytes, 2);
  append_number(header, 8 * kBytes, 2);
  header += "data";
  append_number(header, num_samples * kBytes, 4);
  return header;
}

std::string wav_file(const Tensor& samples, int64_t sample_rate) {
  const auto n = static_cast<uint32_t>(samples.numel());
  std::string wav = wav_header(n, static_cast<uint32_t>(sample_rate));
  for (uint32_t i = 0; i < n; ++i) {
    const double v = samples.data_ptr<double>()[i];
    TAPER_CHECK_VALUE(!std::isnan(v), "add_audio: expected numbers, got NaN at ", i);
    append_number(wav, static_cast<uint16_t>(static_cast<int16_t>(std::clamp(v, -1., 1.) * 32767)),
                  2);
  }
  return wav;
}

void check_sound(const Tensor& sound, int64_t sample_rate) {
  TAPER_CHECK_VALUE(sound.defined() && sound.numel() > 0 && !sound.is_complex(),
                    "add_audio: expected at least one real value");
  TAPER_CHECK_VALUE(sound.dim() == 1 || (sound.dim() == 2 && sound.size(0) == 1),
                    "add_audio: expected sound [L] or [1, L] of one channel, got ", sound.sizes());
  constexpr int64_t kMost = int64_t{1} << 30;  // lengths in the file have 32 bits
  TAPER_CHECK_VALUE(sample_rate >= 1 && sample_rate < kMost && sound.numel() < kMost,
                    "add_audio: expected a sample_rate of at least 1, and that and the length "
                    "below 2^30, got ",
                    sample_rate, " and ", sound.numel());
}

using MeshPart = std::pair<schema::MeshPluginData::ContentType, Tensor>;

void check_mesh(const Tensor& vertices, const Tensor& colors, const Tensor& faces) {
  const auto is_list = [](const Tensor& t) {
    return t.defined() && t.dim() == 3 && t.size(2) == 3 && !t.is_complex();
  };
  TAPER_CHECK_VALUE(is_list(vertices), "add_mesh: expected real vertices [B, N, 3], got ",
                    vertices.defined() ? vertices.sizes() : IntArrayRef());
  TAPER_CHECK_VALUE(!colors.defined() || colors.sizes() == vertices.sizes(),
                    "add_mesh: expected a color for each vertex, ", vertices.sizes(), ", got ",
                    colors.defined() ? colors.sizes() : IntArrayRef());
  TAPER_CHECK_VALUE(!faces.defined() || (is_list(faces) && faces.size(0) == vertices.size(0)),
                    "add_mesh: expected faces [", vertices.size(0), ", F, 3], got ",
                    faces.defined() ? faces.sizes() : IntArrayRef());
}

void add_part(schema::Summary& to, const std::string& tag, const MeshPart& part,
              schema::MeshPluginData data) {
  static const char* const kEnds[] = {"", "_VERTEX", "_FACE", "_COLOR"};
  const Tensor values = part.second.detach().to(kCPU).to(kFloat).contiguous();
  data.set_content_type(part.first);
  for (const int64_t size : values.sizes()) data.add_shape(static_cast<int32_t>(size));
  schema::TensorProto& tensor =
      add_tensor(to, tag + kEnds[part.first], "mesh", data.SerializeAsString());
  tensor.set_dtype(schema::DT_FLOAT);
  for (const int64_t size : values.sizes())
    tensor.mutable_tensor_shape()->add_dim()->set_size(size);
  tensor.set_tensor_content(values.data_ptr<float>(), values.nbytes());
}

}  // namespace

schema::Summary audio_summary(const std::string& tag, const Tensor& sound, int64_t sample_rate) {
  check_sound(sound, sample_rate);
  schema::Summary summary;
  schema::Summary::Audio& audio = *add_value(summary, tag).mutable_audio();
  audio.set_sample_rate(static_cast<float>(sample_rate));
  audio.set_num_channels(1);
  audio.set_length_frames(sound.numel());
  audio.set_encoded_audio_string(wav_file(doubles_of(sound), sample_rate));
  audio.set_content_type("audio/wav");
  return summary;
}

schema::Summary mesh_summary(const std::string& tag, const Tensor& vertices, const Tensor& colors,
                             const Tensor& faces, const std::string& config) {
  check_mesh(vertices, colors, faces);
  schema::MeshPluginData data;
  data.set_name(tag);
  data.set_json_config(config);
  std::vector<MeshPart> parts;
  for (const MeshPart& part : {MeshPart(schema::MeshPluginData::VERTEX, vertices),
                               MeshPart(schema::MeshPluginData::FACE, faces),
                               MeshPart(schema::MeshPluginData::COLOR, colors)})
    if (part.second.defined()) parts.push_back(part);
  for (const MeshPart& part : parts) data.set_components(data.components() | 1u << part.first);
  schema::Summary summary;
  for (const MeshPart& part : parts) add_part(summary, tag, part, data);
  return summary;
}

Tensor pr_curve(const Tensor& labels, const Tensor& predictions, int64_t num_thresholds,
                const Tensor& weights) {
  const Tensor y = doubles_of(labels), p = doubles_of(predictions);
  const Tensor w = weights.defined() ? doubles_of(weights) : ones_like(p);
  TAPER_CHECK_VALUE(y.numel() == p.numel() && w.numel() == p.numel() && p.numel() > 0,
                    "add_pr_curve: expected as many labels and weights as predictions, got ",
                    y.numel(), " and ", w.numel(), " for ", p.numel());
  TAPER_CHECK_VALUE(num_thresholds > 1, "add_pr_curve: expected at least 2 thresholds, got ",
                    num_thresholds);
  const int64_t T = num_thresholds;
  const Tensor curve = zeros({6, T}, kDouble);
  auto c = curve.accessor<double, 2>();
  for (int64_t i = 0; i < p.numel(); ++i) {
    const double prediction = p.data_ptr<double>()[i], label = y.data_ptr<double>()[i];
    TAPER_CHECK_VALUE(prediction >= 0 && prediction <= 1,
                      "add_pr_curve: expected predictions in [0, 1], got ", prediction);
    const auto threshold =
        static_cast<int64_t>(std::floor(prediction * static_cast<double>(T - 1)));
    c[0][threshold] += label * w.data_ptr<double>()[i];
    c[1][threshold] += (1 - label) * w.data_ptr<double>()[i];
  }
  // Adds up counts: values at or above a threshold are predicted as positive.
  for (int64_t t = T - 2; t >= 0; --t)
    for (int row = 0; row < 2; ++row) c[row][t] += c[row][t + 1];
  constexpr double kMin = 1e-7;
  for (int64_t t = 0; t < T; ++t) {
    c[2][t] = c[1][0] - c[1][t];
    c[3][t] = c[0][0] - c[0][t];
    c[4][t] = c[0][t] / std::max(kMin, c[0][t] + c[1][t]);
    c[5][t] = c[0][t] / std::max(kMin, c[0][t] + c[3][t]);
  }
  return curve;
}

schema::Summary pr_curve_summary(const std::string& tag, const Tensor& curve) {
  schema::PrCurvePluginData data;
  data.set_num_thresholds(static_cast<uint32_t>(curve.size(1)));
  schema::Summary summary;
  schema::TensorProto& tensor = add_tensor(summary, tag, "pr_curves", data.SerializeAsString());
  tensor.set_dtype(schema::DT_FLOAT);
  for (const int64_t size : curve.sizes()) tensor.mutable_tensor_shape()->add_dim()->set_size(size);
  const Tensor values = curve.to(kFloat).contiguous();
  tensor.set_tensor_content(values.data_ptr<float>(), values.nbytes());
  return summary;
}

schema::Summary layout_summary(const CustomScalars& layout) {
  schema::Layout all;
  for (const auto& [title, charts] : layout) {
    schema::Category& category = *all.add_category();
    category.set_title(title);
    for (const auto& [name, chart] : charts) {
      schema::Chart& to = *category.add_chart();
      to.set_title(name);
      TAPER_CHECK_VALUE(chart.type == CustomChart::kMultiline || chart.tags.size() == 3,
                        "add_custom_scalars: expected a value and its lower and upper bound in '",
                        name, "', got ", chart.tags.size(), " tags");
      if (chart.type == CustomChart::kMultiline) {
        for (const std::string& tag : chart.tags) to.mutable_multiline()->add_tag(tag);
      } else {
        schema::Margin::Series& series = *to.mutable_margin()->add_series();
        series.set_value(chart.tags[0]);
        series.set_lower(chart.tags[1]);
        series.set_upper(chart.tags[2]);
      }
    }
  }
  schema::Summary summary;
  schema::TensorProto& tensor =
      add_tensor(summary, "custom_scalars__config__", "custom_scalars", std::string());
  tensor.set_dtype(schema::DT_STRING);
  tensor.mutable_tensor_shape();
  tensor.add_string_val(all.SerializeAsString());
  return summary;
}

}  // namespace torch::taper::utils::tensorboard::detail
