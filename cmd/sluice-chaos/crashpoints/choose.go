package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
)

// trial is a scenario with a kill at a point.
type trial struct {
	Scenario string `json:"scenario"`
	point
}

// String names a trial as violations do.
func (t trial) String() string {
	return fmt.Sprintf("%s, killed %s %s %d (%s)", t.Scenario, t.Moment, t.Edge, t.Number, t.What)
}

// counts holds how often each class passes in an undisturbed run, by scenario.
type counts map[string]map[class]int

// all returns all points, in an order that is the same for the same counts: scenario by scenario,
// the calls first.
func (c counts) all() []trial {
	var trials []trial
	for _, sc := range scenarios() {
		for _, what := range sortedClasses(c[sc.Name]) {
			for n := range c[sc.Name][what] {
				trials = append(trials, trial{sc.Name, point{what, before, n + 1}}, trial{sc.Name, point{what, after, n + 1}})
			}
		}
	}
	return trials
}

// each returns one point of each class for both moments; the seed chooses the occurrence. Inside a
// transaction both moments have the same effect, so one of them is enough.
func (c counts) each(seed uint64) []trial {
	places := make(map[class][]trial)
	for _, t := range c.all() {
		places[t.class] = append(places[t.class], t)
	}
	var trials []trial
	for _, what := range sortedClasses(places) {
		moments := []moment{before, after}
		if what.Edge == inside {
			n := draw(seed, what, "") % 2
			moments = moments[n : n+1]
		}
		for _, moment := range moments {
			here := slices.DeleteFunc(slices.Clone(places[what]), func(t trial) bool { return t.Moment != moment })
			trials = append(trials, here[draw(seed, what, moment)%uint64(len(here))])
		}
	}
	return trials
}

// draw returns a pseudo-random number.
func draw(seed uint64, what class, moment moment) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(string(what.Edge) + what.What + string(moment))) // it never fails
	return sum.Sum64()>>8 + seed
}

func sortedClasses[T any](of map[class]T) []class {
	classes := make([]class, 0, len(of))
	for what := range of {
		classes = append(classes, what)
	}
	slices.SortFunc(classes, func(a, b class) int { return cmp.Or(cmp.Compare(a.Edge, b.Edge), cmp.Compare(a.What, b.What)) })
	return classes
}
