# An overlay port that builds this tree:  vcpkg install taper --overlay-ports=packaging/vcpkg/ports
# oneDNN is the system's (Debian: libdnnl-dev).
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
vcpkg_find_acquire_program(PYTHON3)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DTAPER_CUDA=OFF -DTAPER_BUILD_TESTS=OFF -DTAPER_BUILD_EXAMPLES=OFF
          "-DPython3_EXECUTABLE=${PYTHON3}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME taper CONFIG_PATH lib/cmake/taper)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
