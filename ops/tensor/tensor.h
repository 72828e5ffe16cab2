// Tensors as a whole: making them, views, copies, joining and rearranging.
#pragma once

#include <taper/ops/tensor/combine.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/fill.h>
#include <taper/ops/tensor/for_blob.h>
#include <taper/ops/tensor/functions.h>
#include <taper/ops/tensor/out_forms.h>
#include <taper/ops/tensor/shape.h>
#include <taper/ops/tensor/view.h>
#include <taper/ops/tensor/view_scatter.h>
