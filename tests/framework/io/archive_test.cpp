#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <taper/framework/io/serialize.h>
#include <taper/framework/random/random.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using serialize::InputArchive;
using serialize::OutputArchive;
using ::testing::ElementsAre;
using testing::expect_error;
using ::testing::HasSubstr;
using testing::message_of;
using testing::to_array;

/// 1, 2, 3, ...
Tensor counting(const std::vector<int64_t>& sizes, ScalarType dtype = kFloat) {
  return testing::counting(sizes, dtype, 1);
}

void expect_equal(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.scalar_type(), b.scalar_type());
  EXPECT_EQ(a.sizes().vec(), b.sizes().vec());
  EXPECT_EQ(to_array(a.detach()).v, to_array(b.detach()).v);
}

/// With a folder for the files of one test.
class Archive : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  testing::TemporaryFolder folder_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A file of the format with the given header and data.
std::string file_of(const std::string& header, const std::string& data = "") {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

/// What is said about a damaged file; "no error" for a good one.
std::string complaint(const std::string& bytes) {
  InputArchive archive;
  return message_of([&] { archive.load_from(bytes.data(), bytes.size()); });
}

TEST_F(Archive, KeepsTensorsOfEveryDtypeAndShape) {
  for (ScalarType dtype :
       {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble})
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{}, {0}, {1}, {2, 3}, {4, 0, 2}, {33, 31}}) {
      const Tensor t = counting(sizes, dtype);
      save(t, path("t"));
      Tensor back;
      load(back, path("t"));
      expect_equal(back, t);
    }
}

TEST_F(Archive, KeepsEveryBitOfAFloat) {
  Tensor t = counting({4}, kDouble);
  auto* p = static_cast<double*>(t.data_ptr());
  p[0] = -0.0;
  p[1] = std::numeric_limits<double>::denorm_min();
  p[2] = std::numeric_limits<double>::infinity();
  p[3] = std::nan("");
  save(t, path("t"));
  Tensor back;
  load(back, path("t"));
  EXPECT_EQ(std::memcmp(back.data_ptr(), p, 32), 0);
}

TEST_F(Archive, WritesViewsAsTheyRead) {
  const Tensor t = counting({6}).as_strided({2, 2}, {1, 3}, 1);
  save(t, path("t"));
  Tensor back;
  load(back, path("t"));
  EXPECT_EQ(to_array(back).v, (std::vector<double>{2, 5, 3, 6}));
}

TEST_F(Archive, KeepsValuesOfEveryKind) {
  OutputArchive out;
  out.write("int", IValue(int64_t{-5000000000}));
  out.write("double", IValue(0.1));
  out.write("inf", IValue(-std::numeric_limits<double>::infinity()));
  out.write("nan", IValue(std::nan("")));
  out.write("bool", IValue(true));
  out.write("text", IValue("a \"text\"\n\xc3\xa4"));
  out.write("ints", IValue(std::vector<int64_t>{1, -2}));
  out.write("doubles", IValue(std::make_tuple(0.9, 0.999)));
  out.write("tensors", IValue(std::vector<Tensor>{counting({2}), counting({1}, kLong)}));
  out.write("none", IValue());
  out.write("undefined", Tensor());
  out.save_to(path("a"));
  InputArchive in;
  in.load_from(path("a"));
  IValue v;
  const auto get = [&](const char* key) -> const IValue& {
    in.read(key, v);
    return v;
  };
  EXPECT_EQ(get("int").toInt(), -5000000000);
  EXPECT_EQ(get("double").toDouble(), 0.1);
  EXPECT_EQ(get("inf").toDouble(), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(get("nan").toDouble()));
  EXPECT_TRUE(get("bool").toBool());
  EXPECT_EQ(get("text").toStringRef(), "a \"text\"\n\xc3\xa4");
  EXPECT_THAT(get("ints").toIntVector(), ElementsAre(1, -2));
  EXPECT_EQ((get("doubles").to<std::tuple<double, double>>()), std::make_tuple(0.9, 0.999));
  expect_equal(get("tensors").toTensorVector().at(1), counting({1}, kLong));
  EXPECT_TRUE(get("none").isNone());
  EXPECT_EQ(get("none").to<optional<int64_t>>(), nullopt);
  Tensor t = counting({1});
  EXPECT_TRUE(in.try_read("undefined", t));
  EXPECT_FALSE(t.defined());
  EXPECT_THROW(get("int").toDouble(), Error);
}

