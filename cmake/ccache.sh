#!/bin/sh
# Compiles by ccache: ccache.sh CCACHE COMPILER ARGUMENTS...
#
# A precompiled header gets its checksum beside it (HEADER.gch.sum), which ccache then reads in its place:
# a tenth of a second for each source otherwise, more than all else that a hit takes.
ccache=$1
shift
# Comments count: a precompiled header that ccache gives for one with other comments is not one of the
# files that GCC finds, whose #pragma once then lets them be read twice ("redefinition").
export CCACHE_COMMENTS=1 CCACHE_PCH_EXTSUM=1
output=
case " $* " in
  *" c++-header "*)
    previous=
    for argument; do
      [ "$previous" = -o ] && output=$argument
      previous=$argument
    done
    ;;
esac
[ -n "$output" ] || exec "$ccache" "$@"
# ccache would take an old header for an input of the new one.
rm -f "$output" "$output.sum"
"$ccache" "$@" && sha256sum <"$output" >"$output.sum"
