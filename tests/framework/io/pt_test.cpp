// Files that Python's torch.save wrote, and files written for Python.
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include <taper/framework/io/ivalue.h>
#include <taper/framework/io/pickle.h>
#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/io/zip.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

#include "complex_util.h"
#include "framework/io/python_files.h"
#include "script_archive.h"

namespace torch::taper {
namespace {

using namespace testing;

GenericDict values_of_file(const char* name) { return load_pt(python_file(name)).toGenericDict(); }

class PythonValues : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Pt, PythonValues, ::testing::Values("values.pt", "values4.pt"));

TEST_P(PythonValues, ViewsShareMemoryAndKeepStrides) {
  const GenericDict dict = values_of_file(GetParam());
  const Tensor whole = dict.at("whole").toTensor(), row = dict.at("row").toTensor();
  expect_values(whole, {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_values(row, {4}, {4, 5, 6, 7});
  const Tensor transposed = dict.at("transposed").toTensor();
  EXPECT_EQ(transposed.strides().vec(), (std::vector<int64_t>{1, 4}));
  EXPECT_TRUE(transposed.storage().is_alias_of(whole.storage()));
  whole[1][0].fill_(-1);
  EXPECT_EQ(values_of(row), (std::vector<double>{-1, 5, 6, 7}));
  const Tensor expanded = dict.at("expanded").toTensor();
  expect_values(expanded, {5}, {1, 1, 1, 1, 1});
  EXPECT_EQ(expanded.strides().vec(), std::vector<int64_t>{0});
}

TEST_P(PythonValues, EveryDtypeAndShape) {
  const GenericDict dict = values_of_file(GetParam());
  const GenericList list = dict.at("dtypes").toList();
  const ScalarType dtypes[] = {kBool, kByte, kChar,     kShort, kInt,
                               kLong, kHalf, kBFloat16, kFloat, kDouble};
  ASSERT_EQ(list.size(), 10u);
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].toTensor().scalar_type(), dtypes[i]);
    expect_values(list[i].toTensor(), {3}, {0, 1, i == 0 ? 1.0 : 2.0});
  }
  expect_values(dict.at("scalar").toTensor(), {}, {7});
  expect_values(dict.at("empty").toTensor(), {0, 3}, {});
  const Tensor parameter = dict.at("parameter").toTensor();
  EXPECT_TRUE(parameter.requires_grad());
  EXPECT_TRUE(parameter.is_leaf());
  expect_values(parameter, {2}, {1, -2});
}

TEST_P(PythonValues, PlainValues) {
  const GenericDict dict = values_of_file(GetParam());
  const auto plain = dict.at("plain").toTuple();
  const std::vector<IValue>& v = plain->elements();
  ASSERT_EQ(v.size(), 13u);
  EXPECT_TRUE(v[0].isNone());
  EXPECT_TRUE(v[1].toBool());
  EXPECT_FALSE(v[2].toBool());
  const int64_t numbers[] = {0, 255, 65535, -1, int64_t{1} << 31, -(int64_t{1} << 40)};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(v[3 + i].toInt(), numbers[i]);
  EXPECT_EQ(v[9].toDouble(), 1.5);
  EXPECT_EQ(v[10].toStringRef(), "text \u00e9");
  EXPECT_TRUE(v[11].toListRef().empty());
  EXPECT_TRUE(v[12].toGenericDict().empty());
  const IValue second = dict.at("nested").toGenericDict().at(1).toListRef()[1];
  EXPECT_EQ(second.toTupleRef().elements()[0].toDouble(), 3.25);
  expect_values(second.toTupleRef().elements()[1].toGenericDict().at("deep").toTensor(), {1}, {9});
  const GenericList kinds = dict.at("kinds").toList();
  EXPECT_EQ(kinds[0].toStringRef(), "torch.float16");
  EXPECT_EQ(kinds[1].toTupleRef().elements()[1].toInt(), 3);
}

