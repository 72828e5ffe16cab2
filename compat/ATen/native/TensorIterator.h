// at::TensorIterator.
#pragma once

#include <ATen/TensorIterator.h>
