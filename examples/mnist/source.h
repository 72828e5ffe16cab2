// Finds the images.
#pragma once

#include <taper/taper.h>

#include <string>

#include "options.h"

namespace mnist {

struct Source {
  /// The folder with the four files.
  std::string folder;
  /// A description for the user.
  std::string description;
};

/// Finds the data: --data, $TAPER_DATA, the user's cache, a download, or digits that the program
/// draws. Throws std::runtime_error or taper::Error.
Source find_data(const Options& options);

}  // namespace mnist
