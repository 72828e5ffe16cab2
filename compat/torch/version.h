// The LibTorch version whose C++ interface this is.
#pragma once

#define TORCH_VERSION_MAJOR 1
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 1
#define TORCH_VERSION "1.13.1"
/// Distinguishes Taper from LibTorch in a program that is built with both.
#define TORCH_IS_TAPER 1
