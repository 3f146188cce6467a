#!/usr/bin/env bash
# Copyright The starwars-sdk Authors.
# SPDX-License-Identifier: Apache-2.0

# Runs all tests, or the named steps only: hack/test.sh [STEP...]
# Needs Go; everything else is built from the modules pinned in this
# repository. The first run compiles an API server and kubectl, which takes
# minutes. What this machine cannot run is named; with CI=true that is a failure.

# shellcheck source=hack/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
cd "${ROOT}"

all_steps=(verify build sdk generator testenv examples kubectl e2e bench)
case "${1-}" in
  -h | --help)
    printf 'usage: hack/test.sh [STEP...]\nsteps: %s\n' "${all_steps[*]}"
    exit 0
    ;;
esac
if [ "$#" -gt 0 ]; then steps=("$@"); else steps=("${all_steps[@]}"); fi

# The end-to-end tests run these binaries instead of building their own.
export STARWARS_BIN="${BIN}"

# The API server and kubectl are compiled once, without the race detector: it
# would compile their thousand packages a second time. The SDK, and the
# programs that use it, are tested with it.
race=(-race)
left_out=()
if ! command -v "$(go env CC | cut -d ' ' -f 1)" >/dev/null; then
  race=()
  left_out+=("the race detector: it needs a C compiler (Debian: apt-get install gcc)")
fi

# Called by name, below.
# shellcheck disable=SC2317
{
  step_verify() { hack/verify-codegen.sh; }
  step_build() {
    go_build -o "${BIN}/" ./testenv/cmd/starwars-apiserver ./test/e2e/cmd/kubectl ./examples/informer ./examples/shared-cache ./examples/custom-index ./examples/fleet-board
  }
  step_sdk() { go_test ${race[@]+"${race[@]}"} ./...; }
  step_generator() { go_test ${race[@]+"${race[@]}"} ./cmd/indexer-gen/...; }
  step_testenv() { go_test ./testenv/...; }
  step_examples() { go_test ./examples/...; }
  step_kubectl() { go_test -v -run '^TestKubectl' ${race[@]+"${race[@]}"} ./test/e2e/...; } # -v shows the transcript
  step_e2e() {
    local browser
    if browser="$(hack/chromium.sh 2>&1)"; then export CHROME="${browser}"; else left_out+=("${browser}"); fi
    go_test -skip '^TestKubectl' ${race[@]+"${race[@]}"} ./test/e2e/... &&
      go_test -run 'Informer|Lister|Index|Consumers|Handler|Resync|Transform|Scenario2[1-8]' ${race[@]+"${race[@]}"} ./test/e2e -stock-decoding
  }

  step_bench() { go_test ./bench/...; } # that they run and are right, not how fast

  # go_test leaves out the lines of packages without tests.
  go_test() { go test "$@" | grep -v -e '\[no test files\]' -e '^testing: warning: no tests to run'; }
}

for step in "${steps[@]}"; do
  if ! declare -F "step_${step}" >/dev/null; then fail "there is no step ${step}; the steps are: ${all_steps[*]}"; fi
done

status=0
summary=()
for step in "${steps[@]}"; do
  say "Step ${step}"
  started="${SECONDS}"
  result=ok
  "step_${step}" || { result=FAILED && status=1; }
  summary+=("$(printf '%-9s %-7s %4d s' "${step}" "${result}" "$((SECONDS - started))")")
done

say "Summary"
printf '    %s\n' "${summary[@]}"
for what in ${left_out[@]+"${left_out[@]}"}; do
  printf '    left out: %s\n' "${what}"
  if [ "${CI-}" = true ]; then status=1; fi
done
exit "${status}"