TEST(Pt, AStateDictKeepsItsOrder) {
  const StateDict dict = load_state_dict(python_file("state_dict.pt"));
  const std::vector<std::string> names = {"body.0.weight",
                                          "body.0.bias",
                                          "body.1.weight",
                                          "body.1.bias",
                                          "body.1.running_mean",
                                          "body.1.running_var",
                                          "body.1.num_batches_tracked",
                                          "head.weight"};
  EXPECT_EQ(dict.keys(), names);
  EXPECT_EQ(dict["body.0.weight"].sizes().vec(), (std::vector<int64_t>{3, 2}));
  EXPECT_NEAR(dict["body.0.weight"][0][0].item<double>(), -0.00529, 1e-5);
  EXPECT_EQ(dict["body.1.num_batches_tracked"].item<int64_t>(), 1);
}

TEST(Pt, SaysWhatAFileIsInstead) {
  expect_error("got an object of torch.nn.modules.container.Sequential",
               [] { load_pt(python_file("module.pt")); });
  expect_error("got a TorchScript module", [] { load_pt(python_file("script.pt")); });
  expect_error("got an older one", [] { load_pt(python_file("legacy.pt")); });
  expect_error("got an older one", [] { load_state_dict(python_file("legacy.pt")); });
  expect_error("expected a zip archive", [] { load_pt(python_file("i8.npy")); });
  expect_error("a zip archive without data.pkl", [] { load_pt(python_file("stored.npz")); });
  expect_error("No such file", [] { load_pt(python_file("missing.pt")); });
  expect_error("expected a dictionary of tensors, got a Tensor",
               [] { load_state_dict(python_file("tensor.pt")); });
  expect_error("'dtypes': expected a tensor, got a GenericList", [] {
    const GenericDict all = load_pt(python_file("values.pt")).toGenericDict();
    GenericDict some;
    some.insert("dtypes", all.at("dtypes"));
    to_state_dict(some);
  });
  Tensor t;
  expect_error("read it with module->load_state_dict(load_state_dict(path))",
               [&] { load(t, python_file("tensor.pt")); });
}

// ---------------------------------------------------------------------- writing
TEST(Pt, WhatIsWrittenComesBack) {
  const Tensor x = counting({3, 4});
  GenericDict dict;
  dict.insert("whole", x);
  dict.insert("column", x.select(1, 2));
  dict.insert(3, GenericList({IValue(1.5), IValue(), IValue(true), IValue("word")}));
  dict.insert("pair", ivalue::Tuple::create({IValue(int64_t{1} << 40), IValue(-3)}));
  dict.insert("grad", ones({2}).set_requires_grad(true));
  const GenericDict back = pickle_load(pickle_save(dict)).toGenericDict();
  ASSERT_EQ(back.size(), 5u);
  EXPECT_EQ(back.begin()->key().toStringRef(), "whole");
  const Tensor column = back.at("column").toTensor();
  expect_values(column, {3}, {2, 6, 10});
  EXPECT_TRUE(column.storage().is_alias_of(back.at("whole").toTensor().storage()));
  EXPECT_EQ(column.strides().vec(), std::vector<int64_t>{4});
  EXPECT_EQ(back.at(3).toListRef()[3].toStringRef(), "word");
  EXPECT_EQ(back.at("pair").toTupleRef().elements()[0].toInt(), int64_t{1} << 40);
  EXPECT_TRUE(back.at("grad").toTensor().requires_grad());
}

// Python cannot share a storage between two dtypes, so the second one gets a copy of its elements.
TEST(Pt, ViewsOfASecondDtypeAreCopies) {
  const Tensor x = counting({3, 4}, kInt), y = x.view(kFloat), column = y.t()[1];
  const GenericList list({IValue(x), IValue(column), IValue(y.t()), IValue(x.view(kShort)[2])});
  const GenericList back = pickle_load(pickle_save(list)).toList();
  for (size_t i = 0; i < list.size(); ++i) {
    const Tensor want = list[i].toTensor(), got = back[i].toTensor();
    EXPECT_EQ(got.scalar_type(), want.scalar_type()) << i;
    EXPECT_TRUE(got.equal(want)) << i;
  }
  EXPECT_FALSE(back[1].toTensor().storage().is_alias_of(back[0].toTensor().storage()));
  EXPECT_EQ(back[1].toTensor().storage().nbytes(), 12u);
}

