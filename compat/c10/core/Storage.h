// c10::Storage.
#pragma once

#include <taper/framework/storage.h>
#include <torch/names.h>
