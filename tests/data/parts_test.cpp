// Samplers that draw, parts of data sets, and data sets in files. Lists of indices are PyTorch's:
// the Python that gives them stands beside them.
#include <taper/data/data.h>
#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/framework/random/random.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace data;
using namespace data::samplers;
using namespace data::datasets;
using testing::counting;
using testing::expect_error;
using testing::expect_values;
using testing::TemporaryFolder;
using testing::values_of;
using Indices = std::vector<size_t>;

template <class S>
Indices drain(S& sampler, size_t batch) {
  Indices all;
  while (auto next = sampler.next(batch)) all.insert(all.end(), next->begin(), next->end());
  return all;
}

// ---------------------------------------------------------------------- samplers
TEST(DrawnSamplers, GivePythonsNumbers) {
  manual_seed(3);  // RandomSampler(range(10), replacement=True, num_samples=40)
  ReplacementSampler replaced(10, 40);
  EXPECT_EQ(drain(replaced, 7),
            (Indices{7, 8, 5, 1, 8, 6, 2, 2, 3, 9, 8, 6, 2, 5, 5, 4, 2, 5, 8, 4,
                     1, 8, 5, 1, 3, 1, 7, 4, 2, 1, 1, 5, 3, 3, 7, 4, 3, 6, 0, 9}));
  expect_values(randint(1000, {2}), {2}, {737, 667});
  manual_seed(3);  // SubsetRandomSampler([5, 3, 9, 7, 1])
  SubsetRandomSampler subset({5, 3, 9, 7, 1});
  EXPECT_EQ(drain(subset, 2), (Indices{3, 5, 7, 1, 9}));
  manual_seed(3);  // WeightedRandomSampler([.1, .9, .4, 0, 3.], 8)
  WeightedRandomSampler weighted({0.1, 0.9, 0.4, 0, 3}, 8);
  EXPECT_EQ(drain(weighted, 3), (Indices{1, 2, 4, 1, 4, 4, 1, 4}));
  manual_seed(3);  // WeightedRandomSampler([.1, .9, .4, .2, 3.], 4, replacement=False)
  WeightedRandomSampler once({0.1, 0.9, 0.4, 0.2, 3}, 4, false);
  EXPECT_EQ(drain(once, 8), (Indices{0, 1, 4, 3}));
}

