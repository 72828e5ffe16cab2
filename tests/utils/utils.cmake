# The tests of taper::utils: a program of its own, since what it reads are protocol buffers.
file(GLOB utils_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/utils/*_test.cpp)
taper_take_objects(utils_test_sources utils_test_objects utils_tests "^utils/")
add_executable(utils_tests ${utils_test_sources} ${utils_test_objects} $<TARGET_OBJECTS:taper_schema>)
target_include_directories(utils_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(utils_tests SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(utils_tests PRIVATE taper::utils protobuf::libprotobuf-lite GTest::gtest_main)
target_compile_options(utils_tests PRIVATE $<$<CONFIG:Release>:-Og>)
add_dependencies(utils_tests taper_schema)
if(TAPER_NVCC)  # a tool for NVTX, which the library finds in the program
  set_target_properties(utils_tests PROPERTIES ENABLE_EXPORTS ON)
  set_source_files_properties(utils/profiler_test.cpp PROPERTIES
    COMPILE_DEFINITIONS TAPER_WITH_NVTX=1 INCLUDE_DIRECTORIES "${CUDAToolkit_INCLUDE_DIRS}")
endif()
taper_group_sources(utils_tests)
add_test(NAME utils COMMAND utils_tests --gtest_brief=1)
set_tests_properties(utils PROPERTIES LABELS own_program)

# TensorBoard itself reads a run.
if(Python3_FOUND)
  add_executable(write_run utils/write_run.cpp)
  target_link_libraries(write_run PRIVATE taper::utils)
  add_test(NAME utils.tensorboard COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_CURRENT_SOURCE_DIR}/utils/read_run.py $<TARGET_FILE:write_run>)
  set_tests_properties(utils.tensorboard PROPERTIES SKIP_RETURN_CODE 77)
endif()
