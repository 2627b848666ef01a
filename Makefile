# Short names for common tasks. The work is done by cargo and scripts/.
.DEFAULT_GOAL := help
.PHONY: help run test test-all check check-files fmt lint openapi fuzz torture bench bench-check bench-instructions \
	bench-peers clients console console-dev console-screenshots dist dist-test dist-compare \
	setup clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and run the service (needs only Rust, cc and make)
	cargo run --release --bin steward

test: ## Run the tests that every change must pass, on SQLite and PostgreSQL
	@scripts/while-building scripts/setup test
	@scripts/test

test-all: ## Run all checks and all tests, at full size (more than an hour)
	@scripts/setup
	$(MAKE) --no-print-directory check
	scripts/deny
	@scripts/test --all

check: check-files lint ## Check format, generated files and lints

check-files: ## Check format and generated files
	@scripts/setup check
	cargo fmt --all --check
	scripts/check-unit
	scripts/lint-openapi
	scripts/console-check
	scripts/openapi --check
	scripts/check-config
	scripts/check-monitoring

fmt: ## Format the code
	@scripts/setup format
	cargo fmt --all

lint: ## Run clippy, also on the program without its test features; a warning is an error
	@scripts/setup format
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy --bin steward --locked -- -D warnings

torture: ## Disturb, kill, fail over and upgrade the service for long (more than an hour)
	@scripts/setup torture
	cargo build --release --bin steward
	scripts/torture
	scripts/torture-tests
	scripts/torture-failover
	scripts/rolling-upgrade
	scripts/console-test sqlite --grep @slow
	scripts/fresh-machine

fuzz: ## Fuzz the parsers of untrusted input
	@scripts/setup fuzz
	scripts/fuzz

bench: ## Measure the service and write bench/report.md (up to an hour)
	@scripts/setup bench
	python3 bench/run.py

bench-check: ## Count instructions; fail if a count grew by more than 10 %
	@scripts/setup bench
	bench/instructions.py

bench-instructions: ## Count instructions and write bench/instruction-counts.tsv
	@scripts/setup bench
	bench/instructions.py --write

bench-peers: ## Compare with PocketBase on the same data and write bench/peers.md
	@scripts/setup bench
	@scripts/setup peers
	bench/peers.py

openapi: ## Write openapi.json and what else is generated with it from the code
	scripts/openapi

clients: ## Generate clients in four ways, run them and the examples (a few minutes)
	@scripts/setup clients
	scripts/build
	scripts/clients

console: ## Build the web console into console/dist
	@scripts/setup console
	scripts/node npm --prefix console run build

console-dev: ## Serve the console with hot reload, for a running service (STEWARD_URL)
	@scripts/setup console
	scripts/node npm --prefix console run dev

console-screenshots: ## Take a screenshot of every page of the console
	@scripts/setup test
	cargo build --bin steward
	STEWARD_TEST_PROGRAM=$(CURDIR)/target/debug/steward scripts/node npm --prefix console run screenshots

dist: ## Record a profile, build the tarball, the Debian package, the SBOM and checksums into target/dist
	@scripts/setup dist
	scripts/deny
	scripts/dist

dist-test: ## Install, upgrade and remove the Debian package of make dist; test the alerts
	@scripts/setup dist
	scripts/check-monitoring --promtool
	scripts/package-test

dist-compare: ## Build again in another folder with the same profile and compare with make dist
	@scripts/setup dist
	scripts/dist-compare

setup: ## Install the tools for test and check
	@scripts/setup

clean: ## Remove all build output, including the Python and Node.js tools
	cargo clean
	rm -rf tools/openapi-lint/node_modules console/node_modules
