// c10::DispatchKey.
#pragma once

#include <taper/framework/dispatch_key.h>
#include <torch/names.h>