TEST_F(Archive, NestsAndListsKeysInOrder) {
  OutputArchive inner, empty, out;
  inner.write("w", counting({2}));
  inner.write("empty", empty);
  out.write("z", IValue(1));
  out.write("inner", inner);
  out.write("a.b", counting({3}));
  out.write("z", IValue(2));
  out.save_to(path("a"));
  InputArchive in, nested, none;
  in.load_from(path("a"));
  EXPECT_THAT(in.keys(), ElementsAre("z", "inner", "a.b"));
  in.read("inner", nested);
  EXPECT_THAT(nested.keys(), ElementsAre("w", "empty"));
  nested.read("empty", none);
  EXPECT_TRUE(none.keys().empty());
  IValue v;
  in.read("z", v);
  EXPECT_EQ(v.toInt(), 2);
  Tensor t;
  in.read("a.b", t);
  expect_equal(t, counting({3}));
}

TEST_F(Archive, NamesWhatIsMissing) {
  OutputArchive inner, out;
  inner.write("w", counting({2}));
  out.write("inner", inner);
  std::stringstream stream;
  out.save_to(stream);
  InputArchive in, nested;
  in.load_from(stream);
  Tensor t;
  IValue v;
  EXPECT_FALSE(in.try_read("w", t));
  EXPECT_FALSE(in.try_read("inner", t));
  EXPECT_FALSE(in.try_read("w", v));
  EXPECT_FALSE(in.try_read("w", nested));
  in.read("inner", nested);
  EXPECT_EQ(message_of([&] { nested.read("x", t); }), "No such serialized tensor 'inner.x'");
  EXPECT_EQ(message_of([&] { in.read("x", v); }), "No such serialized value 'x'");
  EXPECT_EQ(message_of([&] { in.read("x", nested); }), "No such serialized submodule: 'x'");
}

TEST_F(Archive, ReadsIntoATensorThatKeepsItsIdentity) {
  const Tensor saved = counting({2, 2}).requires_grad_();
  save(saved, path("t"));
  Tensor fresh;
  load(fresh, path("t"));
  EXPECT_TRUE(fresh.requires_grad());

  Tensor target = counting({3}, kDouble), same = target;
  load(target, path("t"));
  EXPECT_TRUE(target.is_same(same));
  EXPECT_EQ(target.scalar_type(), kDouble);
  EXPECT_FALSE(target.requires_grad());
  EXPECT_EQ(to_array(same).v, (std::vector<double>{1, 2, 3, 4}));

  Tensor whole = counting({3}, kLong);
  EXPECT_THROW(load(whole, path("t")), Error);
  expect_equal(whole, counting({3}, kLong));
}

TEST_F(Archive, AParameterMustHaveTheSizesOfTheFile) {
  OutputArchive out;
  out.write("w", counting({2, 3}));
  out.save_to(path("a"));
  InputArchive in;
  in.load_from(path("a"));
  Tensor w = counting({3, 2});
  EXPECT_EQ(message_of([&] { in.read_parameter("w", w); }),
            "load: 'w': expected a tensor of sizes [3, 2], got [2, 3]");
  expect_equal(w, counting({3, 2}));
  Tensor right = counting({2, 3}, kHalf).requires_grad_();
  in.read_parameter("w", right);
  EXPECT_EQ(right.scalar_type(), kHalf);
  EXPECT_TRUE(right.requires_grad() && right.is_leaf());
}

