// c10::intrusive_ptr.
#pragma once

#include <taper/framework/intrusive.h>
#include <torch/names.h>
