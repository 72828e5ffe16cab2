// SummaryWriter: what stands in its files. tests/utils/read_run.py reads one with TensorBoard
// itself.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <set>
#include <thread>

#include <taper/taper.h>
#include <taper/utils/image_grid.h>
#include <taper/utils/profiler/profiler.h>

#include "utils/gif.h"
#include "utils/util.h"

namespace torch::taper::testing {
namespace {

namespace fs = std::filesystem;
using namespace utils::tensorboard;

// The event behind the file's version, of a writer that `fill` fills.
template <class Fill>
schema::Event event_of(const Fill& fill) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder.path());
  fill(writer);
  writer.close();
  const std::vector<schema::Event> events = events_in(folder.path());
  EXPECT_EQ(events.size(), 2u);
  EXPECT_EQ(events.at(0).file_version(), "brain.Event:2");
  return events.at(1);
}
template <class Fill>
schema::Summary::Value value_of(const Fill& fill) {
  const schema::Event event = event_of(fill);
  EXPECT_EQ(event.summary().value_size(), 1);
  return event.summary().value(0);
}

std::vector<double> limits_of(const schema::HistogramProto& h) {
  return {h.bucket_limit().begin(), h.bucket_limit().end()};
}
std::vector<double> counts_of(const schema::HistogramProto& h) {
  return {h.bucket().begin(), h.bucket().end()};
}

// The check value of CRC-32C is in its definition (RFC 3720, B.4): 0xe3069283 for "123456789".
TEST(EventFile, ChecksumsAreMasked) {
  const uint32_t crc = 0xe3069283;
  EXPECT_EQ(utils::tensorboard::detail::masked_crc32c("123456789"),
            (crc >> 15 | crc << 17) + 0xa282ead8u);
}

TEST(EventFile, RecordsHaveLengthsAndChecksums) {
  const std::string record = utils::tensorboard::detail::record_of("123456789");
  EXPECT_EQ(record.size(), 9u + 16);
  EXPECT_EQ(record.substr(0, 8), std::string("\x09\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(12, 9), "123456789");
}

TEST(SummaryWriter, Scalars) {
  const schema::Event event =
      event_of([](SummaryWriter& w) { w.add_scalar("loss", 0.5, 7, 12.25); });
  EXPECT_EQ(event.step(), 7);
  EXPECT_EQ(event.wall_time(), 12.25);
  EXPECT_EQ(event.summary().value(0).tag(), "loss");
  EXPECT_EQ(event.summary().value(0).simple_value(), 0.5f);
  const auto value = value_of([](SummaryWriter& w) { w.add_scalar("x", full({1, 1}, 3, kLong)); });
  EXPECT_EQ(value.simple_value(), 3.f);
}

TEST(SummaryWriter, ScalarsOfOneChartHaveFolders) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder.path());
  writer.add_scalars("a/b", {{"one", 1}, {"two", 2}}, 3);
  writer.close();
  EXPECT_EQ(events_in(folder.path()).size(), 1u);
  EXPECT_EQ(events_in(folder.path("a_b_one")).at(1).summary().value(0).tag(), "a/b");
  EXPECT_EQ(events_in(folder.path("a_b_two")).at(1).summary().value(0).simple_value(), 2.f);
}

