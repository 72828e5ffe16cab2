// Random numbers for values that nobody will see.
#pragma once

#include <map>

#include <taper/framework/generator.h>

namespace taper::detail {

/// While one lives, what the calling thread draws from default generators comes from generators of
/// this object: the program's own, which other threads may be using, are left alone.
class ScratchGenerators {
 public:
  ScratchGenerators();
  ~ScratchGenerators();
  ScratchGenerators(const ScratchGenerators&) = delete;
  ScratchGenerators& operator=(const ScratchGenerators&) = delete;

  /// The calling thread's innermost one, or null.
  static ScratchGenerators* current();
  /// The generator that stands in for a device's default one.
  const Generator& of(Device device);

 private:
  ScratchGenerators* const before_;
  std::map<DeviceIndex, Generator> generators_;  // -1: the CPU's
};

}  // namespace taper::detail
