// Safetensors files as dictionaries of tensors.
#include <algorithm>
#include <fstream>

#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/testing/gtest.h>

#include "complex_util.h"
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

// NumPy's files: those that NumPy wrote, and those written for it.

TEST(Npy, ReadsWhatNumpyWrote) {
  const std::vector<double> grid = {0, 1, 2, 3, 4, 5};
  const struct {
    const char* name;
    ScalarType dtype;
  } cases[] = {{"i8.npy", kLong},
               {"big.npy", kFloat},
               {"fortran.npy", kShort},
               {"v2.npy", kHalf},
               {"v3.npy", kHalf}};
  for (const auto& c : cases) {
    const Tensor t = load_npy(python_file(c.name));
    EXPECT_EQ(t.scalar_type(), c.dtype) << c.name;
    expect_values(t, {2, 3}, grid);
  }
  EXPECT_EQ(load_npy(python_file("fortran.npy")).strides().vec(), (std::vector<int64_t>{1, 2}));
  expect_values(load_npy(python_file("scalar.npy")), {}, {2.5});
  expect_values(load_npy(python_file("bools.npy")), {2}, {1, 0});
  expect_close(load_npy(python_file("complex.npy")), {0, 1}, 0);
}

TEST(Npy, NamesADtypeThatIsNotThere) {
  const auto refused = [](const char* name, const char* text) {
    expect_error<TypeError>(text, [&] { load_npy(python_file(name)); });
  };
  refused("struct.npy", "expected a dtype that Taper has, got a structure");
  const TemporaryFolder folder;
  expect_error<TypeError>("expected a dtype that NumPy has, got BFloat16",
                          [&] { save_npy(folder.path("a.npy"), ones({2}, kBFloat16)); });
  EXPECT_EQ(folder.size(), 0u);
}

TEST(Npy, UnsignedArraysOfTwoBytesAreRead) {
  const Tensor x = load_npy(python_file("unsigned.npy"));
  EXPECT_EQ(x.scalar_type(), kUInt16);
  EXPECT_TRUE(x.to(kLong).equal(zeros({2}, kLong)));
}

TEST(Npy, WhatIsWrittenComesBack) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npy");
  for (ScalarType dtype : {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble})
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{}, {0, 2}, {5}, {2, 3, 4}, {1, 1}}) {
      const Tensor t = counting(sizes, dtype);
      save_npy(path, t);
      const Tensor back = load_npy(path);
      EXPECT_EQ(back.scalar_type(), dtype);
      expect_values(back, sizes, values_of(t));
    }
  save_npy(path, counting({2, 3}).t());
  EXPECT_EQ(load_npy(path).strides().vec(), (std::vector<int64_t>{1, 3}));
  expect_values(load_npy(path), {3, 2}, {0, 3, 1, 4, 2, 5});
  save_npy(path, counting({4, 4}).slice(1, 1, 3));
  expect_values(load_npy(path), {4, 2}, {1, 2, 5, 6, 9, 10, 13, 14});
}

TEST(Npy, ComplexNumbers) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npy");
  for (ScalarType dtype : {kComplexFloat, kComplexDouble}) {
    const Tensor z = complex_values({1, 2, -3, 4.5}, dtype);
    save_npy(path, z);
    EXPECT_TENSOR_EQUAL(load_npy(path), z);
    const std::vector<char> file = bytes_of_file(path);
    const std::string bytes(file.begin(), file.end());
    const std::string name = dtype == kComplexFloat ? "c8" : "c16";
    const size_t at = bytes.find("'<" + name + "'");
    ASSERT_NE(at, std::string::npos);
    // The other byte order: each part is swapped, not the pair.
    std::string swapped = bytes;
    swapped[at + 1] = '>';
    const size_t part = z.itemsize() / 2;
    for (size_t p = bytes.size() - z.nbytes(); p < bytes.size(); p += part)
      std::reverse(swapped.begin() + p, swapped.begin() + p + part);
    std::ofstream(path, std::ios::binary) << swapped;
    EXPECT_TENSOR_EQUAL(load_npy(path), z);
  }
}

TEST(Npz, ReadsWhatNumpyWrote) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const StateDict dict = load_npz(python_file(name));
    EXPECT_EQ(dict.keys(), (std::vector<std::string>{"a", "b"}));
    expect_values(dict["a"], {2, 3}, {0, 1, 2, 3, 4, 5});
    EXPECT_EQ(dict["b"].sum().item<double>(), dict["b"].numel());
  }
}

TEST(Npz, WhatIsWrittenComesBack) {
  const TemporaryFolder folder;
  const StateDict dict{{"x", counting({3, 2})}, {"layer.weight", counting({50, 50})}};
  for (bool compressed : {false, true}) {
    const std::string path = folder.path(compressed ? "c.npz" : "s.npz");
    save_npz(path, dict, compressed);
    const StateDict back = load_npz(path);
    EXPECT_EQ(back.keys(), dict.keys());
    for (const auto& item : dict) EXPECT_TRUE(back[item.key()].equal(item.value()));
  }
  EXPECT_LT(bytes_of_file(folder.path("c.npz")).size(), bytes_of_file(folder.path("s.npz")).size());
}

/// What load_npy says to a file with this header and these bytes of data.
std::string refused(const std::string& header, size_t nbytes, int version = 1) {
  const TemporaryFolder folder;
  std::string file = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  file += static_cast<char>(header.size());
  file += static_cast<char>(header.size() >> 8);
  file += header + std::string(nbytes, '\0');
  write_bytes(folder.path("a.npy"), {file.begin(), file.end()});
  return message_of([&] { load_npy(folder.path("a.npy")); });
}

TEST(Npz, AnArrayMayHaveNoName) {
  const TemporaryFolder folder;
  StateDict dict;
  dict.insert("", counting({2}));
  dict.insert(".npy", counting({3}));
  save_npz(folder.path("a.npz"), dict);
  const StateDict back = load_npz(folder.path("a.npz"));
  EXPECT_EQ(back.keys(), dict.keys());
  EXPECT_TRUE(back[""].equal(dict[""]) && back[".npy"].equal(dict[".npy"]));
}

TEST(Npy, ChecksItsHeader) {
  const auto expect = [](const std::string& text, const std::string& header, size_t nbytes = 0) {
    EXPECT_NE(refused(header, nbytes).find(text), std::string::npos) << header << "\n"
                                                                     << refused(header, nbytes);
  };
  const std::string start = "{'descr': '<f4', 'fortran_order': False, ";
  expect("no error", start + "'shape': (2,)}", 8);
  expect("got 7 bytes", start + "'shape': (2,)}", 7);
  expect("got 9 bytes", start + "'shape': (2,)}", 9);
  expect("expected the values of shape", start + "'shape': (4294967296, 4294967296)}");
  // Its strides overflow, but are never used.
  expect("no error",
         "{'descr': '<f4', 'fortran_order': True, "
         "'shape': (0, 4611686018427387904, 4611686018427387904, 1)}");
  expect("more than 2^63", start + "'shape': (99999999999999999999,)}");
  expect("at most 12 dimensions", start + "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1)}", 4);
  expect("expected a size", start + "'shape': (-1,)}");
  expect("occurs twice", start + "'shape': (1,), 'shape': (1,)}", 4);
  expect("'order' is unknown", start + "'order': (1,)}", 4);
  expect("expected descr, fortran_order and shape", start + "}", 4);
  expect("something follows", start + "'shape': (1,)} x", 4);
  expect("expected '''", start + "'shape");
  expect("expected '{'", "");
}

}  // namespace
}  // namespace torch::taper
