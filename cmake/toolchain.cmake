# Faster builds where the tools are there, and the builds with sanitizers and with counters of lines.

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER sh ${CMAKE_CURRENT_LIST_DIR}/ccache.sh ${CCACHE})
endif()

include(CheckLinkerFlag)
foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} TAPER_LINKS_WITH_${linker})
  if(TAPER_LINKS_WITH_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()

if(TAPER_SANITIZE)
  # The memory pool would hide from the sanitizer which bytes are free, and one instruction set
  # shows what all would: they are compiled from the same lines.
  add_compile_definitions(TAPER_NO_POOL TAPER_NO_ISA_VARIANTS)
  add_compile_options(-fsanitize=${TAPER_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TAPER_SANITIZE})
  foreach(kind address thread)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND TAPER_SANITIZE MATCHES ${kind})
      string(TOUPPER ${kind} kind)
      add_compile_definitions(__SANITIZE_${kind}__=1)  # as GCC has them
    endif()
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A fifth of -O1's time to compile the kernels, a half for the rest.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -g1")
  else()
    # Against -O1 a third less to compile, and faster to run than -O0.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-Og -g1")
  endif()
endif()

option(TAPER_COVERAGE "Count which lines of the library run, for ./dev coverage" OFF)
if(TAPER_COVERAGE)
  add_compile_definitions(TAPER_NO_ISA_VARIANTS)  # a line of a kernel is one line
  set(CMAKE_CXX_FLAGS_RELEASE "-Og -DNDEBUG")
endif()

# taper_count_lines(target): with counters, which several threads may raise at once.
function(taper_count_lines target)
  if(TAPER_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:--coverage>)
  endif()
endfunction()