std::vector<Indices> parts(size_t size, size_t ranks, bool shuffle, uint64_t seed, bool drop_last,
                           size_t epoch) {
  std::vector<Indices> all;
  for (size_t rank = 0; rank < ranks; ++rank) {
    DistributedDrawnSampler sampler(size, ranks, rank, shuffle, seed, drop_last);
    sampler.set_epoch(epoch);
    sampler.reset();
    all.push_back(drain(sampler, 3));
  }
  return all;
}
TEST(DrawnSamplers, GivePythonsPartsToRanks) {  // DistributedSampler of PyTorch 2.15
  using Parts = std::vector<Indices>;
  EXPECT_EQ(parts(10, 3, true, 0, false, 0), (Parts{{4, 5, 0, 2}, {1, 3, 8, 4}, {7, 9, 6, 1}}));
  EXPECT_EQ(parts(10, 3, true, 5, true, 2), (Parts{{5, 4, 9}, {0, 1, 6}, {3, 7, 8}}));
  EXPECT_EQ(parts(11, 4, false, 0, false, 0), (Parts{{0, 4, 8}, {1, 5, 9}, {2, 6, 10}, {3, 7, 0}}));
  EXPECT_EQ(parts(11, 4, false, 0, true, 0), (Parts{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(parts(2, 5, true, 1, false, 0), (Parts{{1}, {0}, {1}, {0}, {1}}));
  EXPECT_EQ(parts(3, 5, true, 1, true, 0), (Parts{{}, {}, {}, {}, {}}));
  EXPECT_EQ(parts(0, 2, true, 0, false, 0), (Parts{{}, {}}));
  EXPECT_THROW(DistributedDrawnSampler(10, 2, 2), ValueError);
}
TEST(DrawnSamplers, EachEpochIsAnotherAndAPlaceCanBeKept) {
  WeightedRandomSampler sampler(std::vector<double>(50, 1.0), 40), other({1.0}, 1);
  const Indices first = drain(sampler, 40);
  sampler.reset();
  sampler.next(15);
  EXPECT_EQ(sampler.index(), 15u);
  std::stringstream file;
  save(static_cast<Sampler<>&>(sampler), file);
  load(static_cast<Sampler<>&>(other), file);
  const Indices rest = drain(sampler, 40);
  EXPECT_EQ(rest.size(), 25u);
  EXPECT_EQ(drain(other, 40), rest);
  EXPECT_NE(Indices(first.end() - 25, first.end()), rest);
}

TEST(DrawnSamplers, WrongNumbersAreRefused) {
  expect_error<ValueError>("num_samples should be a positive integer value, but got num_samples=0",
                           [] { ReplacementSampler(10, 0); });
  expect_error<ValueError>("num_samples=0", [] { ReplacementSampler(0); });
  expect_error<ValueError>("num_samples=0", [] { WeightedRandomSampler({1.0}, 0); });
  expect_error("", [] { WeightedRandomSampler({1.0, 2.0}, 3, false); });
  expect_error("", [] { WeightedRandomSampler({1.0, -2.0}, 1); });
}

TEST(DrawnSamplers, FeedALoader) {
  manual_seed(3);
  auto loader =
      make_data_loader(TensorDataset(counting({10})).map(transforms::Stack<TensorExample>()),
                       SubsetRandomSampler({5, 3, 9, 7, 1}), DataLoaderOptions(3));
  std::vector<double> seen;
  for (auto& batch : *loader)
    for (double v : values_of(batch.data)) seen.push_back(v);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<double>{1, 3, 5, 7, 9}));
}

// ---------------------------------------------------------------------- parts
std::vector<double> batch_values(std::vector<TensorExample> batch) {
  std::vector<double> v;
  for (TensorExample& e : batch) v.push_back(e.data.item<double>());
  return v;
}

TEST(RandomSplit, GivesPythonsParts) {
  // random_split(range(10), [3, 7], generator=torch.Generator().manual_seed(42))
  const TensorDataset ten(counting({10}));
  auto parts = random_split(ten, {3, 7}, taper::detail::createCPUGenerator(42));
  EXPECT_EQ(parts[0].indices(), (Indices{2, 6, 1}));
  EXPECT_EQ(parts[1].indices(), (Indices{8, 4, 5, 0, 9, 3, 7}));
  EXPECT_EQ(batch_values(parts[1].get_batch(Indices{0, 6})), (std::vector<double>{8, 7}));
  // random_split(range(11), [.3, .3, .4], generator=torch.Generator().manual_seed(42))
  auto three = random_split_fractions(TensorDataset(counting({11})), {0.3, 0.3, 0.4},
                                      taper::detail::createCPUGenerator(42));
  EXPECT_EQ(three[0].indices(), (Indices{6, 8, 9, 2}));
  EXPECT_EQ(three[2].indices(), (Indices{7, 3, 5, 4}));
  manual_seed(5);  // random_split(range(6), [2, 4])
  EXPECT_EQ(random_split(TensorDataset(counting({6})), {2, 4})[0].indices(), (Indices{5, 0}));
  expect_error<ValueError>("Sum of input lengths does not equal", [&] {
    random_split(ten, {3, 6});
  });
  expect_error<ValueError>("add up to 1", [&] { random_split_fractions(ten, {0.5, 0.6}); });
}

TEST(Subset, StacksInOneCopyAndChecksItsIndices) {
  auto part = Subset<TensorDataset>(TensorDataset(counting({10})), {7, 2, 5});
  EXPECT_EQ(*part.size(), 3u);
  auto stacked = part.map(transforms::Stack<TensorExample>());
  expect_values(stacked.get_batch(Indices{2, 0}).data, {2}, {5, 7});
  expect_error<IndexError>("expected an index below 3, got 3", [&] { part.get_batch(Indices{3}); });
  expect_error<IndexError>("expected an index below 10, got 10",
                           [] { Subset<TensorDataset>(TensorDataset(counting({10})), {10}); });
}

TEST(ConcatDataset, GivesOneAfterTheOther) {
  ConcatDataset<TensorDataset> all({TensorDataset(counting({3})), TensorDataset(counting({0})),
                                    TensorDataset(counting({2}, kFloat, 10))});
  EXPECT_EQ(*all.size(), 5u);
  EXPECT_EQ(batch_values(all.get_batch(Indices{4, 0, 1, 3, 2})),
            (std::vector<double>{11, 0, 1, 10, 2}));
  expect_error<IndexError>("expected an index below 5, got 5", [&] { all.get_batch(Indices{5}); });
}

// ---------------------------------------------------------------------- CIFAR
void write_records(const std::string& path, int labels, int count, int first) {
  std::ofstream out(path, std::ios::binary);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < labels; ++k) out.put(static_cast<char>(first + i + 10 * k));
    for (int k = 0; k < 3 * 32 * 32; ++k) out.put(static_cast<char>((first + i + k) % 256));
  }
}