/// A pair of tensors, the second of which may be missing in a file.
struct Pair {
  Tensor a, b;
};
OutputArchive& operator<<(OutputArchive& archive, const Pair& p) {
  archive.write("a", p.a);
  if (p.b.defined()) archive.write("b", p.b);
  return archive;
}
InputArchive& operator>>(InputArchive& archive, Pair& p) {
  archive.read("a", p.a);
  archive.read("b", p.b);
  return archive;
}

TEST_F(Archive, AFailedLoadLeavesTheTargetAsItWas) {
  save(Pair{counting({5}), {}}, path("half"));
  Pair target{counting({2}).requires_grad_(), counting({1})};
  const void* memory = target.a.data_ptr();
  EXPECT_THROW(load(target, path("half")), Error);
  expect_equal(target.a, counting({2}));
  EXPECT_EQ(target.a.data_ptr(), memory);
  EXPECT_TRUE(target.a.requires_grad());
}

TEST_F(Archive, KeepsListsOfTensors) {
  save(std::vector<Tensor>{counting({2}), counting({3}, kLong)}, path("v"));
  std::vector<Tensor> list;
  load(list, path("v"));
  ASSERT_EQ(list.size(), 2u);
  expect_equal(list[1], counting({3}, kLong));
}

TEST_F(Archive, AListIsAppendedWholeOrNotAtAll) {
  std::vector<Tensor> list{counting({1})};
  OutputArchive other, empty;
  other.write("w", counting({2}));
  other.save_to(path("other"));
  EXPECT_EQ(message_of([&] { load(list, path("other")); }), "No such serialized tensor '0'");
  EXPECT_EQ(list.size(), 1u);
  empty.save_to(path("empty"));
  load(list, path("empty"));
  EXPECT_EQ(list.size(), 1u);
}

TEST_F(Archive, KeepsTheStateOfAGenerator) {
  const auto draw = [](const Generator& g) {
    return std::vector<Tensor>{randn({3}, g), rand({20}, g, kDouble), randperm(10, g)};
  };
  Generator g = detail::createCPUGenerator(3), other = detail::createCPUGenerator(4);
  randn({5}, g);  // normal numbers come in pairs: the second of a pair waits
  save(g, path("g"));
  OutputArchive out;
  out.write("place", g.get_state());
  out.save_to(path("archive"));
  const std::vector<Tensor> expected = draw(g);
  const auto expect_same = [&](const Generator& from) {
    const std::vector<Tensor> got = draw(from);
    for (size_t i = 0; i < got.size(); ++i) expect_equal(got[i], expected[i]);
  };
  load(other, path("g"));
  expect_same(other);
  InputArchive in;
  in.load_from(path("archive"));
  Tensor state;
  in.read("place", state);
  other.set_state(state);
  expect_same(other);
  Generator shared = default_generator();
  load(shared, path("g"));
  expect_same(default_generator());
}

TEST_F(Archive, AForeignFileLeavesAGeneratorAsItWas) {
  Generator g = detail::createCPUGenerator(3);
  const Tensor before = g.get_state();
  save(counting({5056}, kByte), path("tensor"));
  EXPECT_EQ(message_of([&] { load(g, path("tensor")); }), "No such serialized tensor 'state'");
  OutputArchive short_state, bad_words;
  short_state.write("state", before.slice(0, 0, 100));
  short_state.save_to(path("short"));
  EXPECT_THROW(load(g, path("short")), Error);
  Tensor damaged = before.clone();
  damaged.data_ptr<uint8_t>()[8] = 77;
  bad_words.write("state", damaged);
  bad_words.save_to(path("bad"));
  EXPECT_EQ(message_of([&] { load(g, path("bad")); }), "Invalid mt19937 state");
  EXPECT_TRUE(g.get_state().equal(before));
  EXPECT_THROW(save(Generator(), path("empty")), Error);
}

