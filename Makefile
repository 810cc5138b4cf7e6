# What a person types. Everything but `setup` needs what `setup` provides, and is quick
# about it when that is there already.
.PHONY: setup demo test bench lint

setup:
	@scripts/setup.sh

# The example of the README, from nothing to a decision tree.
demo: setup
	@cargo build --release --locked
	@cargo run --release --locked --quiet -- diff patches/smallest
	@echo
	@echo "The files are in results/smallest: report.html is for eyes, pairs.csv has every verdict."

test: setup
	cargo test --locked
	python3 -m unittest discover -s tests/native

bench: setup
	cargo bench --locked

lint: setup
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
