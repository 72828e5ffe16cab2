// The namespace c10d.
#pragma once

#include <torch/names.h>

namespace taper::distributed {}
namespace c10d = taper::distributed;
