# The public headers: those that <taper/taper.h>, <taper/nn/compile.h>, <taper/testing/testing.h>, <taper/testing/gtest.h>,
# <taper/utils/utils.h>, <taper/distributed/distributed.h>, <taper/train/trainer.h>, <taper/func/functional.h>,
# <taper/program/program.h>, <taper/program/export.h>, <taper/program/onnx.h>, <taper/extension/eigen.h>, <taper/extension/opencv.h>, <taper/framework/core/format.h> and LibTorch's headers (compat/ and forwarding_headers.txt) lead to, and no others. They are installed, and cmake/check_includes.sh checks them.
#
#   cmake -DTAPER_INCLUDE=FOLDER -P public_headers.cmake
#
# prints them: those of the tree relative to it, generated ones in FOLDER, into which generated_headers.py has written.

cmake_minimum_required(VERSION 3.21)

# Sets `result` to their paths: relative to `root`, the folder of taper.h, or in `include`, if they are generated.
function(taper_public_headers root include result)
  set(found "")
  set(pending taper.h nn/compile.h testing/testing.h testing/gtest.h utils/utils.h distributed/distributed.h train/trainer.h func/functional.h program/program.h
      program/export.h program/onnx.h
      extension/eigen.h extension/opencv.h framework/core/format.h)
  file(GLOB_RECURSE compat RELATIVE ${root} ${root}/compat/*.h ${root}/compat/*.hpp)
  list(APPEND pending ${compat})
  file(STRINGS ${root}/cmake/forwarding_headers.txt rows REGEX " taper/")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "#.*" "" row "${row}")
    string(REGEX MATCHALL " taper/[^ ]+" names "${row}")
    list(TRANSFORM names REPLACE " taper/" "")
    list(APPEND pending ${names})
  endforeach()
  list(REMOVE_DUPLICATES pending)
  while(pending)
    list(POP_FRONT pending header)
    list(APPEND found ${header})
    cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY ${root} OUTPUT_VARIABLE file)
    file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*<taper/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*<taper/([^>]*)>.*" "\\1" name "${line}")
      if(name MATCHES "^generated/")
        set(name ${include}/taper/${name})
      endif()
      if(NOT name IN_LIST found AND NOT name IN_LIST pending)
        list(APPEND pending ${name})
      endif()
    endforeach()
  endwhile()
  list(FILTER found EXCLUDE REGEX "^compat/")
  set(${result} ${found} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  taper_public_headers(${CMAKE_CURRENT_LIST_DIR}/.. ${TAPER_INCLUDE} headers)
  list(JOIN headers "\n" lines)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${lines}")
endif()
