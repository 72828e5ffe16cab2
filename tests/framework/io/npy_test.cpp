// NumPy's files: those that NumPy wrote, and those written for it.
#include <taper/framework/io/tensor_files.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>
#include <taper/testing/gtest.h>

#include <algorithm>
#include <fstream>

#include "complex_util.h"
#include "framework/io/python_files.h"

namespace torch::taper {
namespace {

using namespace testing;

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
