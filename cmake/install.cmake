# What an installed Taper is made of, and the same package files for use from the build tree.

include(CMakePackageConfigHelpers)
set(TAPER_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/taper)
set(TAPER_BUILD_CMAKE_DIR ${PROJECT_BINARY_DIR}/lib/cmake/taper)

# The library's own files: an example of this tree that installs itself is no part of them.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME taper)
set(TAPER_TARGETS taper taper_distributed taper_extension taper_program taper_testing)
set(TAPER_PKG_CONFIG taper taper-torch taper-testing taper-distributed taper-program)
if(TARGET taper_utils)
  list(APPEND TAPER_TARGETS taper_utils)
  list(APPEND TAPER_PKG_CONFIG taper-utils)
  set(TAPER_UTILS_FLAG -ltaper_utils)
endif()
install(TARGETS ${TAPER_TARGETS} EXPORT TaperTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Which headers are public is asked at the time of installing: the answer is in the headers.
install(CODE "
  include(\"${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake\")
  taper_public_headers(\"${PROJECT_SOURCE_DIR}\" \"${TAPER_BUILD_INCLUDE}\" headers)
  foreach(header IN LISTS headers)
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY \"${PROJECT_SOURCE_DIR}\" OUTPUT_VARIABLE file)
    string(REPLACE \"${TAPER_BUILD_INCLUDE}/taper/\" \"\" header \${header})
    get_filename_component(folder \${header} DIRECTORY)
    file(INSTALL \"\${file}\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/taper/\${folder}\")
  endforeach()")
install(DIRECTORY compat/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/taper/compat
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.cuh")
install(DIRECTORY ${TAPER_BUILD_INCLUDE}/ATen ${TAPER_BUILD_INCLUDE}/c10 ${TAPER_BUILD_INCLUDE}/c10d
                  ${TAPER_BUILD_INCLUDE}/torch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/taper/compat)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN site EXCLUDE)

# CMake: Taper (target taper::taper), and a stand-in for LibTorch's own package.
install(EXPORT TaperTargets NAMESPACE taper:: DESTINATION ${TAPER_CMAKE_DIR})
export(EXPORT TaperTargets NAMESPACE taper:: FILE ${TAPER_BUILD_CMAKE_DIR}/TaperTargets.cmake)
write_basic_package_version_file(${TAPER_BUILD_CMAKE_DIR}/TaperConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
# A static library leaves its own libraries to the program.
set(TAPER_DEPENDENCIES Threads)
set(TAPER_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  list(APPEND TAPER_DEPENDENCIES OpenMP ZLIB)
  set(TAPER_PC_LIBS "-Wl,--gc-sections ${OpenMP_CXX_FLAGS} -lz -ldl")
  foreach(package PNG JPEG)
    if(${package}_FOUND)
      list(APPEND TAPER_DEPENDENCIES ${package})
      string(TOLOWER ${package} name)
      string(APPEND TAPER_PC_LIBS " -l${name}")
    endif()
  endforeach()
  if(TAPER_ONEDNN)
    string(APPEND TAPER_PC_LIBS " -ldnnl")
  endif()
  if(TARGET taper_utils)
    list(APPEND TAPER_DEPENDENCIES Protobuf)
    set(TAPER_PC_UTILS_LIBS -lprotobuf-lite)
    string(APPEND TAPER_UTILS_FLAG " -lprotobuf-lite")
  endif()
  if(TAPER_WITH_GLOO)
    list(APPEND TAPER_PC_DISTRIBUTED_LIBS ${GLOO})
  endif()
  if(TAPER_WITH_MPI)
    list(APPEND TAPER_PC_DISTRIBUTED_LIBS ${MPI_C_LIBRARIES})
  endif()
  string(REPLACE ";" " " TAPER_PC_DISTRIBUTED_LIBS "${TAPER_PC_DISTRIBUTED_LIBS}")
endif()
set(package_files TaperConfig.cmake torch/TorchConfig.cmake torch/TorchConfigVersion.cmake)
foreach(file ${package_files})
  configure_file(cmake/package/${file} ${TAPER_BUILD_CMAKE_DIR}/${file} @ONLY)
endforeach()
install(FILES ${TAPER_BUILD_CMAKE_DIR}/TaperConfig.cmake
              ${TAPER_BUILD_CMAKE_DIR}/TaperConfigVersion.cmake DESTINATION ${TAPER_CMAKE_DIR})
install(FILES cmake/package/torch/TorchConfig.cmake cmake/package/torch/TorchConfigVersion.cmake
        DESTINATION ${TAPER_CMAKE_DIR}/torch)

# Programs for LibTorch before 1.9 link c10d by the name of its file, as pytorch/examples' cpp/distributed does: an
# archive without members, for all is in taper::distributed.
file(WRITE ${PROJECT_BINARY_DIR}/lib/libc10d.a "!<arch>\n")
install(FILES ${PROJECT_BINARY_DIR}/lib/libc10d.a DESTINATION lib)

# pkg-config. Paths are relative to the .pc file, so that a prefix can be moved.
file(RELATIVE_PATH TAPER_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" TAPER_PC_TO_PREFIX "${TAPER_PC_TO_PREFIX}")
foreach(name ${TAPER_PKG_CONFIG})
  configure_file(cmake/package/${name}.pc.in ${PROJECT_BINARY_DIR}/lib/pkgconfig/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/lib/pkgconfig/${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# A Debian package of the same files (./dev package). OpenBLAS is loaded by name, so the package must say it.
# A project that Taper is a part of packs itself.
if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_COMPONENTS_ALL taper)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_TAPER_PACKAGE_NAME libtaper-dev)
  set(CPACK_DEBIAN_TAPER_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_TAPER_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_TAPER_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_TAPER_PACKAGE_DEPENDS "libopenblas0-pthread | libopenblas0")
  set(CPACK_COMPONENT_TAPER_DESCRIPTION "${PROJECT_DESCRIPTION}\n The library, its headers and its CMake and pkg-config files.")
  set(CPACK_PACKAGE_CONTACT "The authors of Taper")
  set(CPACK_STRIP_FILES ON)
  include(CPack)
endif()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME examples)
# Installed examples find the library beside them.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
