#!/usr/bin/env bash
# Builds unmodified programs from Debian's source packages, to see how well the engine runs them:
# scripts/programs.sh [PACKAGE...]
#   CACHE/programs/PACKAGE/NAME.bc   the whole program with its libc, for psychic explore
#   CACHE/programs/PACKAGE/NAME      the same program as native code
# Skips packages that are built already. (Subjects with patches are built by psychic build.)
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/scripts/logged.sh"
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
musl=$cache/musl-whole
store=$cache/programs

declare -A version=([coreutils]=9.1 [grep]=3.8 [findutils]=4.9.0 [busybox]=1.35.0)
declare -A programs=(
    [coreutils]="src/basename src/cat src/cksum src/comm src/cp src/cut src/dirname src/echo src/env
        src/expand src/expr src/factor src/fold src/head src/join src/ln src/ls src/mkdir src/mv
        src/nl src/numfmt src/od src/paste src/printenv src/printf src/pwd src/rm src/seq src/sort
        src/sum src/tac src/tail src/test src/touch src/tr src/true src/unexpand src/uniq src/wc"
    [grep]="src/grep"
    [findutils]="find/find xargs/xargs"
    [busybox]="busybox_unstripped"
)

compile="clang-19 --target=x86_64-linux-musl -nostdinc -isystem $musl/include
    -isystem $(clang-19 -print-resource-dir)/include"
compile=${compile//$'\n'/}
flags="-O1 -gline-tables-only -flto -fno-stack-protector -fno-pie -fno-vectorize -fno-slp-vectorize
    -ffp-contract=off -fno-unwind-tables -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE -w
    -fdebug-compilation-dir=."
flags=${flags//$'\n'/}
# The first library directory exists only during configure.
link="-static -nostdlib -fuse-ld=lld-19 -Wl,--lto-O0 $musl/lib/crt1.o -L$store/configure -L$musl/lib"
jobs=$(getconf _NPROCESSORS_ONLN)

# Builds a GNU package; runs in its tree. Switches off what goes beyond C: instructions of
# particular processors (wc, cksum) and inline assembly (factor).
gnu() {
    local flags="$flags -DNO_ASM"
    ln -sfn "$musl/lib/configure" "$store/configure"
    FORCE_UNSAFE_CONFIGURE=1 ./configure --disable-nls --disable-perl-regexp --disable-threads \
        --disable-dependency-tracking CC="$compile" CFLAGS="$flags" LDFLAGS="$link" \
        AR=llvm-ar-19 RANLIB=llvm-ranlib-19
    rm "$store/configure"
    for header in lib/config.h config.h; do
        [ ! -f "$header" ] || sed -i '/USE_AVX2_WC_LINECOUNT\|USE_PCLMUL_CRC32/d' "$header"
    done
    make -j"$jobs" AUTOCONF=: AUTOMAKE=: ACLOCAL=: AUTOHEADER=: MAKEINFO=: HELP2MAN=: \
        LDFLAGS="$link -Wl,--save-temps=preopt" "$@"
}

# Builds only the listed programs, of about a hundred.
coreutils() {
    gnu SUBDIRS=. MANS= INFO_DEPS= PROGRAMS="${programs[coreutils]//$'\n'/}"
}

# Busybox's own build system does not support LTO; its link script is bypassed.
busybox() {
    make defconfig
    sed -i 's/^CONFIG_\(TC\|FEATURE_HAVE_RPC\|FEATURE_MOUNT_NFS\|FEATURE_INETD_RPC\)=y/# CONFIG_\1 is not set/
        s/^CONFIG_EXTRA_CFLAGS=.*//; s/.*CONFIG_STATIC is not set/CONFIG_STATIC=y/' .config
    yes '' | make oldconfig
    make -j"$jobs" busybox_unstripped CC="$compile" AR=llvm-ar-19 HOSTCC="cc" SKIP_STRIP=y \
        CFLAGS="$flags" LDFLAGS="$link -Wl,--save-temps=preopt"
}

# Makes from a built program ($1) the bitcode for the engine and the native program with its world
# ($2.bc and $2).
finish() {
    opt-19 -passes=internalize,globaldce \
        -internalize-public-api-list=_start_c,__errno_location "$1.0.0.preopt.bc" -o "$2.bc"
    clang-19 --target=x86_64-linux-musl -c -O1 -Xclang -disable-llvm-passes -fno-pic \
        "$2.bc" -o "$2.o"
    ld.lld-19 -static -nostdlib -o "$2" "$2.o" -L"$musl/lib" -lworld -lnative
    rm "$2.o"
}

build() {
    local package=$1
    cp -a "$store/source/$package-${version[$package]}" "$work/tree"
    cd "$work/tree"
    if [ "$(type -t "$package")" = function ]; then "$package"; else gnu; fi
    mkdir "$work/out"
    for program in ${programs[$package]}; do
        finish "$program" "$work/out/$(basename "$program" _unstripped)"
    done
}

"$top/scripts/musl-whole.sh"
# Goes to the end of every clang command line, so that functions that a package defines itself are
# not taken from the libc.
export CCC_OVERRIDE_OPTIONS="#+-Wno-unused-command-line-argument +-lc +-lnative +-lkernel"
[ $# -gt 0 ] || set -- coreutils grep findutils busybox
for package in "$@"; do
    stamp=$(cat "$0" "$musl/stamp" | cksum)
    if [ "$(cat "$store/$package/stamp" 2>/dev/null)" = "$stamp" ]; then
        continue
    fi
    "$top/scripts/source.sh" "$package" "${version[$package]}" \
        "$store/source/$package-${version[$package]}"
    echo "building $package ${version[$package]} (minutes, once)"
    work=$store/build-$package
    rm -rf "$work" "${store:?}/$package"
    mkdir -p "$work"
    logged "$store/$package.log" "$package could not be built" build "$package"
    mv "$work/out" "$store/$package"
    echo "$stamp" >"$store/$package/stamp"
    rm -rf "$work"
done
