package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/engine/config/strict"
)

// mostCells is how many cells a fleet has at most: numbers are told apart by their remainder by 64
// (docs/decisions/0031-cells).
const mostCells = 63

// cellName is the shape of the name of a cell.
var cellName = regexp.MustCompile(`^[a-z0-9-]{1,63}$`) //nolint:gochecknoglobals // a constant

// Fleet is the file that names the cells of a fleet, checked.
type Fleet struct {
	Cells []Cell `yaml:"cells"`
}

// Cell is one database of a fleet, with the processes that work on it.
type Cell struct {
	// Name is what the database calls itself, too. A name is never given to another database.
	Name string `yaml:"name"`
	// Path is the configuration of the cell's processes. In the file it is relative to the file's
	// folder.
	Path   string  `yaml:"config"`
	Config *Config `yaml:"-"`
}

// LoadFleet reads the file of a fleet at path, and with load the configuration of each cell.
// Secrets that are missing are not compared.
//
// The error joins an *Error for the file and for each configuration with mistakes. It is the error
// of readFile, wrapped, if the file could not be read.
func LoadFleet(
	path string,
	getenv func(string) (string, bool),
	readFile func(string) ([]byte, error),
	load func(path string) (*Config, error),
) (*Fleet, error) {
	text, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no file of a fleet: %w (docs/operations/cells.md shows one; --fleet names another)", err)
	case err != nil:
		return nil, fmt.Errorf("reading the file of the fleet: %w", err)
	}
	fleet, from := new(Fleet), secrets.Source{Getenv: getenv}
	f := &fleetChecker{Document: strict.Decode(text, fleet, strict.Options{
		Expand: func(_, text string) (string, error) { return from.Expand(text) },
	})}
	if f.Shaped() {
		f.cells(fleet.Cells, filepath.Dir(path))
	}
	if err := f.Err(path); err != nil {
		return nil, err
	}
	var broken []error
	for i := range fleet.Cells {
		cell := &fleet.Cells[i]
		if cell.Config, err = load(cell.Path); err != nil {
			broken = append(broken, fmt.Errorf("cell %s: %w", cell.Name, err))
		}
	}
	if len(broken) > 0 {
		return nil, errors.Join(broken...)
	}
	f.databases(fleet.Cells)
	f.credentials(fleet.Cells)
	if err := f.Err(path); err != nil {
		return nil, err
	}
	return fleet, nil
}

// fleetChecker holds the rules of the file of a fleet.
type fleetChecker struct{ *strict.Document }

func (f *fleetChecker) failf(path, format string, args ...any) {
	if !f.Spoilt(path) {
		f.Addf(path, true, format, args...)
	}
}

// cells checks the file itself, and makes the paths of configurations relative to nothing.
func (f *fleetChecker) cells(all []Cell, folder string) {
	switch {
	case len(all) == 0:
		f.failf("cells", "is missing: name each database of the fleet, with name and config")
	case len(all) > mostCells:
		f.failf("cells", "has %d cells, and %d are the most: put several organizations into one cell", len(all), mostCells)
	}
	names, paths := make(map[string]int), make(map[string]int)
	for i := range all {
		cell, at := &all[i], fmt.Sprintf("cells[%d]", i)
		switch first, double := names[cell.Name]; {
		case cell.Name == "":
			f.failf(at+".name", "is missing: choose one, and never give it to another database")
		case !cellName.MatchString(cell.Name):
			f.failf(at+".name", "wants 1 to 63 small letters, digits and -, not %q", f.Raw(at+".name"))
		case double:
			f.failf(at+".name", "is also the name of cells[%d]: give each its own", first)
		}
		names[cell.Name] = i
		if cell.Path == "" {
			f.failf(at+".config", "is missing: name the configuration of the cell's processes")
			continue
		}
		if !filepath.IsAbs(cell.Path) {
			cell.Path = filepath.Join(folder, cell.Path)
		}
		if first, double := paths[filepath.Clean(cell.Path)]; double {
			f.failf(at+".config", "is also the configuration of cells[%d]: give each cell its own", first)
		}
		paths[filepath.Clean(cell.Path)] = i
	}
}

// databases checks that no two cells have one database, as far as addresses tell.
func (f *fleetChecker) databases(all []Cell) {
	seen := make(map[string]string)
	for i := range all {
		address := all[i].Config.Database.URL.Reveal()
		if all[i].Config.Database.Private() {
			address = all[i].Config.Database.DataDir
		}
		if first, double := seen[address]; double {
			f.failf(fmt.Sprintf("cells[%d]", i), "cells %s and %s have one database: give each its own", first, all[i].Name)
		}
		seen[address] = all[i].Name
	}
}

// credentials checks that no credential is used in two cells: its organizations share an allowance
// and a token. Those that move are in two configurations, and then all of one credential are.
func (f *fleetChecker) credentials(all []Cell) {
	for i := range all {
		for j := range all[:i] {
			for _, pair := range apart(all[i].Config.Organizations, all[j].Config.Organizations) {
				f.Addf(fmt.Sprintf("cells[%d]", i), false, "organization %s of cell %s and organization %s of cell %s share their credentials: "+
					"configure both in one cell; while they move, both in both", pair[0], all[i].Name, pair[1], all[j].Name)
			}
		}
	}
}

// apart returns pairs of organizations that share their credentials and are not both configured in
// both cells, by their names: the first of one cell, the second of the other. Each one of the first
// cell is named once.
func apart(here, there []Organization) [][2]string {
	mine, theirs, by := keysOf(here), keysOf(there), make(map[string][]*Organization)
	for j := range there {
		for _, name := range there[j].Credentials.names() {
			by[name] = append(by[name], &there[j])
		}
	}
	var pairs [][2]string
	for i := range here {
		a := &here[i]
		for _, name := range a.Credentials.names() {
			k := slices.IndexFunc(by[name], func(b *Organization) bool {
				return b.Key != a.Key && a.Shares(b) && (!theirs[a.Key] || !mine[b.Key])
			})
			if k >= 0 {
				pairs = append(pairs, [2]string{a.Name, by[name][k].Name})
				break
			}
		}
	}
	return pairs
}

func keysOf(all []Organization) map[string]bool {
	keys := make(map[string]bool, len(all))
	for i := range all {
		keys[all[i].Key] = true
	}
	return keys
}

// names are what credentials that are shared have in common: the client, with the refresh token if
// it is known here, and with the reference to it.
func (c *Credentials) names() []string {
	var names []string
	for _, token := range []string{c.RefreshToken.Reveal(), c.RefreshTokenFrom} {
		if token != "" {
			names = append(names, c.ClientID+" "+token)
		}
	}
	return names
}

// Shares reports whether two organizations have the same client and refresh token. Where one of the
// tokens is missing here, the references to them are compared.
func (o *Organization) Shares(other *Organization) bool {
	mine, theirs := &o.Credentials, &other.Credentials
	if mine.ClientID != theirs.ClientID {
		return false
	}
	if a, b := mine.RefreshToken.Reveal(), theirs.RefreshToken.Reveal(); a != "" && b != "" {
		return a == b
	}
	return mine.RefreshTokenFrom != "" && mine.RefreshTokenFrom == theirs.RefreshTokenFrom
}
