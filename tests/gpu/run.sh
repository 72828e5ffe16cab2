#!/usr/bin/env bash
# All that is worth knowing on a machine with an NVIDIA GPU, in ten minutes: the whole suite on the
# GPU, the race detector on its streams, benchmarks beside PyTorch, MNIST, and memcheck.
#
#   run.sh [--out DIR] [--data DIR] [--simulate] [--only PART,...] [--limit PART=SECONDS]...
#          [--total SECONDS] [--filter TESTS]
#
# It runs the programs of the folder that it lies in (`./dev gpu --pack` makes one, which needs
# neither a compiler nor GoogleTest), or of the build folder TAPER_SET. Each part has a limit of
# time; the table at the end comes also when a part fails or is stopped. --simulate runs the same on
# simulated devices, cut down, to try the script.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
set_folder=${TAPER_SET:-$here}
out=$PWD/gpu-results data="" simulate=no only="" total=570 filter='*'

# Limits in seconds. Together they are more than `total`, which cuts the later ones.
parts=(machine suite races bench peer mnist memcheck)
declare -A limit=([machine]=20 [suite]=200 [races]=90 [bench]=120 [peer]=120 [mnist]=90 [memcheck]=150)
declare -A result seconds summary

die() {
  echo "gpu: $*" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --out | --data | --only | --limit | --total | --filter)
      [ $# -ge 2 ] || die "$1: expected a value behind it"
      case $1 in
        --out) out=$(realpath -m -- "$2") ;;
        --data) data=$(realpath -m -- "$2") ;;
        --only) only=$2 ;;
        --total) total=$2 ;;
        --filter) filter=$2 ;;
        --limit)
          [ -n "${limit[${2%%=*}]:-}" ] && [[ ${2#*=} =~ ^[0-9]+$ ]] ||
            die "--limit: expected PART=SECONDS with a part of ${parts[*]}, got '$2'"
          limit[${2%%=*}]=${2#*=}
          ;;
      esac
      shift 2
      ;;
    --simulate) simulate=yes && shift ;;
    *) die "expected --out, --data, --simulate, --only, --limit, --total or --filter, got '$1'" ;;
  esac
done
[[ $total =~ ^[0-9]+$ ]] || die "--total: expected seconds, got '$total'"
for part in ${only//,/ }; do
  [ -n "${limit[$part]:-}" ] || die "--only: expected parts of ${parts[*]}, got '$part'"
done
[ -z "$data" ] || [ -d "$data" ] || die "--data: there is no folder $data"

find_program() { # find_program NAME: in a set or in a build folder
  local folder
  for folder in bin tests benchmarks; do
    [ -x "$set_folder/$folder/$1" ] && echo "$set_folder/$folder/$1" && return
  done
}
tests=$(find_program taper_tests) bench=$(find_program gpu_bench) mnist=$(find_program mnist)
for program in taper_tests:$tests gpu_bench:$bench mnist:$mnist; do
  [ -n "${program#*:}" ] || die "$set_folder has no ${program%%:*}; build it, or make a set with ./dev gpu --pack"
done
[ ! -d "$here/data_files" ] || export TAPER_TEST_DATA=$here/data_files
peer=$here/gpu_peer.py
[ -f "$peer" ] || peer=$here/../../benchmarks/gpu_peer.py

# Libraries: those of the set, the toolkit's, and those that come with Python's PyTorch.
libraries=$set_folder/lib
for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib; do
  [ ! -d "$folder" ] || libraries+=:$folder
done
packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null)
for folder in "$packages"/nvidia/*/lib; do
  [ ! -d "$folder" ] || libraries+=:$folder
done
with_libraries() { LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"; }

sanitizer=$(command -v compute-sanitizer || ls -d /usr/local/cuda*/bin/compute-sanitizer \
  /usr/local/cuda*/compute-sanitizer/compute-sanitizer \
  /opt/nvidia/nsight-compute/*/target/*/compute-sanitizer \
  /opt/nvidia/nsight-compute/*/host/*/compute-sanitizer 2>/dev/null | head -n 1)

# ------------------------------------------------------------------ devices
explain() {
  cat <<TEXT
gpu: $1
On a machine with one it would run, within $total seconds in all:
  suite     every test on the GPU (TAPER_TEST_GPU=1), what needs several skipped
  races     the tests of devices under the race detector, on real streams
  bench     host time of eager ops, memory bandwidth, matrix products beside cuBLAS, ResNet-50's layers
  peer      the same with PyTorch, where python3 has it, and the ratios
  mnist     training a network on the GPU, with its accuracy
  memcheck  compute-sanitizer over the tests of kernels, where it is installed
Here, --simulate tries the script itself on simulated devices.
TEXT
}
if [ $simulate = yes ]; then
  export TAPER_SIMULATED_CUDA_DEVICES=2
  unset TAPER_TEST_GPU
else
  unset TAPER_SIMULATED_CUDA_DEVICES
  export TAPER_TEST_GPU=1
  # The benchmark is asked, not nvidia-smi: what counts is whether Taper finds a device.
  found=$(with_libraries timeout 60 "$bench" --devices 2>&1)
  status=$?
  case $status in
    0) ;;
    3) explain "there is no GPU here ($found)" && exit 3 ;;
    *) explain "the programs do not run here: $found" && exit 3 ;;
  esac
