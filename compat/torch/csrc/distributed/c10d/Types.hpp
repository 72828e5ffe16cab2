// what c10d's operations take: of the library taper::distributed.
#pragma once

#include <taper/distributed/types.h>
#include <torch/csrc/distributed/c10d/names.h>
