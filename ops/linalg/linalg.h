// Includes products of matrices, decompositions, solvers, norms and distances.
#pragma once

#include <taper/generated/linalg_names.h>
#include <taper/ops/linalg/cross.h>
#include <taper/ops/linalg/distance.h>
#include <taper/ops/linalg/einsum.h>
#include <taper/ops/linalg/linalg_eig.h>
#include <taper/ops/linalg/linalg_exp.h>
#include <taper/ops/linalg/linalg_factor.h>
#include <taper/ops/linalg/linalg_householder.h>
#include <taper/ops/linalg/linalg_lu.h>
#include <taper/ops/linalg/linalg_matrix.h>
#include <taper/ops/linalg/linalg_solve.h>
#include <taper/ops/linalg/linalg_tensor.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/linalg/matrix_norms.h>
