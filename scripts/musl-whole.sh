#!/usr/bin/env bash
# Compiles all of musl 1.2.3 to bitcode, for programs that are run whole, from _start to exit:
#   CACHE/musl-whole/include           the headers that programs are compiled against
#   CACHE/musl-whole/lib/crt1.o        bitcode: the start of a program, _start_c
#   CACHE/musl-whole/lib/libc.a        bitcode: the library with libm, without the allocator, with
#                                      no inline assembly; what it wants of the system it asks
#                                      psychic_syscall for
#   CACHE/musl-whole/lib/libnative.a   native code: what the engine has built in instead (the
#                                      allocator, setjmp, fenv) and what a code generator calls
#   CACHE/musl-whole/lib/configure/libc.a  native code: the same library for the many small programs
#                                      that configure makes, which then need no LTO over all of it
#   CACHE/musl-whole/lib/libkernel.a   native code: psychic.h, and psychic_syscall as the kernel
#                                      itself, for what a build runs
#   CACHE/musl-whole/lib/libworld.a    the same with the world of docs/world.md in between
#   CACHE/musl-whole/lib/libwatch.a    native code: what AddressSanitizer's instructions call
# Does nothing when it is done already.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/scripts/logged.sh"
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
musl=$cache/musl-whole
overlay=$top/scripts/musl-whole
version=1.2.3
runtime=$top/src/compile/runtime
flags="-fno-pie -fno-vectorize -fno-slp-vectorize -ffp-contract=off -fno-stack-protector
    -fno-unwind-tables -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE"
