# The commands for people. Every target runs `setup` first, or the part of it that it needs, which is
# quick once everything is there.
.PHONY: packages bitwuzla tools crates setup release demo test results shadow interact bench everyday doubles recheck attack fuzz coreutils lint

# Debian packages, and musl as bitcode.
packages:
	@scripts/setup.sh

bitwuzla: packages
	@scripts/bitwuzla.sh

# What building and comparing single programs takes.
tools: packages bitwuzla

# The libc of whole programs, too, which psychic makes itself when it first needs it.
setup: tools
	@scripts/musl-whole.sh

# Cargo chooses how many jobs it has.
crates: packages
	@MAKEFLAGS= cargo build --release --locked --lib

# Bitwuzla is built beside the crates, and then linked.
release: packages
	@$(MAKE) --no-print-directory -j2 bitwuzla crates
	@cargo build --release --locked

# The example of the README, from nothing to a decision tree. Changes nothing outside target/ and
# .cache/.
demo: release
	@cargo run --release --locked --quiet -- diff patches/smallest --out target/demo
	@echo "Open target/demo/report.html for all of it; target/demo/pairs.csv has every verdict."

test: setup
	@scripts/slurm.sh
	@scripts/browser.sh
	cargo test --locked
	cargo test --locked --no-default-features --lib --test rooms
	cargo check --locked --no-default-features --lib --examples --features plots
	cargo check --locked --no-default-features --lib --examples --features engine
	python3 -m unittest discover -s tests/native

# Refreshes the committed part of results/ and the output that the README shows. Run it when they
# change for a reason.
results: setup release
	@for subject in foo smallest musl-strverscmp coreutils-cut busybox-cut \
		coreutils-dd find-20834 grep-8f08d8e2; do \
		cargo run --release --locked --quiet -- diff patches/$$subject || exit 1; \
	done
	@scripts/readme.py target/release/psychic

# The table of docs/neighbours.md.
shadow: setup release
	@scripts/shadow.py target/release/psychic

# Beside the tables of the paper on change interaction errors: two minutes once coreutils is built.
interact: setup release
	@scripts/interact.py target/release/psychic

bench: setup release
	cargo bench --locked
	python3 scripts/bench.py

# Students' programs: how long it takes to decide their patches; proofs are checked by native runs.
everyday: setup release
	@scripts/everyday.py target/release/psychic --figures results/everyday.csv

# Variants of floating-point functions: how many are decided, and whether correctly.
doubles: setup release
	@scripts/doubles.py target/release/psychic --figures results/doubles.csv

# Has another solver decide again the queries that verdicts rest on: half an hour.
recheck: setup release
	@rm -rf target/recheck
	@for subject in patches/foo patches/smallest patches/musl-strverscmp tests/subjects/floats \
		patches/coreutils-cut; do \
		name=$$(basename $$subject); \
		cargo run --release --locked --quiet -- diff $$subject --out target/recheck/results/$$name \
			--emit-smt2 target/recheck/$$name >/dev/null || exit 1; \
		python3 scripts/recheck.py --sample 50000 target/recheck/$$name || exit 1; \
	done

# Compares verdicts on random programs with what each patched source does on its own: hours.
attack: setup release
	PSYCHIC_CACHE=.cache python3 tests/soundness/attack.py target/release/psychic 1 2000 --jobs 2 \
		--keep target/attack --figures results/bench/attack.csv
	PSYCHIC_CACHE=.cache python3 tests/soundness/attack.py target/release/psychic 1 100 --jobs 2 \
		--package --keep target/attack --figures results/bench/attack-packages.csv

# Feeds what reads bytes from outside with any bytes, each reader for ten minutes. `tests/fuzz/seeds`
# has what was found; `tests/cases/readers.rs` reads it again.
fuzz: setup
	@scripts/fuzz.sh 600

# Explores thirty programs for a minute each: half an hour.
coreutils: setup release
	scripts/programs.sh coreutils
	scripts/coreutils.py

lint: setup
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps
	cargo check --locked --manifest-path tests/fuzz/Cargo.toml --target-dir target/fuzz
