# A tree with Taper's options, targets and entries of ctest, that compiles nothing (orders.sh).
cmake_minimum_required(VERSION 3.21)
project(stand_in LANGUAGES NONE)
include(options.cmake)

# program(TARGET FILE TEXT): a target that writes a shell script.
function(program target file text)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  file(WRITE ${PROJECT_BINARY_DIR}/templates/${target} "#!/bin/bash\n${text}\n")
  file(CHMOD ${PROJECT_BINARY_DIR}/templates/${target}
       PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  add_custom_target(${target} ALL COMMAND ${CMAKE_COMMAND} -E copy templates/${target} ${file})
endfunction()

program(taper lib/libtaper.so ":")
program(taper_testing lib/libtaper_testing.a ":")
install(FILES ${PROJECT_BINARY_DIR}/lib/libtaper.so DESTINATION . COMPONENT taper)
if(TAPER_BUILD_TESTS)
  enable_testing()
  program(taper_tests tests/taper_tests
    "case \"$*\" in *--gtest_list_tests*Softmax*) echo Softmax. && echo '  Sums';; *) echo taper_tests was run with $*;; esac")
  program(gpu_bench benchmarks/gpu_bench ":")
  add_test(NAME nn COMMAND ${PROJECT_BINARY_DIR}/tests/taper_tests)
endif()
if(TAPER_BUILD_EXAMPLES)
  program(mnist_distributed bin/mnist_distributed
    "echo rank $RANK of $WORLD_SIZE has $*, in $PWD; [ $# = 1 -o $RANK != 1 ] || exit 7; [ $RANK = 1 -o $# = 1 ] || exec sleep 60")
  foreach(example data_parallel cuda_semantics)
    program(${example} bin/${example} ":")
  endforeach()
  foreach(example mnist gpt)
    program(${example} bin/${example} "echo \"${example} was run with $*, GPU kernels: ${TAPER_CUDA}\"")
  endforeach()
  if(TAPER_BUILD_TESTS)
    add_test(NAME examples.flags COMMAND ${PROJECT_BINARY_DIR}/bin/mnist)
  endif()
endif()
