// Random numbers of one thread's own, in place of those of the default generators.
#pragma once

#include <cstdint>
#include <map>

#include <taper/framework/random/generator.h>

namespace torch::taper::detail {

/// Number i of the seeds that are made of one (splitmix64: Steele, Lea, Flood 2014, "Fast
/// splittable pseudorandom number generators").
inline uint64_t derived_seed(uint64_t seed, uint64_t i) {
  uint64_t z = seed + i * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// While one lives, what the calling thread draws from default generators comes from generators of
/// this object, which begin at `seed`: the program's own, which other threads may be using, are
/// left alone. Costs nothing until something is drawn.
class LocalGenerators {
 public:
  explicit LocalGenerators(uint64_t seed);
  ~LocalGenerators();
  LocalGenerators(const LocalGenerators&) = delete;
  LocalGenerators& operator=(const LocalGenerators&) = delete;

  /// The calling thread's innermost one, or null.
  static LocalGenerators* current();
  /// The generator that stands in for a device's default one.
  const Generator& of(Device device);

 private:
  const uint64_t seed_;
  LocalGenerators* const before_;
  std::map<DeviceIndex, Generator> generators_;  // -1: the CPU's
};

}  // namespace torch::taper::detail
