// torch::CustomClassHolder, torch::class_ and torch::init.
#pragma once

#include <torch/library.h>
