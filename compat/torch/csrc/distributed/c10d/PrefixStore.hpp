// c10d::PrefixStore: of the library taper::distributed.
#pragma once

#include <taper/distributed/store.h>
#include <torch/csrc/distributed/c10d/names.h>
