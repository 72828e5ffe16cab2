// Image files, ImageFolder, Resize. The files and the expected pixels are Pillow's.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <taper/data/data.h>
#include <taper/data/image_file.h>
#include <taper/framework/random/random.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using namespace data;
namespace fs = std::filesystem;

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

const std::string kPng = bytes_of(
    "89504e470d0a1a0a0000000d49484452000000040000000308020000003b9639910000001a4944415478da636460"
    "e713850196909010388771c5fa6d700e0059bd055cbd32e38d0000000049454e44ae426082");
const std::string kTransparentPng = bytes_of(
    "89504e470d0a1a0a0000000d4948445200000004000000030806000000b4f4aec6000000194944415478da636460"
    "e74b1115156580619690901006bc02007af104b248eb1c210000000049454e44ae426082");
const std::string kGreyPng = bytes_of(
    "89504e470d0a1a0a0000000d4948445200000004000000030800000000919ff11a000000174944415478da636410"
    "1515650c1115156509111515050009ab016c28b350550000000049454e44ae426082");
const std::string kPalettePng = bytes_of(
    "89504e470d0a1a0a0000000d4948445200000004000000030203000000c99a46550000000c504c5445c8cfd67e85"
    "8c3f464d0b12193438023c0000000e4944415478da63f8c5309581010006a701908bdfd95e0000000049454e44ae"
    "426082");
const std::string kJpeg = bytes_of(
    "ffd8ffe000104a46494600010100000100010000ffdb00430006040506050406060506070706080a100a0a09090a"
    "140e0f0c1017141818171416161a1d251f1a1b231c1616202c20232627292a29191f2d302d283025282928ffdb00"
    "43010707070a080a130a0a13281a161a282828282828282828282828282828282828282828282828282828282828"
    "2828282828282828282828282828282828282828ffc00011080009000a03012200021101031101ffc40014000100"
    "000000000000000000000000000006ffc4001f100001030305000000000000000000000000010206222332414251"
    "71a1ffc4001501010100000000000000000000000000000304ffc4001c1100010305000000000000000000000000"
    "000203040506121331ffda000c03010002110311003f00031d82636bc1ab60b4a5ad381647768d1b8a742467d589"
    "2506e195a3a7ffd9");
const std::string kGreyJpeg = bytes_of(
    "ffd8ffe000104a46494600010100000100010000ffdb00430006040506050406060506070706080a100a0a09090a"
    "140e0f0c1017141818171416161a1d251f1a1b231c1616202c20232627292a29191f2d302d283025282928ffc000"
    "0b080009000a01011100ffc4001500010100000000000000000000000000000807ffc4001c100002000700000000"
    "00000000000000000003010733437281b1ffda0008010100003f00994a4b3a11e8a0bc61c0e1292ce847a282f187"
    "0fffd9");
const std::string kCmykJpeg = bytes_of(
    "ffd8ffee000e41646f626500640000000000ffdb00430006040506050406060506070706080a100a0a09090a140e"
    "0f0c1017141818171416161a1d251f1a1b231c1616202c20232627292a29191f2d302d283025282928ffc0001408"
    "0009000a044311004d11005911004b1100ffc4001800000301010000000000000000000000000007080604ffc400"
    "2410000101050901000000000000000000000003010623334302071741647281a1b171ffda000e0443004d005900"
    "4b00003f00595d251e0c4e1269fa308e43a72e1f455251e8484f6b3c0c24d3f4359374e1d98793320270ba4a3c14"
    "b1c2e453028f42427b59e00d64e5d9f8c03fffd9");

/// What is missing in this build, or nothing.
std::string missing_library() {
  for (const std::string& file : {kPng, kJpeg}) {
    const std::string message = message_of([&] { decode_image(file); });
    if (message.find("Taper was built without") != std::string::npos) return message;
  }
  return "";
}
#define TAPER_NEEDS_IMAGES() \
  if (const std::string missing = missing_library(); !missing.empty()) GTEST_SKIP() << missing

std::vector<double> pixel(const Tensor& image, int64_t y, int64_t x) {
  return values_of(image.select(1, y).select(1, x));
}

TEST(ImageFile, PngIsPillows) {
  TAPER_NEEDS_IMAGES();
  const Tensor image = decode_image(kPng);
  EXPECT_EQ(image.scalar_type(), kByte);
  EXPECT_EQ(image.sizes(), IntArrayRef({3, 3, 4}));
  expect_values(image.select(0, 0), {3, 4}, {0, 21, 42, 63, 84, 105, 126, 147, 168, 189, 210, 231});
  EXPECT_EQ(pixel(image, 2, 3), (std::vector<double>{231, 238, 245}));
  EXPECT_TRUE(decode_image(kTransparentPng).equal(image));
  expect_values(decode_image(kGreyPng).select(0, 2), {3, 4}, values_of(image.select(0, 0)));
  expect_values(decode_image(kPalettePng).select(0, 1), {3, 4},
                {18, 18, 70, 70, 70, 133, 133, 133, 207, 207, 207, 207});
}

