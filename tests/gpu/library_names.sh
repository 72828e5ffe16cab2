#!/bin/bash
# library_names.sh LIBRARY_OR_OBJECT...: every function of cuBLAS, cuSOLVER, cuDNN, cuFFT and NCCL that these files look up by
# name when they need it must be in the library that is installed. Needs no GPU. Exit code 77: no toolkit.
set -euo pipefail
folder=${CUDA_PATH:-/usr/local/cuda}/lib64
[ -e "$folder/libcublas.so" ] || { echo "not run: no CUDA libraries in $folder"; exit 77; }

exported() {  # of a library and of the parts that cuDNN loads
  for library in "$folder"/lib"$1"*.so; do nm -D --defined-only "$library"; done 2>/dev/null |
    awk '{sub(/@.*/, "", $NF); print $NF}' | sort -u
}
# Names beside which there is other text are messages. Constants of headers are no names of functions.
named() { strings -d "${@:2}" | grep -xE "$1[A-Z][A-Za-z0-9_]*" | sort -u || true; }

count=0 missing=()
for pair in cublas:cublas cusolver:cusolverDn cudnn:cudnn cufft:cufft nccl:nccl; do
  mapfile -t wanted < <(named "${pair#*:}" "$@")
  [ ${#wanted[@]} -gt 0 ] || continue
  count=$((count + ${#wanted[@]}))
  mapfile -t lacking < <(comm -23 <(printf '%s\n' "${wanted[@]}") <(exported "${pair%%:*}"))
  missing+=("${lacking[@]}")
done
[ $count -gt 0 ] || { echo "library_names: expected names of functions in $*, found none" >&2; exit 1; }
[ ${#missing[@]} -eq 0 ] || { printf 'missing: %s\n' "${missing[@]}" >&2; exit 1; }
echo "all $count functions are there"
