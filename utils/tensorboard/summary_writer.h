// SummaryWriter: event files for TensorBoard, with the interface of Python's
// torch.utils.tensorboard.
//
//   utils::tensorboard::SummaryWriter writer("runs/first");
//   for (int64_t step = 0; step < steps; ++step) {
//     ...
//     writer.add_scalar("loss/train", loss, step);
//   }
//
// `tensorboard --logdir runs` shows the curves, even while the program runs.
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

/// Options of a SummaryWriter.
struct SummaryWriterOptions {
  /// Sets the folder. A string converts to options, so you can write SummaryWriter("runs/first").
  SummaryWriterOptions(std::string log_dir = {}) : log_dir_(std::move(log_dir)) {}
  /// Sets the folder.
  SummaryWriterOptions(const char* log_dir) : log_dir_(log_dir) {}
  /// The folder for event files. The default is
  /// runs/<month><day>_<hour>-<minute>-<second>_<host><comment>.
  TAPER_ARG(std::string, log_dir);
  /// The end of the default folder's name. Ignored if `log_dir` is set.
  TAPER_ARG(std::string, comment);
  /// The first step of a resumed run. TensorBoard then ignores data of this step and later steps in
  /// earlier files of the folder.
  TAPER_ARG(optional<int64_t>, purge_step) = nullopt;
  /// The greatest number of queued events. If more are added, add functions wait.
  TAPER_ARG(int64_t, max_queue) = 10;
  /// The longest time, in seconds, that an event is queued.
  TAPER_ARG(double, flush_secs) = 120;
  /// End of the file's name.
  TAPER_ARG(std::string, filename_suffix);
};

/// A histogram given by its buckets.
struct RawHistogram {
  double min = 0;                     ///< least value
  double max = 0;                     ///< greatest value
  double num = 0;                     ///< number of values
  double sum = 0;                     ///< sum of the values
  double sum_squares = 0;             ///< sum of their squares
  std::vector<double> bucket_limits;  ///< upper ends of the buckets, ascending
  std::vector<double> bucket_counts;  ///< number of values in each bucket
};

/// The value of a hyperparameter.
using HParam = std::variant<bool, int64_t, double, std::string>;
/// Hyperparameters by name.
using HParams = std::map<std::string, HParam>;

/// A chart on TensorBoard's page "custom scalars".
struct CustomChart {
  /// kMultiline draws a line for each tag or pattern of tags. kMargin draws a scalar with a lower
  /// and an upper bound.
  enum Type { kMultiline, kMargin };
  Type type = kMultiline;         ///< kind of chart
  std::vector<std::string> tags;  ///< tags of scalars. kMargin needs three tags
};
/// Maps category to title to chart.
using CustomScalars = std::map<std::string, std::map<std::string, CustomChart>>;

namespace detail {

/// True if M is a module with a forward() that takes `Input` and returns a Tensor.
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

/// Writes event files for TensorBoard into a folder. A separate thread writes the events. If the
/// process is killed, at most the events of the last `flush_secs` seconds are lost. The rest of the
/// file stays readable. Several threads may use one writer. Tensors may be on any device and may
/// require gradients. Functions copy them before they return. `step` is TensorBoard's x axis.
/// `walltime` (seconds since 1970) is the current time by default.
///
/// All add functions throw Error if this or an earlier event cannot be written, and after close().
class SummaryWriter {
 public:
  /// Makes the folder and opens a file in it. Throws ValueError for `max_queue` below 1 and
  /// negative `flush_secs`, and Error in a build without protobuf.
  explicit SummaryWriter(SummaryWriterOptions options = {});
  ~SummaryWriter();
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  /// The step of a value. nullopt means 0.
  using Step = optional<int64_t>;
  /// Seconds since 1970. nullopt means the current time.
  using Walltime = optional<double>;

