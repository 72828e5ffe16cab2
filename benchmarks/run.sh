#!/usr/bin/env bash
# Times Taper against LibTorch, both in one run, and prints the ratios.
#   run.sh [--own] [ROUNDS]     default 3; the peers alternate within a round
# Where the larger kit ../shared/bench lies beside the project, that runs in place of the programs of this
# folder, unless --own is given.
# TAPER_PREFIX names an installed Taper. LibTorch is Debian's, if libtorch-dev is installed; without it only
# Taper's own figures are printed. OMP_NUM_THREADS (default 1) is the number of threads.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
[ -n "${TAPER_PREFIX:-}" ] || { echo "bench: set TAPER_PREFIX to an installed Taper" >&2; exit 1; }
own=no
if [ "${1:-}" = --own ]; then own=yes && shift; fi
rounds=${1:-3}
work=${TAPER_BENCH_DIR:-$(dirname "$TAPER_PREFIX")/bench}
mkdir -p "$work"
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
# OpenBLAS would take its kernels from the environment, not from the CPU.
unset OPENBLAS_CORETYPE

kit=$here/../../shared/bench
if [ $own = no ] && [ -f "$kit/run.sh" ]; then
  peers=(taper)
  ! find /usr/share /usr/lib -name TorchConfig.cmake 2>/dev/null | grep . >/dev/null || peers=(libtorch taper)
  bash "$kit/run.sh" -r "$rounds" -w "$work/kit" -o "$work" "${peers[@]}"
  [ ${#peers[@]} -eq 1 ] || python3 "$kit/compare.py" "$work/libtorch.tsv" "$work/taper.tsv"
  exit
fi

declare -A torch_dir=([taper]=$(dirname "$(find "$TAPER_PREFIX" -name TorchConfig.cmake | head -n 1)"))
peers=(taper)
system=$(find /usr/share /usr/lib -name TorchConfig.cmake 2>/dev/null | head -n 1)
if [ -n "$system" ]; then
  torch_dir[libtorch]=$(dirname "$system")
  peers=(libtorch taper)
else
  echo "bench: LibTorch is not installed (Debian: libtorch-dev); no ratios" >&2
fi

generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
for peer in "${peers[@]}"; do
  echo "bench: building for $peer" >&2
  cmake -S "$here" -B "$work/$peer" "${generator[@]}" -DTorch_DIR="${torch_dir[$peer]}" \
    -DCMAKE_CXX_COMPILER_LAUNCHER= >"$work/$peer.log" 2>&1 &&
    cmake --build "$work/$peer" >>"$work/$peer.log" 2>&1 ||
    { tail -n 30 "$work/$peer.log" >&2; exit 1; }
  : >"$work/$peer.tsv"
done

seconds() { # seconds COMMAND...: the time it takes
  local start
  start=$(date +%s%N)
  "$@" >/dev/null 2>&1
  awk -v ns=$(($(date +%s%N) - start)) 'BEGIN { printf "%.6f", ns / 1e6 }'
}

for ((round = 1; round <= rounds; ++round)); do
  for program in overhead training loader; do
    for peer in "${peers[@]}"; do
      "$work/$peer/$program" >>"$work/$peer.tsv"
    done
  done
  for peer in "${peers[@]}"; do
    printf 'start\t%s\tms\n' "$(seconds "$work/$peer/start")" >>"$work/$peer.tsv"
  done
done
for peer in "${peers[@]}"; do
  rm -f "$work/$peer/CMakeFiles/start.dir/start.cpp.o"
  printf 'compile\t%s\tms\n' "$(seconds cmake --build "$work/$peer" --target start)" >>"$work/$peer.tsv"
done
python3 "$here/ratios.py" "$work" "${peers[@]}"
