#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests.
#   tests/run.sh [--preset dev|dev-asan|dev-tsan|core-only] [ctest options, e.g. -L unit or -R planner]
# Log files: build/logs. Exit status: 0 if every test passed or was skipped with a reason.
# shellcheck disable=SC2154,SC2034  # variables shared with build_steps.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
step_count=4
preset=dev
if [ "${1:-}" = --preset ]; then preset=${2:?--preset needs a name}; shift 2; fi
case ${1:-} in -h|--help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
# shellcheck source=../packaging/build_steps.sh
. "$root/packaging/build_steps.sh"
started=$SECONDS

install_dependencies
build_targets "$preset"

begin_step tests "Tests"
export TIDEMARK_MODEL=${TIDEMARK_MODEL:-$model} TIDEMARK_GEMMA_MODEL=${TIDEMARK_GEMMA_MODEL:-$gemma_model}
cd "$root"
# On the screen: every 50th test as a sign of life, whatever did not pass, and ctest's closing lines.
show_tests() {
  local line count=0 is_closing=false
  while IFS= read -r line; do
    if [[ $line =~ ^\ *[0-9]+/[0-9]+\ +Test ]]; then
      count=$((count + 1))
      if [[ $line == *'***'* ]] || ((count % 50 == 0)); then printf '%s\n' "$line"; fi
    elif [[ $line =~ ^[0-9]+%\ tests\ passed ]]; then
      is_closing=true
    elif [[ $line == *'No tests were found'* ]]; then
      printf '%s\n' "$line"
    fi
    if $is_closing; then printf '%s\n' "$line"; fi
  done
}
status=0
ctest --preset "$preset" -j "$(nproc)" "$@" 2>&1 | tee "$log" | show_tests || status=$?
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
printf '%d s, %d skipped; log: %s\n' $((SECONDS - started)) "$skipped" "$log"
if [ "$status" != 0 ]; then
  # The output of what failed, where a person looks first.
  grep -hE ': Failure$|^\[  FAILED  \]|^  (Expected|Actual|Which is)|Segmentation|runtime error|ERROR: ' "$log" | head -n 40 >&2 || true
  exit "$status"
fi
