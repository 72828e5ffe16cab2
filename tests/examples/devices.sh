#!/usr/bin/env bash
# The examples of devices from the outside: what they print on simulated devices, and their errors.
#   devices.sh FOLDER_OF_PROGRAMS
set -uo pipefail
bin=$(cd -- "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd -- "$work"
for program in cuda_semantics data_parallel; do
  [ -x "$bin/$program" ] || { echo "not run: $program was not built"; exit 77; }
done
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# shows DEVICES 'TEXT' PROGRAM ARGS...: it ends well and prints a line with the text. DEVICES: how
# many simulated ones, none (also where there are GPUs), or own, those that the program asks for.
shows() {
  local where=("TAPER_SIMULATED_CUDA_DEVICES=$1") text=$2 output
  [ "$1" != none ] || where=(CUDA_VISIBLE_DEVICES=)
  [ "$1" != own ] || where=()
  shift 2
  output=$(env "${where[@]}" "$bin/$@" 2>&1) || fail "exit code $? of: $* ($output)"
  grep -qF -- "$text" <<<"$output" || fail "expected '$text' from: $* -- got: $output"
}
# refuses STATUS 'TEXT' PROGRAM ARGS...: it ends with an error of one line.
refuses() {
  local status=$1 text=$2 output
  shift 2
  output=$(CUDA_VISIBLE_DEVICES= "$bin/$@" 2>&1 >/dev/null)
  [ $? -eq "$status" ] || fail "expected exit code $status from: $*"
  [[ $output == *"$text"* ]] || fail "expected '$text' from: $* -- got: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || fail "more than one line from: $* -- got: $output"
}

shows 2 "In Model: input size [8, 5] output size [8, 2] on cuda:1" data_parallel --batch-size 16
shows 2 "Outside: input size [16, 5] output_size [16, 2] on cuda:0" data_parallel --batch-size 16
shows 4 "In Model: input size [6, 5] output size [6, 2] on cuda:3" data_parallel
shows 4 "In Model: input size [10, 5] output size [10, 2] on cuda:2" data_parallel --devices 3
shows 4 "Let's use 4 simulated devices" data_parallel
shows 4 "In Model: input size [30, 5] output size [30, 2] on cpu" data_parallel --disable-cuda
shows none "TAPER_SIMULATED_CUDA_DEVICES=4" data_parallel
shows 4 "largest difference of the losses: " data_parallel
refuses 1 "--devices 3: found 0 CUDA devices; set TAPER_SIMULATED_CUDA_DEVICES=3" data_parallel --devices 3
refuses 2 "--batch-size" data_parallel --batch-size 0
refuses 2 "--devices" data_parallel --devices none
refuses 2 "--colour" data_parallel --colour red

rm data_parallel.svg
mkdir data_parallel.svg
refuses 1 "data_parallel: data_parallel.svg cannot be written" data_parallel

shows 4 "c is on cuda:1" cuda_semantics
shows 4 "d is on cuda:0" cuda_semantics
shows 4 "weights is on cuda:0" cuda_semantics
shows 4 "pinned: true, x itself: false" cuda_semantics
shows 4 "4 batches were computed with on cuda" cuda_semantics
shows 4 "the sum on a side stream is 10000" cuda_semantics
shows 4 "the loss of the last replay is " cuda_semantics
shows 4 "replays take 6169 KiB, 2048 are made again" cuda_semantics
shows 4 "4 MiB count as 4194304 bytes, and as 0 when they are freed" cuda_semantics
shows 4 "trained on 4 devices" cuda_semantics
shows 1 "needs two devices" cuda_semantics
grep -q traceEvents trace.json || fail "no trace"
[ "$(grep -c '<rect' cuda_semantics.svg)" -gt 20 ] && [ "$(tail -n 1 cuda_semantics.svg)" = "</svg>" ] || fail "no drawing"
shows own "most free memory first: 0 1 2 3" cuda_semantics --simulate
shows none "computed on cpu" cuda_semantics --disable-cuda
refuses 1 "there is no CUDA device; --simulate" cuda_semantics
refuses 2 "--colour" cuda_semantics --colour red
[ $failures -eq 0 ] && echo "all passed"
exit $((failures != 0))