TEST(Pt, ListsKeepTheTypeOfTheirElements) {
  EXPECT_TRUE(pickle_load(pickle_save(std::vector<Tensor>{ones({2})})).isTensorList());
  EXPECT_TRUE(pickle_load(pickle_save(std::vector<int64_t>{})).isIntList());
  EXPECT_TRUE(pickle_load(pickle_save(std::vector<double>{0.5})).isDoubleList());
}

TEST(Pt, ListsInThemselvesAndUndefinedTensorsAreRefused) {
  const GenericList list;
  list.push_back(list);
  expect_error("or a list in itself", [&] { pickle_save(list); });
  list.pointer()->clear();
  expect_error("got an undefined one", [] { pickle_save(Tensor()); });
}

TEST(Pt, AFailedSaveLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.pt");
  save_pt(path, IValue(counting({2})));
  EXPECT_THROW(save_pt(path, GenericList({IValue(counting({3})), IValue(Tensor())})), Error);
  expect_values(load_pt(path).toTensor(), {2}, {0, 1});
  EXPECT_EQ(folder.size(), 1u);
}

/// A pickle of two complex numbers, 1 + 2i and 3 - i, with PyTorch 2's metadata.
Tensor unpickled_with(const std::string& metadata) {
  const std::string code = std::string("\x80\x02", 2) +
                           "ctorch._utils\n_rebuild_tensor_v2\n"
                           "((U\x07storagectorch\nComplexFloatStorage\nU\x01"
                           "0U\x03"
                           "cpuK\x02tQ" +
                           std::string("K\0K\x02\x85K\x01\x85", 8) + "\x89" +
                           "ccollections\nOrderedDict\n)R" + metadata + "tR.";
  const auto storage = [](const std::string&, ScalarType, int64_t) {
    return complex_values({1, 2, 3, -1}, kComplexFloat);
  };
  return serialize::detail::unpickle(serialize::detail::bytes_of(code.data(), code.size()), storage,
                                     "a test")
      .toTensor();
}

TEST(Pt, LazilyConjugatedTensors) {
  expect_close(unpickled_with(""), {1, 2, 3, -1});
  expect_close(unpickled_with("}U\x04"
                              "conj\x88s"),
               {1, -2, 3, 1});
  expect_close(unpickled_with("}U\x04"
                              "conj\x89s"),
               {1, 2, 3, -1});
  expect_close(unpickled_with("}(U\x04"
                              "conj\x88U\x03neg\x88u"),
               {-1, 2, -3, -1});
}

/// A file of one tensor of eight bytes with some records changed.
std::vector<char> archive(const std::string& order, const std::string& record,
                          const std::string& prefix = "any", const Tensor& t = counting({2})) {
  using namespace serialize::detail;
  const std::vector<char> good = pickle_save(t);
  const ZipReader from(bytes_of(good.data(), good.size()), "a test");
  std::vector<char> out;
  ZipWriter to(
      [&](const void* p, size_t n) {
        out.insert(out.end(), static_cast<const char*>(p), static_cast<const char*>(p) + n);
        return n;
      },
      "a test");
  for (const ZipEntry& e : from.entries()) {
    std::string bytes = from.read(e);
    if (e.name == "archive/byteorder") bytes = order;
    if (e.name == "archive/data/0") bytes = record;
    to.add(prefix + e.name.substr(7), bytes.data(), bytes.size(), e.name == "archive/data.pkl");
  }
  to.finish();
  return out;
}

