// Files that are cut or have wrong bytes: each is refused with Error or read, and nothing else.
#include <random>

#include <taper/framework/io/npy.h>
#include <taper/framework/io/pickle.h>
#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/io/zip.h>

#include "framework/io/python_files.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace testing;
using Bytes = std::vector<char>;
using serialize::detail::bytes_of;

/// Calls read(bytes) for a damaged file. Any outcome but a result or an Error is a failure; lack of
/// memory would mean that a wrong size was believed.
struct Trial {
  int accepted = 0, refused = 0;
  template <class Read>
  void run(const Bytes& bytes, const Read& read) {
    try {
      read(bytes);
      ++accepted;
    } catch (const OutOfMemoryError& e) {
      ADD_FAILURE() << e.what();
    } catch (const Error&) {
      ++refused;
    }
  }
};

/// The same changes in every run: one to four bytes become other bytes, mostly in a part of the
/// file where there is structure, or some are lost, doubled or zero.
Bytes mutated(const Bytes& good, std::mt19937& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  Bytes bytes = good;
  const size_t at = below(bytes.size()), length = std::min(below(9), bytes.size() - at);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(6)) {
    case 0:
      bytes.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
      break;
    case 1: {
      const Bytes piece(begin, begin + static_cast<std::ptrdiff_t>(length));
      bytes.insert(begin, piece.begin(), piece.end());
      break;
    }
    case 2:
      std::fill_n(begin, length, below(2) ? '\xff' : '\0');
      break;
    default:
      for (size_t i = 0; i <= below(3); ++i)
        bytes[below(bytes.size())] ^= static_cast<char>(1 + below(255));
  }
  return bytes;
}

template <class Read>
Trial try_mutations(const Bytes& good, int count, const Read& read) {
  Trial trial;
  std::mt19937 random(1);
  for (int i = 0; i < count; ++i) trial.run(mutated(good, random), read);
  return trial;
}
template <class Read>
Trial try_cuts(const Bytes& good, const Read& read) {
  Trial trial;
  for (size_t n = 0; n < good.size(); ++n)
    trial.run(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n)), read);
  return trial;
}

TEST(DamagedFiles, Archives) {
  for (const char* name : {"values.pt", "values4.pt", "state_dict.pt"}) {
    const Bytes good = bytes_of_file(python_file(name));
    const auto read = [](const Bytes& b) { pickle_load(b); };
    EXPECT_EQ(try_cuts(good, read).accepted, 0) << name;
    const Trial trial = try_mutations(good, 4000, read);
    EXPECT_GT(trial.refused, 2000) << name;
  }
}

/// The pickle of an archive alone, where no checksum stands before the instructions.
TEST(DamagedFiles, Pickles) {
  const auto storage = [](const std::string& key, ScalarType dtype, int64_t numel) {
    if (numel > 100) throw Error("no such storage '" + key + "'");
    return detail::make_tensor({numel}, dtype, Device()).zero_();
  };
  const auto read = [&](const Bytes& b) {
    serialize::detail::unpickle(bytes_of(b.data(), b.size()), storage, "a test");
  };
  for (const char* name : {"values.pt", "values4.pt", "state_dict.pt", "module.pt"}) {
    const Bytes file = bytes_of_file(python_file(name));
    const serialize::detail::ZipReader zip(bytes_of(file.data(), file.size()), "a test");
    std::string code;
    for (const auto& e : zip.entries())
      if (e.name.find("data.pkl") != std::string::npos) code = zip.read(e);
    const Bytes good(code.begin(), code.end());
    EXPECT_EQ(try_cuts(good, read).accepted, 0) << name;
    const Trial trial = try_mutations(good, 10000, read);
    EXPECT_GT(trial.refused, 1000) << name;
    if (std::string(name) != "module.pt") {
      EXPECT_GT(trial.accepted, 100) << name;
    }
  }
}

