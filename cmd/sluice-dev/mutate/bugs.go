package mutate

import (
	"slices"
	"strconv"
)

// bugs returns all deliberate bugs: for each invariant of docs/invariants.md and for each proof a
// few, one for each mechanism that keeps it. The simulation catches those of reading, each within
// its number of schedules; the tests of a package catch the others.
func bugs() []bug {
	all := slices.Concat(
		breaking("reading", passBugs(), keysetBugs()),
		breaking("erasure", personalBugs()),
	)
	for i, bugs := range [][]bug{
		watermarkBugs(), commitBugs(), callBugs(), recordBugs(), versionBugs(), killBugs(), absenceBugs(), equalityBugs(), failureBugs(), secretBugs(),
	} {
		all = append(all, breaking("invariant "+strconv.Itoa(i+1), bugs)...)
	}
	return all
}

// breaking says what bugs break.
func breaking(what string, groups ...[]bug) []bug {
	bugs := slices.Concat(groups...)
	for i := range bugs {
		bugs[i].Breaks = what
	}
	return bugs
}

const simulated = "pipeline/simulation"

// schedules returns a bug that the simulation must catch within n schedules.
func schedules(n, name, says string, edits ...edit) bug {
	return bug{Name: name, Says: says, Edits: edits, Package: simulated, Run: "^TestSchedules$", Args: []string{"-schedules=" + n, "-shrink=false"}}
}

// tests returns a bug that the tests of a package must catch.
func tests(where, which, name, says string, edits ...edit) bug {
	return bug{Name: name, Says: says, Edits: edits, Package: where, Run: "^" + which + "$"}
}

// impatient returns a bug that the tests of the queue must catch: what it breaks never comes true, so
// they wait less long for it.
func impatient(which, name, says string, edits ...edit) bug {
	b := tests("pipeline/jobs", which, name, says, edits...)
	b.Args = []string{"-patience=12s"}
	return b
}
