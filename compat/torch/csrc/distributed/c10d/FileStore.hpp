// c10d::FileStore: of the library taper::distributed.
#pragma once

#include <taper/distributed/file_store.h>
#include <torch/csrc/distributed/c10d/names.h>
