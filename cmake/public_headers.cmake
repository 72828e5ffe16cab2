# The public headers: those that <taper/taper.h>, <taper/nn/compile.h>, <taper/testing/testing.h>, <taper/testing/gtest.h>,
# <taper/utils/utils.h>, <taper/distributed/distributed.h>, <taper/train/trainer.h> and LibTorch's headers in compat/ lead to, and no others.
# They are what is installed, and what cmake/check_includes.sh looks at: cmake -P prints them.

cmake_minimum_required(VERSION 3.21)

# Sets `result` to their paths relative to `root`, the folder of taper.h.
function(taper_public_headers root result)
  set(found "")
  set(pending taper.h nn/compile.h testing/testing.h testing/gtest.h utils/utils.h distributed/distributed.h train/trainer.h)
  file(GLOB_RECURSE compat RELATIVE ${root} ${root}/compat/*.h ${root}/compat/*.hpp)
  list(APPEND pending ${compat})
  while(pending)
    list(POP_FRONT pending header)
    list(APPEND found ${header})
    file(STRINGS ${root}/${header} lines REGEX "^[ \t]*#[ \t]*include[ \t]*<taper/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<taper/([^>]*)>.*" "\\1" name "${line}")
      if(NOT name IN_LIST found AND NOT name IN_LIST pending)
        list(APPEND pending ${name})
      endif()
    endforeach()
  endwhile()
  list(FILTER found EXCLUDE REGEX "^compat/")
  set(${result} ${found} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  taper_public_headers(${CMAKE_CURRENT_LIST_DIR}/.. headers)
  foreach(header IN LISTS headers)
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${header})
  endforeach()
endif()
