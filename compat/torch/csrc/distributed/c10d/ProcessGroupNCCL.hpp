// c10d::ProcessGroupNCCL: of the library taper::distributed.
#pragma once

#include <taper/distributed/process_group_nccl.h>
#include <torch/csrc/distributed/c10d/names.h>
