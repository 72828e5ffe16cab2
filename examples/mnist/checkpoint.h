// Saves the settings of a run in its checkpoint.
#pragma once

#include <taper/taper.h>

#include <string>

#include "options.h"

namespace mnist {

/// Writes the settings that a resumed run must share.
void save_settings(taper::serialize::OutputArchive& archive, const Options& options);

/// Puts the settings of the checkpoint into `options`. Throws if the user gave other values.
void adopt_settings(const std::string& path, Options& options);

}  // namespace mnist
