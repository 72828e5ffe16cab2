// The version of LibTorch whose C++ interface Taper has.
#pragma once

#define TORCH_VERSION_MAJOR 1
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 1
#define TORCH_VERSION "1.13.1"
/// Distinguishes Taper from LibTorch in a program that can be built with either.
#define TORCH_IS_TAPER 1
