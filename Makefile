# One short name for each thing done here; the work itself is in cargo and scripts/.
.DEFAULT_GOAL := help
.PHONY: help run test check fmt lint openapi fuzz bench bench-check bench-instructions setup clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and run the service (needs only Rust, cc and make)
	cargo run --release --bin steward

test: ## Run all tests on SQLite and PostgreSQL
	@scripts/setup test
	@scripts/test

check: ## Check format, lints, dependencies and generated files
	@scripts/setup check
	cargo fmt --all --check
	$(MAKE) --no-print-directory lint
	scripts/deny
	scripts/openapi --check

fmt: ## Format the code
	cargo fmt --all

lint: ## Run clippy; a warning is an error
	cargo clippy --workspace --all-targets --locked -- -D warnings

fuzz: ## Feed noise to the parsers of what strangers send
	scripts/fuzz

bench: ## Measure the service and write bench/report.md (up to an hour)
	@scripts/setup bench
	python3 bench/run.py

bench-check: ## Count instructions; fail where one grew by more than 10 %
	@scripts/setup bench
	bench/instructions.py

bench-instructions: ## Count instructions and write bench/instructions anew
	@scripts/setup bench
	bench/instructions.py --write

openapi: ## Write openapi.json from the code
	scripts/openapi

setup: ## Install what test and check need
	@scripts/setup

clean: ## Remove everything built, the Python test tools too
	cargo clean