TEST(Cifar, ReadsBothBinaryFormats) {
  const TemporaryFolder folder;
  for (int i = 1; i <= 5; ++i)
    write_records(folder.path("data_batch_" + std::to_string(i) + ".bin"), 1, 2, i);
  CIFAR10 ten(folder.path());
  EXPECT_EQ(*ten.size(), 10u);
  expect_values(ten.targets(), {10}, {1, 2, 2, 3, 3, 4, 4, 5, 5, 6});
  const Example<> example = ten.get(3);
  EXPECT_EQ(example.data.sizes().vec(), (std::vector<int64_t>{3, 32, 32}));
  EXPECT_EQ(example.target.item<int64_t>(), 3);
  EXPECT_FLOAT_EQ(example.data[1][0][2].item<float>(), ((3 + 1024 + 2) % 256) / 255.0f);
  auto batches = ten.map(transforms::Normalize<>(0.5, 0.25)).map(transforms::Stack<>());
  const Example<> batch = batches.get_batch(Indices{3, 0});
  EXPECT_FLOAT_EQ(batch.data[0][1][0][2].item<float>(),
                  (((3 + 1024 + 2) % 256) / 255.0f - 0.5f) / 0.25f);

  write_records(folder.path("test.bin"), 2, 3, 4);
  expect_values(CIFAR100(folder.path(), CIFAR100::Mode::kTest).targets(), {3}, {14, 15, 16});
  expect_values(CIFAR100(folder.path(), CIFAR100::Mode::kTest, CIFAR100::Labels::kCoarse).targets(),
                {3}, {4, 5, 6});
}

TEST(Cifar, NamesABadFile) {
  const TemporaryFolder folder;
  const auto read = [&] { CIFAR10(folder.path(), CIFAR10::Mode::kTest); };
  expect_error("test_batch.bin: cannot be opened: No such file", read);
  write_records(folder.path("test_batch.bin"), 1, 2, 9);
  expect_error("expected labels from 0 to 9, got 10 at position 1", read);
  std::ofstream(folder.path("test_batch.bin"), std::ios::binary) << "short";
  expect_error("expected records of 3073 bytes, got a file of 5 bytes", read);
}

// ---------------------------------------------------------------------- CSV
std::string write_text(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.path("t.csv")) << text;
  return folder.path("t.csv");
}

TEST(Csv, ReadsNumbersByColumn) {
  const TemporaryFolder folder;
  CSV plain(write_text(folder, "1, 2,3\r\n\n+4,-5e1,\"6\"\n"));
  expect_values(plain.data(), {2, 2}, {1, 2, 4, -50});
  expect_values(plain.targets(), {2}, {3, 6});
  expect_values(plain.get(1).data, {2}, {4, -50});
  expect_values(plain.get_stacked(Indices{1, 0}).target, {2}, {6, 3});
  CSV named(
      write_text(folder, "a;b;c\n1;2;3\n4;5;6"),
      CSVOptions().delimiter(';').header(true).targets({0, -1}).dtype(kDouble).target_dtype(kLong));
  expect_values(named.data(), {2, 1}, {2, 5});
  expect_values(named.targets(), {2, 2}, {1, 3, 4, 6});
  EXPECT_EQ(named.targets().scalar_type(), kLong);
  EXPECT_EQ(named.names(), (std::vector<std::string>{"b", "a", "c"}));
}

TEST(Csv, NamesTheBadLine) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& what, const std::string& text) {
    const std::string path = write_text(folder, text);
    expect_error(path + what, [&] { CSV read(path); });
  };
  refused(":2: expected a number, got 'x'", "1,2\n3,x\n");
  refused(":1: expected a number, got ''", "1,,2\n");
  refused(":1: expected a number, got '1 2'", "1 2,3\n");
  refused(":3: expected 2 columns, got 3", "1,2\n\n1,2,3\n");
  refused(": expected rows of numbers, got none", "\n");
  expect_error("cannot be opened", [&] { CSV read(folder.path("missing")); });
  const std::string path = write_text(folder, "1,2\n");
  expect_error<IndexError>("", [&] { CSV read(path, CSVOptions().targets({2})); });
  const std::string long_text(1000, 'x');
  refused(":1: expected a number, got '" + long_text.substr(0, 60) + "...' (1000 bytes)",
          long_text);
}

