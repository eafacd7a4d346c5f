#!/bin/sh
# The life of a model on the command line: train it, stop and resume, export it to ONNX, serve the
# file, fine-tune the file, and run an op of a plug-in.
#   sh life.sh ./libpercale_square.so
# Needs `percale` on PATH. Writes its files into the current folder.
set -eu
[ $# -eq 1 ] || { echo "usage: life.sh PLUGIN.so" >&2; exit 2; }
plugin=$1

fail() {
  echo "failed: $1" >&2
  exit 1
}

# Prints points (a, b) of a square, labelled with $1 * ab + $2, as CSV.
points() {
  awk -v factor="$1" -v offset="$2" 'BEGIN {
    print "a,b,y"
    for (row = 0; row < 1024; ++row) {
      a = row % 32 / 16 - 1
      b = int(row / 32) / 16 - 1
      printf "%.4f,%.4f,%.8f\n", a, b, factor * a * b + offset
    }
  }'
}

# Prints the loss of the first step of the run $1, and the mean loss of its last epoch of 32 steps.
# Fails if the second is above the limit: $2 times the first, plus $3.
losses() {
  tail -n +2 "$1/history.csv" | awk -F, -v factor="$2" -v plus="$3" '
    { loss[NR] = $3 }
    END {
      for (step = NR - 31; step <= NR; ++step) last += loss[step] / 32
      printf "loss %.4f -> %.4f\n", loss[1], last
      exit !(last < factor * loss[1] + plus)
    }'
}

points 1 0 > points.csv
cat > life.json <<'END'
{
  "model": [ {"layer": "Dense", "name": "hidden", "units": 16, "activation": "tanh"},
             {"layer": "Dense", "name": "out", "units": 1} ],
  "loss": "mse",
  "optimizer": {"name": "adam", "learning_rate": 0.02},
  "schedule": [ {"name": "warm_up", "steps": 64}, {"name": "cosine", "decay_steps": 576} ],
  "data": {"train": {"x": "points.csv#a,b", "y": "points.csv#y"}},
  "batch_size": 32, "epochs": 20, "seed": 1
}
END
percale train life.json --out whole --overwrite --digest > whole.txt
trained=$(losses whole 0 0.01) || fail "the loss does not fall below 0.01: $trained"
echo "trained: $trained"

# The job gives the cosine a length. Without one it would end after 10 epochs here.
percale train life.json --out halves --overwrite --epochs 10 > halves.txt
percale train life.json --resume halves --digest > halves.txt
digest=$(grep '^digest ' whole.txt)
[ "$(grep '^digest ' halves.txt)" = "$digest" ] || fail "the digests differ"
echo "resumed: same digest"

percale export whole/model.percale life.onnx
printf '%s\n' a,b 0.3,-0.7 0.5,0.5 -0.6,-0.2 0.75,-0.75 0.1,0.9 -0.25,0.75 > asked.csv
percale predict life.onnx asked.csv --batch 2 --out answers.csv # three runs of one session
paste -d, asked.csv answers.csv | awk -F, '
  NR > 1 {
    error = $1 * $2 - $3
    if (error < 0) error = -error
    if (error > worst) worst = error
  }
  END {
    printf "served: %d answers, at most %.4f off\n", NR - 1, worst
    exit !(NR == 7 && worst < 0.15)
  }' || fail "the answers are not a * b"

# Trains the model of the file. The layer "hidden" keeps its values.
points -2 1 > other.csv
cat > tune.json <<'END'
{
  "model": "life.onnx", "freeze": "hidden/*",
  "loss": "mse", "optimizer": {"name": "adam", "learning_rate": 0.02},
  "data": {"train": {"x": "other.csv#a,b", "y": "other.csv#y"}},
  "batch_size": 32, "epochs": 10
}
END
percale train tune.json --out tuned --overwrite > tuned.txt
tuned=$(losses tuned 0.1 0) || fail "the loss does not fall to a tenth: $tuned"
echo "tuned: $tuned"

# The command line builds no graphs, so these are the bytes of an ONNX file with one node,
# y = sample:Square(x).
printf '\010\010:?\012\026\012\001x\022\001y"\006Square:\006sample\022\001gZ\020\012\001x\022\013\012\011\010\001' > square.onnx
printf '\022\005\012\003\022\001nb\020\012\001y\022\013\012\011\010\001\022\005\012\003\022\001nB\002\020\021B' >> square.onnx
printf '\012\012\006sample\020\001' >> square.onnx
printf '%s\n' x 1 -2 3 > numbers.csv
squares=$(percale predict square.onnx numbers.csv --plugin "$plugin" | tail -n +2 | paste -sd, -)
[ "$squares" = 1,4,9 ] || fail "the squares are $squares"
echo "plug-in: 1, -2, 3 squared are $squares"
