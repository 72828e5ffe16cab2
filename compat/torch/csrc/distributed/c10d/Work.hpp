// c10d::Work: of the library taper::distributed.
#pragma once

#include <taper/distributed/work.h>
#include <torch/csrc/distributed/c10d/names.h>
