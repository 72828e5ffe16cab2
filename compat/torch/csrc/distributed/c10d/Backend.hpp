// c10d::Backend: of the library taper::distributed.
#pragma once

#include <taper/distributed/backend.h>
#include <torch/csrc/distributed/c10d/names.h>
