// c10::Allocator and c10::DataPtr.
#pragma once

#include <taper/extension/allocator.h>
#include <torch/names.h>
