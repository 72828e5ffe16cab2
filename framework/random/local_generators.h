// Random generators of one thread that replace the default generators.
#pragma once

#include <cstdint>
#include <map>

#include <taper/framework/random/generator.h>

namespace torch::taper::detail {

/// Returns seed number i derived from `seed` (splitmix64: Steele, Lea, Flood 2014, "Fast splittable
/// pseudorandom number generators").
inline uint64_t derived_seed(uint64_t seed, uint64_t i) {
  uint64_t z = seed + i * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// During its lifetime, replaces the calling thread's default generators by new generators. Each of
/// them is seeded with `seed`. The program's default generators, which other threads may use, do
/// not change. The object costs nothing until a number is drawn.
class LocalGenerators {
 public:
  explicit LocalGenerators(uint64_t seed);
  ~LocalGenerators();
  LocalGenerators(const LocalGenerators&) = delete;
  LocalGenerators& operator=(const LocalGenerators&) = delete;

  /// Returns the calling thread's innermost object, or null.
  static LocalGenerators* current();
  /// Returns the generator that replaces the default generator of `device`.
  const Generator& of(Device device);

 private:
  const uint64_t seed_;
  LocalGenerators* const before_;
  std::map<DeviceIndex, Generator> generators_;  // -1: the CPU's
};

}  // namespace torch::taper::detail
