// SummaryWriter: event files for TensorBoard, with the interface of Python's
// torch.utils.tensorboard.
//
//   utils::tensorboard::SummaryWriter writer("runs/first");
//   for (int64_t step = 0; step < steps; ++step) {
//     ...
//     writer.add_scalar("loss/train", loss, step);
//   }
//
// and `tensorboard --logdir runs` shows it, while the program runs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/module.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::tensorboard {

/// Where a SummaryWriter writes, and how often.
struct SummaryWriterOptions {
  /// Into that folder; a text converts to this, so SummaryWriter("runs/first") is enough.
  SummaryWriterOptions(std::string log_dir = {}) : log_dir_(std::move(log_dir)) {}
  /// The same.
  SummaryWriterOptions(const char* log_dir) : log_dir_(log_dir) {}
  /// Where the file goes. Empty: runs/<month><day>_<hour>-<minute>-<second>_<host><comment>.
  TAPER_ARG(std::string, log_dir);
  /// The end of the folder's name where `log_dir` is empty.
  TAPER_ARG(std::string, comment);
  /// A run that was resumed: TensorBoard drops what earlier files of the folder say of this step
  /// and later.
  TAPER_ARG(optional<int64_t>, purge_step) = nullopt;
  /// So many events are kept before they are written.
  TAPER_ARG(int64_t, max_queue) = 10;
  /// They are written after so many seconds at the latest.
  TAPER_ARG(double, flush_secs) = 120;
  /// The end of the file's name.
  TAPER_ARG(std::string, filename_suffix);
};

/// A histogram that is counted already.
struct RawHistogram {
  double min = 0;                     ///< the least value
  double max = 0;                     ///< the greatest one
  double num = 0;                     ///< how many values there are
  double sum = 0;                     ///< of the values
  double sum_squares = 0;             ///< of their squares
  std::vector<double> bucket_limits;  ///< the upper ends of the buckets, ascending
  std::vector<double> bucket_counts;  ///< how many values each holds; as many as limits
};

/// The value of a hyperparameter.
using HParam = std::variant<bool, int64_t, double, std::string>;
/// Hyperparameters by name.
using HParams = std::map<std::string, HParam>;

/// A chart of "custom scalars": tags or patterns of tags as lines; or, of type kMargin, three tags:
/// a value and its lower and upper bound.
struct CustomChart {
  /// Lines in one chart, or a value within its bounds.
  enum Type { kMultiline, kMargin };
  Type type = kMultiline;         ///< which of them
  std::vector<std::string> tags;  ///< of scalars: any number, for kMargin three
};
/// category -> title -> chart.
using CustomScalars = std::map<std::string, std::map<std::string, CustomChart>>;

namespace detail {

/// Whether M is a module with a forward() that takes `Input` and gives a Tensor.
template <class Enable, class M, class... Input>
struct ForwardGivesTensor : std::false_type {};
template <class M, class... Input>
struct ForwardGivesTensor<
    std::void_t<decltype(std::declval<M&>().forward(std::declval<const Input&>()...))>, M, Input...>
    : std::bool_constant<
          std::is_base_of_v<nn::Module, M> &&
          std::is_convertible_v<
              decltype(std::declval<M&>().forward(std::declval<const Input&>()...)), Tensor>> {};

}  // namespace detail

/// Writes a folder that TensorBoard shows. Events are written by a thread of the writer's own;
/// whoever is killed loses at most those of the last `flush_secs`, and never the file. One writer
/// may be used from several threads. Tensors may lie on any device and want gradients; they are
/// copied when they are added. `step` is what TensorBoard draws on the x axis, `walltime` (seconds
/// since 1970) is now where it is not given.
///
/// All functions throw Error when the file cannot be written (an earlier event too), and after
/// close().
class SummaryWriter {
 public:
  /// Makes the folder and opens a file in it. Throws ValueError for `max_queue` below 1 and
  /// negative `flush_secs`; Error in a build without protobuf.
  explicit SummaryWriter(SummaryWriterOptions options = {});
  ~SummaryWriter();
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  /// The step that a value is of; none counts as 0.
  using Step = optional<int64_t>;
  /// Seconds since 1970; none: now.
  using Walltime = optional<double>;

  /// A point of the curve `tag`, kept as a float.
  void add_scalar(const std::string& tag, double value, Step step = nullopt,
                  Walltime walltime = nullopt);
  /// A tensor of one element; ValueError for others.
  void add_scalar(const std::string& tag, const Tensor& value, Step step = nullopt,
                  Walltime walltime = nullopt);
  /// Several lines in one chart: each goes to a folder of its own, <log_dir>/<main_tag>_<name>.
  void add_scalars(const std::string& main_tag, const std::map<std::string, double>& values,
                   Step step = nullopt, Walltime walltime = nullopt);

  /// Values of any shape and real dtype, counted between neighbouring `edges` (ascending; empty:
  /// TensorBoard's, which grow by a tenth). Throws ValueError for no values or edges out of order.
  void add_histogram(const std::string& tag, const Tensor& values, Step step = nullopt,
                     const std::vector<double>& edges = {}, Walltime walltime = nullopt);
  /// What the program has counted. Throws ValueError where there are not as many counts as limits.
  void add_histogram_raw(const std::string& tag, const RawHistogram& histogram, Step step = nullopt,
                         Walltime walltime = nullopt);

