#!/usr/bin/env bash
# All that is worth knowing on a machine with an NVIDIA GPU, in half an hour, what tells most first: what no
# GPU has run yet, the kernels and the ops on the device, the tools of compute-sanitizer, streams and graphs,
# benchmarks and the training of GPT-2 beside PyTorch, MNIST, and the whole suite.
#
#   run.sh [--out DIR] [--again] [--data DIR] [--simulate] [--only PART,...] [--limit PART=SECONDS]...
#          [--total SECONDS] [--test-limit SECONDS] [--filter TESTS]
#
# It runs the programs of the folder that it lies in (`./dev gpu --pack` makes one, which needs
# neither a compiler nor GoogleTest), or of the build folder TAPER_SET. Each part has a limit of
# time; the table at the end comes also when a part fails or is stopped. A second run with the same
# --out goes on where the first one ended: parts that came to their end are not run again, tests that
# have run neither (--again begins anew). Failures are grouped by kind in failures.txt. --simulate runs
# the same on simulated devices, cut down, to try the script.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
set_folder=${TAPER_SET:-$here}
out=$PWD/gpu-results data="" simulate=no only="" total=570 test_limit=60 filter='*' again=no

# Limits in seconds, of what a part takes in all runs of one --out.
parts=(machine first kernels memcheck synccheck racecheck initcheck streams races bench gpt peer mnist suite)
declare -A limit=([machine]=20 [first]=60 [gpt]=120 [kernels]=240 [memcheck]=150 [synccheck]=90 [racecheck]=90 [initcheck]=90
  [streams]=120 [races]=90 [bench]=120 [peer]=200 [mnist]=90 [suite]=400)
declare -A result seconds summary

die() {
  echo "gpu: $*" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --out | --data | --only | --limit | --total | --test-limit | --filter)
      [ $# -ge 2 ] || die "$1: expected a value behind it"
      case $1 in
        --out) out=$(realpath -m -- "$2") ;;
        --data) data=$(realpath -m -- "$2") ;;
        --only) only=$2 ;;
        --total) total=$2 ;;
        --test-limit) test_limit=$2 ;;
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
    --again) again=yes && shift ;;
    *) die "expected --out, --again, --data, --simulate, --only, --limit, --total, --test-limit or --filter, got '$1'" ;;
  esac
done
[[ $total =~ ^[0-9]+$ ]] || die "--total: expected seconds, got '$total'"
[[ $test_limit =~ ^[1-9][0-9]*$ ]] || die "--test-limit: expected seconds, got '$test_limit'"
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
tests=$(find_program taper_tests) bench=$(find_program gpu_bench) mnist=$(find_program mnist) gpt=$(find_program gpt)
for program in taper_tests:$tests gpu_bench:$bench mnist:$mnist gpt:$gpt; do
  [ -n "${program#*:}" ] || die "$set_folder has no ${program%%:*}; build it, or make a set with ./dev gpu --pack"
done
[ ! -d "$here/data_files" ] || export TAPER_TEST_DATA=$here/data_files
peer=$here/gpu_peer.py
[ -f "$peer" ] || peer=$here/../../benchmarks/gpu_peer.py
kinds=$here/failures.awk

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
  first     fused chains and attention, which no GPU has run yet
  kernels   the kernels' own tests, and every op's cases there (TAPER_TEST_GPU=1)
  memcheck, synccheck, racecheck, initcheck
            compute-sanitizer over the tests of kernels, where it is installed
  streams   streams, events, memory, graphs, faults
  races     the same under the race detector
  bench     host time of eager ops, memory bandwidth, matrix products beside cuBLAS, ResNet-50's layers
  gpt       training GPT-2 of 85 million parameters, in f32 and bf16: tokens a second when it runs steadily
  peer      the same with PyTorch, where python3 has it, the ratios and what is expected of them
  mnist     training a network on the GPU, with its accuracy and a trace of three steps
  suite     all other tests on the GPU, what needs several skipped
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
mkdir -p "$out/state" || die "--out: $out cannot be made"
if [ $again = yes ]; then
  for part in "${parts[@]}"; do
    [ -n "$only" ] && [[ ,$only, != *,$part,* ]] || rm -f "$out/state/$part".*
  done