flags=${flags//$'\n'/}

# libkernel.a, libworld.a and libwatch.a: seconds, and they change more often than musl.
runtime() {
    local work=$musl/runtime
    local compile="clang-19 --target=x86_64-linux-musl -nostdinc -isystem $musl/include
        -isystem $(clang-19 -print-resource-dir)/include -std=c11 -O2 -ffreestanding $flags -w"
    rm -rf "$work"
    mkdir -p "$work"
    for file in "$runtime"/{environment,intrinsics,surroundings,watch}.c "$runtime"/world/*.c; do
        $compile -c "$file" -o "$work/$(basename "$file" .c).o"
    done
    (
        cd "$work"
        llvm-ar-19 rcs libkernel.a environment.o intrinsics.o surroundings.o bare.o open.o
        llvm-ar-19 rcs libwatch.a watch.o
        rm open.o watch.o
        llvm-ar-19 rcs libworld.a ./*.o
        # At once: a build may be going on.
        mv libkernel.a libworld.a libwatch.a ../lib/
    )
    rm -rf "$work"
}

runtime_stamp=$(cat "$0" "$runtime"/*.[ch] "$runtime"/*/*.[ch] | cksum)
stamp=$(cat "$0" "$overlay"/* "$top/scripts/musl/atomic_arch.h" "$top/scripts/musl/lock.h" | cksum)
if [ "$(cat "$musl/stamp" 2>/dev/null)" = "$stamp" ]; then
    if [ "$(cat "$musl/runtime-stamp" 2>/dev/null)" != "$runtime_stamp" ]; then
        runtime
        echo "$runtime_stamp" >"$musl/runtime-stamp"
    fi
    exit 0
fi
"$top/scripts/source.sh" musl "$version" "$cache/musl/source"
if [ "$(cat "$cache/musl/source/VERSION")" != "$version" ]; then
    echo "$cache/musl/source is not musl $version: remove it and try again" >&2
    exit 2
fi
echo "compiling all of musl $version to bitcode (a minute, once)"
work=$musl/build
rm -rf "$work" "$musl/include" "$musl/lib" "$musl"/*stamp
mkdir -p "$work" "$musl/lib"
bitcode="-O1 -gline-tables-only -w $flags -flto -fno-rounding-math -Xclang -default-function-attr -Xclang psychic-library"

prepare() {
    cp -a "$cache/musl/source" source
    cd source
    # Built in, and native.
    mv src/fenv ..
    rm ../fenv/fenv.c
    # C in place of assembly.
    rm -rf src/*/x86_64 crt/x86_64
    cp "$overlay"/*_arch.h "$top/scripts/musl/atomic_arch.h" arch/x86_64/
    cp "$top/scripts/musl/lock.h" src/internal/
    rm src/thread/{__set_thread_area,pthread_cancel,__unmapself}.c
    cp "$overlay/one_thread.c" src/thread/
    cp "$overlay/assert.c" src/exit/
    sed -i 's/__FILE__, __LINE__, __func__/"", 0, ""/' include/assert.h
    # What is built in, or native.
    rm src/signal/{restore,sigsetjmp,sigsetjmp_tail,siglongjmp}.c src/setjmp/*.c
    # These two would be empty assembly, to keep a compiler from knowing better.
    sed -i '/__asm__/d' src/string/explicit_bzero.c src/env/__libc_start_main.c
    grep -rlZ FENV_ACCESS src | xargs -0 sed -i '/FENV_ACCESS/d'
    CC="clang-19 --target=x86_64-linux-musl -fno-pie" CFLAGS="-O1" \
        ./configure --target=x86_64 --disable-shared --prefix="$musl"
    mv src/malloc ..
    # Without __GNUC__ these go byte by byte. With it they read whole words, up to seven bytes
    # past the end of a string: fine for a machine, out of bounds for C.
    echo 'obj/src/string/%.o: CFLAGS_ALL += -U__GNUC__' >>config.mak
}

native() {
    local include=(-nostdinc -isystem source/src/include -isystem source/src/internal
        -isystem source/arch/x86_64 -isystem source/arch/generic -isystem source/obj/src/internal
        -isystem source/obj/include -isystem source/include)
    local compile=(clang-19 --target=x86_64-linux-musl -std=c99 -O2 -w $flags -ffreestanding
        -D_XOPEN_SOURCE=700 -D___errno_location=__errno_location
        -Dmalloc=plain_malloc -Drealloc=plain_realloc -Daligned_alloc=plain_aligned_alloc)
    cp "$overlay/glue.h" malloc/mallocng/
    mkdir native
    for file in malloc/mallocng/{malloc,free,realloc,aligned_alloc,malloc_usable_size}.c \
        fenv/*.c source/src/string/{mem,str,stp}*.c; do
        "${compile[@]}" "${include[@]}" -c "$file" -o "native/$(basename "$file" .c).o"
    done
    "${compile[@]}" -Umalloc -Urealloc -Ualigned_alloc -nostdinc -isystem "$musl/include" -D_GNU_SOURCE \
        -c "$overlay/allocate.c" -o native/allocate.o
    "${compile[@]}" -c "$overlay/jump.s" -o native/jump.o
    "${compile[@]}" -c "$overlay/start.s" -o native/start.o
    "${compile[@]}" -c fenv/x86_64/fenv.s -o native/fenv.o
    # The arithmetic that a code generator calls: complex and 128-bit numbers.
    (cd native && llvm-ar-19 x "$(clang-19 -print-libgcc-file-name -rtlib=compiler-rt)")
    llvm-ar-19 rcs "$musl/lib/libnative.a" native/*.o
}

# Code that no program of ours will have in it: as fast to make as possible.
for_configure() {
    local objects=$work/configure
    mkdir -p "$objects" "$musl/lib/configure"
    (cd source/obj && find src -name '*.o') | xargs -P"$(getconf _NPROCESSORS_ONLN)" -n 32 sh -c '
        for object; do
            clang-19 --target=x86_64-linux-musl -w -O0 -fno-pic -c -x ir "source/obj/$object" \
                -o "$0/$(echo "$object" | tr / -)" || exit
        done' "$objects"
    llvm-ar-19 rcs "$musl/lib/configure/libc.a" "$objects"/*.o
}

build() {
    (cd "$work" && prepare)
    make -C "$work/source" -j"$(getconf _NPROCESSORS_ONLN)" lib/libc.a lib/crt1.o \
        install-headers AR=llvm-ar-19 RANLIB=llvm-ranlib-19 \
        CFLAGS="$bitcode -ffile-prefix-map=$work/source=musl -fdebug-compilation-dir=musl"
    cp "$work"/source/lib/{libc.a,crt1.o} "$musl/lib/"
    (cd "$work" && native && for_configure)
    runtime
}

logged "$musl/log" "musl could not be compiled" build
for name in m rt pthread crypt util xnet resolv dl; do
    llvm-ar-19 rcs "$musl/lib/lib$name.a"
done
rm -rf "$work"
echo "$runtime_stamp" >"$musl/runtime-stamp"
echo "$stamp" >"$musl/stamp"