  /// An image of 1, 3 or 4 channels: uint8, or floats in [0, 1]. `dataformats` is an order of the
  /// letters C, H and W, or "HW". Throws ValueError for other formats and sizes.
  void add_image(const std::string& tag, const Tensor& image, Step step = nullopt,
                 const std::string& dataformats = "CHW", Walltime walltime = nullopt);
  /// A batch as one grid, eight in a row; `dataformats` orders N, C, H and W.
  void add_images(const std::string& tag, const Tensor& images, Step step = nullopt,
                  const std::string& dataformats = "NCHW", Walltime walltime = nullopt);
  /// A picture that something else drew: the bytes of a PNG file. In place of Python's matplotlib
  /// figures.
  void add_figure(const std::string& tag, const std::string& png, Step step = nullopt,
                  Walltime walltime = nullopt);

  /// Moving pictures [N, T, C, H, W] of T frames with 1 or 3 channels, `fps` of them a second:
  /// uint8, or floats in [0, 1]. All N are shown side by side, in rows that a power of two makes
  /// about square. Kept as a GIF file, of at most 256 colors a frame. Throws ValueError for other
  /// sizes and dtypes, and unless 0 < `fps` <= 100.
  void add_video(const std::string& tag, const Tensor& video, Step step = nullopt, double fps = 4,
                 Walltime walltime = nullopt);

  /// Sound of one channel, [L] or [1, L], with values in [-1, 1] (others are cut off),
  /// `sample_rate` of them a second, in any real dtype. Throws ValueError for other sizes, no
  /// value, a value that is NaN, and a rate below 1.
  void add_audio(const std::string& tag, const Tensor& sound, Step step = nullopt,
                 int64_t sample_rate = 44100, Walltime walltime = nullopt);
  /// Surfaces or clouds of points in space: `vertices` [B, N, 3] are coordinates, `colors` [B, N,
  /// 3] bytes in [0, 255], `faces` [B, F, 3] the indices of each triangle's vertices; the last two
  /// may be undefined. `config` is JSON of the classes of ThreeJS that draw it. Throws ValueError
  /// for other sizes.
  void add_mesh(const std::string& tag, const Tensor& vertices, const Tensor& colors = {},
                const Tensor& faces = {}, const std::string& config = "{}", Step step = nullopt,
                Walltime walltime = nullopt);

  /// Shown as Markdown.
  void add_text(const std::string& tag, const std::string& text, Step step = nullopt,
                Walltime walltime = nullopt);

  /// Precision against recall. `labels` are 0 and 1 (bool or numbers), `predictions` are in [0, 1],
  /// `weights` (optional) count; all of one number of elements. Throws ValueError otherwise.
  void add_pr_curve(const std::string& tag, const Tensor& labels, const Tensor& predictions,
                    Step step = nullopt, int64_t num_thresholds = 127, const Tensor& weights = {},
                    Walltime walltime = nullopt);
  /// Points of the projector: `points` [N, D], one line of `metadata` and one image of
  /// `label_images` [N, C, H, W] for each, where given. Throws ValueError where the numbers differ.
  void add_embedding(const Tensor& points, const std::vector<std::string>& metadata = {},
                     const Tensor& label_images = {}, Step step = nullopt,
                     const std::string& tag = "default");

  /// A run's hyperparameters and the metrics that it ended with, in a folder of its own,
  /// <log_dir>/<run_name> (the time, where empty). `domain` lists the values that a hyperparameter
  /// may have.
  void add_hparams(const HParams& hparams, const std::map<std::string, double>& metrics,
                   const std::map<std::string, std::vector<HParam>>& domain = {},
                   const std::string& run_name = {}, Step step = nullopt);
  /// How the page "custom scalars" is laid out. Once in a run. Throws ValueError for a kMargin
  /// chart that has not three tags.
  void add_custom_scalars(const CustomScalars& layout);

  /// The graph behind `output`, from the tape: the ops that lead from what wants a gradient to it,
  /// and the parameters of `module`, with their sizes, under their names. An op belongs to the
  /// module whose parameters it takes. Throws ValueError where no op was recorded.
  void add_graph(const nn::Module& module, const Tensor& output);
  /// Calls `net`, a module's holder, with `inputs`, and shows the graph of the result.
  template <class M, class... Input>
  void add_graph(nn::ModuleHolder<M> net, const Input&... inputs) {
    const Tensor output = net->forward(inputs...);
    add_graph(static_cast<const nn::Module&>(*net), output);
  }
  /// Calls `net`, a module of a class with forward(), with `inputs`, and shows the graph of the
  /// result. A single tensor with a grad_fn is taken as the result: `net` is not called.
  template <class M, class... Input,
            std::enable_if_t<detail::ForwardGivesTensor<void, M, Input...>::value, int> = 0>
  void add_graph(M& net, const Input&... inputs) {
    const nn::Module& module = net;
    if constexpr (sizeof...(Input) == 1 && (std::is_same_v<Input, Tensor> && ...))
      if ((inputs.grad_fn() || ...)) return add_graph(module, inputs...);
    const Tensor output = net.forward(inputs...);
    add_graph(module, output);
  }

  /// Calls `step`, and shows the kernels that it launches on any device, those of the backward pass
  /// and of the optimizer among them: an arrow leads from what wrote memory to what reads it. A
  /// kernel lies in the scopes of the module, the node of the tape, the optimizer, the named part
  /// (profiler::RecordFunction) that launched it. Parameters, buffers and gradients of `module`
  /// have their names; other memory that nothing has written yet is an input. For a captured step
  /// `step` holds a GraphGuard: what is shown is then what a replay runs. Throws Error while a
  /// profile records, ValueError where no kernel was launched, and what `step` throws.
  void add_kernel_graph(const nn::Module& module, const std::function<void()>& step);

  /// Waits until all that was added is in the file.
  void flush();
  /// flush(), and the end: what is added later throws.
  void close();
  /// The folder of the writer's file.
  const std::string& get_logdir() const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace torch::taper::utils::tensorboard

#pragma GCC visibility pop
