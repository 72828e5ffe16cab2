// Where the files are that tests read.
#pragma once

#include <cstdlib>
#include <string>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::testing {

/// The folder of the source tree, given as TAPER_TEST_DATA by the build; elsewhere (in the set that
/// `./dev gpu --pack` makes) the environment variable of that name tells.
inline std::string data_folder(const char* built) {
  const char* const given = std::getenv("TAPER_TEST_DATA");
  return given ? given : built;
}

}  // namespace torch::taper::testing
