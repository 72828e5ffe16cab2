# find_package(Taper) gives the target taper::taper. Its include directories hold <taper/taper.h> as
# well as <torch/torch.h>.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/TaperTargets.cmake)