uint64_t number_at(const std::vector<char>& file, size_t at, size_t nbytes) {
  uint64_t n = 0;
  for (size_t i = nbytes; i-- > 0;) n = n << 8 | static_cast<unsigned char>(file[at + i]);
  return n;
}
void put_number(std::vector<char>& file, size_t at, uint64_t n, size_t nbytes) {
  for (size_t i = 0; i < nbytes; ++i) file[at + i] = static_cast<char>(n >> 8 * i);
}

/// The archive with some sizes of each entry of its directory moved into the 64-bit extra field, in
/// the format's order: bit 0 the size, 1 the compressed size, 2 the position.
std::vector<char> with_64_bits(const std::vector<char>& file, unsigned moved) {
  constexpr size_t kEnd = 22, kEntry = 46, kPlaces[] = {24, 20, 42};
  const size_t end = file.size() - kEnd;
  size_t at = number_at(file, end + 16, 4);
  std::vector<char> out(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(at));
  const size_t begin = at;
  while (at < end) {
    const size_t name = number_at(file, at + 28, 2), extra = number_at(file, at + 30, 2);
    std::vector<char> head(file.begin() + static_cast<std::ptrdiff_t>(at),
                           file.begin() + static_cast<std::ptrdiff_t>(at + kEntry + name));
    std::vector<char> field = {7, 0, 0, 0, 1, 0, 0, 0};  // one of another kind comes first
    for (unsigned bit = 0; bit < 3; ++bit) {
      if (!(moved >> bit & 1)) continue;
      field.resize(field.size() + 8);
      put_number(field, field.size() - 8, number_at(head, kPlaces[bit], 4), 8);
      put_number(head, kPlaces[bit], 0xffffffff, 4);
    }
    put_number(field, 6, field.size() - 8, 2);
    put_number(head, 30, field.size(), 2);
    out.insert(out.end(), head.begin(), head.end());
    out.insert(out.end(), field.begin(), field.end());
    at += kEntry + name + extra;
  }
  const size_t nbytes = out.size() - begin;
  out.insert(out.end(), file.begin() + static_cast<std::ptrdiff_t>(end), file.end());
  put_number(out, out.size() - kEnd + 12, nbytes, 4);
  return out;
}

TEST(Pt, AnySizesMayHave64Bits) {
  const std::vector<char> file = pickle_save(counting({2, 3}));
  for (unsigned moved = 0; moved < 8; ++moved)
    expect_values(pickle_load(with_64_bits(file, moved)).toTensor(), {2, 3}, {0, 1, 2, 3, 4, 5});
  std::vector<char> cut = with_64_bits(file, 7);
  const size_t first = number_at(cut, cut.size() - 6, 4);
  put_number(cut, first + 46 + number_at(cut, first + 28, 2) + 6, 16, 2);  // two of three sizes
  expect_error("damaged", [&] { pickle_load(cut); });
}

TEST(Pt, BothByteOrders) {
  const std::string little("\0\0\0\0\0\0\x80\x3f", 8), big("\0\0\0\0\x3f\x80\0\0", 8);
  expect_values(pickle_load(archive("little", little)).toTensor(), {2}, {0, 1});
  expect_values(pickle_load(archive("big", big)).toTensor(), {2}, {0, 1});
  // The parts of a complex number are swapped, not the pair.
  const Tensor one = complex_values({0, 0}, kComplexFloat);
  expect_close(pickle_load(archive("little", little, "any", one)).toTensor(), {0, 1});
  expect_close(pickle_load(archive("big", big, "any", one)).toTensor(), {0, 1});
  expect_error("byte order 'little' or 'big'", [&] { pickle_load(archive("odd", big)); });
  expect_error("expected 2 elements of", [&] { pickle_load(archive("big", big.substr(1))); });
}

TEST(Pt, ChecksumsAreCompared) {
  std::vector<char> bytes = pickle_save(full({100}, 3.0));
  const std::string three("\0\0\x40\x40", 4);
  const auto at = std::search(bytes.begin(), bytes.end(), three.begin(), three.end());
  ASSERT_NE(at, bytes.end());
  ++*at;
  expect_error("its checksum is not that of its bytes", [&] { pickle_load(bytes); });
}

