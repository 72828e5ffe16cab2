# The entries of ctest that run taper_tests. Starting the program for each of its 7,000 tests would
# take longer than the tests do, so an entry is a family: the tests of a folder, or one property of
# all ops' cases. suites.check proves that every test is in exactly one of them.
option(TAPER_DISCOVER_TESTS "An entry of ctest for every single test, too" OFF)

# taper_suite(NAME [PROGRAM p] [PARTS n] [COST s] [ENVIRONMENT A=1...] [ARGUMENTS ...] [LABELS ...])
# n entries, each with every n-th test. What costs most begins first, so that all cores are busy to
# the end; an entry that takes twenty times as long is ended.
function(taper_suite name)
  cmake_parse_arguments(PARSE_ARGV 1 suite "" "PROGRAM;PARTS;COST" "ENVIRONMENT;ARGUMENTS;LABELS")
  if(NOT suite_PROGRAM)
    set(suite_PROGRAM taper_tests)
  endif()
  if(NOT suite_PARTS)
    set(suite_PARTS 1)
  endif()
  if(NOT suite_COST)
    set(suite_COST 5)
  endif()
  set(slower 1)
  if(TAPER_SANITIZE OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(slower 5)
  endif()
  math(EXPR limit "300 + 20 * ${slower} * ${suite_COST}")
  math(EXPR killed "${limit} + 30")
  math(EXPR last "${suite_PARTS} - 1")
  foreach(part RANGE ${last})
    set(entry ${name})
    set(arguments ${suite_ARGUMENTS} --gtest_brief=1 --limit=${limit})
    if(last GREATER 0)
      set(entry ${name}.${part})
      list(APPEND arguments --part=${part}/${suite_PARTS})
    endif()
    add_test(NAME ${entry} COMMAND ${suite_PROGRAM} ${arguments})
    set_tests_properties(${entry} PROPERTIES TIMEOUT ${killed} COST ${suite_COST}
      ENVIRONMENT "${suite_ENVIRONMENT}" LABELS "${suite_LABELS}")
  endforeach()
endfunction()

if(TAPER_SANITIZE STREQUAL "thread")
  # But for the harness, and for races that were planted.
  taper_suite(threads PARTS 2 COST 60 ARGUMENTS
    --gtest_filter=-GoogleTestVerification*:Harness*:OpRegistry*:*Races*:RaceDetector*)
  return()
endif()

# ---------------------------------------------------------------- every test once
if(TAPER_DISCOVER_TESTS)
  include(GoogleTest)
  gtest_discover_tests(taper_tests DISCOVERY_TIMEOUT 60)
endif()
# Families of more than a few seconds: how long one takes, and in how many parts.
set(cost_ops 10)
set(cost_optim 7)
set(cost_framework.runtime 6)
set(cost_cases.Device 8)
if(TAPER_SANITIZE MATCHES "address")
  # On simulated devices kernels run for the CPU: a tensor ends where its memory does (caching_allocator.h).
  list(APPEND block_environment PYTORCH_NO_CUDA_MEMORY_CACHING=1)
  set(environment_cases.Device PYTORCH_NO_CUDA_MEMORY_CACHING=1)
  set(environment_cases.CaptureOnDevice PYTORCH_NO_CUDA_MEMORY_CACHING=1)
endif()
set(environment_blocks ${block_environment})
foreach(family cases.Gradient cases.Value cases.ViewsAndState cases.CaptureOnDevice)
  set(parts_${family} 2)
  set(cost_${family} 8)
endforeach()
set(folders "")
foreach(source ${test_sources})
  if(source MATCHES "_test\\.cpp$")
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
    string(REPLACE "/" "." folder ${folder})
    list(APPEND folders ${folder})
  endif()
endforeach()
list(REMOVE_DUPLICATES folders)
set(properties Value Device Gradient ViewsAndState Forms Errors Capture CaptureOnDevice Tangent Batched)
list(TRANSFORM properties PREPEND cases.)
foreach(family ${folders} ${properties})
  taper_suite(${family} PARTS "${parts_${family}}" COST "${cost_${family}}" LABELS every_test
              ENVIRONMENT ${environment_${family}} ARGUMENTS --family=${family})
endforeach()
if(NOT TAPER_DISCOVER_TESTS)  # the check counts entries
  add_test(NAME suites.check
           COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/dev/suites.sh ${CMAKE_CTEST_COMMAND}
                   ${PROJECT_BINARY_DIR} $<TARGET_FILE:taper_tests>)
endif()
add_test(NAME devices.rows
         COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/framework/runtime/rows.sh
                 $<TARGET_FILE:taper_tests>)

# ---------------------------------------------------------------- once more, otherwise
if(NOT TAPER_SANITIZE)
  # With the kernels for lesser CPUs (the tests above take the best that this one has); devices and
  # captures run the same kernels, and files none.
  set(arguments_base "")
  set(arguments_avx2 --avx512-only)
  foreach(isa base avx2)
    taper_suite(isa.${isa} PARTS 3 COST 12 ENVIRONMENT TAPER_CPU_ISA=${isa} ARGUMENTS ${arguments_${isa}}
      --gtest_filter=-Ops/OpCases.Capture*:Ops/OpCases.Tangent/*:Ops/OpCases.Batched/*:Ops/OpCases.Device/*:Devices*:DataParallel*:Graphs*:Planted/*:Race*:ManyParameters.*:DeepGraph.*:DamagedFiles.*)
  endforeach()
  # Products of bf16 without tile registers, where the CPU has them.
  taper_suite(isa.pairs PARTS 1 COST 1 ENVIRONMENT TAPER_CPU_ISA=pairs
              ARGUMENTS --gtest_filter=NarrowFloats.*:Rnn.*)
  set_tests_properties(isa.avx2.0 isa.avx2.1 isa.avx2.2 PROPERTIES SKIP_RETURN_CODE 77)
  # With the race detector: it must raise no false alarm. (Captures of the CPU's work are its own
  # business; it forgets at once what the host does alone, as the longest of the tests do.)
  taper_suite(races.suite PARTS 4 COST 18 ENVIRONMENT TAPER_RACE_DETECTOR=throw
              ARGUMENTS --gtest_filter=-Ops/OpCases.Capture/*:Ops/OpCases.Tangent/*:Ops/OpCases.Batched/*:KitCampaign*:Kit/*:LargeResults.*:DeepGraph.*:Cumsum.PastTheCaches:Copy.TransposedResults*:DamagedFiles.*:ImageFile.*)
  # The gradient kit against planted faults in all ops, and a thousand seeded runs without one.
  taper_suite(kit.campaign PARTS 4 COST 20 ENVIRONMENT TAPER_KIT_CAMPAIGN=full
              ARGUMENTS --gtest_filter=KitCampaign.*:Kit/KitCampaignSeeds.*)
endif()
# As on a machine with one GPU: what needs several devices skips and says so.
taper_suite(devices.one COST 10 ENVIRONMENT TAPER_TEST_DEVICES=1 ARGUMENTS
  --gtest_filter=Devices*:DeviceFaults*:DataParallel*:BackwardStreams*:*Race*:Peers*:Threads*:CompatNames*:Harness*:OpRegistry*)
# Launches that wait must change no result. (Tests that hold a kernel back would wait for ever.)
taper_suite(launch_blocking.training COST 10 ENVIRONMENT CUDA_LAUNCH_BLOCKING=1 ARGUMENTS
  --gtest_filter=DevicesD3.*:DevicesM*:DevicesP1.*:DevicesP3.*:DeviceFaults.A2*:DataParallelG3.Trains*:-DevicesM10.*)
# The CUDA kernels in blocks of real threads (blocks/blocks.cmake).
if(block_program)
  taper_suite(blocks PROGRAM ${block_program} PARTS 4 COST 20 ENVIRONMENT TAPER_TEST_BLOCKS=1
    ${block_environment} ARGUMENTS ${block_filter})
endif()
