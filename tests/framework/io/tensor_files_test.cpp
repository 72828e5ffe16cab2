// Safetensors files as dictionaries of tensors.
#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/ops/tensor/factory.h>

#include "framework/io/python_files.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace testing;

/// Writes a file with this header, padded to `padded` bytes, and `nbytes` bytes of data: 0, 1, ...
void write_raw(const std::string& path, std::string header, size_t nbytes, size_t padded = 0) {
  header.append(header.size() < padded ? padded - header.size() : 0, ' ');
  std::vector<char> file(8);
  for (size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(uint64_t{header.size()} >> (8 * i));
  file.insert(file.end(), header.begin(), header.end());
  for (size_t i = 0; i < nbytes; ++i) file.push_back(static_cast<char>(i));
  write_bytes(path, file);
}

TEST(Safetensors, WhatIsWrittenComesBackWithItsMetadata) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.safetensors");
  const StateDict dict{{"b.weight", counting({2, 3}, kHalf)},
                       {"a", counting({0, 4})},
                       {"n", counting({}, kLong, 5)},
                       {"mask", counting({3}, kBool)}};
  save_safetensors(path, dict, {{"format", "pt"}, {"epoch", "3"}});
  FileMetadata metadata;
  const StateDict back = load_safetensors(path, &metadata);
  EXPECT_EQ(back.keys(), dict.keys());
  for (const auto& item : dict) {
    EXPECT_EQ(back[item.key()].scalar_type(), item->scalar_type());
    expect_values(back[item.key()], item->sizes().vec(), values_of(item.value()));
  }
  EXPECT_EQ(metadata.keys(), (std::vector<std::string>{"format", "epoch"}));
  EXPECT_EQ(metadata["epoch"], "3");
  EXPECT_EQ(load_state_dict(path).keys(), dict.keys());
}

TEST(Safetensors, AMappedTensorIsAPrivateCopy) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.safetensors");
  save_safetensors(path, {{"x", counting({1000})}});
  const std::vector<char> before = bytes_of_file(path);
  {
    const Tensor x = load_safetensors(path)["x"];
    x.fill_(7);
    EXPECT_EQ(x.sum().item<double>(), 7000);
  }
  EXPECT_EQ(bytes_of_file(path), before);
}

// A copy of it would overflow the stack.
TEST(Safetensors, AHeaderOfDeeplyNestedListsIsRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.safetensors");
  const std::string nested = std::string(200000, '[') + std::string(200000, ']');
  write_raw(path, R"({"x":{"dtype":"F32","shape":[)" + nested + R"(],"data_offsets":[0,0]}})", 0);
  expect_error("nested at most 16 deep", [&] { load_safetensors(path); });
  write_raw(path, R"({"x":{"dtype":)" + nested + R"(,"shape":[],"data_offsets":[0,0]}})", 0);
  expect_error("nested at most 16 deep", [&] { load_safetensors(path); });
}

TEST(Safetensors, TensorsThatAreNotAlignedAreCopied) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.safetensors");
  write_raw(path, R"({"x":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}})", 4, 59);
  const Tensor x = load_safetensors(path)["x"];
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x.data_ptr()) % 2, 0u);
  expect_values(x, {2}, {0x100, 0x302});
}

TEST(Safetensors, EveryRuleOfTheFormatIsChecked) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.safetensors");
  const auto refused = [&](const std::string& text, const std::string& header, size_t nbytes) {
    write_raw(path, header, nbytes);
    expect_error(text, [&] { load_safetensors(path); });
  };
  const auto entry = [](const std::string& name, const std::string& dtype, const std::string& shape,
                        const std::string& offsets) {
    return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":[)" + shape +
           R"(],"data_offsets":[)" + offsets + "]}";
  };
  const std::string a = entry("a", "U8", "4", "0,4");
  refused("occurs twice", "{" + a + "," + a + "}", 4);
  refused("expected the bytes of 'b' at 4, got 2",
          "{" + a + "," + entry("b", "U8", "4", "2,6") + "}", 6);
  refused("expected the bytes of 'b' at 4, got 5",
          "{" + a + "," + entry("b", "U8", "1", "5,6") + "}", 6);
  refused("something follows", "{" + a + "}", 5);
  refused("is cut", "{" + a + "}", 3);
  refused("got 4 bytes", "{" + entry("a", "F32", "4", "0,4") + "}", 4);
  refused("got 0 bytes", "{" + entry("a", "F32", "4611686018427387904,4", "0,0") + "}", 0);
  refused("got -1", "{" + entry("a", "U8", "-1", "0,4") + "}", 4);
  refused("got \"F6_E2M3\"", "{" + entry("a", "F6_E2M3", "4", "0,3") + "}", 3);
  refused("at most 12 sizes", "{" + entry("a", "U8", "1,1,1,1,1,1,1,1,1,1,1,1,4", "0,4") + "}", 4);
  refused("is cut", "{" + entry("a", "U8", "4", "8,4") + "}", 4);
  refused("expected a text as __metadata__ 'k'", R"({"__metadata__":{"k":1},)" + a + "}", 4);
  refused("no JSON object", "[" + a + "]", 4);
  refused("damaged header", "{" + a, 4);
  write_bytes(path, std::vector<char>(8, '\x7f'));
  expect_error("got something else", [&] { load_safetensors(path); });
  write_bytes(path, {});
  expect_error("got 0 bytes", [&] { load_safetensors(path); });
}

TEST(Safetensors, NamesOfItsOwnMetadataAreRefused) {
  const TemporaryFolder folder;
  expect_error("do not begin with 'taper.'", [&] {
    save_safetensors(folder.path("a"), {{"x", counting({1})}}, {{"taper.entries", "[]"}});
  });
  expect_error("undefined one as 'x'", [&] {
    save_safetensors(folder.path("a"), {{"x", Tensor()}});
  });
  expect_error<TypeError>("save its parts, view_as_real(tensor), or the whole with torch::save",
                          [&] {
                            save_safetensors(folder.path("a"), {{"x", zeros({1}, kComplexDouble)}});
                          });
  EXPECT_EQ(folder.size(), 0u);
}

}  // namespace
}  // namespace torch::taper
