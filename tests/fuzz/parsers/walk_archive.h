// Reads every name and value of an archive.
#pragma once

#include <taper/framework/io/serialize.h>

#include <string>

#include "parser.h"

namespace fuzz {

inline void walk(taper::serialize::InputArchive& archive, int depth = 0) {
  for (const std::string& key : archive.keys()) {
    taper::IValue value;
    taper::serialize::InputArchive nested;
    if (archive.try_read(key, value)) touch(value);
    if (depth < 100 && archive.try_read(key, nested)) walk(nested, depth + 1);
  }
}

}  // namespace fuzz
