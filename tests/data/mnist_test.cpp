#include <gtest/gtest.h>

#include <taper/data/data.h>

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace torch::taper {
namespace {

namespace fs = std::filesystem;
using data::datasets::MNIST;
using Bytes = std::string;

Bytes number(uint32_t v) {
  return {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8),
          static_cast<char>(v)};
}

// gzip without compression: one stored block.
Bytes gzip(const Bytes& content) {
  uint32_t crc = ~0u;
  for (unsigned char c : content) {
    crc ^= c;
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  crc = ~crc;
  const auto little = [](uint32_t v, int n) {
    Bytes b;
    for (int i = 0; i < n; ++i) b += static_cast<char>(v >> 8 * i);
    return b;
  };
  const auto n = static_cast<uint32_t>(content.size());
  return Bytes("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + '\x01' + little(n, 2) + little(~n, 2) +
         content + little(crc, 4) + little(n, 4);
}

// A folder with a small data set: image i, pixel p has the value (37 * i + 11 * p) % 256.
class MnistFiles : public ::testing::Test {
 protected:
  static constexpr int kCount = 20, kRows = 5, kCols = 7, kSize = kRows * kCols;

  void SetUp() override {
    root_ = fs::temp_directory_path() /
            ("taper_mnist_" + std::to_string(::getpid()) + "_" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(root_);
    images_ = number(0x803) + number(kCount) + number(kRows) + number(kCols);
    for (int i = 0; i < kCount; ++i)
      for (int p = 0; p < kSize; ++p) images_ += static_cast<char>(pixel(i, p));
    labels_ = number(0x801) + number(kCount);
    for (int i = 0; i < kCount; ++i) labels_ += static_cast<char>(i % 10);
    write("train-images-idx3-ubyte", images_);
    write("train-labels-idx1-ubyte", labels_);
  }
  void TearDown() override { fs::remove_all(root_); }

  static int pixel(int i, int p) { return (37 * i + 11 * p) % 256; }
  std::string path(const std::string& name) const { return (root_ / name).string(); }
  void write(const std::string& name, const Bytes& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  // Opening must throw an Error that names the file and contains `part`.
  void refuses(const std::string& name, const std::string& part) const {
    try {
      MNIST set(root_.string());
      ADD_FAILURE() << "no error: " << part;
    } catch (const Error& e) {
      const std::string what = e.what();
      EXPECT_NE(what.find(path(name)), std::string::npos) << what;
      EXPECT_NE(what.find(part), std::string::npos) << what;
    }
  }

  fs::path root_;
  Bytes images_, labels_;
};

TEST_F(MnistFiles, ReadsImagesAndLabels) {
  MNIST set(root_.string());
  EXPECT_TRUE(set.is_train());
  EXPECT_EQ(*set.size(), 20u);
  EXPECT_EQ(set.images().sizes(), (std::vector<int64_t>{20, 1, 5, 7}));
  EXPECT_EQ(set.images().scalar_type(), kFloat);
  EXPECT_EQ(set.targets().scalar_type(), kLong);
  EXPECT_EQ(set.raw_images().scalar_type(), kByte);
  data::Example<> e = set.get(13);
  EXPECT_EQ(e.data.sizes(), (std::vector<int64_t>{1, 5, 7}));
  EXPECT_EQ(e.target.dim(), 0);
  EXPECT_EQ(e.target.item<int64_t>(), 3);
  for (int p = 0; p < kSize; ++p) {
    const float expected = static_cast<float>(pixel(13, p)) / 255.0f;
    EXPECT_EQ(e.data.data_ptr<float>()[p], expected);
    EXPECT_EQ(set.images().data_ptr<float>()[13 * kSize + p], expected);
  }
}

TEST_F(MnistFiles, ReadsGzipAndTheTestSet) {
  fs::remove(path("train-images-idx3-ubyte"));
  write("train-images-idx3-ubyte.gz", gzip(images_));
  write("t10k-images-idx3-ubyte.gz", gzip(images_));
  write("t10k-labels-idx1-ubyte", labels_);
  EXPECT_EQ(MNIST(root_.string()).raw_images().data_ptr<uint8_t>()[1], pixel(0, 1));
  MNIST test(root_.string() + "/", MNIST::Mode::kTest);
  EXPECT_FALSE(test.is_train());
  EXPECT_EQ(test.raw_images().data_ptr<uint8_t>()[kSize], pixel(1, 0));
}

TEST_F(MnistFiles, ABatchIsItsExamples) {
  using data::transforms::Normalize;
  using data::transforms::Stack;
  MNIST set(root_.string());
  const std::vector<size_t> rows{19, 0, 7, 7, 3};
  for (auto [mean, stddev] : {std::pair{0.1307, 0.3081},
                              {0.5, 0.5},
                              {0.0, 1.0},
                              {-2.7, 1e-3},
                              {0.25, -7.7},
                              {0.1, 1e-30},
                              {0.1, 1e-39},  // its reciprocal is infinite
                              {0.1, -1e-39},
                              {0.1, 3e38},  // its reciprocal is subnormal
                              {0.1, -3e38}}) {
    auto stacked = set.map(Normalize<>(mean, stddev)).map(Stack<>());
    const data::Example<> batch = stacked.get_batch(rows);
    EXPECT_EQ(batch.data.sizes(), (std::vector<int64_t>{5, 1, 5, 7}));
    EXPECT_EQ(batch.target.sizes(), (std::vector<int64_t>{5}));
    const auto m = static_cast<float>(mean), s = static_cast<float>(stddev);
    for (size_t b = 0; b < rows.size(); ++b) {
      const int i = static_cast<int>(rows[b]);
      EXPECT_EQ(batch.target.data_ptr<int64_t>()[b], i % 10);
      for (int p = 0; p < kSize; ++p) {
        const float x = static_cast<float>(pixel(i, p)) / 255.0f;
        ASSERT_EQ(batch.data.data_ptr<float>()[b * kSize + p], (x - m) / s)
            << mean << " " << stddev << " pixel " << pixel(i, p);
      }
    }
    // The long way gives the same.
    std::vector<data::Example<>> examples;
    for (size_t i : rows) {
      examples.push_back(set.get(i));
      examples.back().data = Normalize<>(mean, stddev)(examples.back().data);
    }
    const data::Example<> slow = Stack<>().apply_batch(examples);
    EXPECT_TRUE(slow.data.equal(batch.data));
    EXPECT_TRUE(slow.target.equal(batch.target));
  }
}

TEST_F(MnistFiles, StackAloneAndSeveralChannels) {
  MNIST set(root_.string());
  const std::vector<size_t> rows{4, 2};
  const data::Example<> plain = set.map(data::transforms::Stack<>()).get_batch(rows);
  EXPECT_TRUE(plain.data.select(0, 1).equal(set.get(2).data));
  auto colour = set.map(data::transforms::Normalize<>({0.1, 0.2, 0.3}, {0.5, 0.6, 0.7}))
                    .map(data::transforms::Stack<>());
  const data::Example<> batch = colour.get_batch(rows);
  ASSERT_EQ(batch.data.sizes(), (std::vector<int64_t>{2, 3, 5, 7}));
  const float x = static_cast<float>(pixel(2, 0)) / 255.0f;
  EXPECT_EQ(batch.data.select(0, 1).select(0, 2).select(0, 0).select(0, 0).item<float>(),
            (x - 0.3f) / 0.7f);
}

TEST_F(MnistFiles, CopiesShareTheirMemory) {
  MNIST set(root_.string());
  MNIST copy = set;
  EXPECT_EQ(copy.raw_images().data_ptr(), set.raw_images().data_ptr());
  EXPECT_EQ(copy.images().data_ptr(), set.images().data_ptr());
}

TEST_F(MnistFiles, IndexOutOfRange) {
  MNIST set(root_.string());
  EXPECT_THROW(set.get(20), IndexError);
  EXPECT_THROW(set.get_stacked({0, 20}), IndexError);
  EXPECT_EQ(set.get_stacked(ArrayRef<size_t>()).data.size(0), 0);
}

TEST_F(MnistFiles, MissingFile) {
  fs::remove(path("train-labels-idx1-ubyte"));
  refuses("train-labels-idx1-ubyte", "No such file or directory");
  fs::remove(path("train-images-idx3-ubyte"));
  refuses("train-images-idx3-ubyte", "Error opening images file at");
  fs::create_directory(path("train-images-idx3-ubyte"));
  refuses("train-images-idx3-ubyte", "directory");
}

TEST_F(MnistFiles, CutAndTooLong) {
  write("train-images-idx3-ubyte", images_.substr(0, 9));
  refuses("train-images-idx3-ubyte", "the file is cut: expected an IDX header of 16 bytes");
  write("train-images-idx3-ubyte", images_.substr(0, images_.size() - 1));
  refuses("train-images-idx3-ubyte", "cut");
  write("train-images-idx3-ubyte", images_ + "x");
  refuses("train-images-idx3-ubyte", "expected 700 bytes of images, got more");
  write("train-images-idx3-ubyte", "");
  refuses("train-images-idx3-ubyte", "cut");
}

TEST_F(MnistFiles, ForeignFiles) {
  write("train-images-idx3-ubyte", labels_);
  refuses("train-images-idx3-ubyte", "expected an IDX file of images");
  write("train-images-idx3-ubyte", "P6 640 480 255 and some more text");
  refuses("train-images-idx3-ubyte", "expected an IDX file of images, which starts with 2051");
}

TEST_F(MnistFiles, HeaderThatPromisesTooMuch) {
  write("train-images-idx3-ubyte", number(0x803) + number(~0u) + number(~0u) + number(~0u) + "xy");
  refuses("train-images-idx3-ubyte", "more than there can be in it");
  write("train-images-idx3-ubyte", number(0x803) + number(0) + number(28) + number(28));
  refuses("train-images-idx3-ubyte", "at least one example");
}

TEST_F(MnistFiles, LabelsThatDoNotFit) {
  write("train-labels-idx1-ubyte", number(0x801) + number(3) + Bytes("\1\2\3"));
  refuses("train-labels-idx1-ubyte", "expected 20 labels, one for each image, got 3");
  Bytes bad = labels_;
  bad.back() = 'x';
  write("train-labels-idx1-ubyte", bad);
  refuses("train-labels-idx1-ubyte", "expected labels from 0 to 9, got 120 at position 19");
}

TEST_F(MnistFiles, DamagedGzip) {
  fs::remove(path("train-images-idx3-ubyte"));
  const std::string name = "train-images-idx3-ubyte.gz";
  const Bytes good = gzip(images_);
  write(name, good.substr(0, good.size() - 100));
  refuses(name, "cut");
  Bytes bad = good;
  bad[100] ^= 1;
  write(name, bad);
  refuses(name, "damaged");
  write(name, images_);
  refuses(name, "expected a gzip file");
}

}  // namespace
}  // namespace torch::taper
