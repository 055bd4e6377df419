package view_test

import (
	"bytes"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/view"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 20000: "20,000"} {
		if got := view.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 42 * time.Second: "42 s", 7 * time.Minute: "7 min", 3 * time.Hour: "3 h", 72 * time.Hour: "3 d",
	} {
		if got := view.Age(d); got != want {
			t.Errorf("Age(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestTableAligns(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := view.Printer{Out: &out}
	if err := p.Table([]string{"a", "b"}, [][]string{{"long cell", "1"}, {"x", "2"}, {"北京", "3"}}); err != nil {
		t.Fatal(err)
	}
	want := "a          b\nlong cell  1\nx          2\n北京       3\n"
	if out.String() != want {
		t.Errorf("table:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestProgressKeepsPlainLinesElsewhere(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := view.NewProgress(&out)
	p.Show("half")
	p.Keep("whole")
	p.Clear()
	if out.String() != "whole\n" {
		t.Errorf("progress wrote %q, want only the kept line", out.String())
	}
}
