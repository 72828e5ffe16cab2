// c10d::ProcessGroup: of the library taper::distributed.
#pragma once

#include <taper/distributed/process_group.h>
#include <torch/csrc/distributed/c10d/names.h>