TEST(SummaryWriter, Histograms) {
  const auto value = value_of([](SummaryWriter& w) {
    w.add_histogram("h", tensor({-1., 0.5, 1., 2., 3., 9.}), 0, {0, 1, 2, 3, 4, 5});
  });
  const schema::HistogramProto& h = value.histo();
  EXPECT_EQ(h.min(), -1);
  EXPECT_EQ(h.max(), 9);
  EXPECT_EQ(h.num(), 6);
  EXPECT_EQ(h.sum(), 14.5);
  EXPECT_EQ(h.sum_squares(), 1 + .25 + 1 + 4 + 9 + 81);
  EXPECT_EQ(limits_of(h), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(counts_of(h), (std::vector<double>{1, 1, 1, 1}));
}

TEST(SummaryWriter, HistogramsHoldTheLastEdgeAndNoNan) {
  const auto value = value_of([](SummaryWriter& w) {
    w.add_histogram("h", tensor({2., 2., std::nan("")}), 0, {0, 1, 2});
  });
  EXPECT_EQ(limits_of(value.histo()), (std::vector<double>{1, 2}));
  EXPECT_EQ(counts_of(value.histo()), (std::vector<double>{0, 2}));
}

// Every edge is a tenth away from the one before.
TEST(SummaryWriter, HistogramsOfTensorBoardsEdges) {
  const auto value = value_of([](SummaryWriter& w) { w.add_histogram("h", full({4}, 1.0)); });
  const std::vector<double> limits = limits_of(value.histo());
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(counts_of(value.histo()), (std::vector<double>{0, 4}));
  EXPECT_LE(limits[0], 1);
  EXPECT_GT(limits[1], 1);
  EXPECT_NEAR(limits[1] / limits[0], 1.1, 1e-9);
}

TEST(SummaryWriter, Images) {
  const auto value = value_of([](SummaryWriter& w) {
    w.add_image("i", rand({5, 7, 3}), 0, "HWC");
  });
  EXPECT_EQ(value.image().height(), 5);
  EXPECT_EQ(value.image().width(), 7);
  EXPECT_EQ(value.image().colorspace(), 3);
  const auto grid = value_of([](SummaryWriter& w) { w.add_images("i", rand({10, 1, 4, 6})); });
  EXPECT_EQ(grid.image().height(), 8);
  EXPECT_EQ(grid.image().width(), 48);
}

// What is read from the file is the image: bytes as they are, floats in 256 steps.
TEST(SummaryWriter, ImagesKeepTheirPixels) {
  const Tensor pixels = arange(24, kByte).view({3, 2, 4}) * 10;
  const auto value = value_of([&](SummaryWriter& w) { w.add_image("i", pixels); });
  const TemporaryFolder folder;
  std::ofstream(folder.path("i.png"), std::ios::binary) << value.image().encoded_image_string();
  EXPECT_TRUE(data::read_image(folder.path("i.png")).equal(pixels));
  const auto floats =
      value_of([&](SummaryWriter& w) { w.add_image("i", pixels.to(kFloat) / 255); });
  EXPECT_EQ(floats.image().encoded_image_string(), value.image().encoded_image_string());
}

TEST(SummaryWriter, Text) {
  const auto value = value_of([](SummaryWriter& w) { w.add_text("t", "*hello*"); });
  EXPECT_EQ(value.tag(), "t/text_summary");
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(value.tensor().string_val(0), "*hello*");
}

std::vector<int> colors_of(const Tensor& frame) {  // [3, H, W]
  const Tensor c = frame.to(kLong).view({3, -1});
  std::vector<int> colors;
  for (int64_t i = 0; i < c.size(1); ++i)
    colors.push_back(int(c[0][i].item<int64_t>() << 16 | c[1][i].item<int64_t>() << 8 |
                         c[2][i].item<int64_t>()));
  return colors;
}

// Two videos of three frames, side by side: few colors are kept as they are.
TEST(SummaryWriter, Videos) {
  manual_seed(1);
  const Tensor video = randint(0, 5, {2, 3, 3, 8, 6}, kLong).mul(60).to(kByte);
  const auto value = value_of([&](SummaryWriter& w) { w.add_video("v", video, 0, 8); });
  EXPECT_EQ(value.image().height(), 8);
  EXPECT_EQ(value.image().width(), 12);
  const Gif gif(value.image().encoded_image_string());
  EXPECT_EQ(gif.hundredths, (std::vector<int>{13, 13, 13}));
  ASSERT_EQ(gif.frames.size(), 3u);
  for (size_t t = 0; t < 3; ++t)
    EXPECT_EQ(gif.frames[t], colors_of(cat({video[0][int64_t(t)], video[1][int64_t(t)]}, 2))) << t;
}

// So many pixels that the table of strings is full several times, in grey.
TEST(SummaryWriter, VideosOfLargeFrames) {
  manual_seed(2);
  const Tensor frame = randint(0, 256, {1, 1, 1, 150, 170}, kLong).to(kByte);
  const auto value = value_of([&](SummaryWriter& w) { w.add_video("v", frame.to(kFloat) / 255); });
  const Gif gif(value.image().encoded_image_string());
  EXPECT_EQ(gif.hundredths, (std::vector<int>{25}));
  EXPECT_EQ(gif.frames.at(0), colors_of(frame.view({1, 150, 170}).expand({3, 150, 170})));
}

// More than 256 colors become 256 that are near them.
TEST(SummaryWriter, VideosOfManyColors) {
  manual_seed(3);
  const Tensor frame = rand({1, 3, 64, 64});
  const Gif gif(utils::encode_gif(frame, 10));
  const std::vector<int> want = colors_of(frame[0].mul(255).round());
  ASSERT_EQ(gif.frames.at(0).size(), want.size());
  EXPECT_EQ((std::set<int>(gif.frames[0].begin(), gif.frames[0].end()).size()), 256u);
  double error = 0;
  for (size_t i = 0; i < want.size(); ++i)
    for (int c = 0; c < 24; c += 8)
      error += std::abs((want[i] >> c & 255) - (gif.frames[0][i] >> c & 255));
  // 256 cells in a cube of 255 have edges of 40, so a color is 10 from the middle on the mean.
  EXPECT_LT(error / double(want.size()) / 3, 13);
}

// A WAV file: 44 bytes of header, whose 24th is the rate, then 16 bits for each value.
TEST(SummaryWriter, Sound) {
  const auto value = value_of([](SummaryWriter& w) {
    w.add_audio("a", tensor({0., 0.5, -1., 7.}).view({1, 4}), 0, 8000);
  });
  const auto& audio = value.audio();
  EXPECT_EQ(audio.sample_rate(), 8000.f);
  EXPECT_EQ(audio.num_channels(), 1);
  EXPECT_EQ(audio.length_frames(), 4);
  EXPECT_EQ(audio.content_type(), "audio/wav");
  const std::string& wav = audio.encoded_audio_string();
  ASSERT_EQ(wav.size(), 44u + 8);
  EXPECT_EQ(wav.substr(24, 4), std::string("\x40\x1f\0\0", 4));
  std::vector<int16_t> samples(4);
  std::memcpy(samples.data(), wav.data() + 44, 8);
  EXPECT_EQ(samples, (std::vector<int16_t>{0, 16383, -32767, 32767}));
}

TEST(SummaryWriter, Meshes) {
  const schema::Event event = event_of([](SummaryWriter& w) {
    w.add_mesh("m", arange(9, kDouble).view({1, 3, 3}), {}, arange(3).view({1, 1, 3}));
  });
  ASSERT_EQ(event.summary().value_size(), 2);
  const auto &vertices = event.summary().value(0), &faces = event.summary().value(1);
  EXPECT_EQ(vertices.tag(), "m_VERTEX");
  EXPECT_EQ(faces.tag(), "m_FACE");
  schema::MeshPluginData data;
  ASSERT_TRUE(data.ParseFromString(faces.metadata().plugin_data().content()));
  EXPECT_EQ(data.components(), 2u + 4);
  EXPECT_EQ(data.content_type(), schema::MeshPluginData::FACE);
  EXPECT_EQ(data.shape(2), 3);
  std::vector<float> values(9);
  ASSERT_EQ(vertices.tensor().tensor_content().size(), 9 * sizeof(float));
  std::memcpy(values.data(), vertices.tensor().tensor_content().data(), 9 * sizeof(float));
  EXPECT_EQ(values.back(), 8.f);
}

// Two positives (0.9, 0.4) and two negatives (0.6, 0.1) at the thresholds 0, 0.5 and 1.
TEST(SummaryWriter, PrecisionAndRecall) {
  const auto value = value_of([](SummaryWriter& w) {
    w.add_pr_curve("p", tensor({1, 1, 0, 0}), tensor({0.9, 0.4, 0.6, 0.1}), 0, 3);
  });
  std::vector<float> rows(18);
  ASSERT_EQ(value.tensor().tensor_content().size(), 18 * sizeof(float));
  std::memcpy(rows.data(), value.tensor().tensor_content().data(), 18 * sizeof(float));
  EXPECT_EQ(rows, (std::vector<float>{2, 1, 0, 2, 1, 0, 0, 1, 2, 0, 1, 2, .5f, .5f, 0, 1, .5f, 0}));
}

#include "utils/hparams_test.inc"

TEST(SummaryWriter, Graphs) {
  nn::Sequential net(nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2));
  const schema::Event event = event_of([&](SummaryWriter& w) { w.add_graph(net, randn({5, 3})); });
  schema::GraphDef graph;
  ASSERT_TRUE(graph.ParseFromString(event.graph_def()));
  std::map<std::string, schema::NodeDef> nodes;
  for (const schema::NodeDef& node : graph.node()) nodes[node.name()] = node;
  ASSERT_TRUE(nodes.count("0/weight"));
  EXPECT_EQ(nodes["0/weight"].attr().at("_output_shapes").list().shape(0).dim(0).size(), 4);
  const schema::NodeDef& last = *graph.node().rbegin();
  EXPECT_EQ(last.name().rfind("2/", 0), 0u) << last.name();
  for (const schema::NodeDef& node : graph.node())
    for (const std::string& input : node.input()) EXPECT_TRUE(nodes.count(input)) << input;
}