// ---------------------------------------------------------------------- files of LibTorch
serialize::InputArchive opened(const std::string& bytes) {
  serialize::InputArchive archive;
  archive.load_from(bytes.data(), bytes.size());
  return archive;
}

TEST(Script, TensorsAndListsOfLibTorch) {
  std::vector<Tensor> storages;
  ScriptModule module(storages);
  module.write("0", full({2, 3}, 2.0)).write("1", ones({2}, kLong));
  const std::string bytes = script_archive(module, storages);
  Tensor first;
  load(first, bytes.data(), bytes.size());
  expect_values(first, {2, 3}, {2, 2, 2, 2, 2, 2});
  std::vector<Tensor> list;
  std::istringstream stream(bytes);
  load(list, stream);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[1].scalar_type(), kLong);
  EXPECT_FALSE(list[0].requires_grad());
}

TEST(Script, ArchivesOfLibTorch) {
  std::vector<Tensor> storages;
  ScriptModule module(storages), nested(storages), empty(storages);
  nested.write("y", ones({1}));
  module.write("i", int64_t{7}).write("d", 2.5).write("b", true).write("s", std::string("text"));
  module.write("nested", nested).write("empty", empty);
  serialize::InputArchive archive = opened(script_archive(module, storages)), inner, none;
  EXPECT_EQ(archive.keys(), (std::vector<std::string>{"i", "d", "b", "s", "nested", "empty"}));
  IValue v;
  archive.read("i", v);
  EXPECT_EQ(v.toInt(), 7);
  archive.read("d", v);
  EXPECT_EQ(v.toDouble(), 2.5);
  archive.read("b", v);
  EXPECT_TRUE(v.toBool());
  archive.read("s", v);
  EXPECT_EQ(v.toStringRef(), "text");
  archive.read("nested", inner);
  Tensor y;
  inner.read("y", y);
  expect_values(y, {1}, {1});
  archive.read("empty", none);
  EXPECT_TRUE(none.keys().empty());
}

TEST(Script, ModulesOfTorchJitSave) {
  const StateDict dict = load_state_dict(python_file("script.pt"));
  EXPECT_EQ(dict.keys(), (std::vector<std::string>{"weight", "bias"}));
  serialize::InputArchive archive;
  archive.load_from(python_file("script.pt"));
  Tensor weight;
  archive.read("weight", weight);
  EXPECT_TRUE(weight.equal(dict["weight"]) && weight.requires_grad());
}

TEST(Script, SaysWhatIsWrong) {
  serialize::InputArchive archive;
  expect_error("expected a file of torch::save, got one of Python's torch.save; read it with",
               [&] { archive.load_from(python_file("state_dict.pt")); });
  expect_error("a zip archive without data.pkl",
               [&] { archive.load_from(python_file("stored.npz")); });
  std::vector<Tensor> storages;
  ScriptModule module(storages);
  module.write("0", ones({4}));
  const std::string bytes = script_archive(module, storages);
  for (size_t n : {size_t{3}, size_t{4}, bytes.size() / 2, bytes.size() - 1})
    expect_error("load: the data: ", [&] { opened(bytes.substr(0, n)); });
}

// A module that two hold, which two hold, and so on, would be 2^40 names.
TEST(Script, ASmallFileDoesNotBecomeALargeValue) {
  std::string code = "c__torch__\nModule\n)\x81";
  for (char i = 0; i < 40; ++i) {
    const std::string held = std::string("h") + i;
    code += std::string("q") + i + "0c__torch__\nModule\n)\x81}(";
    code += std::string("X\1\0\0\0a", 6) + held + std::string("X\1\0\0\0b", 6) + held + "ub";
  }
  expect_error("its modules expand to more than", [&] { opened(script_archive(code, {})); });
}

// The text of an IValue is LibTorch's.