fi
mkdir -p "$out" || die "--out: $out cannot be made"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
begin=$SECONDS

# ------------------------------------------------------------------ parts
# Each writes to its log and leaves a sentence in summary[...].
last_of() { grep -aE "$2" "$out/$1" 2>/dev/null | tail -n 1; }
ran() { # ran LOG COMMAND...: within the limit of the part, output to the log
  local log=$out/$1
  shift
  with_libraries timeout -k 5 "$allowed" "$@" >>"$log" 2>&1
}
count_of() { # count_of LOG WORD: "[  PASSED  ] 12 tests.", of all processes -> 12
  sed -nE "s/^\[ *$2 *\] ([0-9]+) tests?[., ].*/\1/p; s/^\[ *$2 *\] ([0-9]+) tests?\.?$/\1/p" "$out/$1" |
    awk '{n += $1} END {print n + 0}'
}
test_summary() { # "12 passed, 3 skipped, 1 failed: Suite.name; ended in Suite.other"
  local failed names ended
  failed=$(count_of "$1" FAILED)
  names=$(sed -nE 's/^\[  FAILED  \] ([A-Za-z][^ ,]*).*/\1/p' "$out/$1" | awk '!seen[$0]++' | head -n 4 | tr '\n' ' ')
  ended=$(sed -nE 's/^== ended in //p' "$out/$1" | tr '\n' ' ')
  [ "$failed" -gt 0 ] && failed=", $failed failed: $names" || failed=""
  echo "$(count_of "$1" PASSED) passed, $(count_of "$1" SKIPPED) skipped$failed${ended:+; died or hung in $ended}"
}
# gtest LOG PROCESSES FILTER: the tests, in several processes one after the other: what dies, hangs
# or spoils the device spoils one of them only.
gtest() {
  local log=$1 processes=$2 end=$((SECONDS + allowed)) worst=0 status i
  : >"$out/$log"
  for ((i = 0; i < processes; ++i)); do
    allowed=$(((end - SECONDS) / (i + 1 < processes ? 2 : 1)))
    [ "$allowed" -gt 0 ] || { worst=124 && break; }
    GTEST_TOTAL_SHARDS=$processes GTEST_SHARD_INDEX=$i ran "$log" "${tool[@]}" "$tests" --gtest_filter="$3"
    status=$?
    [ $status -eq 0 ] || worst=$status
    if [ $status -ge 124 ]; then
      awk '/^\[ RUN  /{last = $4} END {print "== ended in " last}' "$out/$log" >>"$out/$log"
    fi
  done
  return $worst
}
tool=()

device_tests='Devices*:DeviceFaults*:DataParallel*:BackwardStreams*:*Race*:Peers*:Threads*:CudaKernels*'
memcheck_tests='CudaKernels.*:DevicesM*:*Philox*'
processes=8
if [ $simulate = yes ]; then processes=2 device_tests='DevicesA3*' memcheck_tests='CudaKernels.Trip*'; fi

