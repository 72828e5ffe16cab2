// The kit against itself: faults of all kinds in all ops must be found, and right gradients must
// pass. A part of it here; all of it with TAPER_KIT_CAMPAIGN=full, as ctest's kit.campaign does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "testing/campaign.h"

namespace torch::taper::testing {
namespace {

using autograd::gradcheck_report;
using autograd::GradcheckOptions;
using autograd::GradcheckReport;
using autograd::gradgradcheck_report;

bool is_full() {
  const char* text = std::getenv("TAPER_KIT_CAMPAIGN");
  return text && std::string(text) == "full";
}
const std::vector<Subject>& all_subjects() {
  static const std::vector<Subject> list = subjects();
  return list;
}

GradcheckReport check(const Subject& s, const PlantedKind& kind, const std::vector<Tensor>& leaves,
                      const GradcheckOptions& o) {
  return kind.second_order ? gradgradcheck_report(planted(s, kind), leaves, {}, o)
                           : gradcheck_report(planted(s, kind), leaves, o);
}

struct Tally {
  int planted = 0, found = 0;
  std::string missed;
};

Tally tally(const PlantedKind& kind, bool fast_mode, size_t stride) {
  Tally t;
  GradcheckOptions o;
  o.fast_mode(fast_mode).allow_constant(true);
  for (size_t i = 0; i < all_subjects().size(); i += stride) {
    const Subject& s = all_subjects()[i];
    const auto leaves = leaves_of(s, 1, 0);
    if ((kind.second_order && !s.twice) || !shows(s, kind, leaves, fast_mode ? 30 : 3)) continue;
    ++t.planted;
    if (!check(s, kind, leaves, o).passed())
      ++t.found;
    else
      t.missed += " " + s.op;
  }
  return t;
}

TEST(KitCampaign, FindsPlantedFaultsInAllOps) {
  ASSERT_GT(all_subjects().size(), 100u);
  const size_t stride = is_full() ? 1 : 23;
  int planted = 0, found = 0;
  for (bool fast_mode : {false, true})
    for (const PlantedKind& kind : planted_kinds()) {
      const Tally t = tally(kind, fast_mode, stride);
      planted += t.planted, found += t.found;
      EXPECT_EQ(t.missed, "") << kind.name << (fast_mode ? ", fast mode" : "");
      EXPECT_GE(t.planted, is_full() ? 20 : 1) << kind.name;
      if (is_full())
        std::cout << (fast_mode ? "fast " : "slow ") << kind.name << ": found in " << t.found
                  << " of " << t.planted << " ops\n";
    }
  if (is_full())
    std::cout << planted_kinds().size() << " kinds: " << found << " of " << planted
              << " planted faults found\n";
}

// The seeds are dealt out to several tests, which can run side by side.
constexpr uint64_t kHands = 8;
class KitCampaignSeeds : public ::testing::TestWithParam<uint64_t> {};

TEST_P(KitCampaignSeeds, RaiseNoFalseAlarm) {
  const size_t n = all_subjects().size();
  const uint64_t runs = is_full() ? 1000 : 100;
  int checks = 0;
  for (uint64_t run = 0; run < runs; ++run) {
    if (run / 2 % kHands != GetParam()) continue;
    // In the full form each run checks all ops, else one.
    for (size_t i = 0; i < (is_full() ? n : 1); ++i) {
      const Subject& s = all_subjects()[(run + i) % n];
      GradcheckOptions o;
      o.fast_mode(run % 2 == 0).allow_constant(true).seed(run + 1);
      const auto leaves = leaves_of(s, run + 1, 0.01);
      const GradcheckReport r = gradcheck_report(s.call, leaves, o);
      EXPECT_TRUE(r.passed()) << s.op << " with seed " << run + 1 << "\n" << r.text();
      ++checks;
    }
  }
  if (is_full()) std::cout << checks << " checks of seeded runs\n";
}
INSTANTIATE_TEST_SUITE_P(Kit, KitCampaignSeeds, ::testing::Range(uint64_t{0}, kHands));

}  // namespace
}  // namespace torch::taper::testing
