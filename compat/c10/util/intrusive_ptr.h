// c10::intrusive_ptr.
#pragma once

#include <taper/framework/core/intrusive.h>
#include <torch/names.h>
