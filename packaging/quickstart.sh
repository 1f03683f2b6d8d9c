#!/usr/bin/env bash
# From a fresh checkout to a finished run in the workbench: installs, builds, trains a small real model on two CPU ranks,
# and opens the result. A second call finds the finished run and opens it.
#   packaging/quickstart.sh [--again]        --again: train anew
# Everything lands in build/quickstart; log files in build/logs.
# shellcheck disable=SC2154,SC2034  # variables shared with build_steps.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
step_count=6
isAgain=false
case ${1:-} in
  '') ;;
  --again) isAgain=true ;;
  *) sed -n "2,5s/^# \\{0,1\\}//p" "$0"; case $1 in -h|--help) exit 0 ;; *) exit 2 ;; esac ;;
esac
# shellcheck source=build_steps.sh
. "$root/packaging/build_steps.sh"
bin=$root/build/bin
out=$root/build/quickstart
mkdir -p "$out"

started_run() {  # the id that the run in directory $1 was started under
  sed -n '/"event":"started"/s/.*"run":"\([^"]*\)".*/\1/p' "$1/events.jsonl" 2>/dev/null | head -n 1
}
is_completed() {
  tail -n 5 "$1/events.jsonl" 2>/dev/null | grep '"event":"finished"' | grep -q '"status":"completed"'
}

prepare_data() {
  begin_step data "Model and dataset"
  ln -sfn "$model" "$out/smollm2-135m-instruct.gguf"
  printf '      model    %s\n' "$out/smollm2-135m-instruct.gguf"
  [ -s "$out/docstring_qa.jsonl" ] ||
    logged "resources/data/make_docstring_qa.py" "$TIDEMARK_PYTHON" "$root/resources/data/make_docstring_qa.py" --out "$out/docstring_qa.jsonl"
  printf '      dataset  %s (%d conversations)\n' "$out/docstring_qa.jsonl" "$(wc -l <"$out/docstring_qa.jsonl")"
}

train() {
  begin_step train "Train on two CPU ranks (about 4 minutes on two cores)"
  mkdir -p "$out/runs"
  directory=$(find "$out/runs" -mindepth 1 -maxdepth 1 -type d | sort | tail -n 1)
  if ! $isAgain && [ -n "$directory" ] && is_completed "$directory" &&
     "$bin/tidemark-cli" show "$(started_run "$directory")" >>"$log" 2>&1; then
    printf '      already done: %s (--again trains anew)\n' "$directory"
    return
  fi
  directory=$out/runs/$(date +%Y%m%d-%H%M%S)
  local command=("$bin/tidemark-cli" run "$root/resources/data/quickstart.yaml" --name quickstart --set "output.dir=$directory")
  local status=0
  if [ -t 1 ]; then "${command[@]}" || status=$?  # redraws one line
  else "${command[@]}" 2>&1 | tee -a "$log" || status=$?; fi
  if [ "$status" != 0 ]; then
    [ ! -f "$directory/log/rank-0.log" ] || log=$directory/log/rank-0.log
    fail_step "tidemark-cli run (exit status $status)"
  fi
}

open_workbench() {
  begin_step open "Open the run in the workbench"
  local run; run=$(started_run "$directory")
  printf '      run      %s\n      report   %s\n      adapter  %s\n' "$run" "$directory/report/report.html" "$directory/adapter"
  if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    printf '      starting %s --open %s\n' "$bin/tidemark" "$run"
    "$bin/tidemark" --open "$run" || fail_step "tidemark --open $run"
    return
  fi
  rm -rf "$out/pages"
  logged "tidemark --grab" env QT_QPA_PLATFORM=offscreen "$bin/tidemark" --open "$run" --grab "$out/pages"
  printf '      no display here: the pages were drawn to files\n'
  find "$out/pages" -name '*.png' | sort | sed 's/^/        /'
}

install_dependencies
build_targets dev tidemark tidemark-cli tidemark-worker
prepare_data
train
open_workbench
printf 'Next: build/bin/tidemark-cli runs, or build/bin/tidemark\n'
