# logged LOG WHAT COMMAND...: runs a command with its output in the file LOG. If it fails, shows the
# end of the log and WHAT, and exits the script that sources this file. The command runs in a subshell
# of its own and not in a condition, where set -e would be off.
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