fi
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
count_of() { grep -acE "^\[ *$2 *\] .*\([0-9]+ ms\)$" "$out/$1"; } # count_of LOG WORD: tests that ended so
test_summary() { # "12 passed, 3 skipped, 1 failed: Suite.name; ended in Suite.other"
  local failed names ended
  failed=$(count_of "$1" FAILED)
  names=$(sed -nE 's/^\[  FAILED  \] ([A-Za-z][^ ,]*).*/\1/p' "$out/$1" | awk '!seen[$0]++' | head -n 4 | tr '\n' ' ')
  ended=$(sed -nE 's/^== ended in //p' "$out/$1" | tr '\n' ' ')
  [ "$failed" -gt 0 ] && failed=", $failed failed: $names" || failed=""
  echo "$(count_of "$1" OK) passed, $(count_of "$1" SKIPPED) skipped$failed${ended:+; died, hung or spoiled the device in $ended}"
}
# gtest LOG FILTER: the tests. What dies, hangs or leaves a device that works no more is followed by a new
# process, which goes on behind that test; so does a second run of this script.
gtest() {
  local log=$1 tests_of_part=$2 end=$((SECONDS + allowed)) worst=0 status before started
  local progress=$out/state/${log%.log}.tests
  touch "$progress"
  [ -s "$progress" ] || : >"$out/$log"
  while :; do
    allowed=$((end - SECONDS))
    [ "$allowed" -gt 0 ] || { worst=124 && break; }
    before=$(stat -c %s "$out/$log") started=$(wc -l <"$progress")
    ran "$log" "${tool[@]}" "$tests" --gtest_filter="$tests_of_part" --progress="$progress" --test-limit="$test_limit"
    status=$?
    [ $status -eq 0 ] || worst=$status
    [ $status -ne 124 ] && [ $status -ne 137 ] || { forget_last "$progress" && break; }
    # Did it come to its end, with or without failures, or die of a test?
    tail -c +$((before + 1)) "$out/$log" | grep -aqE '^\[ *(DIED|SPOILED) *\]' || [ $status -gt 127 ] || break
    [ "$(wc -l <"$progress")" -gt "$started" ] || break
    sed -nE 's/^\[ RUN      \] ([^ ]+).*/== ended in \1/p' "$out/$log" | tail -n 1 >>"$out/$log"
  done
  summary[${log%.log}]=$(test_summary "$log")
  [ $worst -ne 0 ] || [ "$(count_of "$log" FAILED)" -eq 0 ] || worst=1
  return $worst
}
# The limit of the part came in the midst of a test, which is not to blame: a next run begins with it.
forget_last() { sed -i '$d' "$1"; }
tool=()

device_tests='Devices*:DeviceFaults*:DataParallel*:BackwardStreams*:*Race*:Peers*:Threads*:*Graph*:*Timeline*'
first_tests='ChainsOnDevices*:CudaKernelsOfAttention*'
kernel_tests='CudaKernels*:Ops/OpCases.Device/*:Ops/OpCases.CaptureOnDevice/*'
sanitizer_tests='CudaKernels*:DevicesM*:*Philox*'
if [ $simulate = yes ]; then first_tests='ChainsOnDevices*' device_tests='DevicesA3*' kernel_tests='CudaKernels.T*' sanitizer_tests='CudaKernels.Trip*'; fi

