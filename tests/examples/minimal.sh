#!/usr/bin/env bash
# The shortest example learns, as one process and as several, and says what is wrong with its arguments.
#   minimal.sh FOLDER_OF_PROGRAMS
set -uo pipefail
programs=$1
[ -x "$programs/mnist" ] && [ -x "$programs/mnist_minimal" ] || { echo "not run: the examples were not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
"$programs/mnist" --drawn --limit 100 --epochs 1 --checkpoint "$work/checkpoint" >/dev/null || exit 1 # draws the images
# The first 6,000 of them, and 1,000 for the test: shorten FILE HEADER BYTES BYTES_OF_HEADER
drawn=$work/cache/taper/digits
shorten() {
  { printf "$2"; tail -c +$(($4 + 1)) "$drawn/$1" | head -c "$3"; } >"$work/small/$1"
}
mkdir "$work/small"
shorten train-images-idx3-ubyte '\0\0\10\3\0\0\27\160\0\0\0\34\0\0\0\34' $((6000 * 784)) 16
shorten train-labels-idx1-ubyte '\0\0\10\1\0\0\27\160' 6000 8
shorten t10k-images-idx3-ubyte '\0\0\10\3\0\0\3\350\0\0\0\34\0\0\0\34' $((1000 * 784)) 16
shorten t10k-labels-idx1-ubyte '\0\0\10\1\0\0\3\350' 1000 8
"$programs/mnist_minimal" small 1 >out || { cat out; exit 1; }
accuracy=$(sed -nE 's/^epoch 1\/1  loss [0-9.]+  accuracy ([0-9]+)\.[0-9]+%$/\1/p' out)
[ "${accuracy:-0}" -ge 80 ] || { echo "expected an accuracy of 80% after one epoch, got:"; cat out; exit 1; }
[ -s mnist_minimal.pt ] || { echo "no mnist_minimal.pt was written"; exit 1; }
for arguments in "" "nowhere" "small many"; do
  # shellcheck disable=SC2086
  message=$("$programs/mnist_minimal" $arguments 2>&1 >/dev/null) && { echo "no error from: mnist_minimal $arguments"; exit 1; }
  [[ $message == "mnist_minimal: "* ]] || { echo "mnist_minimal $arguments said: $message"; exit 1; }
done
cat out
[ -x "$programs/mnist_distributed" ] || exit 0
port=$((20000 + $$ % 20000))
for rank in 0 1 2 3; do
  RANK=$rank WORLD_SIZE=4 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port GLOO_SOCKET_IFNAME=lo OMP_NUM_THREADS=1 \
    timeout 120 "$programs/mnist_distributed" small 1 >out.$rank 2>&1 &
done
wait
if grep -q 'this build has no gloo' out.0; then
  cat out.0
  exit 0
fi
accuracy=$(sed -nE 's/^epoch 1\/1  4 ranks  loss [0-9.]+  accuracy ([0-9]+)\.[0-9]+%$/\1/p' out.0)
[ "${accuracy:-0}" -ge 80 ] || { echo "expected an accuracy of 80% of four ranks, got:"; cat out.?; exit 1; }
[ ! -s out.1 ] && [ -s mnist_distributed.pt ] || { echo "expected one rank to speak and a file"; cat out.?; exit 1; }
cat out.0
