// The summaries of SummaryWriter, as TensorBoard's protocol buffers.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/utils/tensorboard/summary_writer.h>

#include <taper/utils/tensorboard/schema.h>

namespace torch::taper::utils::tensorboard::detail {

schema::Summary scalar_summary(const std::string& tag, double value);
/// Returns a histogram that counts `values` between neighbouring `edges`. The edges must ascend.
/// The last interval includes its upper edge. NaN and values outside the edges are not counted.
schema::Summary histogram_summary(const std::string& tag, const Tensor& values,
                                  const std::vector<double>& edges);
schema::Summary histogram_summary(const std::string& tag, const RawHistogram& histogram);
/// Returns TensorBoard's default edges of histograms: 0 and +-1e-12 * 1.1^k up to 1e20.
const std::vector<double>& default_edges();
schema::Summary image_summary(const std::string& tag, const Tensor& image);
schema::Summary png_summary(const std::string& tag, const std::string& png);
/// Returns a summary with T frames [T, C, H, W] as a GIF file.
schema::Summary video_summary(const std::string& tag, const Tensor& frames, double fps);
schema::Summary text_summary(const std::string& tag, const std::string& text);
/// Returns six rows: true positives, false positives, true negatives, false negatives, precision
/// and recall. Each row has one value for each of `num_thresholds` thresholds from 0 to 1.
Tensor pr_curve(const Tensor& labels, const Tensor& predictions, int64_t num_thresholds,
                const Tensor& weights);
schema::Summary pr_curve_summary(const std::string& tag, const Tensor& curve);
/// Returns a summary with `sound`, values in [-1, 1] of one channel, as a WAV file with 16 bits per
/// sample.
schema::Summary audio_summary(const std::string& tag, const Tensor& sound, int64_t sample_rate);
/// Returns a summary with a mesh. `colors` and `faces` may be undefined.
schema::Summary mesh_summary(const std::string& tag, const Tensor& vertices, const Tensor& colors,
                             const Tensor& faces, const std::string& config);
schema::Summary layout_summary(const CustomScalars& layout);

/// Returns the three summaries that SummaryWriter::add_hparams writes.
std::vector<schema::Summary> hparams_summaries(
    const HParams& hparams, const std::map<std::string, double>& metrics,
    const std::map<std::string, std::vector<HParam>>& domain);

}  // namespace torch::taper::utils::tensorboard::detail
