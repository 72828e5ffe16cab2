#!/bin/bash
# library_names.sh LIBRARY FAKES: every function that the library calls of CUDA's runtime, or looks up by name in cuBLAS,
# cuSOLVER, cuDNN, cuFFT, cuSPARSE, NCCL, CUPTI and NVRTC when it needs it, has a fake in the program FAKES (tests/cuda_fake), and
# those that it looks up are in the libraries that are installed. Needs no GPU. Exit code 77: no toolkit.
set -euo pipefail
library=${1:?usage: library_names.sh LIBRARY FAKES} fakes=${2:?the program of fakes}
folder=${CUDA_PATH:-/usr/local/cuda}/lib64

# Functions that have no fake, one a line: NAME and why.
without_fake=()

# Symbols that the files, or a library and the parts that it loads, define.
defined() { nm -D --defined-only "$@" 2>/dev/null | awk '{sub(/@.*/, "", $NF); print $NF}' | sort -u; }
# Names beside which there is other text are messages. Constants of headers are no names of functions.
words=$(strings -d "$library" | grep -xE '[a-zA-Z]+[A-Z][A-Za-z0-9_]*' | sort -u)
named() { grep -xE "$1[A-Z][A-Za-z0-9_]*" <<<"$words" || true; }
linked() { nm -D --undefined-only "$library" | awk '{sub(/@.*/, "", $NF); print $NF}' | grep -E '^(__)?cuda[A-Z]' | sort -u; }
# lacking NAMES... < SYMBOLS: the names that are not among them
lacking() { comm -23 <(printf '%s\n' "$@" | sort -u) -; }
tell() { # tell WHAT NAMES...: fails where there are any
  [ $# -le 1 ] || { printf "library_names: $1: %s\n" "${@:2}" >&2; exit 1; }
}

families=(cublas:cublas cusolver:cusolverDn cudnn:cudnn cufft:cufft cusparse:cusparse nccl:nccl cupti:cupti nvrtc:nvrtc)
mapfile -t looked_up < <(for pair in "${families[@]}"; do named "${pair#*:}"; done)
mapfile -t called < <(linked)
[ ${#looked_up[@]} -gt 0 ] && [ ${#called[@]} -gt 0 ] ||
  { echo "library_names: expected names of functions in $library, found none" >&2; exit 1; }

mapfile -t missing < <(defined "$fakes" | lacking "${looked_up[@]}" "${called[@]}" cublasNobodyHasThis)
mapfile -t excused < <(printf '%s\n' cublasNobodyHasThis "${without_fake[@]%% *}" | sed '/^$/d' | sort -u)
mapfile -t unexcused < <(comm -23 <(printf '%s\n' "${missing[@]}") <(printf '%s\n' "${excused[@]}"))
mapfile -t needless < <(comm -13 <(printf '%s\n' "${missing[@]}") <(printf '%s\n' "${excused[@]}"))
tell "called, has no fake in tests/cuda_fake, and is not in without_fake with a reason" "${unexcused[@]}"
tell "excused without a need" "${needless[@]}"
echo "all $((${#called[@]} + ${#looked_up[@]})) functions have a fake but ${#without_fake[@]}"

[ -e "$folder/libcublas.so" ] || { echo "not looked for in the libraries: there are none in $folder"; exit 77; }
for pair in "${families[@]}"; do
  mapfile -t wanted < <(named "${pair#*:}")
  [ ${#wanted[@]} -eq 0 ] || tell "is not in the library" $(defined "$folder"/lib"${pair%%:*}"*.so | lacking "${wanted[@]}")
done
echo "all ${#looked_up[@]} that are looked up are in the libraries"
