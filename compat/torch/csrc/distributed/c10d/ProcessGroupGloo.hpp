// c10d::ProcessGroupGloo: of the library taper::distributed.
#pragma once

#include <taper/distributed/process_group_gloo.h>
#include <torch/csrc/distributed/c10d/names.h>
