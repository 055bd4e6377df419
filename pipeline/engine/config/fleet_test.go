package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/pipeline/engine/config"
)

// cellOf is the configuration of a cell: organizations by name, each with the variable of its
// refresh token.
func cellOf(t *testing.T, dir, name string, organizations ...[2]string) {
	t.Helper()
	text := "database:\n  url: postgres://sluice@localhost/" + name + "\nvendor:\n  api_url: https://www.api.com\n  auth_url: https://accounts.api.com\n" +
		"organizations:\n"
	for _, o := range organizations {
		id := ""
		for _, letter := range o[0] {
			id += fmt.Sprint(int(letter))
		}
		text += fmt.Sprintf("  - name: %s\n    id: \"%s\"\n    key: %s\n    credentials: {client_id: 1000.C, client_secret: \"${NORTH_SECRET}\", "+
			"refresh_token: \"${%s}\"}\n    services: {inventory: {plan: free}}\n", o[0], id, o[0], o[1])
	}
	if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// loadFleet loads a fleet with the variables given and those that all configurations need.
func loadFleet(t *testing.T, dir, text string, env map[string]string) (*config.Fleet, error) {
	t.Helper()
	path := filepath.Join(dir, "fleet.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.LoadFleet(path, lookup(env), os.ReadFile, func(path string) (*config.Config, error) {
		return config.LoadOffline(path, lookup(env), os.ReadFile, services())
	})
}

const northAndSouth = "cells:\n  - name: north\n    config: north.yaml\n  - name: south\n    config: south.yaml\n"

func TestFleetNamesCellsAndTheirConfigurations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cellOf(t, dir, "north", [2]string{"acme", "A"}, [2]string{"birch", "B"})
	cellOf(t, dir, "south", [2]string{"cedar", "C"})
	fleet, err := loadFleet(t, dir, northAndSouth, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(fleet.Cells) != 2 || fleet.Cells[0].Name != "north" || fleet.Cells[1].Path != filepath.Join(dir, "south.yaml") {
		t.Fatalf("cells: %+v", fleet.Cells)
	}
	if got := fleet.Cells[0].Config.Organizations[1].Name; got != "birch" {
		t.Errorf("the second organization of north is %q, want birch", got)
	}
}

func TestFleetReportsAllMistakesWithTheirLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := loadFleet(t, dir, "cells:\n  - name: North\n    config: a.yaml\n  - name: south\n    config: ./a.yaml\n  - name: south\n    cfg: c.yaml\n", nil)
	for _, want := range []string{
		"fleet.yaml has 5 mistakes", `2:5 cells[0].name: wants 1 to 63 small letters, digits and -, not "North"`,
		"5:5 cells[1].config: is also the configuration of cells[0]", "6:5 cells[2].name: is also the name of cells[1]",
		"7:5 cells[2].cfg: unknown key", "cells[2].config: is missing",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	var many strings.Builder
	many.WriteString("cells:\n")
	for i := range 64 {
		fmt.Fprintf(&many, "  - {name: c%d, config: c%d.yaml}\n", i, i)
	}
	if _, err = loadFleet(t, dir, many.String(), nil); err == nil || !strings.Contains(err.Error(), "has 64 cells, and 63 are the most") {
		t.Errorf("64 cells: %v", err)
	}
	if _, err = loadFleet(t, dir, "{}\n", nil); err == nil || !strings.Contains(err.Error(), "cells: is missing") {
		t.Errorf("no cells: %v", err)
	}
	if _, err = loadFleet(t, dir, northAndSouth, nil); err == nil || !strings.Contains(err.Error(), "cell north: ") ||
		!strings.Contains(err.Error(), "cell south: ") {
		t.Errorf("both configurations are missing: %v", err)
	}
}

func TestTwoCellsNeverHaveOneDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cellOf(t, dir, "north", [2]string{"acme", "A"})
	text, err := os.ReadFile(filepath.Join(dir, "north.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "south.yaml"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = loadFleet(t, dir, northAndSouth, nil)
	if err == nil || !strings.Contains(err.Error(), "4:5 cells[1]: cells north and south have one database") {
		t.Errorf("the error is %v", err)
	}
}

// TestCredentialsNeverSpanCells: tokens and allowances are one for all organizations of a
// credential, so they are in one cell; while they move, all of them are configured in both.
func TestCredentialsNeverSpanCells(t *testing.T) {
	t.Parallel()
	env := map[string]string{"ONE": canary + "-1", "SAME": canary + "-1", "OTHER": canary + "-2"}
	acme, birch := [2]string{"acme", "ONE"}, [2]string{"birch", "SAME"}
	for name, c := range map[string]struct {
		north, south [][2]string
		// pair says which organizations the error names; "" if there is none.
		pair string
	}{
		"another token":              {[][2]string{acme}, [][2]string{{"birch", "OTHER"}}, ""},
		"the same value":             {[][2]string{acme}, [][2]string{birch}, "organization birch of cell south and organization acme of cell north"},
		"the same missing variable":  {[][2]string{{"acme", "LOST"}}, [][2]string{{"birch", "LOST"}}, "birch of cell south and organization acme of cell north"},
		"other missing variables":    {[][2]string{{"acme", "LOST"}}, [][2]string{{"birch", "GONE"}}, ""},
		"one of them known":          {[][2]string{acme}, [][2]string{{"birch", "LOST"}}, ""},
		"one that moves":             {[][2]string{acme}, [][2]string{acme}, ""},
		"both that move":             {[][2]string{acme, birch}, [][2]string{acme, birch}, ""},
		"one of two that move alone": {[][2]string{acme, birch}, [][2]string{acme}, "organization acme of cell south and organization birch of cell north"},
	} {
		dir := t.TempDir()
		cellOf(t, dir, "north", c.north...)
		cellOf(t, dir, "south", c.south...)
		_, err := loadFleet(t, dir, northAndSouth, env)
		switch {
		case c.pair == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.pair != "" && (err == nil || !strings.Contains(err.Error(), c.pair) || strings.Count(err.Error(), "share their credentials") != 1):
			t.Errorf("%s: the error does not name %q once: %v", name, c.pair, err)
		case err != nil && strings.Contains(err.Error(), canary):
			t.Errorf("%s: the error has a secret: %v", name, err)
		}
	}
}