  /// Adds a point to the curve `tag`. `value` is stored as a float.
  void add_scalar(const std::string& tag, double value, Step step = nullopt,
                  Walltime walltime = nullopt);
  /// Adds the value of a tensor of one element. Throws ValueError for tensors with other numbers of
  /// elements.
  void add_scalar(const std::string& tag, const Tensor& value, Step step = nullopt,
                  Walltime walltime = nullopt);
  /// Adds points of several curves to one chart. Each curve is written to the folder
  /// <log_dir>/<main_tag>_<name>.
  void add_scalars(const std::string& main_tag, const std::map<std::string, double>& values,
                   Step step = nullopt, Walltime walltime = nullopt);

  /// Adds a histogram of `values`, a tensor of any shape and real dtype. It counts the values
  /// between neighbouring `edges`, which must ascend. By default, the edges are TensorBoard's: each
  /// is 1.1 times the previous one. Throws ValueError if there are no values, or if the edges do
  /// not ascend.
  void add_histogram(const std::string& tag, const Tensor& values, Step step = nullopt,
                     const std::vector<double>& edges = {}, Walltime walltime = nullopt);
  /// Adds a histogram that the program has counted. Throws ValueError unless bucket_counts and
  /// bucket_limits have equal sizes.
  void add_histogram_raw(const std::string& tag, const RawHistogram& histogram, Step step = nullopt,
                         Walltime walltime = nullopt);

  /// Adds an image of 1, 3 or 4 channels, in uint8, or floats in [0, 1]. `dataformats` is an order
  /// of the letters C, H and W, or "HW". Throws ValueError for other formats and sizes.
  void add_image(const std::string& tag, const Tensor& image, Step step = nullopt,
                 const std::string& dataformats = "CHW", Walltime walltime = nullopt);
  /// Adds a batch of images as one grid, with eight images in a row. `dataformats` is an order of
  /// the letters N, C, H and W.
  void add_images(const std::string& tag, const Tensor& images, Step step = nullopt,
                  const std::string& dataformats = "NCHW", Walltime walltime = nullopt);
  /// Adds a picture from another source, given as the bytes of a PNG file. It replaces Python's
  /// matplotlib figures.
  void add_figure(const std::string& tag, const std::string& png, Step step = nullopt,
                  Walltime walltime = nullopt);

  /// Adds animations [N, T, C, H, W] of T frames with 1 or 3 channels, in uint8, or floats in [0,
  /// 1]. They run at `fps` frames per second. The N animations are shown together in an almost
  /// square grid, whose number of rows is a power of two. The grid is stored as a GIF file with at
  /// most 256 colors in a frame. Throws ValueError for other sizes and dtypes, and unless 0 < `fps`
  /// <=
  /// 100.
  void add_video(const std::string& tag, const Tensor& video, Step step = nullopt, double fps = 4,
                 Walltime walltime = nullopt);

  /// Adds sound of one channel, [L] or [1, L], in any real dtype, with `sample_rate` values per
  /// second. Values outside [-1, 1] are clipped. Throws ValueError for other sizes, for an empty
  /// tensor, for a NaN, and for a rate below 1.
  void add_audio(const std::string& tag, const Tensor& sound, Step step = nullopt,
                 int64_t sample_rate = 44100, Walltime walltime = nullopt);
  /// Adds B meshes or point clouds. `vertices` [B, N, 3] are the coordinates of N points. `colors`
  /// [B, N, 3] are RGB values in [0, 255]. `faces` [B, F, 3] are the indices of the three vertices
  /// of F triangles. `colors` and `faces` may be undefined. `config` is JSON with options of the
  /// ThreeJS classes that draw the mesh. Throws ValueError for other sizes.
  void add_mesh(const std::string& tag, const Tensor& vertices, const Tensor& colors = {},
                const Tensor& faces = {}, const std::string& config = "{}", Step step = nullopt,
                Walltime walltime = nullopt);

