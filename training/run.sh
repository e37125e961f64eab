#!/bin/bash
# Makes the house model from a story model, on one GPU, in two stages: the second goes on from the
# quantised weights of the first, with more requests for given words and stranger names.
# Usage: training/run.sh STORY_MODEL.gguf WORK_DIRECTORY
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
story_model=$1 first=$2/first second=$2/second
mkdir -p "$first" "$second"
export PYTHONDONTWRITEBYTECODE=1

python3 "$here/sample_stories.py" --model "$story_model" --out "$first/stories.jsonl" --seconds 190
python3 "$here/prepare.py" --stories "$first/stories.jsonl" --out "$first"
python3 "$here/train.py" --data "$first" --out "$first/house.pt" --minutes 11
python3 "$here/export.py" --checkpoint "$first/house.pt" \
  --tokenizer "$first/tokenizer.json" --out "$first/house.gguf"

python3 "$here/sample_stories.py" --model "$story_model" --out "$second/stories.jsonl" \
  --seconds 60 --seed 2
python3 "$here/prepare.py" --stories "$second/stories.jsonl" --out "$second" --mix second \
  --per-story 4 --heldout 0 --tokenizer "$first/tokenizer.json"
python3 "$here/train.py" --data "$second" --out "$second/house.pt" --minutes 3.4 \
  --start "$first/house.gguf" --rate 6e-4 --hold 0 --coarse 0
python3 "$here/export.py" --checkpoint "$second/house.pt" \
  --tokenizer "$first/tokenizer.json" --out "$2/house.gguf"
python3 "$here/evaluate.py" --model "$2/house.gguf" --heldout "$first/heldout.jsonl"
