// Includes creation, views, copies, joining and rearranging of tensors.
#pragma once

#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/einops.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/flip.h>
#include <taper/ops/tensor/for_blob.h>
#include <taper/ops/tensor/member_functions.h>
#include <taper/ops/tensor/meshgrid.h>
#include <taper/ops/tensor/repeat.h>
#include <taper/ops/tensor/resize.h>
#include <taper/ops/tensor/split.h>
#include <taper/ops/tensor/triangle.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_part.h>
#include <taper/ops/tensor/view_scatter.h>
