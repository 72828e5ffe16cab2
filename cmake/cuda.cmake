# Whether there is a CUDA compiler, and what is done with it.
#
# The library has no CUDA kernel yet. TAPER_CUDA=ON therefore checks that nvcc is there and that it
# accepts the public headers (tests/compat), and says so.

if(NOT TAPER_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TAPER_CUDA: expected AUTO, ON or OFF, got ${TAPER_CUDA}")
endif()
set(TAPER_NVCC "")
if(NOT TAPER_CUDA STREQUAL "OFF")
  find_program(NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(NVCC)
    set(TAPER_NVCC ${NVCC})
  elseif(TAPER_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TAPER_CUDA=ON needs nvcc, which was not found: install the CUDA toolkit, "
                        "set CUDA_PATH, or configure with -DTAPER_CUDA=OFF")
  endif()
endif()
if(TAPER_NVCC)
  message(STATUS "CUDA: found ${TAPER_NVCC}; this version has no CUDA kernels, the build is for the CPU")
else()
  message(STATUS "CUDA: none, the build is for the CPU")
endif()
