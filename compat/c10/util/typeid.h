// caffe2::TypeMeta.
#pragma once

#include <taper/framework/dtype.h>
#include <torch/names.h>
