// Includes ops that use indices: index, gather, scatter, embeddings.
#pragma once

#include <taper/ops/index/embedding.h>
#include <taper/ops/index/embedding_bag.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/index/index_dim.h>
#include <taper/ops/index/index_nonzero.h>
#include <taper/ops/index/index_scatter.h>
#include <taper/ops/index/one_hot.h>
#include <taper/ops/index/scatter_reduce.h>
