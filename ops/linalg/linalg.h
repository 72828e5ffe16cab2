// Products of matrices, decompositions, solvers, norms of matrices, distances between rows.
#pragma once

#include <taper/ops/linalg/distance.h>
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/linalg/linalg_names.h>
#include <taper/ops/linalg/linalg_out.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/linalg/matrix_norms.h>