// The graph's nodes, in their order.
std::vector<std::string> nodes_of(const std::function<void(SummaryWriter&)>& add) {
  schema::GraphDef graph;
  EXPECT_TRUE(graph.ParseFromString(event_of(add).graph_def()));
  std::vector<std::string> names;
  for (const schema::NodeDef& node : graph.node()) names.push_back(node.name());
  return names;
}

TEST(SummaryWriter, GraphsOfModulesByReference) {
  nn::Sequential net(nn::Linear(3, 4), nn::Tanh());
  const Tensor x = randn({5, 3}), y = net->forward(x);
  const auto expected = nodes_of([&](SummaryWriter& w) { w.add_graph(net, x); });
  EXPECT_GE(expected.size(), 4u);
  EXPECT_EQ(nodes_of([&](SummaryWriter& w) { w.add_graph(*net, x); }), expected);
  EXPECT_EQ(nodes_of([&](SummaryWriter& w) { w.add_graph(*net, randn({5, 3})); }), expected);
  // A result is not an input: the network is not called with it.
  EXPECT_EQ(nodes_of([&](SummaryWriter& w) { w.add_graph(*net, y); }), expected);
  const nn::Module& module = *net;
  EXPECT_EQ(nodes_of([&](SummaryWriter& w) { w.add_graph(module, y); }), expected);
  nn::Bilinear two(3, 3, 2);
  EXPECT_EQ(nodes_of([&](SummaryWriter& w) { w.add_graph(*two, x, x); }),
            nodes_of([&](SummaryWriter& w) { w.add_graph(two, x, x); }));
}