TEST(Csv, PassesOverAByteOrderMark) {
  const TemporaryFolder folder;
  const CSV read(write_text(folder,
                            "\xef\xbb\xbf"
                            "1,2\n3,4\n"));
  expect_values(read.data(), {2, 1}, {1, 3});
  expect_error("expected rows of numbers", [&] { CSV none(write_text(folder, "\xef\xbb\xbf")); });
  EXPECT_EQ(CSV(write_text(folder, "1,2")).data().numel(), 1);
}

TEST(Csv, RefusesALineWithoutEnd) {
  const TemporaryFolder folder;
  const std::string path = write_text(folder, "1,2\n");
  std::filesystem::resize_file(path, (size_t{64} << 20) + 10);
  expect_error(path + ":2: expected a line of at most 67108864 bytes", [&] { CSV read(path); });
}

// ---------------------------------------------------------------------- what is no file
// Opening a pipe waits for a writer, a device has no end, and the system tells no length of a
// folder.
TEST(DataFiles, OnlyRegularOnesAreOpened) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero"), folder.path()}) {
    const std::string why = path == folder.path() ? "Is a directory" : "not a regular file";
    const auto refused = [&](const std::string& text, const std::function<void()>& read) {
      expect_error(text + why, read);
    };
    refused(path + ": cannot be opened: ", [&] { CSV read(path); });
    refused(path + ": cannot be opened: ", [&] { read_image(path); });
    for (const auto& read : std::vector<std::function<void()>>{
             [&] { load_npy(path); }, [&] { load_npz(path); }, [&] { load_pt(path); },
             [&] { serialize::InputArchive().load_from(path); }})
      refused("load: cannot open '" + path + "': ", read);
  }
  for (const char* name : {"train-images-idx3-ubyte", "data_batch_1.bin"})
    ASSERT_EQ(::mkfifo(folder.path(name).c_str(), 0600), 0);
  expect_error("not a regular file", [&] { MNIST read(folder.path()); });
  expect_error("not a regular file", [&] { CIFAR10 read(folder.path()); });
}

// ---------------------------------------------------------------------- images
TEST(ImageTransforms, CropsPadsAndFlips) {
  const Tensor image = counting({1, 4, 5});
  expect_values(transforms::CenterCrop<>(2)(image), {1, 2, 2}, {7, 8, 12, 13});
  expect_values(transforms::CenterCrop<>(2, 7)(counting({1, 2, 4})), {1, 2, 7},
                {0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6, 7, 0, 0});
  expect_values(transforms::Pad<>({1, 0, 0, 2}, 9)(counting({1, 1, 2})), {1, 3, 3},
                {9, 0, 1, 9, 9, 9, 9, 9, 9});
  expect_values(transforms::RandomHorizontalFlip<>(1)(counting({1, 2, 2})), {1, 2, 2},
                {1, 0, 3, 2});
  expect_values(transforms::RandomVerticalFlip<>(1)(counting({1, 2, 2})), {1, 2, 2}, {2, 3, 0, 1});
  expect_values(transforms::RandomHorizontalFlip<>(0)(counting({1, 1, 2})), {1, 1, 2}, {0, 1});
}

TEST(ImageTransforms, RandomCropsComeFromEverywhere) {
  transforms::RandomCrop<> crop(2, 1);
  std::set<std::vector<double>> crops;
  for (int i = 0; i < 300; ++i) {
    const Tensor y = crop(counting({1, 3, 3}, kFloat, 1));
    EXPECT_EQ(y.sizes().vec(), (std::vector<int64_t>{1, 2, 2}));
    crops.insert(values_of(y));
  }
  EXPECT_EQ(crops.size(), 16u);  // 4 x 4 places
  expect_error<ValueError>("Required crop size (6, 6) is larger than input image size (5, 5)", [] {
    transforms::RandomCrop<>(6, 1)(counting({1, 3, 3}));
  });
}

TEST(RandomSplit, BindsItsParts) {
  const TensorDataset ten(counting({10}));
  auto [some, most] = random_split(ten, {3, 7}, taper::detail::createCPUGenerator(42));
  EXPECT_EQ(some.indices(), (Indices{2, 6, 1}));
  EXPECT_EQ(*most.size(), 7u);
  auto [a, b, c] = data::random_split(ten, {0.5, 0.3, 0.2});
  EXPECT_EQ(*a.size() * 100 + *b.size() * 10 + *c.size(), 532u);
  EXPECT_EQ(random_split(ten, std::vector<size_t>{4, 6}).size(), 2u);
  expect_error<ValueError>("expected lengths of at least 0, got -1", [&] {
    random_split(ten, {11, -1});
  });
}

}  // namespace
}  // namespace torch::taper
