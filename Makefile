# What one does in this repository. `make help` lists the targets; anything longer than a line is in scripts/.

PREFIX ?= /usr/local
# With DESTDIR, a package can be made of it.
DESTDIR ?=

.PHONY: help build agent check test test-serve test-measure test-rest advice fresh lint bench accuracy h2spec conformance soak fuzz demo story packages package-test install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build target/release/unladen
	cargo build --release --locked -p unladen

agent: ## build the agent that is copied to other hosts, linked to nothing: target/release/unladen-agent-MACHINE
	@scripts/static agent

check: ## unit tests that need no root and no server: a minute or two once it is built
	@scripts/check

test-serve: ## end-to-end tests of `unladen serve`
	@scripts/test serve

test-measure: ## tests of times and shares, each program alone
	@scripts/test measure

test-rest: ## all other tests: unit tests, of counts, of results, and the examples in the documentation
	@scripts/test rest

test: ## all of these: build and run all tests, end to end on real applications too
	@scripts/test

fresh: ## all tests on a machine that nobody has touched (takes root)
	@scripts/fresh

advice: ## apply every printed fix to real applications, and see what comes of it (root)
	@scripts/advice

lint: ## formatting, clippy, dependencies and licences, spelling, shell scripts
	@scripts/lint

bench: ## side by side with the peers
	cargo run --release --locked -p unladen-bench

accuracy: ## known truths, simulated and real, against what unladen says
	cargo run --release --locked -p unladen-accuracy -- simulate
	cargo run --release --locked -p unladen-accuracy -- real
	cargo run --release --locked -p unladen-accuracy -- runs
	cargo run --release --locked -p unladen-accuracy -- bills
	cargo run --release --locked -p unladen-accuracy -- findings

h2spec: ## HTTP/2 of serve, by the tests of others (takes Go)
	@scripts/h2spec

conformance: ## HTTP caching of serve, by the tests of others (takes Node.js)
	@conformance/run

soak: ## what takes minutes: mixed load with faults (UNLADEN_SOAK=30m for each), connections that are just being closed, restarts, large profiles
	cargo test --release --locked -p unladen-tests --test soak -- --ignored --nocapture --test-threads 1
	cargo test --release --locked -p unladen-tests --test serve_races -- --ignored
	cargo test --release --locked -p unladen-tests --test site_soak -- --ignored --nocapture
	cargo test --release --locked -p unladen-tests --test fleet_faults -- --ignored --nocapture
	cargo test --release --locked -p unladen-profile -- --ignored --nocapture

fuzz: ## each fuzz target over the inputs that are kept for it (nightly Rust); `scripts/fuzz 60` looks for others, too
	@scripts/fuzz

demo: ## weigh the main page of a MediaWiki that is set up for it, fix what is found, and prove what that changes
	@scripts/demo

story: ## four public accounts retold on the real software, as one report (root, hours; `scripts/story --short` takes minutes)
	@scripts/story

packages: build ## .deb and .rpm of what was built, below target/packages
	@scripts/package deb
	@scripts/package rpm

package-test: ## install, upgrade under load and purge the .debs in clean roots of Debian 12 and 13 (root, minutes)
	@scripts/package-test

install: build ## install unladen, its manual pages and completions below PREFIX (/usr/local)
	@scripts/install "$(DESTDIR)$(PREFIX)"

clean: ## remove what was built, and the subjects with their data
	@scripts/clean
