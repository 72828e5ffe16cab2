#!/usr/bin/env bash
# The gallery's programs on small data: each runs, prints what it should and learns.
#   gallery.sh FOLDER_OF_PROGRAMS
#   LIBTORCH=/path/of/torch gallery.sh WORK     compiles them against that LibTorch first, unchanged (STANDARD=c++17: Debian's)
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
programs=$1
names=(linear_regression vae dcgan diffusion char_lstm dqn ppo heat_equation custom_op tabular time_series segmentation
  transfer_learning inference_server)
derivatives=(neural_ode per_sample_gradients force_field) # by torch::func, which LibTorch has not
if [ -n "${LIBTORCH:-}" ]; then # (by hand: its CMake package wants the CUDA toolkit that it was built with)
  mkdir -p "$programs"
  for name in "${names[@]}"; do
    c++ -std="${STANDARD:-c++20}" -O1 "$here/../../examples/$name"/*.cpp -o "$programs/$name" -I"$here/../../examples" \
      -I"$LIBTORCH/include" -I"$LIBTORCH/include/torch/csrc/api/include" -L"$LIBTORCH/lib" \
      -Wl,-rpath,"$LIBTORCH/lib" -Wl,--no-as-needed -ltorch_cpu -lc10 -lcpp-httplib \
      -pthread -Wl,--allow-shlib-undefined || exit 1
  done
  derivatives=()
fi
[ ${#derivatives[@]} -eq 0 ] || names+=("${derivatives[@]}" gradbench)
programs=$(cd -- "$programs" && pwd)
for name in "${names[@]}"; do
  [ -x "$programs/$name" ] || { echo "not run: the examples were not built"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# learns PATTERN PROGRAM ARGS...: it ends well and prints a line with the pattern.
learns() {
  local pattern=$1 program=$2
  shift 2
  "$programs/$program" "$@" >out 2>&1 && grep -qE -- "$pattern" out && return
  echo "FAILED: $program $*: expected a line with '$pattern', got:"
  cat out
  failures=$((failures + 1))
}
# refuses TEXT PROGRAM ARGS...: an error of one line.
refuses() {
  local text=$1 program=$2
  shift 2
  if timeout 60 "$programs/$program" "$@" >/dev/null 2>out || [[ $(cat out) != "$program: "*"$text"* ]]; then
    echo "FAILED: $program $*: expected the error '$text', got: $(cat out)"
    failures=$((failures + 1))
  fi
}
# picture FILE WIDTH HEIGHT: a PGM file of that size, which is not of one colour.
picture() {
  [ "$(head -c 2 "$1")" = P5 ] && [ "$(sed -n 2p "$1" | tr -d '\0')" = "$2 $3" ] &&
    [ "$(stat -c %s "$1")" -eq $(($2 * $3 + 9 + ${#2} + ${#3})) ] && [ "$(tail -c +16 "$1" | fold -w1 2>/dev/null | sort -u | wc -l)" -gt 1 ] && return
  echo "FAILED: $1 is no picture of $2 x $3"
  failures=$((failures + 1))
}

# drawing FILE SERIES: an SVG file in which each series has several places.
drawing() {
  [ "$(grep -c '<polyline\|<circle' "$1")" -ge "$2" ] && [ "$(tail -n 1 "$1")" = "</svg>" ] && ! grep -qi 'nan\|inf"' "$1" && return
  echo "FAILED: $1 is no drawing of $2 series"
  failures=$((failures + 1))
}

# answers_message PATTERN MESSAGE: gradbench's response has the pattern.
answers_message() {
  echo "$2" | "$programs/gradbench" >out 2>&1
  grep -qE -- "$1" out && return
  echo "FAILED: gradbench: expected '$1' for $2, got: $(cat out)"
  failures=$((failures + 1))
}
# Messages of the protocol, and all evaluations of small inputs if Python has NumPy.
gradbench() {
  local evaluate='"id": 7, "kind": "evaluate", "module"'
  answers_message '^\{"id":7,"success":true\}$' '{"id": 7, "kind": "define", "module": "gmm"}'
  answers_message '^\{"error":"expected as module one of ba, det.*, got other","id":7,"success":false\}$' '{"id": 7, "kind": "define", "module": "other"}'
  answers_message '^\{"id":7,"tool":"taper"\}$' '{"id": 7, "kind": "start"}'
  answers_message '^\{"id":7\}$' '{"id": 7, "kind": "analysis", "of": 6, "valid": true}'
  answers_message '"output":6\.0,' "{$evaluate: \"hello\", \"function\": \"double\", \"input\": 3}"
  answers_message '"output":\[0\.5,0\.5\],.*("name":"evaluate".*){4}' \
    "{$evaluate: \"lse\", \"function\": \"gradient\", \"input\": {\"x\": [1, 1], \"min_runs\": 4}}"
  answers_message '"error":"A: expected sizes \[9\], got \[2\]","id":7,"success":false' \
    "{$evaluate: \"det\", \"function\": \"primal\", \"input\": {\"A\": [1, 1], \"ell\": 3}}"
  answers_message '^gradbench: expected a message with id and kind, got hello$' hello
  refuses "expected --multithreaded or nothing, got all" gradbench all
  python3 "$here/../../examples/gradbench/check.py" --sample "$programs/gradbench" >out 2>&1
  [[ $? = @(0|77) ]] || { echo "FAILED: gradbench's answers:" && cat out && failures=$((failures + 1)); }
}

# Files as long as MNIST's (LibTorch takes no others), of which the first images are bars.
mkdir data
{ printf '\0\0\10\3\0\0\352\140\0\0\0\34\0\0\0\34'; yes '    ~~~~~  ' | tr ' ' '\0' | head -c $((256 * 784)); } >data/train-images-idx3-ubyte
truncate -s $((60000 * 784 + 16)) data/train-images-idx3-ubyte
printf '\0\0\10\1\0\0\352\140' >data/train-labels-idx1-ubyte
truncate -s 60008 data/train-labels-idx1-ubyte

learns '^y = (2\.9[5-9]|3\.0[0-5]) x \+ (1\.9[5-9]|2\.0[0-5])$' linear_regression && drawing linear_regression.svg 201
learns '^epoch 4/4  loss [0-9]{1,2}?[0-9]{1,2}\.' vae data 4 256 && picture vae.pgm 448 112
learns '^epoch 1/1  discriminator [01]\.' dcgan data 1 128 && picture dcgan.pgm 448 112
learns '^epoch 2/2  loss (0\.|1\.[0-4])' diffusion data 2 64 && picture diffusion.pgm 448 56
yes 'to be or not to be, ' | tr -d '\n' | head -c 4000 >text
learns '^The .*to be' char_lstm text 60 && drawing char_lstm.svg 1
learns '^10 games: [0-9]+\.[0-9] steps of at most 500$' dqn 20 && drawing dqn.svg 1
learns '^update 12/12  12288 steps, a game lasts ([5-9][0-9]|[1-5][0-9][0-9])$' ppo 12 && drawing ppo.svg 1
learns '^largest error: 0\.[01]' heat_equation 400 && picture heat_equation.pgm 128 128
learns '^sin\(x\) by 32 swishes on the CPU: loss 0\.000' custom_op && drawing custom_op.svg 2
learns '^mean error of the test rows: ([4-6]?[0-9])\.[0-9], of always guessing the mean: 1[0-9][0-9]\.' tabular "$here/../../examples/tabular/flats.csv" &&
  drawing tabular.svg 2
learns '^600 rows, 15 features, stopped after epoch ([3-9]?[0-9]|1[0-9][0-9]),' tabular "$here/../../examples/tabular/flats.csv"
learns '^mean error of four test weeks: 0\.[0-3][0-9]*, of repeating the week before: 0\.3' time_series 60 && drawing time_series.svg 3
learns '^IoU of 64 test pictures: .*mean 0\.[6-9]' segmentation 60 && picture segmentation.pgm 384 96
if [ ${#derivatives[@]} -ne 0 ]; then
  learns '^mean distance from the spiral: 0\.[01]' neural_ode 200 && drawing neural_ode.svg 2
  learns '^gradients of 256 examples: .*, largest difference [0-9]e-0[6-9]$' per_sample_gradients 60 && drawing per_sample_gradients.svg 3
  learns '^noise 1: (8[3-9]|9[0-9])\.[0-9] %' per_sample_gradients 60
  learns '^test clusters: mean error of energies 0\.[01][0-9]*, of forces 0\.[0-5]' force_field 200 && drawing force_field.svg 2
  gradbench
fi
learns '^step 200/200  loss 0\.[01]' transfer_learning --pretrain shapes.pt 200
learns '^with the features of the checkpoint: [7-9][0-9]\.' transfer_learning shapes.pt 100
learns '^seen by the client: requests 200  p50 [0-9.]+ ms  p99 [0-9.]+ ms$' inference_server --measure 200

# The server: its answers, its latency, and its end by a signal.
timeout --foreground 60 "$programs/inference_server" >served 2>&1 &
server=$!
until grep -q '^listening on ' served || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
url=$(sed -n 's/^listening on //p' served)
# answers PATTERN ARGS...: curl prints a line with the pattern.
answers() {
  local pattern=$1
  shift
  curl -sS --noproxy '*' --max-time 20 "$@" >out 2>&1
  grep -qE -- "$pattern" out && return
  echo "FAILED: inference_server: expected '$pattern' from curl $*, got: $(cat out)"
  failures=$((failures + 1))
}
answers '^\{"inside": \[(1|0\.9[0-9]*)(, )[0-9.]+e-[0-9]+\]\}$' -d '0.1 0.2  3 3' "$url/predict"
answers '^expected two numbers for each point$' -d '0.1 0.2 3' "$url/predict"
answers ' 400$' -o /dev/null -w 'status %{http_code}\n' -d 'a b' "$url/predict"
answers '^requests 3  p50 [0-9.]+ ms  p99 [0-9.]+ ms$' "$url/latency"
refuses "port ${url##*:} cannot be used" inference_server "${url##*:}"
kill -INT $server
wait $server && grep -q '^computed in: requests 3' served || {
  echo "FAILED: inference_server does not end well: $(cat served)"
  failures=$((failures + 1))
}

for program in vae dcgan diffusion; do
  refuses "expected the folder of MNIST's files" $program
  refuses "train-images-idx3-ubyte" $program nowhere 1
done
refuses "expected a text" char_lstm
refuses "nowhere: cannot be opened" char_lstm nowhere
echo short >short
refuses "short: expected a file of at least 128 bytes" char_lstm short
for count in many 0 -5 3x; do
  refuses "expected as EPISODES a number from 1 to 999999999, got $count" dqn "$count"
  refuses "expected as UPDATES a number from 1" ppo "$count"
  for program in heat_equation time_series segmentation "${derivatives[@]}"; do refuses "expected as STEPS a number from 1" $program "$count"; done
  refuses "expected as EPOCHS a number from 1" tabular words.csv "$count"
  refuses "expected as PORT a number from 1" inference_server "$count"
  refuses "expected as STEPS a number from 1" char_lstm text "$count"
  for program in vae dcgan diffusion; do refuses "expected as EPOCHS a number from 1" $program data "$count"; done
done
refuses "expected a CSV file" tabular
refuses "nowhere.csv: cannot be read" tabular nowhere.csv
printf 'a,b\n1,2\n1\n' >rows.csv
refuses "rows.csv, line 3: expected 2 fields, got 1" tabular rows.csv
{ echo a,b && yes 1,two | head -n 30; } >words.csv
refuses "words.csv: expected numbers in the last column" tabular words.csv
head -n 10 words.csv >few.csv
refuses "few.csv: expected at least 20 rows" tabular few.csv
refuses "nowhere.pt: cannot be read; make it by 'python3 pretrain.py nowhere.pt', or without Python by 'transfer_learning" \
  transfer_learning nowhere.pt
refuses "expected [--pretrain] CHECKPOINT" transfer_learning
for program in dqn ppo heat_equation time_series segmentation "${derivatives[@]}"; do learns "^$program \\[" $program --help; done
# A picture that cannot be written is an error before the training.
rm -f ./*.svg ./*.pgm
mkdir time_series.svg segmentation.pgm tabular.svg linear_regression.svg custom_op.svg dqn.svg ppo.svg heat_equation.pgm char_lstm.svg vae.pgm dcgan.pgm diffusion.pgm "${derivatives[@]/%/.svg}"
refuses "tabular.svg cannot be written" tabular "$here/../../examples/tabular/flats.csv"
for program in linear_regression custom_op dqn ppo heat_equation time_series segmentation "${derivatives[@]}"; do refuses "$program." $program; done
refuses "char_lstm.svg cannot be written" char_lstm text
for program in vae dcgan diffusion; do refuses "$program.pgm cannot be written" $program data; done
refuses "expected --disable-cuda or nothing, got gpu" custom_op gpu
[ $failures -eq 0 ] && echo "gallery: all programs learn"
exit $((failures != 0))
