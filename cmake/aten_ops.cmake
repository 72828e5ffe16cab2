# The headers of LibTorch that have a name for each function, <ATen/ops/add.h>, and those that repeat
# the front end's under another path: all lead to one of compat/, and are made where a build begins.

# Writes them into `folder`, for the names of aten_ops.txt and the headers of `compat`.
function(taper_write_forwarding_headers compat folder)
  set(forward "// Made by cmake/aten_ops.cmake.\n#pragma once\n\n#include")
  file(READ ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/aten_ops.txt names)
  string(REGEX MATCHALL "[A-Za-z0-9_]+" names "${names}")
  foreach(name IN LISTS names)
    taper_write_if_new(${folder}/ATen/ops/${name}.h "${forward} <ATen/Functions.h>\n")
  endforeach()
  file(GLOB_RECURSE headers RELATIVE ${compat} ${compat}/torch/*.h)
  list(FILTER headers EXCLUDE REGEX "/csrc/")
  foreach(header IN LISTS headers)
    taper_write_if_new(${folder}/torch/csrc/api/include/${header} "${forward} <${header}>\n")
  endforeach()
endfunction()

# Leaves a file alone that is there, so that nothing is compiled again.
function(taper_write_if_new path text)
  if(NOT EXISTS ${path})
    file(WRITE ${path} "${text}")
  endif()
endfunction()
