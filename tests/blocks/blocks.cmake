# The CUDA kernels in blocks of real threads (blocks.h): cases of ops run so. In a build for simulated
# devices that is the test program itself (taper_tests), under its sanitizers. Any other build has a
# program for it, block_tests: the library's objects and the tests', with the kernels compiled for the
# host so that each access to memory is seen, and as nvcc does with multiplications and additions
# contracted.
if(TAPER_SANITIZE STREQUAL "thread" OR (TAPER_COVERAGE AND NOT TAPER_CUDA_ON_HOST))
  return()  # which kernels for GPUs are not part of
endif()
find_package(Boost QUIET COMPONENTS context)
set(absent "")
if(NOT Boost_CONTEXT_FOUND)
  set(absent "Boost.Context was not found when the build was configured (libboost-context-dev)")
elseif(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(absent "blocks of threads need an x86-64")
elseif(NOT TAPER_CUDA_ON_HOST AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(absent "only the instrumentation of GCC sees accesses in blocks of threads")
endif()
if(absent)
  message(STATUS "CUDA kernels in blocks of threads: not tested, ${absent}")
  add_test(NAME blocks COMMAND sh -c "echo 'not run: ${absent}'; exit 77")
  set_tests_properties(blocks PROPERTIES SKIP_RETURN_CODE 77)
  return()
endif()

set(block_sources ${CMAKE_CURRENT_SOURCE_DIR}/blocks/runner.cpp ${CMAKE_CURRENT_SOURCE_DIR}/blocks/watch.cpp)
set(block_tests ${CMAKE_CURRENT_SOURCE_DIR}/blocks/blocks_test.cpp)
set_source_files_properties(${block_sources} ${block_tests} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
# Every barrier, shuffle and access to shared memory of the kernels comes through here.
set_source_files_properties(${block_sources} PROPERTIES COMPILE_OPTIONS -O2)

if(TAPER_CUDA_ON_HOST)
  set_source_files_properties(${block_sources} ${block_tests} PROPERTIES
    COMPILE_DEFINITIONS TAPER_CUDA_KERNELS=2)
  target_sources(taper_tests PRIVATE ${block_sources} ${block_tests})
  list(APPEND test_sources ${block_tests})
  target_link_libraries(taper_tests PRIVATE Boost::context)
  set(block_program taper_tests)
  set(block_filter --gtest_filter=CudaKernelsOfWarps.*:Ops/OpCases.Device/*)
  # Frames on a heap, one for each fiber, would take longer than the tests.
  set(block_environment ASAN_OPTIONS=detect_stack_use_after_return=0)
  return()
endif()

set(block_program block_tests)
set(block_filter --gtest_filter=Blocks.*:CudaKernelsOfWarps.*:Ops/OpCases.Device/*:Ops/OpCases.CaptureOnDevice/*)
file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/framework/*_cuda.cu
     ${PROJECT_SOURCE_DIR}/ops/*_cuda.cu ${PROJECT_SOURCE_DIR}/optim/*_cuda.cu
     ${PROJECT_SOURCE_DIR}/data/*_cuda.cu)
taper_join_kernels(kernels)  # half of the commands, as for nvcc
set(build ${PROJECT_SOURCE_DIR}/framework/runtime/cuda_build.cpp)
add_executable(block_tests ${kernels} ${build} ${block_sources} ${block_tests}
               ${CMAKE_CURRENT_SOURCE_DIR}/blocks/accesses.cpp)
set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX)
set(seen -g1 -fsanitize=thread)
set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS
  "-xc++;${seen};-O1;-fexpensive-optimizations;-mfma;-ffp-contract=fast")
set_source_files_properties(${block_tests} PROPERTIES COMPILE_OPTIONS "${seen}")
target_compile_definitions(block_tests PRIVATE TAPER_CUDA_KERNELS=2)
target_include_directories(block_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${TAPER_BUILD_INCLUDE})
target_compile_options(block_tests PRIVATE -Wall -Wextra -Wno-maybe-uninitialized -fno-math-errno
                       ${OpenMP_CXX_FLAGS} $<$<BOOL:${TAPER_WERROR}>:-Werror>)
set(others "/cmake_pch|\\.cu\\.o$|/runtime/cuda_build\\.cpp|/cuda/gpu/|_cudnn\\.cpp")
target_sources(block_tests PRIVATE $<FILTER:$<TARGET_OBJECTS:taper>,EXCLUDE,${others}>
  $<FILTER:$<TARGET_OBJECTS:taper_loops>,EXCLUDE,/cmake_pch>
  $<FILTER:$<TARGET_OBJECTS:taper_testing>,EXCLUDE,/cmake_pch>
  $<FILTER:$<TARGET_OBJECTS:taper_extension>,EXCLUDE,/cmake_pch>
  $<FILTER:$<TARGET_OBJECTS:taper_tests>,EXCLUDE,/cmake_pch>)
target_link_libraries(block_tests PRIVATE Boost::context GTest::gtest GTest::gmock
  OpenMP::OpenMP_CXX Threads::Threads ${TAPER_ONEDNN} ZLIB::ZLIB $<TARGET_NAME_IF_EXISTS:PNG::PNG>
  $<TARGET_NAME_IF_EXISTS:JPEG::JPEG> ${CMAKE_DL_LIBS})
