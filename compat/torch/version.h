// The version of LibTorch whose C++ interface Taper has.
#pragma once

#define TORCH_VERSION_MAJOR 1
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 1
#define TORCH_VERSION "1.13.1"
/// Is defined only in Taper. A program that can be built with Taper or LibTorch tests it.
#define TORCH_IS_TAPER 1
