#!/bin/sh
# Stands in for a generator of programs: writes forty whole programs to the directory `samples`, each
# with its own idea of who pays a reduced fare.
mkdir samples
n=1
for old in '> 65' '>= 65' '>= 60' '> 60' '> 70'; do
    for young in '< 18' '<= 17' '< 12 + 6' '<= 18' '< 19' '< 16' '<= 15' '<= 16'; do
        sed "s/age < 18 || age > 65/age $young || age $old/" fare.c >"samples/s$(printf %02d $n).c"
        n=$((n + 1))
    done
done
