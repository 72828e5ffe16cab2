#!/usr/bin/env bash
# A project that builds Taper as a part of itself is configured, and its program compiled: by add_subdirectory and by
# FetchContent, with and without the optional packages, by Ninja and by Make.
# The library is not: that takes minutes, and its sources and options are those of any build.
#   embedded.sh TREE WORK_DIR
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tree=$1 work=$2
rm -rf "$work"
# try FOLDER GENERATOR TARGETS ARGS...: configures and builds the targets.
try() {
  local folder=$work/$1 generator=$2 targets=$3
  shift 3
  cmake -S "$here/embedded" -B "$folder" -G "$generator" -DTAPER_TREE="$tree" -DTAPER_CUDA=OFF "$@" \
    >"$work.log" 2>&1 || { cat "$work.log"; echo "embedded: configuring with $generator $* failed"; exit 1; }
  # shellcheck disable=SC2086 # several targets
  cmake --build "$folder" --target $targets >"$work.log" 2>&1 ||
    { cat "$work.log"; echo "embedded: $targets cannot be built with $generator $*"; exit 1; }
}
absent=(-DGLOO=OFF -DNCCL_INCLUDE_DIR=OFF)
for package in PNG JPEG MPI Protobuf; do absent+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done

try parts Ninja app
try fetched Ninja app -DFETCH=ON "${absent[@]}"
# An mpicc without headers, as from Debian's openmpi-bin.
mkdir -p "$work/bin"
cat >"$work/bin/mpicc" <<END
#!/bin/sh
case "\$1" in
  -showme:compile) echo "-I$work/none -pthread" ;;
  -showme:link) echo "$(mpicc -showme:link 2>/dev/null)" ;;
  -show*) echo "gcc -I$work/none -pthread $(mpicc -showme:link 2>/dev/null)" ;;
  *) exec cc "\$@" ;;
esac
END
chmod +x "$work/bin/mpicc"
# CMake's default generator makes no folders before it runs commands. (There, a program waits for the library.)
try makefiles "Unix Makefiles" taper_schema -DMPICC="$work/bin/mpicc" -DMPI_C_COMPILER="$work/bin/mpicc"
rm -rf "$work" "$work.log"
echo "embedded: add_subdirectory, FetchContent, Make and a build without optional packages work"
