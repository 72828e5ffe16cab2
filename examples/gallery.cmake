# gallery_example(NAME [HEADERS...]): a program of main.cpp, against LibTorch or Taper. In Taper's own build it
# gets that build's library; else find_package(Torch) finds LibTorch, or Taper where it is told so:
#   cmake -S examples/vae -B build -DTorch_DIR=PREFIX/lib/cmake/taper/torch && cmake --build build
function(gallery_example name)
  if(TARGET taper::taper)
    set(TORCH_LIBRARIES taper::taper)
  else()
    find_package(Torch REQUIRED)
  endif()
  add_executable(${name} main.cpp)
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/..)
  target_compile_options(${name} PRIVATE -Wall -Wextra)
  target_link_libraries(${name} PRIVATE ${TORCH_LIBRARIES})
  if(NOT CMAKE_BUILD_TYPE)
    target_compile_options(${name} PRIVATE -O2)
  endif()
endfunction()