// libjpegs differ by one in places.
TEST(ImageFile, JpegIsPillows) {
  TAPER_NEEDS_IMAGES();
  const auto near = [](const Tensor& image, int64_t y, int64_t x, std::vector<double> expected) {
    const std::vector<double> got = pixel(image, y, x);
    for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(got[c], expected[c], 2) << y << ' ' << x;
  };
  const Tensor image = decode_image(kJpeg);
  EXPECT_EQ(image.sizes(), IntArrayRef({3, 9, 10}));
  near(image, 4, 5, {100, 100, 110});
  near(image, 0, 0, {3, 0, 2});
  near(image, 8, 9, {179, 198, 202});
  EXPECT_NEAR(image.to(kDouble).sum().item<double>(), 26311, 100);
  near(decode_image(kGreyJpeg), 4, 5, {100, 100, 100});
  near(decode_image(kCmykJpeg), 4, 5, {100, 100, 108});
}

TEST(ImageFile, DamageThrows) {
  TAPER_NEEDS_IMAGES();
  EXPECT_EQ(message_of([] { decode_image("GIF89a", "a.gif"); }),
            "a.gif: expected a PNG or JPEG image, got something else");
  EXPECT_NE(
      message_of([] { read_image("/nowhere/a.png"); }).find("/nowhere/a.png: cannot be opened"),
      std::string::npos);
  for (const std::string& file : {kPng, kGreyPng, kPalettePng, kJpeg, kGreyJpeg, kCmykJpeg}) {
    // Without its last bytes (the end marks) an image is still whole.
    for (size_t n = 0; n + 20 < file.size(); ++n)
      EXPECT_THROW(decode_image(file.substr(0, n)), Error) << n << " of " << file.size();
    Random random(3);
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = file;
      for (int k = 0; k < 3; ++k)
        damaged[random.bits() % file.size()] = static_cast<char>(random.bits());
      try {
        decode_image(damaged);
      } catch (const Error&) {
      }
    }
  }
  // A header that promises more pixels than there may be.
  std::string huge = kPng;
  huge.replace(16, 8, std::string("\x00\x0f\x00\x00\x00\x0f\x00\x00", 8));
  EXPECT_THROW(decode_image(huge), Error);
  // One, with its checksum, that promises more than the file's bytes can stand for.
  std::string bomb = kPng;
  bomb.replace(
      16, 17,
      std::string("\x00\x00\x32\xc8\x00\x00\x32\xc8\x08\x02\x00\x00\x00\x6d\xc0\x7f\x6f", 17));
  EXPECT_NE(message_of([&] { decode_image(bomb); }).find("which cannot hold them"),
            std::string::npos);
  // And one whose first chunk behind the header says to be longer than the file.
  std::string chunk = kPng;
  chunk.replace(33, 4, "\x44\x7c\x00\x12", 4);
  EXPECT_NE(message_of([&] { decode_image(chunk); }).find("a chunk of 1148977170 bytes where"),
            std::string::npos);
}

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(ImageFolder, ListsClassesAndFilesInOrder) {
  TAPER_NEEDS_IMAGES();
  const TemporaryFolder folder;
  const fs::path root = folder.path();
  write(root / "dog" / "b.PNG", kPng);
  write(root / "dog" / "a.jpeg", kJpeg);
  write(root / "dog" / "notes.txt", "no image");
  write(root / "cat" / "more" / "0.png", kGreyPng);
  write(root / "cat" / "z.jpg", kGreyJpeg);
  write(root / "readme.png", kPng);
  datasets::ImageFolder set(root.string());
  EXPECT_EQ(set.classes(), (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(*set.size(), 4u);
  std::vector<std::string> names;
  for (const auto& sample : set.samples())
    names.push_back(fs::path(sample.first).filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"z.jpg", "0.png", "a.jpeg", "b.PNG"}));
  expect_values(set.targets(), {4}, {0, 0, 1, 1});
  const Example<> example = set.get(3);
  EXPECT_EQ(example.data.scalar_type(), kFloat);
  EXPECT_FLOAT_EQ(example.data[0][2][3].item<float>(), 231 / 255.f);
  EXPECT_EQ(example.target.item<int64_t>(), 1);
  EXPECT_TRUE(set.raw(3).equal(decode_image(kPng)));
  EXPECT_THROW(set.get(4), IndexError);

  auto loader = make_data_loader<samplers::SequentialSampler>(
      set.map(transforms::Resize<>(6, 5)).map(transforms::Stack<>()),
      DataLoaderOptions().batch_size(4).workers(2));
  for (const auto& batch : *loader) {
    EXPECT_EQ(batch.data.sizes(), IntArrayRef({4, 3, 6, 5}));
    expect_values(batch.target, {4}, {0, 0, 1, 1});
  }
}