// ---------------------------------------------------------------------- the graph of a step
struct KernelGraph {
  explicit KernelGraph(const schema::Event& event) {
    schema::GraphDef graph;
    EXPECT_TRUE(graph.ParseFromString(event.graph_def()));
    for (const schema::NodeDef& node : graph.node()) {
      for (const std::string& input : node.input())
        EXPECT_TRUE(nodes.count(input)) << node.name() << " comes before " << input;
      EXPECT_TRUE(nodes.emplace(node.name(), node).second) << node.name();
      order.push_back(node.name());
    }
  }
  // Whether an arrow leads, over others, from one node to another.
  bool leads(const std::string& from, const std::string& to) const {
    for (const std::string& input : nodes.at(to).input())
      if (input == from || leads(from, input)) return true;
    return false;
  }
  // The only node whose name has all of these.
  std::string named(const std::vector<std::string>& parts) const {
    std::vector<std::string> found;
    for (const std::string& name : order)
      if (std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
            return name.find(part) != std::string::npos;
          }))
        found.push_back(name);
    EXPECT_EQ(found.size(), 1u) << parts.at(0);
    return found.empty() ? order.at(0) : found[0];
  }
  std::map<std::string, schema::NodeDef> nodes;
  std::vector<std::string> order;
};

struct StepOfTwoLayers {
  explicit StepOfTwoLayers(Device device)
      : net((manual_seed(1), nn::Linear(3, 4)), nn::Tanh(), nn::Linear(4, 2)),
        sgd((net->to(device), net->parameters()), 0.1),
        x(randn({5, 3}, device)) {}
  void run() {
    sgd.zero_grad(false);
    net->forward(x).pow(2).sum().backward();
    sgd.step();
  }
  nn::Sequential net;
  optim::SGD sgd;
  Tensor x;
};

