// What <torch/torch.h> of LibTorch gives, from Taper.
#pragma once

#include <taper/taper.h>

#include <ATen/Dispatch.h>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>
#include <torch/jit.h>
#include <torch/library.h>
#include <torch/names.h>
#include <torch/optim/serialize.h>
#include <torch/version.h>

#define TORCH_ARG(T, name) TAPER_ARG(T, name)
#define TORCH_MODULE_IMPL(Name, ImplType) TAPER_MODULE_IMPL(Name, ImplType)
#define TORCH_MODULE(Name) TAPER_MODULE(Name)
#define FORWARD_HAS_DEFAULT_ARGS(...) TAPER_FORWARD_HAS_DEFAULT_ARGS(__VA_ARGS__)