std::string text(const IValue& v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

TEST(IValueText, OfOneValue) {
  EXPECT_EQ(text(IValue()), "None");
  EXPECT_EQ(text(1.0), "1.");
  EXPECT_EQ(text(-2.0), "-2.");
  EXPECT_EQ(text(0.1), "0.10000000000000001");
  EXPECT_EQ(text(1e10), "10000000000.");
  EXPECT_EQ(text(1.5e300), "1.5000000000000001e+300");
  EXPECT_EQ(text(std::nan("")), "nan");
  EXPECT_EQ(text(HUGE_VAL), "inf");
  EXPECT_EQ(text(7), "7");
  EXPECT_EQ(text(true), "True");
  EXPECT_EQ(text("a b"), "a b");
  EXPECT_EQ(text(ones({1})), " 1\n[ CPUFloatType{1} ]");
}

TEST(IValueText, OfManyValues) {
  EXPECT_EQ(text(std::vector<int64_t>{1, 2}), "[1, 2]");
  EXPECT_EQ(text(std::vector<double>{1, 2.5}), "[1., 2.5]");
  EXPECT_EQ(text(std::vector<double>{}), "[]");
  EXPECT_EQ(text(ivalue::Tuple::create({1.0})), "(1.,)");
  EXPECT_EQ(text(ivalue::Tuple::create({1.0, "x"})), "(1., x)");
  EXPECT_EQ(text(GenericList({IValue(1), IValue(GenericList())})), "[1, []]");
  GenericDict dict;
  dict.insert("k", 1);
  dict.insert("j", false);
  EXPECT_EQ(text(dict), "{k: 1, j: False}");
}

TEST(IValueText, LeavesTheStreamsPrecision) {
  std::ostringstream out;
  out << IValue(0.1) << " " << 0.123456789;
  EXPECT_EQ(out.str(), "0.10000000000000001 0.123457");
}

TEST(IValueComparison, ComparesValuesOfOneKind) {
  EXPECT_EQ(IValue(), IValue());
  EXPECT_TRUE(IValue(1.5) == IValue(1.5) && !(IValue(1.5) == IValue(2.5)));
  EXPECT_TRUE(IValue(3) == IValue(3) && !(IValue(3) == IValue(3.0)));
  EXPECT_TRUE(IValue(true) == IValue(true) && !(IValue(true) == IValue(false)));
  EXPECT_TRUE(IValue("a") == IValue("a") && !(IValue("a") == IValue("b")));
  const IValue list(std::vector<int64_t>{1});
  EXPECT_TRUE(list == list && !(list == IValue(std::vector<int64_t>{1})));  // as objects
}

TEST(IValueComparison, NumbersAndKinds) {
  EXPECT_EQ(IValue(Scalar(2.5)).toDouble(), 2.5);
  EXPECT_EQ(IValue(Scalar(true)).toBool(), true);
  EXPECT_EQ(IValue(Scalar(7)).toInt(), 7);
  EXPECT_THROW(IValue(Scalar(numbers::complex<double>(2.5, 0))), Error);
  EXPECT_STREQ(IValue(std::vector<int64_t>{1}).tagKind(), "IntList");
  EXPECT_STREQ(IValue(ivalue::Tuple::create({1.0, 2})).tagKind(), "Tuple");
  EXPECT_EQ(ivalue::Tuple::create({1.0, 2})->size(), 2u);
}

TEST(Dict, InsertOrAssignTellsWhereAndWhetherItIsNew) {
  const Dict<std::string, int64_t> dict;
  EXPECT_TRUE(dict.insert_or_assign("a", 1).second);
  dict.insert("b", 2);
  const auto [where, is_new] = dict.insert_or_assign("a", 3);
  EXPECT_FALSE(is_new);
  EXPECT_EQ(where, dict.begin());
  EXPECT_EQ(where->value(), 3);
  EXPECT_EQ(dict.size(), 2u);
}

}  // namespace
}  // namespace torch::taper
