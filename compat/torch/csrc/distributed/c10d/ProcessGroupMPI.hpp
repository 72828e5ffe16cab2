// c10d::ProcessGroupMPI: of the library taper::distributed.
#pragma once

#include <taper/distributed/process_group_mpi.h>
#include <torch/csrc/distributed/c10d/names.h>
