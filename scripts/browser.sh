#!/usr/bin/env bash
# Installs Chromium and its driver for the test that clicks through report.html. Nothing else needs them: where
# they cannot be installed, this says so, and the test says that it is skipped.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
packages=(chromium chromium-driver)

skip() {
    echo "WARNING: $1, so report.html will not be clicked through" >&2
    exit 0
}

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    exit 0
fi
is_debian || skip "Chromium is missing, and this is not Debian"
why=$(install "${packages[@]}") || skip "$why (${packages[*]})"
