// Data: samplers and their random numbers, loaders, transforms, stateful and streaming data sets.
#include <parity.h>

#include <sstream>

using namespace parity;
using torch::Tensor;
namespace data = torch::data;

struct Squares : data::datasets::Dataset<Squares> {
  data::Example<> get(size_t i) override {
    return {torch::full({2}, static_cast<double>(i * i)), torch::tensor(static_cast<int64_t>(i))};
  }
  torch::optional<size_t> size() const override { return 11; }
};

struct Unsized : data::datasets::Dataset<Unsized, int> {
  int get(size_t i) override { return static_cast<int>(i); }
  torch::optional<size_t> size() const override { return torch::nullopt; }
};

struct Stream : data::datasets::StreamDataset<Stream, std::vector<int>> {
  std::vector<int> get_batch(size_t n) override { return std::vector<int>(n, next++); }
  torch::optional<size_t> size() const override { return torch::nullopt; }
  int next = 0;
};

struct Countdown : data::datasets::StatefulDataset<Countdown, std::vector<int>> {
  torch::optional<std::vector<int>> get_batch(size_t n) override {
    if (left == 0) return torch::nullopt;
    std::vector<int> batch;
    while (left > 0 && batch.size() < n) batch.push_back(left--);
    return batch;
  }
  torch::optional<size_t> size() const override { return 7; }
  void reset() override { left = 7; }
  void save(torch::serialize::OutputArchive&) const override {}
  void load(torch::serialize::InputArchive&) override {}
  int left = 7;
};

template <class T>
static std::string text(const T& list) {
  std::string s;
  for (auto v : list) s += std::to_string(v) + " ";
  return s;
}
template <class Sampler>
static std::string rest(Sampler& sampler, size_t batch) {
  std::string s;
  while (auto next = sampler.next(batch)) s += text(*next) + "| ";
  return s;
}

static void samplers() {
  torch::manual_seed(3);
  data::samplers::RandomSampler random(20);
  show("random.first", rest(random, 6));
  random.reset();
  show("random.second", rest(random, 20));
  random.reset(5);
  show("random.resized", rest(random, 2));
  show("random.after", torch::rand({2}));
  for (size_t rank = 0; rank < 3; ++rank) {
    const std::string r = std::to_string(rank);
    data::samplers::DistributedRandomSampler a(10, 3, rank), b(10, 3, rank, false);
    data::samplers::DistributedSequentialSampler c(10, 3, rank), d(10, 3, rank, false);
    a.set_epoch(2);
    a.reset();
    show("distributed.random." + r, rest(a, 3));
    show("distributed.random_once." + r, rest(b, 3));
    show("distributed.sequential." + r, rest(c, 3));
    show("distributed.sequential_once." + r, rest(d, 3));
  }
  data::samplers::SequentialSampler from(9), to(9);
  from.next(4);
  std::stringstream file;
  torch::save(from, file);
  torch::load(to, file);
  show("sequential.resumed", rest(to, 3));
  random.reset(9);
  random.next(4);
  std::stringstream file2;
  torch::save(random, file2);
  data::samplers::RandomSampler other(9);
  torch::load(other, file2);
  show("random.resumed", rest(other, 3));
}

// Which random numbers a loader takes, and when.
static void loader_numbers() {
  for (size_t workers : {0, 2}) {
    const std::string w = std::to_string(workers);
    torch::manual_seed(5);
    auto loader = data::make_data_loader(Squares().map(data::transforms::Stack<>()),
                                         data::DataLoaderOptions(4).workers(workers));
    show("loader.made." + w, torch::rand({1}));
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::string order;
      for (auto& batch : *loader) {
        for (int64_t i = 0; i < batch.target.size(0); ++i)
          order += std::to_string(batch.target[i].item<int64_t>()) + " ";
        order += "| ";
      }
      show("loader.order." + w + "." + std::to_string(epoch), order);
    }
    show("loader.after." + w, torch::rand({1}));
  }
}

static void kinds_of_datasets() {
  auto stream = data::make_data_loader(Stream(), data::samplers::StreamSampler(9), 4);
  std::string s;
  for (auto& batch : *stream) s += text(batch) + "| ";
  show("stream", s);
  auto stateful = data::make_data_loader(Countdown(), 3);
  s.clear();
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : *stateful) s += text(batch) + "| ";
  show("stateful", s);
  auto shared = data::datasets::make_shared_dataset<Squares>();
  auto mapped = shared.map(data::transforms::Stack<>());
  show("shared.data", mapped.get_batch({2, 5}).data);
  show("shared.size", *mapped.size());
  error("unsized", [] { data::make_data_loader<data::samplers::SequentialSampler>(Unsized(), 2); });
}

static void transforms() {
  data::transforms::Normalize<> two({0.5, 0.25}, {2.0, 4.0});
  show("normalize.image", two(numbers({2, 2, 2}, 1)));
  show("normalize.row", two(numbers({3}, 2)));
  show("normalize.bytes", two(torch::ones({1, 2, 2}, torch::kByte)));
  auto set = data::datasets::TensorDataset(numbers({4, 3}, 3))
                 .map(data::transforms::Normalize<void>(0.5, 2.0))
                 .map(data::transforms::Stack<data::TensorExample>());
  show("normalize.rows", set.get_batch({3, 1}).data);
  auto collate = Squares().map(data::transforms::Collate<data::Example<>>(
      [](std::vector<data::Example<>> v) { return v.back(); }));
  show("collate", collate.get_batch({1, 3}).target);
}

static void iterators() {
  auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Squares().map(data::transforms::Stack<>()), data::DataLoaderOptions(4).drop_last(true));
  auto it = loader->begin();
  ++it;
  show("iterator.second", it->target);
  ++it;
  show("iterator.at_end", it == loader->end());
  error("iterator.past", [&] { ++it; });
  error("iterator.read_past", [&] { *it; });
  error("iterator.end", [&] { *loader->end(); });
  show("options.max_jobs",
       data::FullDataLoaderOptions(data::DataLoaderOptions(2).workers(3)).max_jobs);
}

int main() {
  samplers();
  loader_numbers();
  kinds_of_datasets();
  transforms();
  iterators();
}
