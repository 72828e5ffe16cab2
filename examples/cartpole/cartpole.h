// A pole on a cart that is pushed to the left or to the right: the task of Barto, Sutton and
// Anderson, "Neuronlike adaptive elements that can solve difficult learning control problems",
// 1983.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>

class CartPole {
 public:
  /// Position and speed of the cart, angle (0: upright) and speed of the pole.
  using State = std::array<float, 4>;
  static constexpr int64_t kMaxSteps = 500;

  struct Outcome {
    State state;
    float reward;
    bool fell;  ///< whether the pole fell or the cart left the track
    bool over;  ///< whether it fell or did kMaxSteps steps
  };

  explicit CartPole(uint64_t seed) : random_(seed) { reset(); }

  State reset() {
    std::uniform_real_distribution<float> near_zero(-0.05f, 0.05f);
    for (float& value : state_) value = near_zero(random_);
    steps_ = 0;
    return state_;
  }

  /// Pushes the cart for 0.02 seconds: to the right for action 1, to the left for action 0.
  Outcome step(int64_t action) {
    constexpr float kGravity = 9.8f, kPole = 0.1f, kBoth = 1.1f, kHalfLength = 0.5f, kForce = 10,
                    kTime = 0.02f;
    auto& [x, v, angle, spin] = state_;
    const float sine = std::sin(angle), cosine = std::cos(angle);
    const float push =
        ((action == 1 ? kForce : -kForce) + kPole * kHalfLength * spin * spin * sine) / kBoth;
    const float spin_rate = (kGravity * sine - cosine * push) /
                            (kHalfLength * (4.f / 3 - kPole * cosine * cosine / kBoth));
    const float rate = push - kPole * kHalfLength * spin_rate * cosine / kBoth;
    x += kTime * v;
    v += kTime * rate;
    angle += kTime * spin;
    spin += kTime * spin_rate;
    const bool fell = std::fabs(x) > 2.4f || std::fabs(angle) > 0.2094f;  // 12 degrees
    return {state_, 1, fell, fell || ++steps_ >= kMaxSteps};
  }

 private:
  std::mt19937_64 random_;
  State state_{};
  int64_t steps_ = 0;
};
