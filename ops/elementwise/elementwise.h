// Includes the pointwise ops: arithmetic, comparisons, clamp, complex parts and special functions.
#pragma once

#include <taper/generated/special_names.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/clamp.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/special_bessel.h>
#include <taper/ops/elementwise/ternary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/elementwise/where.h>