  /// Adds text, shown as Markdown.
  void add_text(const std::string& tag, const std::string& text, Step step = nullopt,
                Walltime walltime = nullopt);

  /// Adds a curve of precision against recall. `labels` are 0 and 1 (bool or numbers),
  /// `predictions` are in [0, 1], and `weights` are optional. Throws ValueError unless all have the
  /// same number of elements.
  void add_pr_curve(const std::string& tag, const Tensor& labels, const Tensor& predictions,
                    Step step = nullopt, int64_t num_thresholds = 127, const Tensor& weights = {},
                    Walltime walltime = nullopt);
  /// Adds points for the projector: `points` [N, D]. Optionally, each point has one line of
  /// `metadata` and one image of `label_images` [N, C, H, W]. Throws ValueError if the numbers
  /// differ.
  void add_embedding(const Tensor& points, const std::vector<std::string>& metadata = {},
                     const Tensor& label_images = {}, Step step = nullopt,
                     const std::string& tag = "default");

  /// Adds a run's hyperparameters and final metrics, in the folder <log_dir>/<run_name>. If
  /// `run_name` is empty, the time is its name. `domain` lists the values that a hyperparameter may
  /// have.
  void add_hparams(const HParams& hparams, const std::map<std::string, double>& metrics,
                   const std::map<std::string, std::vector<HParam>>& domain = {},
                   const std::string& run_name = {}, Step step = nullopt);
  /// Sets the layout of the page "custom scalars", once in a run. Throws ValueError for a kMargin
  /// chart without three tags.
  void add_custom_scalars(const CustomScalars& layout);

  /// Adds the graph of `output`, taken from the tape. It has the ops between leaves that require
  /// gradients and `output`, and the parameters of `module`, with their names and sizes. An op
  /// belongs to the module whose parameters it uses. Throws ValueError if no op was recorded.
  void add_graph(const nn::Module& module, const Tensor& output);
  /// Calls `net`, a module's holder, with `inputs`, and adds the graph of the result.
  template <class M, class... Input>
  void add_graph(nn::ModuleHolder<M> net, const Input&... inputs) {
    const Tensor output = net->forward(inputs...);
    add_graph(static_cast<const nn::Module&>(*net), output);
  }
  /// Calls `net`, a module of a class with forward(), with `inputs`, and adds the graph of the
  /// result. If the only input is a tensor with a grad_fn, this tensor is the `output` of the first
  /// overload, and `net` is not called.
  template <class M, class... Input,
            std::enable_if_t<detail::ForwardGivesTensor<void, M, Input...>::value, int> = 0>
  void add_graph(M& net, const Input&... inputs) {
    const nn::Module& module = net;
    if constexpr (sizeof...(Input) == 1 && (std::is_same_v<Input, Tensor> && ...))
      if ((inputs.grad_fn() || ...)) return add_graph(module, inputs...);
    const Tensor output = net.forward(inputs...);
    add_graph(module, output);
  }

  /// Calls `step`, and adds the kernels that it launches on any device, including those of the
  /// backward pass and of the optimizer. An arrow connects a kernel that writes memory to a kernel
  /// that reads it. A kernel is in the scope of the module, backward node, optimizer, or named
  /// range (profiler::RecordFunction) that launched it. Parameters, buffers and gradients of
  /// `module` are shown with their names. Other memory that `step` reads before it writes it is
  /// shown as an input. If `step` holds a GraphGuard, the graph shows a replay of the captured
  /// step. Throws Error while a profile records, ValueError if no kernel was launched, and the
  /// errors of `step`.
  void add_kernel_graph(const nn::Module& module, const std::function<void()>& step);

  /// Waits until all added events are in the file.
  void flush();
  /// Calls flush() and closes the writer. Later calls of add functions throw Error.
  void close();
  /// Returns the folder of the writer's file.
  const std::string& get_logdir() const;

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

}  // namespace torch::taper::utils::tensorboard

#pragma GCC visibility pop
