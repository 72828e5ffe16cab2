# Whether the library has CUDA kernels, and who compiles them.
#
# TAPER_CUDA=ON|OFF|AUTO       nvcc compiles the *_cuda.cu files for GPUs
# TAPER_CUDA_ON_HOST=ON        the host's compiler compiles them, for simulated devices: a build for
#                              tests, in which the kernels' arithmetic and indexing run without a GPU

if(NOT TAPER_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TAPER_CUDA: expected AUTO, ON or OFF, got ${TAPER_CUDA}")
endif()
option(TAPER_CUDA_ON_HOST "Compile the CUDA kernels for simulated devices" OFF)
set(TAPER_NVCC "")
if(TAPER_CUDA_ON_HOST)
  message(STATUS "CUDA: kernels are compiled for simulated devices")
elseif(TAPER_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: off, the build is for the CPU")
endif()
if(NOT TAPER_CUDA STREQUAL "OFF")
  find_program(NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  get_filename_component(bin "${NVCC}" DIRECTORY)
  find_library(CUDNN cudnn HINTS ${bin}/../lib64)
  find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${bin}/../include)
endif()
if(NOT TAPER_CUDA_ON_HOST AND NOT TAPER_CUDA STREQUAL "OFF")
  if(NVCC AND CUDNN AND CUDNN_INCLUDE_DIR)
    set(TAPER_NVCC ${NVCC})
  elseif(TAPER_CUDA STREQUAL "ON" AND NOT NVCC)
    message(FATAL_ERROR "TAPER_CUDA=ON needs nvcc, which was not found: install the CUDA toolkit, "
                        "set CUDA_PATH, or configure with -DTAPER_CUDA=OFF")
  elseif(TAPER_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TAPER_CUDA=ON needs cuDNN, which was not found beside ${NVCC}: install it, "
                        "set CUDNN and CUDNN_INCLUDE_DIR, or configure with -DTAPER_CUDA=OFF")
  elseif(NVCC)
    message(STATUS "CUDA: nvcc without cuDNN, the build is for the CPU")
  else()
    message(STATUS "CUDA: none, the build is for the CPU")
  endif()
endif()

if(TAPER_NVCC)
  # Machine code for these GPUs: by default those of this machine, and where there is none sm_90.
  set(here "90")
  find_program(NVIDIA_SMI nvidia-smi)
  if(NVIDIA_SMI)
    execute_process(COMMAND ${NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND found MATCHES "[0-9]")
      string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${found}")
      string(REPLACE "." "" here "${found}")
      list(REMOVE_DUPLICATES here)
    endif()
  endif()
  set(TAPER_CUDA_ARCHITECTURES "${here}" CACHE STRING "GPUs to compile for, as in 80;90;100;120")
  set(CMAKE_CUDA_COMPILER ${TAPER_NVCC})
  set(CMAKE_CUDA_ARCHITECTURES ${TAPER_CUDA_ARCHITECTURES})
  if(CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  # For the host's part, which only launches: what runs on a GPU is always optimised fully.
  set(CMAKE_CUDA_FLAGS_RELEASE "-O1 -DNDEBUG")
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know the flag yet
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  find_package(CUDAToolkit REQUIRED)
  set(TAPER_CUDA_HEADERS ON)
  message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, for sm_${CMAKE_CUDA_ARCHITECTURES}")
endif()

# Builds for simulated devices have no use for the toolkit but its headers: the tests on the fake
# runtime (tests/cuda_fake) are made of the runtime for GPUs.
if(TAPER_CUDA_ON_HOST AND NVCC AND CUDNN AND CUDNN_INCLUDE_DIR)
  find_package(CUDAToolkit)
  set(TAPER_CUDA_HEADERS ${CUDAToolkit_FOUND})
endif()

# nvcc takes longer for the headers than for a few kernels: files with few are compiled together.
set(TAPER_CUDA_TOGETHER
    activation,copy,count,foreach,loss_pointwise,ternary,where
    distance,fold,grid_sample,search,upsample
    embedding,embedding_bag,scan,rearrange,softmax
    attention,fft,loss_ctc,loss_nll,matmul,rnn
    norm_batch,norm_rows
    conv,distributions,factory,pool,reduce_median)

# taper_join_kernels(files): replaces these files of ops/ in that list by one for each group.
function(taper_join_kernels files)
  set(all ${${files}})
  foreach(group IN LISTS TAPER_CUDA_TOGETHER)
    set(text "")
    string(REPLACE "," ";" base_names ${group})
    foreach(base_name IN LISTS base_names)
      set(file ${all})
      list(FILTER file INCLUDE REGEX "/ops/[a-z/]+/${base_name}_cuda\\.cu$")
      if(NOT file)
        message(FATAL_ERROR "TAPER_CUDA_TOGETHER: there is no file ops/*/${base_name}_cuda.cu")
      endif()
      list(REMOVE_ITEM all ${file})
      file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} ${file})
      string(APPEND text "#include <taper/${file}>\n")
    endforeach()
    string(REPLACE "," "_" joined ${group})
    set(joined ${PROJECT_BINARY_DIR}/cuda/${joined}.cu)
    file(CONFIGURE OUTPUT ${joined} CONTENT "${text}" @ONLY)
    list(APPEND all ${joined})
  endforeach()
  set(${files} ${all} PARENT_SCOPE)
endfunction()

# taper_embed_kernel_headers(file): the headers that kernels compiled at run time include, as a list of
# names and texts in C++ (framework/cuda/gpu/chain_kernels.cpp), and taper/functors.h, which includes those of functors.
function(taper_embed_kernel_headers file)
  set(text "")
  set(functors "")
  foreach(header framework/core/namespaces.h framework/core/host_device.h framework/core/float16.h framework/core/dtype.h framework/core/complex.h
          framework/cuda/chain.h
          framework/kernel/vector_exp.h framework/kernel/vector_math.h ops/elementwise/functor.h
          ops/elementwise/lane_functors.inc ops/elementwise/unary_functors.h ops/elementwise/binary_functors.h
          ops/elementwise/ternary_functors.h ops/elementwise/clamp_functors.h
          ops/elementwise/where_functors.h ops/nn/activation_functors.h ops/nn/activation_kernels.h
          framework/cuda/gpu/nvrtc_standard.inc)
    set(path ${PROJECT_SOURCE_DIR}/${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} content)
    set(name taper/${header})
    if(header MATCHES "nvrtc_standard")
      set(name type_traits)
    elseif(header MATCHES "_functors\\.h")
      string(APPEND functors "#include <${name}>\n")
    endif()
    string(APPEND text "{\"${name}\", R\"_header_(${content})_header_\"},\n")
  endforeach()
  string(APPEND text "{\"taper/functors.h\", R\"_header_(${functors})_header_\"},\n")
  set(known "")
  if(EXISTS ${file})
    file(READ ${file} known)
  endif()
  if(NOT known STREQUAL text)
    file(WRITE ${file} "${text}")
  endif()
endfunction()

# taper_add_gpu_runtime(target extra...): the sources of framework/cuda/gpu, and others that need its
# headers, as they are compiled for GPUs.
function(taper_add_gpu_runtime target)
  file(GLOB runtime CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/framework/cuda/gpu/*.cpp)
  list(APPEND runtime ${ARGN})
  target_sources(${target} PRIVATE ${runtime})
  set(includes ${CUDAToolkit_INCLUDE_DIRS} ${CUDNN_INCLUDE_DIR})
  if(CUDAToolkit_CUPTI_INCLUDE_DIR)
    list(APPEND includes ${CUDAToolkit_CUPTI_INCLUDE_DIR})
  endif()
  # Not of the target, whose other sources would be compiled otherwise than in a build without CUDA.
  set_source_files_properties(${runtime} PROPERTIES COMPILE_DEFINITIONS TAPER_CUDA_KERNELS=1
                              INCLUDE_DIRECTORIES "${includes}")
  set(headers ${PROJECT_BINARY_DIR}/cuda/kernel_headers.inc)
  taper_embed_kernel_headers(${headers})
  set_source_files_properties(${PROJECT_SOURCE_DIR}/framework/cuda/gpu/chain_kernels.cpp PROPERTIES
    COMPILE_DEFINITIONS "TAPER_CUDA_KERNELS=1;TAPER_KERNEL_HEADERS=\"${headers}\"")
  # The large libraries are loaded when they are needed (gpu/handles.h), by the names of the
  # versions that the headers are of.
  get_filename_component(cudnn_file ${CUDNN} REALPATH)
  string(REGEX MATCH "libcudnn\\.so\\.[0-9]+" cudnn_file ${cudnn_file})
  set_source_files_properties(${PROJECT_SOURCE_DIR}/framework/cuda/gpu/handles.cpp PROPERTIES
    COMPILE_DEFINITIONS "TAPER_CUDA_KERNELS=1;TAPER_CUBLAS_FILE=\"libcublas.so.${CUDAToolkit_VERSION_MAJOR}\";TAPER_CUDNN_FILE=\"${cudnn_file}\"")
endfunction()

# taper_add_kernels_on_host(target kernels...): the kernels by the host's compiler, which makes fused
# multiply-adds of products and sums, as nvcc does (where this machine's processor has them): the tests
# meet the roundings of a GPU. (Not GCC with sanitizers, which contracts only where it optimises: that
# takes half as long again to compile. tests/blocks meets them.) They are a target of their own, because GCC
# takes this option from a precompiled header.
function(taper_add_kernels_on_host target)
  add_library(taper_kernels OBJECT ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++")
  target_compile_definitions(taper_kernels PRIVATE TAPER_CUDA_KERNELS=2)
  target_include_directories(taper_kernels PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  taper_compile(taper_kernels PRIVATE ${precompiled})
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo has_fma REGEX "^flags.* fma( |$)" LIMIT_COUNT 1)
  endif()
  if(has_fma)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(taper_kernels PRIVATE -mfma -ffp-contract=on)
    elseif(NOT TAPER_SANITIZE)
      target_compile_options(taper_kernels PRIVATE -O1 -fexpensive-optimizations -mfma -ffp-contract=fast)
    endif()
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:taper_kernels>)
endfunction()

# taper_add_cuda(target): the kernels, and what they need. Only they and one other source are compiled
# with TAPER_CUDA_KERNELS (what it means: framework/runtime/cuda_build.cpp), so that all others are the
# same in builds with and without them.
function(taper_add_cuda target)
  set(build ${PROJECT_SOURCE_DIR}/framework/runtime/cuda_build.cpp)
  set_source_files_properties(${build} PROPERTIES COMPILE_DEFINITIONS TAPER_CUDA_KERNELS=0)
  if(NOT TAPER_NVCC AND NOT TAPER_CUDA_ON_HOST)
    return()
  endif()
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/framework/*_cuda.cu
       ${PROJECT_SOURCE_DIR}/ops/*_cuda.cu ${PROJECT_SOURCE_DIR}/optim/*_cuda.cu
       ${PROJECT_SOURCE_DIR}/data/*_cuda.cu)
  if(TAPER_NVCC)
    taper_join_kernels(kernels)
  endif()
  if(TAPER_CUDA_ON_HOST)
    set_source_files_properties(${build} PROPERTIES COMPILE_DEFINITIONS TAPER_CUDA_KERNELS=2)
    taper_add_kernels_on_host(${target} ${kernels})
  else()
    target_sources(${target} PRIVATE ${kernels})
    file(GLOB_RECURSE cudnn CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ops/*_cudnn.cpp)
    taper_add_gpu_runtime(${target} ${cudnn})
    set_source_files_properties(${build} ${kernels} PROPERTIES COMPILE_DEFINITIONS TAPER_CUDA_KERNELS=1)
    target_link_libraries(${target} PRIVATE ${CUDA_cudart_LIBRARY})
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;--expt-relaxed-constexpr;-diag-suppress=186>)
  endif()
endfunction()
