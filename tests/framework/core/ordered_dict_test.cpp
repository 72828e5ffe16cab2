#include <taper/framework/core/ordered_dict.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using testing::message_of;

using Dict = OrderedDict<std::string, int>;

Dict numbered(int count) {
  Dict d;
  for (int i = 0; i < count; ++i) d.insert("k" + std::to_string(i), i);
  return d;
}

TEST(OrderedDict, KeepsTheOrderOfInsertion) {
  Dict d;
  d.insert("b", 1);
  d.insert("a", 2);
  EXPECT_EQ(d.keys(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(d.values(), (std::vector<int>{1, 2}));
  EXPECT_EQ(d[0].key(), "b");
  EXPECT_EQ(*d[1], 2);
  EXPECT_EQ(d.front().key(), "b");
  EXPECT_EQ(d.back().value(), 2);
  EXPECT_EQ(d["a"], 2);
  d["a"] = 5;
  EXPECT_EQ(d.pairs()[1], std::make_pair(std::string("a"), 5));
}

// Below and above the size from which keys are hashed.
TEST(OrderedDict, FindsEveryKeyOfAnySize) {
  for (int count : {0, 1, 16, 17, 18, 100, 1000}) {
    Dict d = numbered(count);
    ASSERT_EQ(d.size(), static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      const int* found = d.find("k" + std::to_string(i));
      ASSERT_NE(found, nullptr) << count << ' ' << i;
      EXPECT_EQ(*found, i);
    }
    EXPECT_EQ(d.find("k" + std::to_string(count)), nullptr);
    EXPECT_FALSE(d.contains(""));
  }
}

TEST(OrderedDict, ErasesFromAnySize) {
  for (int count : {3, 17, 18, 40}) {
    Dict d = numbered(count);
    d.erase("k1");
    EXPECT_EQ(d.size(), static_cast<size_t>(count - 1));
    EXPECT_FALSE(d.contains("k1"));
    EXPECT_EQ(d[1].key(), "k2");
    EXPECT_EQ(d["k" + std::to_string(count - 1)], count - 1);
    d.insert("k1", 7);
    EXPECT_EQ(d.back().key(), "k1");
    d.clear();
    EXPECT_TRUE(d.is_empty());
    EXPECT_FALSE(d.contains("k2"));
  }
}

TEST(OrderedDict, UpdateAppends) {
  Dict d{{"a", 1}}, e{{"b", 2}, {"c", 3}};
  d.update(e);
  d.update(Dict{{"d", 4}});
  EXPECT_EQ(d, (Dict{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}}));
  EXPECT_FALSE((d == Dict{{"b", 2}, {"a", 1}, {"c", 3}, {"d", 4}}));
  EXPECT_EQ(message_of([&] { d.update(e); }), "Key 'b' already defined");
}

TEST(OrderedDict, ErrorsNameTheKey) {
  OrderedDict<std::string, int> d("Parameter");
  d.insert("w", 1);
  EXPECT_EQ(message_of([&] { d.insert("w", 2); }), "Parameter 'w' already defined");
  EXPECT_EQ(message_of([&] { (void)d["x"]; }), "Parameter 'x' is not defined");
  EXPECT_EQ(message_of([&] { d.erase("x"); }), "Key 'x' doesn't exist");
  EXPECT_EQ(message_of([&] { (void)d[3]; }), "Index 3 is out of bounds");
  EXPECT_EQ(message_of([] { Dict().front(); }), "Called front() on an empty OrderedDict");
  EXPECT_EQ(message_of([] { Dict().back(); }), "Called back() on an empty OrderedDict");
  EXPECT_EQ(d["w"], 1);
}

TEST(OrderedDict, BindsKeysAndValues) {
  Dict d{{"a", 1}, {"b", 2}};
  for (auto& [key, value] : d) {
    static_assert(std::is_same_v<decltype(key), const std::string>);
    value += static_cast<int>(key.size());
  }
  EXPECT_EQ(d, (Dict{{"a", 2}, {"b", 3}}));
  const Dict& fixed = d;
  int sum = 0;
  for (const auto& [key, value] : fixed) {
    static_assert(std::is_same_v<decltype(value), const int>);
    sum += value;
  }
  auto [key, value] = d.front();
  value = 9;
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(key + std::to_string(d["a"]), "a2");
}

}  // namespace
}  // namespace torch::taper
