// c10::Storage.
#pragma once

#include <taper/framework/core/storage.h>
#include <torch/names.h>