TEST_F(Archive, WorksWithStreamsMemoryAndFunctions) {
  const Tensor t = counting({1000});
  std::string bytes;
  save(t, [&](const void* data, size_t n) {
    bytes.append(static_cast<const char*>(data), n);
    return n;
  });
  std::stringstream stream;
  stream << "before";
  save(t, stream);
  EXPECT_EQ(stream.str(), "before" + bytes);
  stream.seekg(6);
  Tensor a, b, c;
  load(a, stream);
  load(b, bytes.data(), bytes.size());
  load(
      c,
      [&](uint64_t at, void* to, size_t n) {
        std::memcpy(to, bytes.data() + at, n);
        return n;
      },
      [&] { return bytes.size(); });
  expect_equal(a, t);
  expect_equal(b, t);
  expect_equal(c, t);
}

TEST_F(Archive, AFailingStreamIsAnError) {
  std::ofstream full("/dev/full", std::ios::binary);
  EXPECT_THROW(save(counting({100000}), full), Error);
  std::stringstream stream("x");
  stream.setstate(std::ios::failbit);
  Tensor t;
  EXPECT_THROW(load(t, stream), Error);
  EXPECT_THROW(save(counting({1}), [](const void*, size_t n) { return n / 2; }), Error);
}

// ---------------------------------------------------------------------- damaged files

TEST_F(Archive, EveryCutAndEveryFlippedBitIsAnError) {
  OutputArchive out;
  out.write("w", counting({3}));
  out.write("n", IValue(7));
  std::stringstream stream;
  out.save_to(stream);
  const std::string good = stream.str();
  EXPECT_EQ(complaint(good), "no error");
  for (size_t n = 0; n < good.size(); ++n) EXPECT_NE(complaint(good.substr(0, n)), "no error") << n;
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      EXPECT_NE(complaint(bad), "no error") << "byte " << i << " bit " << bit;
    }
  EXPECT_THAT(complaint(good + "x"), HasSubstr("something follows them"));
}

TEST_F(Archive, ReadsFilesOfOtherPrograms) {
  const std::string data("\0\0\x80?\0\0\0@\x07\0\0\0\0\0\0\0", 16);
  const std::string bytes = file_of(
      R"({"x":{"dtype":"I64","shape":[],"data_offsets":[8,16]},"__metadata__":{"format":"pt"},)"
      R"("l.w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   )",
      data);
  InputArchive in, nested;
  in.load_from(bytes.data(), bytes.size());
  EXPECT_THAT(in.keys(), ElementsAre("x", "l"));
  Tensor x, w;
  in.read("x", x);
  in.read("l", nested);
  nested.read("w", w);
  EXPECT_EQ(to_array(x).v, (std::vector<double>{7}));
  EXPECT_EQ(to_array(w).v, (std::vector<double>{1, 2}));
}

TEST_F(Archive, RejectsHeadersThatLie) {
  const auto tensor = [](const char* fields) {
    return file_of(std::string(R"({"x":{)") + fields + "}}", std::string(8, '\0'));
  };
  const std::pair<std::string, const char*> bad[] = {
      {"", "empty or cut"},
      {"1234567", "empty or cut"},
      {std::string("PK\x03\x04") + std::string(40, 'x'), "zip archive"},
      {std::string(64, 'a'), "something else"},
      {file_of("{}").substr(0, 9), "is cut"},
      {file_of("[]"), "no JSON object"},
      {file_of("{\"x\""), "damaged header"},
      {file_of("{}", "x"), "something follows"},
      {file_of(R"({"__metadata__":3})"), "__metadata__"},
      {file_of(R"({"__metadata__":{"a":3}})"), "expected a text"},
      {file_of(R"({"__metadata__":{"taper.entries":"[]"}})"), "checksum"},
      {file_of(R"({"x":1})"), "expected dtype, shape and data_offsets"},
      {tensor(R"("dtype":"F32","shape":[2])"), "data_offsets"},
      {tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1)"), "expected dtype"},
      {tensor(R"("dtype":"F99","shape":[2],"data_offsets":[0,8])"), "expected a dtype"},
      {tensor(R"("dtype":3,"shape":[2],"data_offsets":[0,8])"), "expected a dtype"},
      {tensor(R"("dtype":"F32","shape":2,"data_offsets":[0,8])"), "expected a shape"},
      {tensor(R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])"), "expected a number"},
      {tensor(R"("dtype":"F32","shape":[2.0],"data_offsets":[0,8])"), "expected a number"},
      {tensor(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), "expected the F32 values"},
      {tensor(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])"), "is cut"},
      {tensor(R"("dtype":"F32","shape":[4],"data_offsets":[0,16])"), "is cut"},
      {tensor(R"("dtype":"U8","shape":[7],"data_offsets":[1,8])"), "expected the bytes"},
      {tensor(R"("dtype":"U8","shape":[7],"data_offsets":[0,7])"), "something follows"},
      {tensor(R"("dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0])"),
       "expected the F32 values"},
      {tensor(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,4])"),
       "expected a shape"},
      {tensor(R"("dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8])"), "twice"},
      {file_of(R"({"x":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\x02"), "bools"},
      {file_of(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
               R"("y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
               "abc"),
       "expected the bytes of 'y' at 2"},
  };
  for (const auto& [bytes, text] : bad) EXPECT_THAT(complaint(bytes), HasSubstr(text));
}

