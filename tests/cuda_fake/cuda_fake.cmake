# The runtime for GPUs, linked with a fake of CUDA's. The program is made of the library's own objects:
# where nvcc has compiled them, kernels too, whose launches are counted; in a build for simulated
# devices, which has no objects of framework/cuda/gpu, they are compiled here, without kernels.
file(GLOB fake_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cuda_fake/*.cpp)
add_executable(cuda_fake_tests ${fake_sources})
# The real cuDNN, which is asked whether it has engines for graphs, and the toolkit's stand-in of a driver.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/cuda_fake/attention_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/cuda_fake/conv_test.cpp PROPERTIES COMPILE_OPTIONS
  "-DREAL_CUDNN_FILE=\"${CUDNN}\";-DSTUB_DRIVER_FILE=\"${CUDAToolkit_LIBRARY_DIR}/stubs/libcuda.so\"")
# The real NVRTC, and the host's compiler in its place.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/cuda_fake/chains_test.cpp PROPERTIES COMPILE_OPTIONS
  "-DREAL_NVRTC_FILE=\"${CUDAToolkit_LIBRARY_DIR}/libnvrtc.so\";-DHOST_COMPILER=\"${CMAKE_CXX_COMPILER}\";-DTAPER_INCLUDE=\"${TAPER_BUILD_INCLUDE}\"")
# Headers that differ for GPUs and for the host are read as the runtime for GPUs reads them.
set_source_files_properties(${fake_sources} PROPERTIES COMPILE_DEFINITIONS
  "TAPER_CUDA_KERNELS=1;FAKE_CUDA_KERNELS=$<BOOL:${TAPER_NVCC}>")
set(others "/cmake_pch")
if(NOT TAPER_NVCC)
  set(others "\\.cu\\.o$|/runtime/cuda_build\\.cpp|/cmake_pch")
  set(build ${PROJECT_SOURCE_DIR}/framework/runtime/cuda_build.cpp)
  file(GLOB_RECURSE cudnn CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ops/*_cudnn.cpp)
  taper_add_gpu_runtime(cuda_fake_tests ${build} ${cudnn})
endif()
target_sources(cuda_fake_tests PRIVATE $<FILTER:$<TARGET_OBJECTS:taper>,EXCLUDE,${others}>
                                       $<FILTER:$<TARGET_OBJECTS:taper_loops>,EXCLUDE,/cmake_pch>)
set_target_properties(cuda_fake_tests PROPERTIES ENABLE_EXPORTS ON)  # dlsym finds the fakes
target_include_directories(cuda_fake_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${TAPER_BUILD_INCLUDE})
target_include_directories(cuda_fake_tests SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${CUDNN_INCLUDE_DIR}
                           $<$<BOOL:${CUDAToolkit_CUPTI_INCLUDE_DIR}>:${CUDAToolkit_CUPTI_INCLUDE_DIR}>)
target_compile_options(cuda_fake_tests PRIVATE -Wall -Wextra $<$<CONFIG:Release>:-Og>
                                               $<$<BOOL:${TAPER_WERROR}>:-Werror>)
target_link_options(cuda_fake_tests PRIVATE -Wl,--wrap=dlopen)
target_link_libraries(cuda_fake_tests PRIVATE GTest::gtest OpenMP::OpenMP_CXX Threads::Threads
  ${TAPER_ONEDNN} ZLIB::ZLIB $<TARGET_NAME_IF_EXISTS:PNG::PNG> $<TARGET_NAME_IF_EXISTS:JPEG::JPEG> ${CMAKE_DL_LIBS})
add_test(NAME cuda_fake COMMAND cuda_fake_tests --gtest_brief=1)
set_tests_properties(cuda_fake PROPERTIES TIMEOUT 300 COST 5 ENVIRONMENT "CUDA_VISIBLE_DEVICES=")
