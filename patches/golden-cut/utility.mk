# Builds one of the two utilities.
PACKAGE = coreutils

cut: $(PACKAGE)

.PHONY: coreutils busybox
coreutils:
	rm -f coreutils/src/cut
	cd coreutils && $(MAKE) SUBDIRS=. PROGRAMS=src/cut MANS= INFO_DEPS=
	cp coreutils/src/cut cut
	-cp coreutils/src/cut.0.0.preopt.bc cut.0.0.preopt.bc

busybox:
	rm -f busybox/busybox_unstripped
	cd busybox && $(MAKE) busybox_unstripped SKIP_STRIP=y HOSTCC=cc CC="$(CC)" AR="$(AR)" \
	    LD="$(SUBJECT)"/../busybox-cut/combine CFLAGS="$(CFLAGS)" CFLAGS_busybox="$(LDFLAGS)" LDFLAGS=
	cp busybox/busybox_unstripped cut
	-cp busybox/busybox_unstripped.0.0.preopt.bc cut.0.0.preopt.bc
