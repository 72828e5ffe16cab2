// Files of programs that are cut or have wrong bytes, and wrong values in their JSON.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include <taper/framework/io/zip.h>
#include <taper/program/archive.h>
#include <taper/program/json.h>
#include <taper/program/program.h>
#include <taper/program/symbols.h>

#include "expect_error.h"

namespace torch::taper {
namespace {

using namespace testing;
using namespace program;
using serialize::detail::bytes_of;
using serialize::detail::ZipReader;
using serialize::detail::ZipWriter;

std::string bytes_of_file(const std::string& name) {
  std::ifstream in(TAPER_PROGRAM_FILES "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
program::Program read(const std::string& bytes) {
  return read_program(bytes_of(bytes.data(), bytes.size()), "a test");
}
/// Returns the archive with other contents of the entries whose names end in `ending`.
std::string with(const std::string& archive, const std::string& ending,
                 const std::function<std::string(std::string)>& change) {
  const ZipReader zip(bytes_of(archive.data(), archive.size()), "a test");
  std::string out;
  ZipWriter writer(
      [&](const void* data, size_t nbytes) {
        out.append(static_cast<const char*>(data), nbytes);
        return nbytes;
      },
      "a test");
  for (const auto& e : zip.entries()) {
    std::string content = zip.read(e);
    if (e.name.size() >= ending.size() &&
        e.name.compare(e.name.size() - ending.size(), ending.size(), ending) == 0)
      content = change(content);
    writer.add(e.name, content.data(), content.size());
  }
  writer.finish();
  return out;
}
std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), by);
}
std::string json_of(const std::string& archive) {
  std::string text;
  with(archive, "model.json", [&](std::string t) { return text = t; });
  return text;
}

/// Any outcome but a program or an Error is a failure. Lack of memory means that a wrong size was
/// believed.
struct Trial {
  int accepted = 0, refused = 0;
  void run(const std::function<void()>& body) {
    try {
      body();
      ++accepted;
    } catch (const OutOfMemoryError& e) {
      ADD_FAILURE() << e.what();
    } catch (const Error&) {
      ++refused;
    }
  }
};

TEST(DamagedPrograms, Archives) {
  for (const char* name : {"perceptron.pt2", "old.pt2"}) {
    const std::string good = bytes_of_file(name);
    Trial cuts, changes;
    for (size_t n = 0; n < good.size(); n += 1 + n % 7) cuts.run([&] { read(good.substr(0, n)); });
    EXPECT_EQ(cuts.accepted, 0) << name;
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
      std::string bytes = good;
      for (int j = 0; j < 3; ++j)
        bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
      changes.run([&] { ProgramModuleImpl net(read(bytes)); });
    }
    EXPECT_GT(changes.refused, 1000) << name;
  }
}

// Without a checksum before the JSON, so that changes come through.
TEST(DamagedPrograms, Json) {
  for (const char* name :
       {"perceptron.pt2", "sizes.pt2", "branches.pt2", "convolutions_core.pt2"}) {
    const std::string archive = bytes_of_file(name), good = json_of(archive);
    const program::Program whole = read(archive);
    std::mt19937 random(2);
    Trial trial;
    for (int i = 0; i < 3000; ++i) {
      std::string text = good;
      const size_t at = random() % text.size(), n = random() % 12;
      switch (random() % 5) {
        case 0:
          text.erase(at, n);
          break;
        case 1:
          text.insert(at, text.substr(random() % text.size(), n));
          break;
        case 2:
          text[at] = "0123456789-{}[]\",:ez"[random() % 20];
          break;
        case 3:
          text.insert(at, "9999999999999999999");
          break;
        default:
          text[at] ^= static_cast<char>(1 << random() % 8);
      }
      trial.run([&] {
        program::Program p = program_of_json(text, "a test");
        p.weights = whole.weights;
        p.constants = whole.constants;
        ProgramModuleImpl net(std::move(p));
      });
    }
    EXPECT_GT(trial.refused, 1500) << name;
    EXPECT_GT(trial.accepted, 10) << name;
  }
}

TEST(DamagedPrograms, JsonReadsWhatItWrites) {
  for (const char* name :
       {"perceptron.pt2", "trees.pt2", "branches.pt2", "convolutions_core.pt2", "modes.pt2"}) {
    const std::string text =
        json_of_program(program_of_json(json_of(bytes_of_file(name)), "a test"));
    EXPECT_EQ(json_of_program(program_of_json(text, "a test")), text) << name;
  }
}

