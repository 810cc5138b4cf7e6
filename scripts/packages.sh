# Debian packages for the scripts that source this file.

# Prints which of these packages a Debian machine lacks.
missing() {
    local installed package
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null || true)
    # pkgconf also provides pkg-config, so the tool may exist without the package of that name.
    for package in "$@"; do
        if ! grep -qx "$package installed" <<<"$installed" &&
            ! { [ "$package" = pkg-config ] && command -v pkg-config >/dev/null; }; then
            echo "$package"
        fi
    done
}

# Installs these packages. If that is impossible, says why and fails.
install() {
    local root
    if [ "$(id -u)" = 0 ]; then
        root=(env)
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        root=(sudo -n env)
    else
        echo "packages are missing, and installing them needs root"
        return 1
    fi
    echo "installing $*" >&2
    apt() {
        "${root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
            -o Dpkg::Options::=--force-confold --no-install-recommends "$@" </dev/null
    }
    # This may fail because of an unrelated archive that does not answer.
    apt update >&2 || true
    if ! apt install "$@" >/dev/null; then
        echo "apt-get failed"
        return 1
    fi
}

# Whether this machine has Debian's packages.
is_debian() {
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null
}
