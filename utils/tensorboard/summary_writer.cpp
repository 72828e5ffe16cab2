#include <taper/utils/tensorboard/summary_writer.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <mutex>
#include <sstream>

#include <taper/framework/core/check.h>
#include <taper/ops/tensor/tensor.h>
#include <taper/utils/image_grid.h>
#include <taper/utils/tensorboard/embedding.h>
#include <taper/utils/tensorboard/event_file.h>
#include <taper/utils/tensorboard/graph.h>
#include <taper/utils/tensorboard/summaries.h>

namespace torch::taper::utils::tensorboard {

namespace {

using detail::EventFile;
namespace fs = std::filesystem;

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string host() {
  char name[256] = "localhost";
  ::gethostname(name, sizeof name - 1);
  return name;
}

// Returns a folder name such as runs/Nov25_02-06-05_host<comment>.
std::string default_folder(const std::string& comment) {
  const std::time_t time = std::time(nullptr);
  std::tm parts = {};
  ::localtime_r(&time, &parts);
  std::ostringstream name;
  name << "runs/" << std::put_time(&parts, "%b%d_%H-%M-%S") << '_' << host() << comment;
  return name.str();
}

// TensorBoard reads files with "tfevents" in their names, in the order of their names.
std::string file_name(const std::string& suffix) {
  static std::atomic<int> files{0};
  std::ostringstream name;
  name << "events.out.tfevents." << std::setw(10) << std::setfill('0') << std::time(nullptr) << '.'
       << host() << '.' << ::getpid() << '.' << files++ << suffix;
  return name.str();
}

// Permutes an image from `dataformats` to the order of `wanted`. Both hold equal letters.
Tensor arranged(const char* op, const Tensor& image, std::string dataformats,
                const std::string& wanted) {
  std::transform(dataformats.begin(), dataformats.end(), dataformats.begin(), ::toupper);
  TAPER_CHECK_VALUE(
      std::is_permutation(dataformats.begin(), dataformats.end(), wanted.begin(), wanted.end()), op,
      ": expected dataformats with the letters of ", wanted, ", got '", dataformats, "'");
  TAPER_CHECK_VALUE(image.defined() && image.dim() == static_cast<int64_t>(wanted.size()), op,
                    ": expected ", wanted.size(), " dimensions for ", dataformats);
  std::vector<int64_t> order;
  for (const char letter : wanted) order.push_back(static_cast<int64_t>(dataformats.find(letter)));
  return image.detach().permute(order);
}

}  // namespace

// Holds the files of a writer: its own, and one for each folder below it.
struct SummaryWriter::Files {
  explicit Files(SummaryWriterOptions o) : options(std::move(o)) {
    TAPER_CHECK_VALUE(
        options.max_queue() >= 1 && options.flush_secs() >= 0,
        "SummaryWriter: expected max_queue of at least 1 and flush_secs of at least 0, got ",
        options.max_queue(), " and ", options.flush_secs());
    if (options.log_dir().empty()) options.log_dir(default_folder(options.comment()));
    open(options.log_dir());
  }

  EventFile& open(const std::string& folder) {
    const std::lock_guard lock(mutex);
    std::unique_ptr<EventFile>& file = files[folder];
    if (file) return *file;
    file = std::make_unique<EventFile>(
        (fs::path(folder) / file_name(options.filename_suffix())).string(), options.max_queue(),
        options.flush_secs());
    schema::Event version;
    version.set_wall_time(now());
    version.set_file_version("brain.Event:2");
    file->add(version.SerializeAsString());
    if (const optional<int64_t> step = options.purge_step()) {
      schema::Event purge;
      purge.set_wall_time(now());
      purge.set_step(*step);
      purge.mutable_session_log()->set_status(schema::SessionLog::START);
      file->add(purge.SerializeAsString());
    }
    return *file;
  }

  void add(schema::Event event, Step step, Walltime walltime, const std::string& folder) {
    event.set_wall_time(walltime.value_or(now()));
    event.set_step(step.value_or(0));
    open(folder).add(event.SerializeAsString());
  }
  void add(schema::Summary summary, Step step, Walltime walltime, const std::string& folder) {
    schema::Event event;
    *event.mutable_summary() = std::move(summary);
    add(std::move(event), step, walltime, folder);
  }
  void add(schema::Summary summary, Step step, Walltime walltime) {
    add(std::move(summary), step, walltime, options.log_dir());
  }

  template <class Action>
  void each(const Action& action) {
    const std::lock_guard lock(mutex);
    for (auto& file : files) action(*file.second);
  }

