package main

import (
	"slices"
	"testing"
)

// TestSamplesTogetherAreAll checks that each sample has the bugs of the known mistakes, and that
// samples of all offsets have every bug, each of the others once.
func TestSamplesTogetherAreAll(t *testing.T) {
	t.Parallel()
	const oneIn = 5
	tried := map[string]int{}
	for offset := range oneIn {
		for _, b := range sample(bugs(), oneIn, offset) {
			tried[b.Name]++
		}
	}
	for _, b := range bugs() {
		want := 1
		if slices.Contains(mistakes(), b.Name) {
			want = oneIn
		}
		if tried[b.Name] != want {
			t.Errorf("%q is in %d of %d samples, want %d", b.Name, tried[b.Name], oneIn, want)
		}
		delete(tried, b.Name)
	}
	for _, name := range mistakes() {
		if !slices.ContainsFunc(bugs(), func(b bug) bool { return b.Name == name }) {
			t.Errorf("%q is in every sample, and is no bug here", name)
		}
	}
	// Each run of CI must try thirty bugs or more.
	for offset := range oneIn {
		if n := len(sample(bugs(), oneIn, offset)); n < 30 {
			t.Errorf("the sample at offset %d has %d bugs, want 30 or more", offset, n)
		}
	}
}
