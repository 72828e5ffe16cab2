// Computation by several processes: stores, process groups, DistributedDataParallel.
#pragma once

#include <taper/distributed/checkpoint.h>
#include <taper/distributed/distributed_data_parallel.h>
#include <taper/distributed/file_store.h>
#include <taper/distributed/flight_recorder.h>
#include <taper/distributed/fully_shard.h>
#include <taper/distributed/init.h>
#include <taper/distributed/messages.h>
#include <taper/distributed/power_sgd.h>
#include <taper/distributed/process_group.h>
#include <taper/distributed/store.h>
#include <taper/distributed/sync_batch_norm.h>
#include <taper/distributed/tcp_store.h>
#include <taper/distributed/zero_redundancy_optimizer.h>
