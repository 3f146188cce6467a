#!/usr/bin/env bash
# Copyright The starwars-sdk Authors.
# SPDX-License-Identifier: Apache-2.0

# Fails, and names the files, when what is generated is not what the types in
# pkg/apis generate. Works on a copy: the work tree is not touched.

# shellcheck source=hack/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

work="$(mktemp -d)"
trap 'rm -rf "${work}"' EXIT
before="${work}/before" copy="${work}/after"
mkdir "${before}" "${copy}"

say "Copying the sources"
# Everything but what git ignores: also files that are not committed yet.
(cd "${ROOT}" && git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do if [ -e "${file}" ]; then printf '%s\0' "${file}"; fi; done |
  tar --null -T - -cf -) | tar -xf - -C "${copy}"
mkdir -p "${copy}/.bin"

for path in pkg config hack; do cp -R "${copy}/${path}" "${before}/"; done

"${copy}/hack/update-codegen.sh"

status=0
for path in pkg config hack; do
  diff -Naur "${before}/${path}" "${copy}/${path}" || status=1
done
if [ "${status}" -ne 0 ]; then
  {
    printf 'error: generated files are not up to date, run hack/update-codegen.sh:\n'
    for path in pkg config hack; do
      { diff -Naqr "${before}/${path}" "${copy}/${path}" || true; } | sed -n "s|^Files ${before}/\(.*\) and .* differ\$|  \1|p"
    done
  } >&2
  exit 1
fi
say "Generated files are up to date"