machine() {
  { nvidia-smi || echo "no nvidia-smi"; uname -a; nproc; } >"$out/machine.log" 2>&1
  ran machine.log "$bench" --devices
  local status=$?
  summary[machine]=$(last_of machine.log '^device')
  return $status
}
first() { gtest first.log "$first_tests"; }
# Kernels are loaded when they are first launched; where tests hold the device back, which loading one
# would wait for, all at once (tests/harness/devices.cpp).
kernels() { CUDA_MODULE_LOADING=LAZY gtest kernels.log "$kernel_tests"; }
streams() { gtest streams.log "$device_tests"; }
races() { TAPER_RACE_DETECTOR=throw gtest races.log "$device_tests"; }
suite() {
  local but=-
  [[ $filter != *-* ]] || but=:
  CUDA_MODULE_LOADING=LAZY gtest suite.log "$filter$but$first_tests:$kernel_tests:$device_tests"
}
sanitized() { # sanitized TOOL
  if [ $simulate = no ]; then
    [ -n "$sanitizer" ] || { summary[$1]="compute-sanitizer is not installed" && return 77; }
    tool=("$sanitizer" --tool "$1" --error-exitcode 99 --print-limit 20)
  fi
  CUDA_MODULE_LOADING=LAZY test_limit=$((test_limit * 5)) gtest "$1.log" "$sanitizer_tests"
  local status=$?
  tool=()
  summary[$1]+="; $(last_of "$1.log" 'ERROR SUMMARY|RACECHECK SUMMARY')"
  return $status
}
memcheck() { PYTORCH_NO_CUDA_MEMORY_CACHING=1 sanitized memcheck; } # it sees where memory ends, not a part of it
synccheck() { sanitized synccheck; }
racecheck() { sanitized racecheck; }
initcheck() { sanitized initcheck; }
bench() {
  local size=()
  [ $simulate = no ] || size=(--small)
  with_libraries timeout -k 5 "$allowed" "$bench" "${size[@]}" >"$out/state/taper.tsv" 2>"$out/bench.log"
  local status=$?
  cat "$out/state/taper.tsv" >>"$out/bench.log"
  cp "$out/state/taper.tsv" "$out/state/table"
  summary[bench]="$(wc -l <"$out/state/taper.tsv") figures; $(grep -a '^gpu_bench:' "$out/bench.log" | tail -n 1)"
  return $status
}
# trained STEPS AUTOCAST ARGS...: the seconds of a training of so many steps, in $took
trained() {
  local start=$EPOCHREALTIME steps=$1 autocast=$2
  shift 2
  ran gpt.log "$gpt" --device cuda --data "$work/text" --dropout 0 --sample 0 --steps "$steps" --autocast "$autocast" \
    --checkpoint "$work/gpt.checkpoint" --checkpoint-every 1000000 "$@" || return
  took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.6f", b - a}')
}
# Steps of a training that runs steadily: of a long and a short one, the difference. Neither the start nor
# the checkpoint at the end count.
gpt() {
  local net=(--layers 12 --heads 12 --width 768 --context 512 --batch-size 16) short=100 long=400 tokens=8192
  [ $simulate = no ] || net=(--layers 1 --heads 1 --width 16 --context 8 --batch-size 2) short=1 long=40 tokens=16
  local name autocast first speed took=0 i
  : >"$out/gpt.log"
  : >"$work/gpt.tsv"
  for i in {1..20}; do cat "$here/run.sh" "$peer" "$kinds"; done >"$work/text"
  for name in bf16 f32; do
    [ $name = bf16 ] && autocast=bf16 || autocast=off
    trained $short $autocast "${net[@]}" || return
    first=$took
    trained $long $autocast "${net[@]}" || return
    speed=$(awk -v n=$((tokens * (long - short))) -v a="$first" -v b="$took" 'BEGIN {printf "%.0f", n / (b > a ? b - a : 1)}')
    printf 'gpt.%s\t%s\ttokens/s\ngpt.%s.beside_compiled\t%s\ttokens/s\n' $name "$speed" $name "$speed" >>"$work/gpt.tsv"
    summary[gpt]+="$name $speed tokens/s; "
  done
  cp "$work/gpt.tsv" "$out/state/gpt.tsv"
}
peer() {
  cat "$out"/state/{taper,gpt}.tsv >"$work/figures" 2>/dev/null
  [ -s "$work/figures" ] || { summary[peer]="no figures of Taper's to compare" && return 77; }
  command -v python3 >/dev/null || { summary[peer]="no python3" && return 77; }
  timeout -k 5 "$allowed" python3 "$peer" "$work/figures" --json "$out/bench.json" >"$work/table" 2>>"$out/bench.log"
  local status=$?
  [ ! -s "$work/table" ] || cp "$work/table" "$out/state/table"
  cat "$work/table" >>"$out/bench.log"
  summary[peer]=$(tail -n 1 "$out/state/table")
  return $status
}
mnist() {
  : >"$out/mnist.log"
  local where=(--drawn --offline) size=(--epochs 2)
  [ -z "$data" ] || where=(--data "$data")
  [ $simulate = no ] || size=(--epochs 1 --limit 1024 --model mlp)
  XDG_CACHE_HOME=$work/cache ran mnist.log "$mnist" --device cuda "${where[@]}" "${size[@]}" \
    --checkpoint "$work/mnist.checkpoint" --trace "$out/mnist_trace.json"
  local status=$? percent
  percent=$(sed -nE 's/^final accuracy.* ([0-9]+)\.[0-9]+%$/\1/p' "$out/mnist.log")
  summary[mnist]="$(last_of mnist.log '^final|^mnist:'); $(grep -aoE '[0-9]+ images/s' "$out/mnist.log" | tail -n 1)"
  [ $status -ne 0 ] || [ $simulate = yes ] || [ "${percent:-0}" -ge 90 ] || return 1
  return $status
}

