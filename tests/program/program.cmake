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

# PyTorch's models, where PyTorch is installed.
if(Python3_FOUND)
  add_executable(run_model program/run_model.cpp)
  target_include_directories(run_model PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(run_model PRIVATE taper::program)
  add_test(NAME program.models COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_CURRENT_SOURCE_DIR}/program/models.py $<TARGET_FILE:run_model> --few)
  set_tests_properties(program.models PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  # Its own files, where PyTorch and ONNX Runtime are installed.
  add_executable(export_peers program/export_peers.cpp)
  target_include_directories(export_peers PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(export_peers PRIVATE taper::program)
  add_test(NAME program.export_peers COMMAND ${Python3_EXECUTABLE}
           ${CMAKE_CURRENT_SOURCE_DIR}/program/export_peers.py $<TARGET_FILE:export_peers>)
  set_tests_properties(program.export_peers PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