TEST(DamagedPrograms, RecordsThatDoNotFit) {
  const std::string good = bytes_of_file("perceptron.pt2");
  const auto refused = [&](const std::string& text, const std::string& old, const std::string& by) {
    const std::string bytes = with(good, "_weights_config.json", [&](const std::string& config) {
      return replaced(config, old, by);
    });
    expect_error(text, [&] { read(bytes); });
  };
  refused("reach beyond the", "\"sizes\": [{\"as_int\": 8}, {\"as_int\": 6}]",
          "\"sizes\": [{\"as_int\": 80}, {\"as_int\": 6}]");
  refused("too large", "\"sizes\": [{\"as_int\": 8}",
          "\"sizes\": [{\"as_int\": 8000000000000000000}");
  refused("constant sizes and strides", "\"strides\": [{\"as_int\": 6}",
          "\"strides\": [{\"as_int\": -6}");
  refused("reach beyond the", "\"storage_offset\": {\"as_int\": 0}",
          "\"storage_offset\": {\"as_int\": 5}");
  refused("expected a record 'data/weights/other'", "\"weight_0\"", "\"other\"");
  refused("expected the number of a dtype, got 99", "\"dtype\": 7", "\"dtype\": 99");
}

TEST(DamagedPrograms, OtherFiles) {
  expect_error("cannot open", [] { load_program("/nonexistent.pt2"); });
  expect_error("got no zip archive", [] { load_program(TAPER_PROGRAM_FILES "/../program.cmake"); });
  expect_error(
      "expected a file of torch.export.save, got another zip archive; load_pt and "
      "load_state_dict read",
      [] { load_program(TAPER_PROGRAM_FILES "/perceptron.pt"); });
  expect_error("expected the name of one of the programs 'model', got 'other'",
               [] { load_program(TAPER_PROGRAM_FILES "/perceptron.pt2", "other"); });
  const std::string good = bytes_of_file("perceptron.pt2");
  const std::string newer = with(good, "model.json", [](const std::string& text) {
    return replaced(text, "\"major\":8", "\"major\":9");
  });
  expect_error("expected version 7 or 8 of the schema, got 9", [&] { read(newer); });
  const std::string nested =
      with(good, "model.json", [](const std::string&) { return std::string(100000, '['); });
  EXPECT_THROW(read(nested), Error);
}

// ---------------------------------------------------------------------- expressions
TEST(Expressions, HaveValues) {
  const Bindings at{{"s0", 7}, {"s1", 3}};
  const auto value = [&](const char* text) { return Expression(text).value(at); };
  for (const auto& [text, expected] : std::initializer_list<std::pair<const char*, int64_t>>{
           {"2*s0 + 1", 15},
           {"s0//2 - s1", 0},
           {"-s0//2", -4},
           {"(s0 + s1)**2", 100},
           {"Max(1, s0, s1) % 4", 3},
           {"Mul(Integer(2), Symbol('s0', positive=True, integer=True))", 14},
           {"Add(FloorDiv(Add(Symbol('s0'), Integer(-1)), Integer(2)), Integer(1))", 4},
           {"Mul(Rational(1, 2), Add(Symbol('s0'), Symbol('s1')))", 5},
           {"Min(s0, 3) + CeilToInt(IntTrueDiv(s0, 2))", 7},
           {"Eq(s0, 7)", 1},
           {"s0 >= 8", 0}})
    EXPECT_EQ(value(text), expected) << text;
  EXPECT_EQ(value("s0/2"), nullopt);
  EXPECT_EQ(value("s9 + 1"), nullopt);
  EXPECT_EQ(value("Unknown(s0)"), nullopt);
  EXPECT_EQ(value("s0//0"), nullopt);
  EXPECT_EQ(value("9223372036854775807 + s0"), nullopt);
  EXPECT_EQ(value("2**100"), nullopt);
  EXPECT_EQ(Expression("Symbol('s0', integer=True)").symbol(), "s0");
  EXPECT_EQ(Expression("Symbol('s0', integer=True)").unknown({}), std::vector<std::string>{"s0"});
}

TEST(Expressions, AreParsedStrictly) {
  for (const char* text :
       {"", "2*", "(s0", "s0)", "Max(1,", "'s0", "2 s0", "99999999999999999999", "s0,"})
    EXPECT_THROW(Expression{text}, Error) << text;
  EXPECT_THROW(Expression(std::string(100000, '(')), Error);
  EXPECT_THROW(Expression(std::string(100000, '-')), Error);
}

}  // namespace
}  // namespace torch::taper
