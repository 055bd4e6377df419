package faults_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"sluice/sandbox/faults"
)

// poison removes the right key, in any order of keys, and leaves valid JSON.
func TestPoisonWhereverTheKeysStand(t *testing.T) {
	t.Parallel()
	target := faults.Target{ID: "id", Number: "n", Text: "t"}
	for _, c := range []struct{ record, number, noID string }{
		{`{"id":"1","n":2,"t":"x"}`, `{"id":"1","n":"not a value","t":"x"}`, `{"n":2,"t":"x"}`},
		{`{"n":{"id":3},"t":["n"],"id":"1"}`, `{"n":"not a value","t":["n"],"id":"1"}`, `{"n":{"id":3},"t":["n"]}`},
		{`{"t":"n","id":"1","n":null}`, `{"t":"n","id":"1","n":"not a value"}`, `{"t":"n","n":null}`},
		{`{"id":"1"}`, `{"id":"1"}`, `{}`},
		{`{"t":"a \"n\": b"}`, `{"t":"a \"n\": b"}`, `{"t":"a \"n\": b"}`},
	} {
		spoiled := faults.Spoil(&faults.Fault{Kind: "poison"}, target, [][]byte{[]byte(c.record), []byte(c.record)})
		if string(spoiled[0]) != c.number || string(spoiled[1]) != c.noID {
			t.Errorf("%s became %s and %s", c.record, spoiled[0], spoiled[1])
		}
		if !json.Valid(spoiled[0]) || !json.Valid(spoiled[1]) {
			t.Errorf("%s: no JSON left", c.record)
		}
	}
}

func TestSpoilLeavesOtherPagesAlone(t *testing.T) {
	t.Parallel()
	for _, fault := range []*faults.Fault{nil, {Kind: "slow"}, {Kind: "html"}} {
		records := faults.Spoil(fault, faults.Target{ID: "id"}, [][]byte{[]byte(`{"id":"1"}`), []byte(`{"id":"2"}`)})
		if !slices.EqualFunc(records, []string{`{"id":"1"}`, `{"id":"2"}`}, func(a []byte, b string) bool { return string(a) == b }) {
			t.Errorf("%v changed %s", fault, records)
		}
	}
	if records := faults.Spoil(&faults.Fault{Kind: "poison"}, faults.Target{}, nil); records != nil {
		t.Errorf("an empty page became %s", records)
	}
}

// Each fault counts the calls of its own path. The first one that strikes wins, and the others
// still count the call.
func TestBookCountsEachFaultByItself(t *testing.T) {
	t.Parallel()
	var book faults.Book
	if err := book.Set([]faults.Fault{
		{Path: "/a", Kind: "html", Count: 1, After: 1}, {Path: "/a/b", Kind: "reset", After: 2}, {Path: "/c", Kind: "slow", Count: 1},
		{Path: "/", Kind: "cut", Organization: "org-2"},
	}); err != nil {
		t.Fatal(err)
	}
	var struck []string
	for _, path := range []string{"/a/b", "/a/b", "/a/b", "/a/x", "/b", "/c", "/c", "/a/b"} {
		kind := "-"
		if fault := book.Next(http.MethodGet, path, "org-1"); fault != nil {
			kind = fault.Kind
		}
		struck = append(struck, kind)
	}
	if want := []string{"-", "html", "reset", "-", "-", "slow", "-", "reset"}; !slices.Equal(struck, want) {
		t.Errorf("struck %v, want %v", struck, want)
	}
}