/// What a hostile pickle may try with few bytes.
TEST(DamagedFiles, SmallPicklesCannotAskForMuch) {
  const auto refused = [](const std::string& text, const std::string& code) {
    const auto storage = [](const std::string&, ScalarType dtype, int64_t) {
      return detail::make_tensor({4}, dtype, Device());
    };
    expect_error(text, [&] {
      serialize::detail::unpickle(bytes_of(code.data(), code.size()), storage, "a test");
    });
  };
  const std::string proto("\x80\x02", 2);
  const std::string storage =
      "((U\x07storagectorch\nFloatStorage\nU\x01"
      "0U\x03"
      "cpuK\x04tQ";
  const auto tensor = [&](const std::string& numbers) {
    return proto + "ctorch._utils\n_rebuild_tensor_v2\n" + storage + numbers +
           "\x89"
           "ccollections\nOrderedDict\n)RtR.";
  };
  refused("an object of os.system", proto + "cos\nsystem\nU\x02lstR.");
  refused("an object of builtins.eval", proto + "cbuiltins\neval\nU\x02lstR.");
  refused("or a list in itself", proto +
                                     "]q\x01h\x01"
                                     "a.");
  refused("or a list in itself", proto + std::string(5000, ']') + std::string(4999, 'a') + ".");
  refused("it ends early", proto + std::string("X\xff\xff\xff\xff", 5));
  refused("comes too early", proto + std::string("Nr\xff\xff\xff\x7f.", 7));
  refused("it takes a value that is not there", proto + "(R.");
  refused("integers of 64 bits", proto + std::string("\x8a\x09", 2) + std::string(9, '\x01') + ".");
  refused(
      "its texts expand", proto + "X" + std::string("\0\0\x10\0", 4) + std::string(1 << 20, 'x') +
                              "q\x01" + "](" +
                              [] {
                                std::string many;
                                for (int i = 0; i < 1000; ++i) many += "h\x01";
                                return many;
                              }() +
                              "e.");
  refused("its lists expand", proto + "ctorch.jit._pickle\nbuild_intlist\n](K\x01" +
                                  std::string(4000, '2') + "e\x85Rq\x01](h\x01" +
                                  std::string(3000, '2') + "e.");
  refused("in a storage of 4 elements", tensor("K\x01(K\x04t(K\x01t"));
  refused("in a storage of 4 elements", tensor("K\x01(K\x02t(K\x04t"));
  const std::string huge("\x8a\x08\0\0\0\0\0\0\0\x40", 10);
  refused("in a storage of 4 elements", tensor("K\x01(" + huge + "K\x04t(" + huge + "K\x01t"));
  refused("in a storage of 4 elements", tensor("K\x01(" + huge + huge + "t(K\x01K\x01t"));
}

template <class Read>
void try_file(const char* name, const Read& read_bytes) {
  const auto read = [&](const Bytes& b) { read_bytes(bytes_of(b.data(), b.size()), "a test"); };
  const Bytes good = bytes_of_file(python_file(name));
  EXPECT_EQ(try_cuts(good, read).accepted, 0) << name;
  EXPECT_GT(try_mutations(good, 4000, read).refused, 500) << name;
}

TEST(DamagedFiles, OfNumpy) {
  for (const char* name : {"i8.npy", "fortran.npy", "v2.npy", "v3.npy"})
    try_file(name, serialize::detail::read_npy);
  for (const char* name : {"stored.npz", "deflated.npz"})
    try_file(name, serialize::detail::read_npz);
}

TEST(DamagedFiles, Safetensors) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.safetensors");
  save_safetensors(path, {{"a", counting({2, 3})}, {"mask", counting({3}, kBool)}}, {{"k", "v"}});
  const Bytes good = bytes_of_file(path);
  const auto read = [](const Bytes& b) {
    serialize::InputArchive archive;
    archive.load_from(b.data(), b.size());
  };
  EXPECT_EQ(try_cuts(good, read).accepted, 0);
  EXPECT_LT(try_mutations(good, 4000, read).accepted, 400);
  const auto map = [&](const Bytes& b) {
    write_bytes(path, b);
    load_safetensors(path);
  };
  EXPECT_LT(try_mutations(good, 50, map).accepted, 10);
}

}  // namespace
}  // namespace torch::taper