# ------------------------------------------------------------------ running
# What is known of a part is kept in a file: its result, its seconds in all runs, and its sentence.
load_state() {
  local part=$1 file=$out/state/$1.part
  seconds[$part]=0
  [ ! -f "$file" ] || { read -r "seconds[$part]" && read -r "result[$part]" && read -r "summary[$part]"; } <"$file"
}
save_state() { printf '%s\n' "${seconds[$1]}" "${result[$1]}" "${summary[$1]:-}" >"$out/state/$1.part"; }
run_part() {
  local part=$1 start=$SECONDS left=$((total - (SECONDS - begin)))
  load_state "$part"
  case ${result[$part]:-} in ok | FAILED | "not here") return ;; esac
  if [ -n "$only" ] && [[ ,$only, != *,$part,* ]]; then return; fi
  allowed=$((limit[$part] - seconds[$part]))
  if [ "$allowed" -lt 1 ]; then return; fi
  if [ "$left" -lt 3 ]; then result[$part]="no time" && return; fi
  allowed=$((allowed < left ? allowed : left))
  echo "== $part (at most $allowed s)"
  "$part"
  case $? in
    0) result[$part]=ok ;;
    77) result[$part]="not here" ;;
    124 | 137) result[$part]="stopped" ;;
    *) result[$part]=FAILED ;;
  esac
  seconds[$part]=$((seconds[$part] + SECONDS - start))
  save_state "$part"
}
write_summary() {
  [ ! -s "$out/state/table" ] || { cat "$out/state/table" && echo; }
  awk -f "$kinds" "$out"/{first,kernels,streams,races,suite,memcheck}.log >"$out/failures.txt" 2>/dev/null
  [ ! -s "$out/failures.txt" ] || { echo "failures by kind:" && head -n 20 "$out/failures.txt" && echo; }
  printf '%-10s %-9s %5s  %s\n' part result "s" "what"
  for part in "${parts[@]}"; do
    [ -z "${result[$part]:-}" ] ||
      printf '%-10s %-9s %5s  %s\n' "$part" "${result[$part]}" "${seconds[$part]}" "${summary[$part]:-}"
  done
  echo "logs: $out ($((SECONDS - begin)) s in this run)"
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