TEST(ImageFolder, Errors) {
  TAPER_NEEDS_IMAGES();
  const TemporaryFolder folder;
  const fs::path root = folder.path();
  EXPECT_EQ(message_of([&] { datasets::ImageFolder(root.string()); }),
            "Couldn't find any class folder in " + root.string() + ".");
  write(root / "cat" / "notes.txt", "");
  fs::create_directories(root / "dog");
  EXPECT_EQ(message_of([&] { datasets::ImageFolder(root.string()); }),
            "Found no valid file for the classes cat, dog. Supported extensions are: .jpg, .jpeg, "
            ".png");
  EXPECT_EQ(message_of([&] { datasets::ImageFolder((root / "none").string()); }),
            (root / "none").string() + ": expected a folder");
  write(root / "cat" / "a.png", kPng.substr(0, 60));
  write(root / "dog" / "a.png", kPng);
  datasets::ImageFolder set(root.string());
  EXPECT_NE(message_of([&] { set.get(0); }).find("a.png: cannot be decoded as PNG"),
            std::string::npos);
}

// Pillow's BILINEAR on images of 32-bit floats.
TEST(Resize, IsPillows) {
  const Tensor square = arange(35, kFloat).square();
  const Tensor x = (square - (square / 17).floor() * 17).view({1, 5, 7});
  const auto expect_near = [](const Tensor& y, const std::vector<double>& expected) {
    const std::vector<double> got = values_of(y);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5) << i;
  };
  const Tensor small = transforms::Resize<>(2, 3)(x);
  EXPECT_EQ(small.sizes(), IntArrayRef({1, 2, 3}));
  expect_near(small, {7.623376846313477, 8.032085418701172, 8.116883277893066, 8.116883277893066,
                      8.032085418701172, 7.623376846313477});
  expect_near(transforms::Resize<>(3, 7)(x), {6.4285712242126465,
                                              6.142857074737549,
                                              7.857142925262451,
                                              11.571428298950195,
                                              10,
                                              8,
                                              8,
                                              11.88888931274414,
                                              6.888888835906982,
                                              3.8888888359069824,
                                              6.666666507720947,
                                              3.8888888359069824,
                                              6.888888835906982,
                                              11.88888931274414,
                                              8,
                                              8,
                                              10,
                                              11.571428298950195,
                                              7.857142925262451,
                                              6.142857074737549,
                                              6.4285712242126465});
  const Tensor large = transforms::Resize<>(8, 10)(x).flatten();
  expect_near(large.narrow(0, 10, 4), {6.5625, 6.390625, 6.671875, 7.853125095367432});
  EXPECT_EQ(transforms::Resize<>(10)(x).sizes(), IntArrayRef({1, 10, 14}));
  EXPECT_EQ(transforms::Resize<>(3)(x.transpose(1, 2)).sizes(), IntArrayRef({1, 4, 3}));
  EXPECT_EQ(transforms::Resize<>(1, 1)(tensor({1, 2}, kByte).view({1, 1, 2})).scalar_type(), kByte);
  EXPECT_THROW(transforms::Resize<>(0), ValueError);
  EXPECT_THROW(transforms::Resize<>(3)(zeros({3, 0, 4})), ValueError);
}

// The places are those of torchvision's code after manual_seed(0).
TEST(RandomResizedCrop, DrawsTorchvisionsPlaces) {
  using Place = std::array<int64_t, 4>;
  const auto part = [](int64_t h, int64_t w, std::array<double, 2> scale = {0.08, 1}) {
    return transforms::detail::random_part(h, w, scale, {3.0 / 4, 4.0 / 3});
  };
  manual_seed(0);
  for (const Place& place :
       {Place{5, 14, 33, 39}, Place{3, 13, 28, 31}, Place{5, 16, 33, 36}, Place{22, 9, 17, 14}})
    EXPECT_EQ(part(40, 60), place);
  EXPECT_EQ(part(10, 100, {1, 1}), (Place{0, 43, 10, 13}));
  EXPECT_EQ(part(100, 10, {1, 1}), (Place{43, 0, 13, 10}));
  manual_seed(0);
  const Tensor x = arange(2400, kFloat).view({1, 40, 60});
  const Tensor y = transforms::RandomResizedCrop<>(8, 6)(x);
  EXPECT_TRUE(y.equal(transforms::Resize<>(8, 6)(x.narrow(1, 5, 33).narrow(2, 14, 39))));
  EXPECT_THROW(transforms::RandomResizedCrop<>(8, {0.5, 0.1}), ValueError);
}

}  // namespace
}  // namespace torch::taper::testing
