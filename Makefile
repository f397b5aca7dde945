# Two commands on a fresh machine: `make run` and `make test`. Both install what is missing first.

.DEFAULT_GOAL := build
FIT_RUN := runs/prostate-fit
PROSTATE_RUN := runs/prostate
# Also as root, and on fewer cores than ranks.
MPI_ENVIRONMENT := OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

.PHONY: help build mpi run picture federation soak soak-kill soak-mpi fuzz reproduce bench test test-sanitizers test-release test-asan test-tsan test-figures test-hostile unit format check-format lint clean

help:             ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 18

build:            ## build/bin/fedrk
	@scripts/setup build
	@scripts/build release fedrk_program

mpi:              ## build/bin/fedrk_mpi, for the ranks of an MPI job (docs/cluster.md)
	@scripts/setup mpi
	@scripts/build release fedrk_mpi_program

run: build        ## regression and feature selection on the prostate data of seven hospitals, with reports
	@build/bin/fedrk fit data/prostate.csv --target lpsa --clients 7 --out $(FIT_RUN) --overwrite
	@echo
	@build/bin/fedrk solve data/prostate.toml --out $(PROSTATE_RUN) --overwrite

picture: build    ## docs/images/report.png: the report of a fit, by chromium
	@scripts/setup develop
	@build/bin/fedrk fit data/prostate.csv --target lpsa --clients 7 --out $(FIT_RUN) --overwrite >/dev/null
	@profile=$$(mktemp -d) && chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$$profile" \
	  --window-size=980,830 --screenshot=docs/images/report.png "file://$(CURDIR)/$(FIT_RUN)/report.html" 2>/dev/null; rm -rf "$$profile"

federation: build ## seven hospitals and a server as processes over TLS, masked and published, and the same in one process
	@scripts/federation-demo

reproduce: build  ## the paper's experiments at full size: a minute or two, 6 GB of memory
	@build/bin/fedrk reproduce all --out runs/paper

bench:            ## times as ratios to plain programs, and their growth: four minutes, 6 GB of memory and of disk
	@scripts/setup bench
	@scripts/build release fedrk_ratios fedrk_suites fedrk_federation_bench fedrk_mpi_bench fedrk_many_clients
	@build/bin/fedrk_suites --benchmark_min_time=0.05 --benchmark_out=bench/results/$$(date +%F)-suites.json
	@build/bin/fedrk_ratios --out bench/results/$$(date +%F) --scratch $${TMPDIR:-/tmp}
	@build/bin/fedrk_federation_bench --out bench/results/$$(date +%F)-federation
	@build/bin/fedrk_many_clients --out bench/results/$$(date +%F)-many-clients
	@$(MPI_ENVIRONMENT) mpirun -n 2 build/bin/fedrk_mpi_bench --out bench/results/$$(date +%F)-mpi

test:             ## every test, optimised build
	@scripts/setup test
	@$(MAKE) --no-print-directory check-format
	@$(MAKE) --no-print-directory test-release

test-sanitizers:  ## tests under the address, undefined-behaviour and thread sanitizers
	@scripts/setup test
	@$(MAKE) --no-print-directory test-asan
	@$(MAKE) --no-print-directory test-tsan

test-release:     ## every test, optimised build; each header compiles alone
	@scripts/build release
	@cmake --build build --target all_verify_interface_header_sets
	@ctest --test-dir build --output-on-failure -j2

test-asan:        ## tests under the address and undefined-behaviour sanitizers, built with clang
	@scripts/build asan
	@ctest --test-dir build-asan --output-on-failure -j2 -LE 'package|slow'

test-tsan:        ## tests in which threads meet, under the thread sanitizer
	@scripts/build tsan
	@ctest --test-dir build-tsan --output-on-failure -j2 -LE 'package|slow'

test-figures:     ## what the methods beyond the paper reach at the size of its figures, half a minute
	@scripts/build release
	@cmake --build build --target test_paper_beyond_figures
	@build/tests/bin/test_paper_beyond_figures

test-hostile:     ## thousands of hostile connections against a server, a minute
	@scripts/build release fedrk_program test_federation_hostile_connections
	@FEDRK_HOSTILE_FULL=1 build/tests/bin/test_federation_hostile_connections

soak:             ## randomized fault-injection tests of a federation: SCENARIOS=300 SEED=now; five minutes
	@scripts/setup test
	@scripts/build release fedrk_program test_federation_scenarios
	@seq 0 3 | FEDRK_SCENARIOS=$${SCENARIOS:-300} FEDRK_SEED=$${SEED:-$$(date +%s)} xargs -P 2 -I{} \
	  build/tests/bin/test_federation_scenarios --gtest_brief=1 --gtest_filter='Slices/*/{}'

soak-kill:        ## processes of masked runs killed at random moments, files lost or put back: KILLS=500 SEED=now; three minutes
	@scripts/setup test
	@scripts/build release fedrk_program test_federation_kill_soak
	@seq 0 1 | FEDRK_KILLS=$${KILLS:-500} FEDRK_SEED=$${SEED:-$$(date +%s)} xargs -P 2 -I{} \
	  build/tests/bin/test_federation_kill_soak --gtest_brief=1 --gtest_filter='Slices/*/{}'

soak-mpi:         ## ranks killed at random moments: KILLS=10 for each of two runs, SEED=now; two minutes
	@scripts/setup test
	@scripts/build release fedrk_program fedrk_mpi_program test_mpi_killed
	@FEDRK_KILLS=$${KILLS:-10} FEDRK_SEED=$${SEED:-$$(date +%s)} build/tests/bin/test_mpi_killed

fuzz:             ## files and messages that nobody wrote: RUNS=10000000 inputs over all targets, SEED=now
	@scripts/setup test
	@cmake --preset asan -DFEDRK_BUILD_TESTS=ON
	@cmake --build build-asan --target fuzz_targets
	@scripts/fuzz build-asan

unit:             ## the quick tests only
	@scripts/setup test
	@scripts/build release
	@ctest --test-dir build --output-on-failure -j2 -L unit

format:           ## rewrite the sources in the project's format
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

check-format:     ## fail where the format differs
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror

lint:             ## clang-tidy over the sources
	@scripts/setup develop
	@scripts/build dev
	@git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P2 -n1 clang-tidy -p build-dev --quiet --extra-arg=-Wno-unknown-warning-option

clean:            ## remove every build folder
	@rm -rf build build-dev build-asan build-tsan
