# A build with sanitizers looks for mistakes in the library: what most tests are compiled to is the same as
# in another build, which has made it already.
set(TAPER_TESTS_OF "" CACHE PATH "A build folder of the same tree and compiler, whose objects of tests/ are taken")

# taper_take_objects(sources objects program names): where TAPER_TESTS_OF is set, takes out of the list `sources`
# those that match `names` (relative to tests/), and sets `objects` to what they are compiled to in that folder's
# `program`. Sources that ask how they are compiled stay, as do those of folders whose tests are about what is
# inline in headers, which `names` leaves out.
function(taper_take_objects sources objects program names)
  set(left ${${sources}})
  set(taken "")
  foreach(source IN LISTS left)
    file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    set(object ${TAPER_TESTS_OF}/tests/CMakeFiles/${program}.dir/${name}.o)
    file(STRINGS ${source} asks REGEX "TAPER_NO_|TAPER_WITH_NVTX|__SANITIZE_|FAKE_CUDA_KERNELS" LIMIT_COUNT 1)
    if(TAPER_TESTS_OF AND name MATCHES "${names}" AND NOT asks)
      if(NOT EXISTS ${object} OR ${source} IS_NEWER_THAN ${object})
        message(FATAL_ERROR "TAPER_TESTS_OF: expected ${object}, newer than its source: build ${TAPER_TESTS_OF} first, "
                            "with its tests, or configure with -DTAPER_TESTS_OF=")
      endif()
      list(REMOVE_ITEM left ${source})
      list(APPEND taken ${object})
    endif()
  endforeach()
  list(LENGTH taken count)
  if(TAPER_TESTS_OF)
    message(STATUS "Tests: ${count} objects of ${program} are those of ${TAPER_TESTS_OF}")
  endif()
  set(${sources} ${left} PARENT_SCOPE)
  set(${objects} ${taken} PARENT_SCOPE)
endfunction()