machine() {
  { nvidia-smi || echo "no nvidia-smi"; uname -a; nproc; } >"$out/machine.log" 2>&1
  ran machine.log "$bench" --devices
  local status=$?
  summary[machine]=$(last_of machine.log '^device')
  return $status
}
suite() {
  gtest suite.log "$processes" "$filter"
  local status=$?
  summary[suite]=$(test_summary suite.log)
  return $status
}
races() {
  TAPER_RACE_DETECTOR=throw gtest races.log 1 "$device_tests"
  local status=$?
  summary[races]=$(test_summary races.log)
  return $status
}
bench() {
  local size=()
  [ $simulate = no ] || size=(--small)
  with_libraries timeout -k 5 "$allowed" "$bench" "${size[@]}" >"$work/taper.tsv" 2>"$out/bench.log"
  local status=$?
  cat "$work/taper.tsv" >>"$out/bench.log"
  summary[bench]="$(wc -l <"$work/taper.tsv") figures; $(grep -a '^gpu_bench:' "$out/bench.log" | tail -n 1)"
  return $status
}
peer() {
  [ -s "$work/taper.tsv" ] || { summary[peer]="no figures of Taper's to compare" && return 77; }
  command -v python3 >/dev/null || { cp "$work/taper.tsv" "$work/table" && summary[peer]="no python3" && return 77; }
  timeout -k 5 "$allowed" python3 "$peer" "$work/taper.tsv" --json "$out/bench.json" >"$work/table" 2>>"$out/bench.log"
  local status=$?
  [ -s "$work/table" ] || cp "$work/taper.tsv" "$work/table"
  cat "$work/table" >>"$out/bench.log"
  summary[peer]=$(tail -n 1 "$work/table")
  return $status
}
mnist() {
  : >"$out/mnist.log"
  local where=(--drawn --offline) size=(--epochs 2)
  [ -z "$data" ] || where=(--data "$data")
  [ $simulate = no ] || size=(--epochs 1 --limit 1024 --model mlp)
  XDG_CACHE_HOME=$work/cache ran mnist.log "$mnist" --device cuda "${where[@]}" "${size[@]}" \
    --checkpoint "$work/mnist.checkpoint"
  local status=$? percent
  percent=$(sed -nE 's/^final accuracy.* ([0-9]+)\.[0-9]+%$/\1/p' "$out/mnist.log")
  summary[mnist]="$(last_of mnist.log '^final|^mnist:'); $(grep -aoE '[0-9]+ images/s' "$out/mnist.log" | tail -n 1)"
  [ $status -ne 0 ] || [ $simulate = yes ] || [ "${percent:-0}" -ge 90 ] || return 1
  return $status
}
memcheck() {
  : >"$out/memcheck.log"
  if [ $simulate = no ]; then
    [ -n "$sanitizer" ] || { summary[memcheck]="compute-sanitizer is not installed" && return 77; }
    tool=("$sanitizer" --tool memcheck --error-exitcode 99 --print-limit 20)
  fi
  # Loading all kernels at once would take the tool minutes.
  CUDA_MODULE_LOADING=LAZY gtest memcheck.log 1 "$memcheck_tests"
  local status=$?
  tool=()
  summary[memcheck]="$(test_summary memcheck.log); $(last_of memcheck.log 'ERROR SUMMARY')"
  return $status
}

# ------------------------------------------------------------------ running
run_part() {
  local part=$1 start=$SECONDS left=$((total - (SECONDS - begin)))
  seconds[$part]=0
  if [ -n "$only" ] && [[ ,$only, != *,$part,* ]]; then return; fi
  if [ "$left" -lt 3 ]; then result[$part]="no time" && return; fi
  allowed=$((limit[$part] < left ? limit[$part] : left))
  echo "== $part (at most $allowed s)"
  "$part"
  case $? in
    0) result[$part]=ok ;;
    77) result[$part]="not here" ;;
    124 | 137) result[$part]="stopped" ;;
    *) result[$part]=FAILED ;;
  esac
  seconds[$part]=$((SECONDS - start))
}
write_summary() {
  [ ! -s "$work/table" ] || { cat "$work/table" && echo; }
  printf '%-10s %-9s %5s  %s\n' part result "s" "what"
  for part in "${parts[@]}"; do
    [ -z "${result[$part]:-}" ] ||
      printf '%-10s %-9s %5s  %s\n' "$part" "${result[$part]}" "${seconds[$part]}" "${summary[$part]:-}"
  done
  echo "logs: $out ($((SECONDS - begin)) s in all)"
}

# Logs of a run in which all goes wrong keep their first and last 4 MiB.
shorten_logs() {
  local log
  for log in "$out"/*.log; do
    [ "$(stat -c %s "$log")" -gt $((8 << 20)) ] || continue
    { head -c 4M "$log" && printf '\n[...]\n' && tail -c 4M "$log"; } >"$work/short" && cp "$work/short" "$log"
  done
}

for part in "${parts[@]}"; do run_part "$part"; done
shorten_logs
write_summary | tee "$out/summary.txt"
for part in "${parts[@]}"; do
  case ${result[$part]:-} in FAILED | stopped | "no time") exit 1 ;; esac
done
exit 0
