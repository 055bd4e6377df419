package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/cells"
)

// cellWith is a cell whose configuration has organizations by these keys, each with a credential of
// its own.
func cellWith(name string, organizations ...string) *FleetCell {
	conf := &config.Config{}
	for _, key := range organizations {
		conf.Organizations = append(conf.Organizations, config.Organization{
			Name: "the " + key, Key: key, ID: "1", Credentials: config.Credentials{ClientID: "c", RefreshTokenFrom: "${" + key + "}"},
		})
	}
	return &FleetCell{Name: name, Path: name + ".yaml", App: &App{Config: conf}}
}

// TestWhereOrganizationsAreSettled: streams count before configurations, and where it is not
// certain nothing is settled.
func TestWhereOrganizationsAreSettled(t *testing.T) {
	t.Parallel()
	f := &Fleet{Cells: []*FleetCell{cellWith("north", "a", "b", "c", "moved", "new"), cellWith("south", "b", "d", "twice", "wrong", "new")}}
	seen := []*seenCell{
		{streamed: []string{"a", "b", "twice", "orphan", "wrong"}, homes: []cells.Home{{Organization: "moved", State: cells.Left}}},
		{streamed: []string{"twice"}},
	}
	done := FleetMigration{}
	settling := f.place(&done, seen)
	if got, want := settling["north"], []string{"a", "b", "c", "orphan"}; !slices.Equal(got, want) {
		t.Errorf("north gets %q, want %q", got, want)
	}
	if got, want := settling["south"], []string{"d"}; !slices.Equal(got, want) {
		t.Errorf("south gets %q, want %q", got, want)
	}
	reasons := map[string]string{
		"new":   "the configurations of cells north and south have it",
		"twice": "the databases of cells north and south have streams of it",
		"wrong": "the database of cell north has its streams, and the configuration of cell south has it",
	}
	for _, u := range done.Unsettled {
		if want := reasons[u.Organization]; want == "" || !strings.HasPrefix(u.Reason, want) {
			t.Errorf("%s is not settled: %s; want %q", u.Organization, u.Reason, want)
		}
		delete(reasons, u.Organization)
	}
	if len(reasons) > 0 {
		t.Errorf("settled are also %v", reasons)
	}
}

// TestWhatCheckSaysOfOrganizations: each is at home once, and configured there.
func TestWhatCheckSaysOfOrganizations(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
	dropped := now.Add(-time.Hour)
	home := func(state cells.State, peer, move string, age time.Duration) cells.Home {
		h := cells.Home{State: state, Peer: peer, Move: move, ChangedAt: now.Add(-age)}
		if move == "dropped" {
			h.DroppedAt = &dropped
		}
		return h
	}
	here := home(cells.Here, "", "", 99*time.Hour)
	for name, c := range map[string]struct {
		north, south cells.Home
		// configured are the cells that configure it.
		configured string
		want       []FleetRule
		says       string
	}{
		"fine":                      {here, cells.Home{}, "north", nil, ""},
		"moved":                     {home(cells.Left, "south", "dropped", 9*time.Hour), home(cells.Here, "north", "dropped", 9*time.Hour), "south", nil, ""},
		"nowhere":                   {cells.Home{}, cells.Home{}, "north", []FleetRule{RuleNowhere}, "fleet migrate"},
		"restored":                  {here, home(cells.Here, "north", "m", 9*time.Hour), "south", []FleetRule{RuleTwice}, "backup"},
		"restored in a move":        {home(cells.Sealed, "south", "m", time.Minute), home(cells.Here, "north", "m", time.Minute), "south", []FleetRule{RuleTwice}, "backup"},
		"not configured":            {here, cells.Home{}, "", []FleetRule{RuleConfig}, "write it into the configuration of cell north"},
		"configured elsewhere":      {here, cells.Home{}, "south", []FleetRule{RuleConfig}, "fleet move it --to south"},
		"configured twice":          {here, cells.Home{}, "north south", []FleetRule{RuleConfig}, "take it out of the configuration of cell south"},
		"moves":                     {home(cells.Sealed, "south", "m", time.Minute), home(cells.Arriving, "north", "m", time.Minute), "north south", nil, ""},
		"moves for long":            {home(cells.Sealed, "south", "m", 2*time.Hour), home(cells.Arriving, "north", "m", 2*time.Hour), "north south", []FleetRule{RuleMove}, "fleet move it --to south goes on"},
		"between two cells":         {home(cells.Left, "south", "m", 2*time.Hour), home(cells.Arrived, "north", "m", 3*time.Hour), "south", []FleetRule{RuleMove}, "--to south goes on"},
		"rows are left":             {home(cells.Left, "south", "m", 2*time.Hour), home(cells.Here, "north", "m", 2*time.Hour), "south", []FleetRule{RuleRows}, "--to south goes on"},
		"given up, rows of it left": {home(cells.Here, "south", "m", 2*time.Hour), home(cells.Left, "north", "m", 2*time.Hour), "north", []FleetRule{RuleRows}, "--to north goes on"},
	} {
		var in []*checkedCell
		for _, of := range []struct {
			name string
			home cells.Home
		}{{"north", c.north}, {"south", c.south}} {
			var configured []string
			if strings.Contains(c.configured, of.name) {
				configured = []string{"it"}
			}
			checked := &checkedCell{FleetCell: cellWith(of.name, configured...), homes: map[string]cells.Home{}}
			if of.home.State != "" {
				of.home.Organization = "it"
				checked.homes["it"] = of.home
			}
			in = append(in, checked)
		}
		var got []FleetRule
		said := ""
		checkOrganizations(in, true, now, func(rule FleetRule, _, text, next string, _ ...string) {
			got, said = append(got, rule), said+text+"; "+next+"\n"
		})
		if !slices.Equal(got, c.want) || !strings.Contains(said, c.says) {
			t.Errorf("%s: found %q, want %q with %q:\n%s", name, got, c.want, c.says, said)
		}
	}
}

// TestCredentialsMoveTogether: one organization of a credential does not go without the others.
func TestCredentialsMoveTogether(t *testing.T) {
	t.Parallel()
	north, south := cellWith("north", "a", "b", "c"), cellWith("south", "a", "b")
	for _, c := range []*FleetCell{north, south} {
		for i := range c.App.Config.Organizations {
			if o := &c.App.Config.Organizations[i]; o.Key != "c" {
				o.Credentials.RefreshTokenFrom = "${SHARED}"
			}
		}
	}
	f := &Fleet{Path: "fleet.yaml", Cells: []*FleetCell{north, south}}
	if err := f.movable([]string{"a"}, []*FleetCell{north}, south); err == nil || !strings.Contains(err.Error(), "shares its credentials with the b,") {
		t.Errorf("a alone: %v", err)
	}
	if err := f.movable([]string{"a", "b"}, []*FleetCell{north, north}, south); err != nil {
		t.Errorf("both: %v", err)
	}
	if err := f.movable([]string{"c"}, []*FleetCell{north}, south); err == nil || !strings.Contains(err.Error(), "south.yaml, does not have organization c") {
		t.Errorf("c: %v", err)
	}
}
