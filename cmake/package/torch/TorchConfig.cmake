# Stands in for LibTorch's package: a project with find_package(Torch) builds with Taper when it is
# configured with -DTorch_DIR=<the folder of this file>, its own CMakeLists.txt untouched. The folder
# is on no search path of CMake's, so that no project gets Taper without asking for it.
find_package(Taper CONFIG REQUIRED PATHS "${CMAKE_CURRENT_LIST_DIR}/.." NO_DEFAULT_PATH)

# The libraries for programs' own ops, for many processes and for profiles are loaded by those that
# use them. Of static ones the linker takes what a program calls.
get_target_property(taper_type taper::taper TYPE)
if(taper_type STREQUAL "STATIC_LIBRARY")
  set(taper_libraries $<TARGET_NAME_IF_EXISTS:taper::utils> taper::distributed taper::extension taper::taper)
else()
  set(taper_libraries taper::taper -Wl,--push-state,--as-needed $<TARGET_FILE:taper::extension>
      $<TARGET_FILE:taper::distributed>
      $<$<TARGET_EXISTS:taper::utils>:$<TARGET_FILE:taper::utils>> -Wl,--pop-state)
endif()

# LibTorch's target names: projects link some of them directly.
foreach(taper_stand_in torch torch_cpu torch_library c10)
  if(NOT TARGET ${taper_stand_in})
    add_library(${taper_stand_in} INTERFACE IMPORTED)
    set_property(TARGET ${taper_stand_in} PROPERTY INTERFACE_LINK_LIBRARIES ${taper_libraries})
  endif()
endforeach()
unset(taper_stand_in)
unset(taper_libraries)
unset(taper_type)

get_target_property(TORCH_INCLUDE_DIRS taper::taper INTERFACE_INCLUDE_DIRECTORIES)
set(TORCH_FOUND TRUE)
set(TORCH_LIBRARIES torch)
set(TORCH_LIBRARY torch)
set(TORCH_CXX_FLAGS "")
# lib/cmake/taper/torch, or (vcpkg) share/taper/torch
get_filename_component(TORCH_INSTALL_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${TORCH_INSTALL_PREFIX}/include")
  get_filename_component(TORCH_INSTALL_PREFIX "${TORCH_INSTALL_PREFIX}" DIRECTORY)
endif()
