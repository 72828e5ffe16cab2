# The tests of taper::program: a program of its own, since single programs do not carry that library.
file(GLOB program_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/program/*_test.cpp)
taper_take_objects(program_test_sources program_test_objects program_tests "^program/")
add_executable(program_tests ${program_test_sources} ${program_test_objects})
target_include_directories(program_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(program_tests PRIVATE taper::program GTest::gtest_main)
target_compile_options(program_tests PRIVATE $<$<CONFIG:Release>:-Og>)
target_compile_definitions(program_tests PRIVATE _GLIBCXX_ASSERTIONS
  TAPER_PROGRAM_FILES="${CMAKE_CURRENT_SOURCE_DIR}/program/files")
taper_group_sources(program_tests)
add_test(NAME program COMMAND program_tests --gtest_brief=1)
set_tests_properties(program PROPERTIES LABELS own_program COST 10)

# What the scripts beside PyTorch and ONNX Runtime run (models.py, export_peers.py). They are built when asked for: CI has neither.
foreach(peer run_model export_peers)
  add_executable(${peer} EXCLUDE_FROM_ALL program/${peer}.cpp)
  target_include_directories(${peer} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${peer} PRIVATE taper::program)
endforeach()
