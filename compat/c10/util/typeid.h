// caffe2::TypeMeta.
#pragma once

#include <taper/framework/core/dtype.h>
#include <torch/names.h>
