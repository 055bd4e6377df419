# `make` lists the targets: what stands after ## in each of their lines. Go is needed, and for the tests and the demo either
# Postgres binaries, or Docker (tests only), or apt as root: .ci/setup sees to it.
SHELL := bash
.DEFAULT_GOAL := help

GO ?= go
# Flags of the tests, for example TESTFLAGS=-race; PKG narrows what is tested. Of a package six tests run at once unless they say something
# else: most of them wait, for processes, for Postgres or for calls, and two cores by themselves would let two of them wait.
TESTFLAGS ?=
# Without the linker's notes for debuggers, and without a second vet: a hundred test programs are linked in half of the time.
LEAN := -vet=off -ldflags='-s -w'
# Less garbage collection saves the tests a fifth of their processor time, none up to a limit a quarter: but processes that tests start
# inherit it, so make quick alone has the limit. Bounds of memory count what was allocated, or is held after a collection.
TESTGC ?= GOGC=300
QUICKGC ?= GOGC=off GOMEMLIMIT=1GiB
PKG ?= ./...
# One Postgres for all packages: each would start its own, and migrate a database there (docs/decisions/0021-tests).
SHARED = $(GO) run ./cmd/sluice-dev test
# The end-to-end tests are in files of their own, with the tag e2e. E2E narrows them to a pattern of names, E2EPKG to packages; E2EFLAGS are
# flags of their own.
E2EFILES = find . -name '*_e2e_test.go'
E2E ?= ^($$($(E2EFILES) | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' | paste -sd'|' -))$$
E2EPKG ?= $$($(E2EFILES) | xargs -n1 dirname | sort -u)
E2EFLAGS ?=
# Tests whose verdict depends on the machine are in files of their own, too, with the tag nightly.
MACHINEFILES = find . -name '*_nightly_test.go'
# Of the end-to-end tests what kills real processes, once each: what .ci/run plays.
KILLS := ^(TestKills|TestServeIsKilled|TestPostgresIsKilled|TestMigrateIsKilled|TestTwoSyncsAtOnce)$$
# Where goroutines meet, and what meets there. The race detector multiplies time by four, so .ci/run looks for races only here, and make
# nightly everywhere.
#   sync           pages are requested ahead, and batches are written behind the reader
#   upstream       calls share connections, one token and the turn of a large answer
#   budget, jobs   workers, the tick and the end of a process
#   engine         the loops of serve, secrets that are read again, traces
#   events, notifications   receivers and senders beside each other
#   sandbox        upstream itself: its handlers share the world that all tests judge by
RACEPKG ?= $(addprefix ./pipeline/,sync/... upstream/... budget/... jobs/... engine/... events/... notifications/...) ./sandbox
# What needs no Postgres: packages whose tests name no way to one; of the simulation make quick plays a part. The simulated upstream is left
# to make test: its tests take a third of the time, and it changes seldom.
QUICKPKG = $$($(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./... | \
	grep -Ev 'warehousetest|sluice-sandbox/local|^sluice/(pipeline/simulation |sandbox)' | cut -d' ' -f1)
# Where benchmarks are: building the tests of all other packages, too, would take longer than they run. The lake is a module of its own.
BENCHPKG ?= $$(grep -rl --include='*_test.go' --exclude-dir=sluice-lake '^func Benchmark' . | xargs -n1 dirname | sort -u)
FUZZTIME ?= 30s
# Flags of the benchmark of the goals: bin/sluice-dev bench -help lists them.
BENCHFLAGS ?=
# Flags of the fleet: bin/sluice-dev scale -help lists them.
SCALEFLAGS ?=
# Flags of the deliberate bugs: bin/sluice-dev mutate -help lists them.
MUTATEFLAGS ?=
# Flags of the chaos runs and of the crash points: bin/sluice-dev chaos -help and bin/sluice-dev crashpoints -help list them.
CHAOSFLAGS ?=
CRASHFLAGS ?= -one-in 20
SEED ?= 1
# Go notes the revision in the program, but fails where git cannot say it: no commit yet, or a folder of another owner.
BUILDVCS := $(if $(shell git rev-parse HEAD 2>/dev/null),auto,false)

# The linter and the packager have modules of their own, so that what they need is not among what the program needs. Go builds them into its
# cache: the first time takes minutes.
LINT := $(GO) tool -modfile=.ci/tools/go.mod golangci-lint
# Flags of the release: go run ./cmd/sluice-release -help lists them. -quick takes one cache for both copies.
RELEASEFLAGS ?=

# What is generated from the declarations, written into a fresh folder: all of it, or none.
PAGES = fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && mkdir -p "$$fresh/docs" "$$fresh/$(SOURCES)" && \
	$(GO) build -buildvcs=$(BUILDVCS) -o "$$fresh/" ./cmd/sluice ./cmd/sluice-dev && \
	"$$fresh/sluice" dictionary >"$$fresh/docs/dictionary.md" && \
	"$$fresh/sluice" dictionary --format personal >"$$fresh/docs/personal-data.md" && \
	"$$fresh/sluice-dev" erd >"$$fresh/docs/erd.md" && \
	"$$fresh/sluice-dev" erd -format dbml >"$$fresh/docs/erd.dbml" && \
	"$$fresh/sluice-dev" coverage >"$$fresh/docs/coverage.md" && \
	"$$fresh/sluice" metrics >"$$fresh/docs/metrics.md" && \
	for service in analytics accounting inventory chat invoicing billing; do \
		"$$fresh/sluice" dictionary --format dbt --schema $$service >"$$fresh/$(SOURCES)/$$service.yml" || exit 1; \
	done
# Where the sources of the dbt package are.
SOURCES = deploy/dbt/models/sources

.PHONY: help build lake demo quick test e2e screenshots check bench bench-parts bench-goals scale cover fuzz simulate counts replicas mutate kills machine race dev chaos chaos-program crashpoints nightly draft dictionary check-alerts manifests check-deploy licenses release units rolling docker clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Static programs: no library of the machine, and their own time zones.
build: ## build bin/sluice, and bin/sluice-sandbox for tries
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -buildvcs=$(BUILDVCS) -trimpath -tags timetzdata -o bin/ ./cmd/sluice ./cmd/sluice-sandbox

lake: ## build bin/sluice-lake, the publisher of the lake: a module of its own, whose first build takes minutes
	cd cmd/sluice-lake && CGO_ENABLED=0 $(GO) build -buildvcs=$(BUILDVCS) -trimpath -tags timetzdata -o ../../bin/sluice-lake .

demo: build ## run the whole program on a simulated upstream and a private Postgres
	@.ci/setup binaries
	bin/sluice-sandbox demo

quick: ## vet, the product's tests that need no Postgres, and a short simulation: half a minute, all day long
	$(GO) vet -tags e2e,nightly ./...
	$(QUICKGC) $(GO) test $(LEAN) $(TESTFLAGS) $(QUICKPKG)
	$(QUICKGC) $(GO) test $(LEAN) $(TESTFLAGS) ./pipeline/simulation -run '^TestSchedules$$' -schedules 500

test: ## run all tests but the long ones of make e2e (TESTFLAGS=-race, PKG=./schema/... and so on)
	@.ci/setup
	$(TESTGC) $(SHARED) $(GO) test $(LEAN) -timeout 30m -parallel 6 $(TESTFLAGS) $(PKG)

e2e: ## run the end-to-end tests: processes that are killed for real, chaos, days that go by (E2E=TestKills)
	@.ci/setup
	@.ci/setup browser
	@.ci/poolers
	$(SHARED) $(GO) test $(LEAN) -tags e2e -timeout 60m -parallel 6 -run "$(E2E)" $(TESTFLAGS) $(E2EPKG) $(E2EFLAGS)

kills: ## run one end-to-end test each of a sync, serve, Postgres and migrate that are killed, and of two processes at one limit
	@.ci/setup
	$(SHARED) $(GO) test $(LEAN) -tags e2e -timeout 30m -parallel 6 -run "$(KILLS)" $(TESTFLAGS) ./cmd/sluice/cli

machine: ## run the tests whose verdict depends on the machine: memory and arrival by the clock, as ratios of figures of one run
	@.ci/setup
	$(SHARED) $(GO) test $(LEAN) -tags e2e,nightly -timeout 45m -p 1 -parallel 1 -count 1 \
		-run "^($$($(MACHINEFILES) | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' | paste -sd'|' -))$$" $$($(MACHINEFILES) | xargs -n1 dirname | sort -u)

race: ## run the tests of the packages where goroutines meet with the race detector (RACEPKG)
	@.ci/setup
	$(SHARED) $(GO) test $(LEAN) -race -timeout 60m -parallel 6 $(TESTFLAGS) $(RACEPKG)

# Pictures of a company with a fixed seed. The days in them are those of the run: look at them, and commit what should be shown.
screenshots: ## take the pictures of the console that the documents show (docs/images)
	@.ci/setup
	@.ci/setup browser
	@mkdir -p docs/images
	$(SHARED) $(GO) test $(LEAN) -tags e2e -count 1 -timeout 10m -run '^TestPictures$$' ./cmd/sluice/cli -pictures "$(CURDIR)/docs/images"

check: ## formatting, vet, all linters, generated files
	@unformatted=$$(gofmt -l .); \
	if [[ -n $$unformatted ]]; then printf 'not formatted (run gofmt -w):\n%s\n' "$$unformatted" >&2; exit 1; fi
	$(GO) vet -tags e2e,nightly ./...
	$(LINT) run
	@$(PAGES) && stale=0 && for page in $$(cd "$$fresh" && find docs deploy -type f); do \
		diff -u "$$page" "$$fresh/$$page" || { echo "$$page is out of date: run make dictionary" >&2; stale=1; }; \
	done; exit $$stale

bench: bench-parts bench-goals ## run the benchmarks: of single parts, then of the goals in docs/performance.md (QUICK=1: do they work?)

bench-parts: ## run the benchmarks of single parts: func Benchmark
	@.ci/setup binaries
	$(GO) test -timeout 40m -run '^$$' -bench . -benchtime $(if $(QUICK),1x -short,0.5s) -benchmem $(TESTFLAGS) $(BENCHPKG)

bench-goals: dev ## measure the goals of docs/performance.md (BENCHFLAGS='-only loader,limit')
	@.ci/setup binaries
	bin/sluice-dev bench $(if $(QUICK),-quick) $(BENCHFLAGS)

scale: dev ## simulate a fleet in virtual time: 1,000 organizations, 20 streams each, 7 days (SCALEFLAGS: see docs/simulation.md)
	@.ci/setup binaries
	bin/sluice-dev scale $(SCALEFLAGS)

cover: ## run all tests and say which share of the statements they reach (bin/cover.html)
	@.ci/setup
	@.ci/setup browser
	@mkdir -p bin
	$(SHARED) $(GO) test -tags e2e -timeout 85m -coverpkg=./... -coverprofile=bin/cover.out $(TESTFLAGS) $(PKG)
	$(GO) tool cover -html=bin/cover.out -o bin/cover.html
	$(GO) tool cover -func=bin/cover.out | tail -n 1

# On a busy machine go test may fail at the end of the time, without an input that failed: then the target is run once more.
fuzz: ## run each fuzz target for FUZZTIME (default 30s)
	@mkdir -p bin
	@set -euo pipefail; for pkg in $$($(GO) list $(PKG)); do \
		for target in $$($(GO) test -list '^Fuzz' "$$pkg" | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; run() { $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) "$$pkg" 2>&1 | tee bin/fuzz.log; }; \
			run || { ! grep -q 'Failing input' bin/fuzz.log && run; }; \
		done; \
	done

simulate: ## play SCHEDULES (100000) random schedules of edits, faults and crashes against the code of reading, from seed FIRST (1)
	$(GO) test ./pipeline/simulation -run '^TestSchedules$$' -v -count=1 -timeout 12h -first $(or $(FIRST),1) -schedules $(or $(SCHEDULES),100000)

counts: ## play SCHEDULES (100000) random schedules of a list that is counted while records hide in it
	$(GO) test ./pipeline/sync -run '^TestAHiddenRecordIsNeverCalledComplete$$' -v -count=1 -timeout 12h -counted $(or $(SCHEDULES),100000)

mutate: ## put deliberate bugs into the program, one at a time: the tests have to catch each
	@.ci/setup binaries
	$(GO) run ./cmd/sluice-dev mutate $(MUTATEFLAGS)

dev:
	$(GO) build -buildvcs=$(BUILDVCS) -o bin/sluice-dev ./cmd/sluice-dev

chaos-program: dev
	$(GO) test -c $(TESTFLAGS) -o bin/sluice.test ./cmd/sluice/cli

chaos: chaos-program ## real processes: 100 kills, 8 ends of Postgres, a full disk, broken lines (SEED)
	@.ci/setup binaries
	bin/sluice-dev chaos -seed $(SEED) $(CHAOSFLAGS)

crashpoints: chaos-program ## kill a process before and after statements that write and calls, one in 20 (SEED: others; CRASHFLAGS=: all)
	@.ci/setup binaries
	bin/sluice-dev crashpoints -offset $(SEED) $(CRASHFLAGS)

# It builds both versions itself: this tree, and this tree with a further migration.
rolling: dev ## upgrade a working fleet process by process under kills, and roll it back, beside an analyst (SEED)
	@.ci/setup binaries
	bin/sluice-dev rolling -seed $(SEED) $(CHAOSFLAGS)

replicas: ## play 10,000 schedules of writers and followers of changes against Postgres, twice (REPLICAS=…)
	$(SHARED) $(GO) test ./pipeline/warehouse -run '^TestAReplicaFollows$$' -v -count=1 -timeout 12h -replicas $(or $(REPLICAS),10000)
	$(SHARED) $(GO) test ./pipeline/warehouse/changes -run '^TestRandomSchedules$$' -v -count=1 -timeout 12h -schedules $(or $(REPLICAS),10000)

nightly: ## play everything that takes longer, in parts of 45 minutes at most (ONLY=chaos,lake, ALL=1, TIMES=10: see .ci/nightly)
	@.ci/nightly

draft: ## print the migration that the declarations ask for
	@$(GO) run ./cmd/sluice-dev draft

dictionary: ## write dictionary, diagrams, coverage, metrics and the sources of the dbt package from the declarations
	@mkdir -p docs $(SOURCES)
	@$(PAGES) && for page in $$(cd "$$fresh" && find docs deploy -type f); do cat "$$fresh/$$page" >"$$page"; done

manifests: ## write the plain manifests, and the chart's copy of the rules, from deploy/chart and deploy/prometheus
	cd .ci/deploy && $(GO) test -count=1 . -run '^(TestManifests|TestRules)$$' -write

# Helm's libraries are in a module of their own; their first build takes minutes. What the tests read is outside of it, where Go
# does not see that a file changed: -count=1.
check-deploy: ## render chart and manifests in all sizes and modes, and decode every document strictly
	cd .ci/deploy && $(GO) test -count=1 . && $(GO) vet .

check-alerts: ## check the alerts with their unit tests, and each query of the dashboards, by promtool
	@.ci/monitoring
licenses: ## write what the program is made of, with the texts of the licenses
	@fresh=$$(mktemp) && trap 'rm -f "$$fresh"' EXIT && $(GO) run ./cmd/sluice-release licenses >"$$fresh" && cat "$$fresh" >cmd/sluice/cli/licenses.txt

release: ## make archives, packages, lists of contents and checksums in dist, twice, and compare (RELEASEFLAGS)
	$(GO) run ./cmd/sluice-release -nfpm "$$($(GO) tool -n -modfile=.ci/packages/go.mod nfpm)" $(RELEASEFLAGS)

units: ## ask systemd about the units of deploy/systemd: are they right, and how exposed are they
	@.ci/check-units

docker: ## build the images sluice and sluice-sandbox
	@for image in sluice sluice-sandbox; do \
		docker build --target $$image --build-arg VERSION="$$(git describe --tags --exact-match --match 'v*' 2>/dev/null | sed 's/^v//')" \
			--build-arg REVISION="$$(git rev-parse HEAD 2>/dev/null)" -t $$image . || exit 1; \
	done

clean: ## remove what make has built
	rm -rf bin dist