void expect_graph_of_step(const KernelGraph& g) {
  for (const char* leaf : {"0/weight", "0/bias", "2/weight", "2/bias"})
    EXPECT_EQ(g.nodes.at(leaf).op(), "Parameter") << leaf;
  EXPECT_EQ(g.nodes.at("0/weight").attr().at("_output_shapes").list().shape(0).dim(0).size(), 4);
  EXPECT_EQ(g.nodes.at("input").op(), "Input");
  const std::string forward = g.named({"TanhImpl/tanh"});
  EXPECT_TRUE(g.leads("input", forward));
  EXPECT_TRUE(g.leads("0/weight", forward));
  EXPECT_FALSE(g.leads("2/weight", forward));
  bool has_step = false;
  for (const std::string& name : g.order)
    if (name.rfind("SGD.step/", 0) == 0) has_step = has_step || g.leads(forward, name);
  EXPECT_TRUE(has_step);
  EXPECT_TRUE(g.leads(forward, g.named({"backward/TanhBackward0"})));
}

TEST(SummaryWriter, KernelsOfAStep) {
  StepOfTwoLayers step(kCPU);
  step.run();
  const KernelGraph g(
      event_of([&](SummaryWriter& w) { w.add_kernel_graph(*step.net, [&] { step.run(); }); }));
  expect_graph_of_step(g);
}

// Nothing runs while a step is captured, and what is shown is what was captured.
TEST(SummaryWriter, KernelsOfACapturedStep) {
  for (const Device device : {Device(kCPU), Device(kCUDA, 0)}) {
    StepOfTwoLayers step(device);
    step.run();
    const Tensor before = step.net->parameters()[0].detach().clone();
    Graph graph(device);
    const KernelGraph g(event_of([&](SummaryWriter& w) {
      w.add_kernel_graph(*step.net, [&] {
        const GraphGuard guard(graph);
        step.run();
      });
    }));
    expect_graph_of_step(g);
    EXPECT_EQ(g.nodes.at("input").device(), device.str());
    EXPECT_TRUE(step.net->parameters()[0].equal(before));
    graph.replay();
    EXPECT_FALSE(step.net->parameters()[0].equal(before));
  }
}

TEST(SummaryWriter, KernelsThatShareMemory) {
  const KernelGraph g(event_of([](SummaryWriter& w) {
    const Tensor a = ones({8}), b = ones({4});
    w.add_kernel_graph(*nn::Linear(1, 1), [&] {
      const utils::profiler::RecordFunction part("a part: 1");
      a.slice(0, 0, 4).add_(b);  // two inputs; the first half is written twice
      a.slice(0, 0, 4).neg_();
      a.slice(0, 4, 8).exp();  // the other half is the third
      a.sum();
    });
  }));
  const std::string add = g.named({"a_part__1/add"}), neg = g.named({"neg"});
  const std::string exp = g.named({"exp"}), sum = g.named({"sum"});
  EXPECT_TRUE(g.leads(add, neg));
  EXPECT_FALSE(g.leads(add, exp));
  EXPECT_TRUE(g.leads(neg, sum));
  EXPECT_EQ(std::count_if(g.order.begin(), g.order.end(),
                          [](auto& name) { return name.rfind("input", 0) == 0; }),
            3);
}

