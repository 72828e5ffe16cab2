# find_package(Taper) gives the target taper::taper; taper::extension, which programs with ops of their
# own link; taper::testing, which checks gradients in tests of one's own; taper::distributed, for programs of
# several processes; taper::program, which runs and writes programs of torch.export; and taper::utils, which writes TensorBoard's files. Their include directories hold <taper/taper.h> as
# well as <torch/torch.h>.
include(CMakeFindDependencyMacro)
foreach(package @TAPER_DEPENDENCIES@)
  find_dependency(${package})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/TaperTargets.cmake)