  SummaryWriterOptions options;
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<EventFile>> files;
};

SummaryWriter::SummaryWriter(SummaryWriterOptions options)
    : files_(std::make_unique<Files>(std::move(options))) {}
SummaryWriter::~SummaryWriter() = default;

const std::string& SummaryWriter::get_logdir() const { return files_->options.log_dir(); }
void SummaryWriter::flush() {
  files_->each([](EventFile& file) { file.flush(); });
}
void SummaryWriter::close() {
  files_->each([](EventFile& file) { file.close(); });
}

void SummaryWriter::add_scalar(const std::string& tag, double value, Step step, Walltime walltime) {
  files_->add(detail::scalar_summary(tag, value), step, walltime);
}

void SummaryWriter::add_scalar(const std::string& tag, const Tensor& value, Step step,
                               Walltime walltime) {
  TAPER_CHECK_VALUE(value.defined() && value.numel() == 1,
                    "add_scalar: expected a tensor of one element for '", tag, "'");
  add_scalar(tag, value.item<double>(), step, walltime);
}

void SummaryWriter::add_scalars(const std::string& main_tag,
                                const std::map<std::string, double>& values, Step step,
                                Walltime walltime) {
  std::string folder = main_tag;
  std::replace(folder.begin(), folder.end(), '/', '_');
  for (const auto& [name, value] : values)
    files_->add(detail::scalar_summary(main_tag, value), step, walltime,
                get_logdir() + '/' + folder + '_' + name);
}

void SummaryWriter::add_histogram(const std::string& tag, const Tensor& values, Step step,
                                  const std::vector<double>& edges, Walltime walltime) {
  files_->add(
      detail::histogram_summary(tag, values, edges.empty() ? detail::default_edges() : edges), step,
      walltime);
}

void SummaryWriter::add_histogram_raw(const std::string& tag, const RawHistogram& histogram,
                                      Step step, Walltime walltime) {
  files_->add(detail::histogram_summary(tag, histogram), step, walltime);
}

void SummaryWriter::add_image(const std::string& tag, const Tensor& image, Step step,
                              const std::string& dataformats, Walltime walltime) {
  const bool grey = dataformats.size() == 2;
  const Tensor chw = grey ? arranged("add_image", image, dataformats, "HW").unsqueeze(0)
                          : arranged("add_image", image, dataformats, "CHW");
  files_->add(detail::image_summary(tag, chw), step, walltime);
}

void SummaryWriter::add_images(const std::string& tag, const Tensor& images, Step step,
                               const std::string& dataformats, Walltime walltime) {
  const Tensor nchw = arranged("add_images", images, dataformats, "NCHW");
  files_->add(detail::image_summary(tag, make_grid(nchw, ImageGridOptions().padding(0))), step,
              walltime);
}

void SummaryWriter::add_figure(const std::string& tag, const std::string& png, Step step,
                               Walltime walltime) {
  files_->add(detail::png_summary(tag, png), step, walltime);
}

void SummaryWriter::add_video(const std::string& tag, const Tensor& video, Step step, double fps,
                              Walltime walltime) {
  TAPER_CHECK_VALUE(video.defined() && video.dim() == 5 && video.numel() > 0,
                    "add_video: expected video [N, T, C, H, W], got ",
                    video.defined() ? video.sizes() : IntArrayRef());
  const int64_t N = video.size(0);
  int64_t rows = 1;
  while (4 * rows * rows <= N) rows *= 2;
  const ImageGridOptions side_by_side = ImageGridOptions().padding(0).nrow((N + rows - 1) / rows);
  std::vector<Tensor> frames;
  for (const Tensor& frame : video.detach().unbind(1))
    frames.push_back(make_grid(frame, side_by_side));
  files_->add(detail::video_summary(tag, stack(frames), fps), step, walltime);
}

void SummaryWriter::add_audio(const std::string& tag, const Tensor& sound, Step step,
                              int64_t sample_rate, Walltime walltime) {
  files_->add(detail::audio_summary(tag, sound, sample_rate), step, walltime);
}

void SummaryWriter::add_mesh(const std::string& tag, const Tensor& vertices, const Tensor& colors,
                             const Tensor& faces, const std::string& config, Step step,
                             Walltime walltime) {
  files_->add(detail::mesh_summary(tag, vertices, colors, faces, config), step, walltime);
}

void SummaryWriter::add_text(const std::string& tag, const std::string& text, Step step,
                             Walltime walltime) {
  files_->add(detail::text_summary(tag, text), step, walltime);
}

void SummaryWriter::add_pr_curve(const std::string& tag, const Tensor& labels,
                                 const Tensor& predictions, Step step, int64_t num_thresholds,
                                 const Tensor& weights, Walltime walltime) {
  const Tensor curve = detail::pr_curve(labels, predictions, num_thresholds, weights);
  files_->add(detail::pr_curve_summary(tag, curve), step, walltime);
}

void SummaryWriter::add_embedding(const Tensor& points, const std::vector<std::string>& metadata,
                                  const Tensor& label_images, Step step, const std::string& tag) {
  detail::write_embedding(get_logdir(), points, metadata, label_images, step.value_or(0), tag);
}

void SummaryWriter::add_hparams(const HParams& hparams,
                                const std::map<std::string, double>& metrics,
                                const std::map<std::string, std::vector<HParam>>& domain,
                                const std::string& run_name, Step step) {
  const std::string name = run_name.empty() ? std::to_string(now()) : run_name;
  const std::string folder = get_logdir() + '/' + name;
  for (schema::Summary& summary : detail::hparams_summaries(hparams, metrics, domain))
    files_->add(std::move(summary), nullopt, nullopt, folder);
  for (const auto& [tag, value] : metrics)
    files_->add(detail::scalar_summary(tag, value), step, nullopt, folder);
}

void SummaryWriter::add_custom_scalars(const CustomScalars& layout) {
  files_->add(detail::layout_summary(layout), nullopt, nullopt);
}

void SummaryWriter::add_graph(const nn::Module& module, const Tensor& output) {
  schema::Event event;
  event.set_graph_def(detail::graph_of(module, output).SerializeAsString());
  files_->add(std::move(event), nullopt, nullopt, get_logdir());
}

void SummaryWriter::add_kernel_graph(const nn::Module& module, const std::function<void()>& step) {
  schema::Event event;
  event.set_graph_def(detail::kernel_graph_of(module, step).SerializeAsString());
  files_->add(std::move(event), nullopt, nullopt, get_logdir());
}

}  // namespace torch::taper::utils::tensorboard
