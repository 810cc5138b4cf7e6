# logged LOG WHAT COMMAND...: runs a command with its output in a file, and where it fails shows
# the end of that and stops the script that sources this. In a process of its own, for set -e is
# off in a condition.
logged() {
    local log=$1 what=$2 status
    shift 2
    set +e
    (set -euo pipefail; "$@") >"$log" 2>&1
    status=$?
    set -e
    if [ "$status" != 0 ]; then
        tail -n 20 "$log" >&2
        echo "$what; the whole log is $log" >&2
        exit 1
    fi
}
