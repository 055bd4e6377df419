package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	simulated "sluice/sandbox"
)

// TestAGoalIsOfCallsOrOfTheirRatio judges measurements at and beyond each kind of goal.
func TestAGoalIsOfCallsOrOfTheirRatio(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line        callLine
		goal, ratio string
		met         string
	}{
		"as many calls as allowed": {callLine{goal: 2, spent: 2, fewest: 1}, "≤ 2 calls", "2.00", "true"},
		"one call too many":        {callLine{goal: 2, spent: 3, fewest: 1}, "≤ 2 calls", "3.00", "false"},
		"as much as allowed":       {callLine{goal: 1.4, ratio: true, spent: 7, fewest: 5}, "≤ 1.4", "1.40", "true"},
		"a little more":            {callLine{goal: 1.4, ratio: true, spent: 8, fewest: 5}, "≤ 1.4", "1.60", "false"},
		"no goal":                  {callLine{spent: 9, fewest: 3}, "–", "3.00", "none"},
		"no time":                  {callLine{spent: 4}, "–", "–", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := test.line.result()
			met := "none"
			if result.Met != nil {
				met = fmt.Sprint(*result.Met)
			}
			if _, _, ratio, goal := result.cells(); goal != test.goal || ratio != test.ratio || met != test.met {
				t.Errorf("goal %q, ratio %q, met %s, want %q, %q, %s", goal, ratio, met, test.goal, test.ratio, test.met)
			}
		})
	}
}

// TestTheLinesOfCalls has every kind of cursor and every kind of news, each with its goal.
func TestTheLinesOfCalls(t *testing.T) {
	t.Parallel()
	goals := map[string]string{}
	for _, l := range callLines() {
		if _, twice := goals[l.name]; twice {
			t.Errorf("line %q stands there twice", l.name)
		}
		result := l.result()
		goals[l.name] = result.Goal
	}
	for news, goal := range map[string]string{
		"first": "≤ 1.05", "none": "", "1": "", "50": "", "1000": "≤ 1.4", "again": "≤ 2 calls", "look": "≤ 3 calls",
		"scattered": "≤ 40 calls", "neighbours": "≤ 40 calls",
	} {
		for _, list := range []string{"items", "bills", "accounts", "accounts by type"} {
			name := "calls " + news + " " + list
			if got, found := goals[name]; !found || got != goal {
				t.Errorf("line %q is there %t, with goal %q, want %q", name, found, got, goal)
			}
		}
	}
	for _, name := range []string{"calls small items", "calls small bills", "calls small accounts"} {
		if goals[name] != "≤ 1.3" {
			t.Errorf("line %q has goal %q", name, goals[name])
		}
	}
	for _, name := range []string{"calls first credit notes", "calls none credit notes", "calls details items", "calls details bills", "calls limit rows", "calls limit proven"} {
		if _, found := goals[name]; !found {
			t.Errorf("line %q is not there", name)
		}
	}
}

func TestPrintedCalls(t *testing.T) {
	t.Parallel()
	p, err := parse([]string{"-quick", "-only", "calls again"})
	if err != nil {
		t.Fatal(err)
	}
	if p.small >= p.large || p.gone >= p.large || len(p.changes) != 3 || !p.wants("calls") || p.wants("limit") {
		t.Errorf("with -quick %+v is measured", p)
	}
	whole := &table{machine: "a machine", lines: lines(), calls: callLines()}
	whole.count("calls again items", 12, 1, "one look")
	whole.count("calls first items", 507, 252, "not asked for")
	whole.count("calls again bills", 1, 1, "one look")
	printed := func() string {
		var text bytes.Buffer
		if err := whole.print(&text, &p); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	if got := printed(); strings.Count(got, "\n") != 4 || !strings.Contains(got, "missed") || !strings.Contains(got, "12.00") || strings.Contains(got, "507") {
		t.Errorf("printed was\n%s", got)
	}
	p.json = true
	var said struct {
		Calls []callResult `json:"calls"`
	}
	if err := json.Unmarshal([]byte(printed()), &said); err != nil || len(said.Calls) != 2 || said.Calls[0].Calls != 12 || *said.Calls[0].Met || !*said.Calls[1].Met {
		t.Errorf("as JSON %+v was printed, %v", said, err)
	}
	p.json, p.markdown = false, true
	const want = "| Line | Calls | Clairvoyant | Ratio | Goal | Computed |\n|---|---|---|---|---|---|\n" +
		"| `calls again items` | **12** | 1 | 12.00 | ≤ 2 calls | one look |\n" +
		"| `calls again bills` | 1 | 1 | 1.00 | ≤ 2 calls | one look |\n"
	if got := printed(); got != want {
		t.Errorf("as Markdown\n%swas printed, want\n%s", got, want)
	}
}

// TestAWorldHasTheNewsThatWasOrdered grows a list, edits it and deletes from it.
func TestAWorldHasTheNewsThatWasOrdered(t *testing.T) {
	t.Parallel()
	err := inWorld(t.Context(), simulated.Options{Records: 500, Limits: simulated.Limits{Off: true}}, func(u *world) error {
		if err := u.grow(accounts, 1500); err != nil {
			return err
		}
		listed := u.Listed(accounts.service, accounts.resource)
		if len(listed) != 1500 {
			t.Errorf("the list has %d records, want 1500", len(listed))
		}
		if changed, err := u.edit(items, 7); err != nil || changed != 7 {
			t.Errorf("%d records were changed, want 7: %v", changed, err)
		}
		gone := listed[700:703]
		if err := u.remove(t.Context(), accounts, gone); err != nil {
			return err
		}
		left := u.Listed(accounts.service, accounts.resource)
		if want := slices.Concat(listed[:700], listed[703:]); !slices.Equal(left, want) {
			t.Errorf("%d records are left in another order or number, want %d", len(left), len(want))
		}
		if err := u.remove(t.Context(), accounts, gone); err == nil {
			t.Error("what is gone was deleted again")
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.address.URL, http.NoBody)
		if err != nil {
			return err
		}
		response, err := new(http.Client).Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close() // the header is enough
		date, err := http.ParseTime(response.Header.Get("Date"))
		if age := time.Since(date) + u.moved; err != nil || age < behind-time.Minute || age > behind+time.Minute {
			t.Errorf("upstream's clock was %s behind, want about %s: %v", age, behind, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
