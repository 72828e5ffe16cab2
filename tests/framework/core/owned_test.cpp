#include <taper/framework/core/owned.h>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace torch::taper {
namespace {

struct Counted {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  virtual ~Counted() { --alive; }
  int& alive;
};
struct Derived : Counted {
  using Counted::Counted;
};

TEST(Owned, DeletesWhatItOwnsOnce) {
  int alive = 0;
  {
    detail::Owned<Counted> none;
    EXPECT_FALSE(none);
    detail::Owned<Counted> a(new Derived(alive)), b = std::make_unique<Derived>(alive);
    EXPECT_EQ(alive, 2);
    EXPECT_EQ(&a->alive, &(*b).alive);
    a = std::move(b);
    EXPECT_EQ(alive, 1);
    EXPECT_FALSE(b);
    const detail::Owned<Counted> c = std::move(a);
    EXPECT_TRUE(c);
    EXPECT_EQ(a.get(), nullptr);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Owned, GivesAway) {
  int alive = 0;
  detail::Owned<Counted> a(new Counted(alive));
  const std::unique_ptr<Counted> taken(a.release());
  EXPECT_FALSE(a);
  a.reset(new Counted(alive));
  EXPECT_EQ(alive, 2);
  a.reset();
  EXPECT_EQ(alive, 1);
}

}  // namespace
}  // namespace torch::taper