TEST_F(Archive, RejectsAHeaderThatAsksForMoreMemoryThanTheFileHas) {
  std::string bytes(8, '\0');
  bytes[4] = 1;  // 4 GiB
  EXPECT_THAT(complaint(bytes + "{}"), HasSubstr("something else"));
}

// ---------------------------------------------------------------------- files

TEST_F(Archive, ErrorsNameTheFile) {
  Tensor t;
  EXPECT_EQ(message_of([&] { load(t, path("none")); }),
            "load: cannot open '" + path("none") + "': No such file or directory");
  write_bytes(path("bad"), "nothing of the kind");
  expect_error("load: '" + path("bad") + "': expected a safetensors file",
               [&] { load(t, path("bad")); });
  EXPECT_THROW(load(t, folder_.path()), Error);
}

TEST_F(Archive, AFailedSaveLeavesTheOldFileAndNoOther) {
  save(counting({3}), path("t"));
  const std::string before = bytes_of(path("t"));
  OutputArchive out;
  out.write("bad \xff name", counting({1}));
  EXPECT_THROW(out.save_to(path("t")), Error);
  EXPECT_EQ(bytes_of(path("t")), before);
  EXPECT_EQ(folder_.size(), 1u);
  EXPECT_THROW(save(counting({3}), path("no/such/directory")), Error);
  EXPECT_THROW(save(counting({3}), folder_.path()), Error);
  EXPECT_THROW(save(counting({3}), "/dev/full"), Error);
}

TEST_F(Archive, SaveKeepsLinksAndModes) {
  save(counting({3}), path("t"));
  ::chmod(path("t").c_str(), 0640);
  std::filesystem::create_symlink(path("t"), path("link"));
  save(counting({4}), path("link"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  struct stat info;
  ::stat(path("t").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  Tensor t;
  load(t, path("t"));
  EXPECT_EQ(t.numel(), 4);
  EXPECT_EQ(folder_.size(), 2u);
}

TEST_F(Archive, ALinksTargetNeedNotExist) {
  std::filesystem::create_symlink("t", path("link"));
  std::filesystem::create_symlink("link", path("far"));
  save(counting({4}), path("far"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("far")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  Tensor t;
  load(t, path("t"));
  EXPECT_EQ(t.numel(), 4);
  std::filesystem::create_symlink("loop", path("loop"));
  EXPECT_THROW(save(counting({4}), path("loop")), Error);
  EXPECT_TRUE(std::filesystem::is_symlink(path("loop")));
}

TEST_F(Archive, TheHeaderIsPaddedToEightBytes) {
  save(counting({3}, kByte), path("t"));
  const std::string bytes = bytes_of(path("t"));
  EXPECT_EQ((bytes.size() - 3) % 8, 0u);
}

}  // namespace
}  // namespace torch::taper
