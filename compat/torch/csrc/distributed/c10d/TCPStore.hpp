// c10d::TCPStore: of the library taper::distributed.
#pragma once

#include <taper/distributed/tcp_store.h>
#include <torch/csrc/distributed/c10d/names.h>
