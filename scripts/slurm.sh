#!/usr/bin/env bash
# Installs Slurm for the tests of `psychic campaign --slurm`, which start a cluster of their own. Nothing
# else needs it: where it cannot be installed, this says so, and the tests say that they are skipped.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
packages=(slurmctld slurmd slurm-client munge)

skip() {
    echo "WARNING: $1, so psychic campaign --slurm will not be tested" >&2
    exit 0
}

lacks() {
    local program
    for program in munged slurmctld slurmd sbatch squeue scancel; do
        command -v "$program" >/dev/null || return 0
    done
    return 1
}

lacks || exit 0
is_debian || skip "Slurm is missing, and this is not Debian"
why=$(install "${packages[@]}") || skip "$why (${packages[*]})"