TEST(SummaryWriter, KernelGraphsThatCannotBe) {
  const TemporaryFolder folder;
  SummaryWriter w(folder.path());
  const nn::Linear net(2, 2);
  EXPECT_NE(message_of([&] {
              w.add_kernel_graph(*net, [] {});
            }).find("add_kernel_graph: expected a step that launches kernels"),
            std::string::npos);
  EXPECT_NE(message_of([&] { w.add_kernel_graph(*net, [] { throw Error("mine"); }); }).find("mine"),
            std::string::npos);
  EXPECT_FALSE(taper::detail::observes_run());
  const utils::profiler::Profile profile;
  EXPECT_NE(message_of([&] {
              w.add_kernel_graph(*net, [] { ones({1}).add(1); });
            }).find("expected no profile to record"),
            std::string::npos);
}

TEST(SummaryWriter, Embeddings) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder.path());
  // Two points of three numbers, whose memory is in the other order.
  const Tensor points = tensor({1., 4., 2., 5., 3., 6.}).view({3, 2}).t();
  writer.add_embedding(points, {"a", "b"}, rand({2, 3, 8, 8}), 4, "e");
  const fs::path files = folder.path("00004/e");
  EXPECT_EQ(contents(files / "tensors.tsv"), "1\t2\t3\n4\t5\t6\n");
  EXPECT_EQ(contents(files / "metadata.tsv"), "a\nb\n");
  EXPECT_EQ(data::read_image((files / "sprite.png").string()).sizes(), IntArrayRef({3, 8, 16}));
  const std::string config = contents(folder.path("projector_config.pbtxt"));
  EXPECT_NE(config.find("metadata_path: \"00004/e/metadata.tsv\""), std::string::npos) << config;
}

TEST(SummaryWriter, CustomCharts) {
  const auto value = value_of([](SummaryWriter& w) {
    w.add_custom_scalars({{"stocks",
                           {{"both", {CustomChart::kMultiline, {"a", "b"}}},
                            {"band", {CustomChart::kMargin, {"m", "l", "u"}}}}}});
  });
  schema::Layout layout;
  ASSERT_TRUE(layout.ParseFromString(value.tensor().string_val(0)));
  EXPECT_EQ(layout.category(0).chart(0).margin().series(0).upper(), "u");
  EXPECT_EQ(layout.category(0).chart(1).multiline().tag_size(), 2);
}

TEST(SummaryWriter, PurgeStepBeginsTheFile) {
  const TemporaryFolder folder;
  SummaryWriter(SummaryWriterOptions(folder.path()).purge_step(12));
  const auto events = events_in(folder.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].step(), 12);
  EXPECT_EQ(events[1].session_log().status(), schema::SessionLog::START);
}

TEST(SummaryWriter, FlushesWhileItIsOpen) {
  const TemporaryFolder folder;
  SummaryWriter writer(SummaryWriterOptions(folder.path()).max_queue(1000));
  for (int i = 0; i < 100; ++i) writer.add_scalar("x", i, i);
  writer.flush();
  EXPECT_EQ(events_in(folder.path()).size(), 101u);
}

