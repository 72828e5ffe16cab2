// Includes discrete Fourier transforms, short-time transforms and window functions.
#pragma once

#include <taper/generated/fft_names.h>
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/fft/stft.h>
#include <taper/ops/fft/window.h>
