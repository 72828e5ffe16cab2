# The tests of taper::distributed: ranks are processes, or threads with a group each.
file(GLOB distributed_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/distributed/*_test.cpp)
taper_take_objects(distributed_test_sources distributed_test_objects distributed_tests
                   "/(checkpoint|distributed_data_parallel|flight_recorder|init|process_group|sharding|store|sync_batch_norm|training)_test")
add_executable(distributed_tests ${distributed_test_sources} ${CMAKE_CURRENT_SOURCE_DIR}/distributed/ranks.cpp
               ${distributed_test_objects})
target_include_directories(distributed_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(distributed_tests PRIVATE taper::distributed GTest::gtest Threads::Threads)
if(TARGET taper_utils)  # for traces
  target_link_libraries(distributed_tests PRIVATE taper::utils)
  target_compile_definitions(distributed_tests PRIVATE TAPER_WITH_UTILS=1)
endif()
target_compile_options(distributed_tests PRIVATE $<$<CONFIG:Release>:-Og>)
target_compile_definitions(distributed_tests PRIVATE ${backends})
if(TAPER_WITH_MPI)
  target_link_libraries(distributed_tests PRIVATE MPI::MPI_C)
endif()
if(TAPER_WITH_NCCL)  # a fake of it, which the library finds in the program
  set_target_properties(distributed_tests PROPERTIES ENABLE_EXPORTS ON)
  target_include_directories(distributed_tests SYSTEM PRIVATE ${NCCL_INCLUDE_DIR} ${NCCL_CUDA_INCLUDE_DIR})
endif()
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/distributed/init_test.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/distributed/store_test.cpp PROPERTIES
  COMPILE_DEFINITIONS TAPER_TEST_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/distributed")
taper_group_sources(distributed_tests)
# It waits for time limits most of its 107 seconds (18 of a processor): in four processes for a third of them.
add_test(NAME distributed
         COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/distributed/beside.sh 4 $<TARGET_FILE:distributed_tests>
                 --gtest_brief=1)
set_tests_properties(distributed PROPERTIES LABELS own_program TIMEOUT 600 COST 100)