TEST(SummaryWriter, ThreadsMayShareIt) {
  const TemporaryFolder folder;
  {
    SummaryWriter writer(folder.path());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&writer, t] {
        for (int i = 0; i < 250; ++i) {
          writer.add_scalar("x" + std::to_string(t), i, i);
          if (i % 50 == 0) writer.flush();
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(events_in(folder.path()).size(), 1001u);
}

TEST(SummaryWriter, FilesThatCannotGrowAreErrors) {
  const TemporaryFolder folder;
  SummaryWriter writer(SummaryWriterOptions(folder.path()).max_queue(1));
  writer.flush();
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{200, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of([&] {
    for (int i = 0; i < 50; ++i) writer.add_scalar("x", i, i);
    writer.flush();
  });
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("SummaryWriter: cannot write '"), std::string::npos) << message;
  EXPECT_NE(message.find("File too large"), std::string::npos) << message;
}

TEST(SummaryWriter, BadInputIsRefused) {
  const TemporaryFolder folder;
  SummaryWriter w(folder.path());
  const auto expect = [&](const std::string& text, const auto& body) {
    EXPECT_NE(message_of(body).find(text), std::string::npos) << text << "\n" << message_of(body);
  };
  expect("add_scalar: expected a tensor of one element for 'x'",
         [&] { w.add_scalar("x", ones({2})); });
  expect("add_histogram: expected at least one real value",
         [&] { w.add_histogram("x", ones({0})); });
  expect("add_histogram: expected at least two edges", [&] {
    w.add_histogram("x", ones({1}), 0, {2, 1});
  });
  expect("add_image: expected dataformats with the letters of CHW, got 'CWW'", [&] {
    w.add_image("x", rand({3, 2, 2}), 0, "CWW");
  });
  expect("encode_png: expected an image [C, H, W] of 1, 3 or 4 channels", [&] {
    w.add_image("x", rand({2, 4, 4}));
  });
  expect("add_figure: expected the bytes of a PNG file", [&] { w.add_figure("x", "GIF89a"); });
  expect("add_audio: expected sound [L] or [1, L] of one channel, got [2, 3]", [&] {
    w.add_audio("x", rand({2, 3}));
  });
  expect("add_audio: expected a sample_rate of at least 1",
         [&] { w.add_audio("x", rand({3}), 0, 0); });
  expect("add_audio: expected numbers, got NaN at 1", [&] {
    w.add_audio("x", tensor({0., std::nan("")}));
  });
  expect("add_video: expected video [N, T, C, H, W], got [2, 3, 4, 5]", [&] {
    w.add_video("x", rand({2, 3, 4, 5}));
  });
  expect("encode_gif: expected frames [T, C, H, W] of 1 or 3 channels, got [2, 4, 8, 8]", [&] {
    w.add_video("x", rand({1, 2, 4, 8, 8}));
  });
  expect("encode_gif: expected bytes or floats in [0, 1], got Long", [&] {
    w.add_video("x", ones({1, 2, 3, 8, 8}, kLong));
  });
  expect("encode_gif: expected fps above 0", [&] {
    w.add_video("x", rand({1, 2, 3, 8, 8}), 0, 0);
  });
  expect("add_mesh: expected real vertices [B, N, 3], got [3, 3]", [&] {
    w.add_mesh("x", rand({3, 3}));
  });
  expect("add_mesh: expected a color for each vertex, [1, 3, 3], got [1, 2, 3]", [&] {
    w.add_mesh("x", rand({1, 3, 3}), rand({1, 2, 3}));
  });
  expect("add_mesh: expected faces [1, F, 3], got [2, 1, 3]", [&] {
    w.add_mesh("x", rand({1, 3, 3}), {}, arange(6).view({2, 1, 3}));
  });
  expect("add_pr_curve: expected predictions in [0, 1], got 2",
         [&] { w.add_pr_curve("x", ones({1}), full({1}, 2.0)); });
  expect("add_embedding: expected a line of metadata for each of 2", [&] {
    w.add_embedding(ones({2, 2}), {"a"});
  });
  expect("add_custom_scalars: expected a value and its lower and upper bound", [&] {
    w.add_custom_scalars({{"c", {{"m", {CustomChart::kMargin, {"a"}}}}}});
  });
  expect("add_graph: expected an output with history", [&] {
    const NoGradGuard no_grad;
    w.add_graph(*nn::Linear(1, 1), ones({1}));
  });
  nn::Linear linear(1, 1);
  nn::Module& module = *linear;
  expect("give its holder, or a reference to its own class",
         [&] { w.add_graph(module, ones({1})); });
  expect("SummaryWriter: expected max_queue of at least 1",
         [&] { SummaryWriter(SummaryWriterOptions(folder.path()).max_queue(0)); });
  expect("SummaryWriter: cannot make the folder", [&] { SummaryWriter("/proc/none/there"); });
  w.close();
  expect("SummaryWriter: expected an open writer", [&] { w.add_scalar("x", 1.0); });
  EXPECT_EQ(events_in(folder.path()).size(), 1u);
}

}  // namespace
}  // namespace torch::taper::testing
