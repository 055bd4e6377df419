package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/leftout"
)

// FleetFinding is one thing that is not as it should be in a fleet.
type FleetFinding struct {
	Finding FleetRule `json:"finding"`
	// Cells are those that it is about, Organization is "" if it is about cells only.
	Cells        []string `json:"cells"`
	Organization string   `json:"organization,omitempty"`
	Text         string   `json:"text"`
	// Next says what to do.
	Next string `json:"next"`
}

// FleetRule is a closed set: what a finding is about.
type FleetRule string

// The rules of a fleet.
const (
	RuleReach   FleetRule = "out of reach"
	RuleJoined  FleetRule = "not joined"
	RuleName    FleetRule = "name"
	RuleNumbers FleetRule = "numbers"
	RuleTables  FleetRule = "tables"
	RuleSalt    FleetRule = "salt"
	RuleLeftOut FleetRule = "left out"
	RuleHashKey FleetRule = "hash key"
	RuleNowhere FleetRule = "at home nowhere"
	RuleTwice   FleetRule = "at home twice"
	RuleConfig  FleetRule = "configuration"
	RuleMove    FleetRule = "move"
	RuleRows    FleetRule = "rows"
)

// movesWithin is how long a move takes at most before it counts as forgotten.
const movesWithin = time.Hour

// checkedCell is what is compared of one cell. Err is why nothing is known of it.
type checkedCell struct {
	*FleetCell

	err     error
	cell    cells.Cell
	homes   map[string]cells.Home
	salt    []byte
	erased  bool
	leftOut []leftout.Column
}

// Check compares all cells and returns what is wrong, in the order of the rules. Cells that are out
// of reach are a finding; what needs them is not looked at.
func (f *Fleet) Check(ctx context.Context) ([]FleetFinding, error) {
	all := make([]*checkedCell, len(f.Cells))
	var reading sync.WaitGroup
	for i, c := range f.Cells {
		reading.Go(func() {
			all[i] = &checkedCell{FleetCell: c}
			all[i].err = all[i].read(ctx)
		})
	}
	reading.Wait()
	findings := []FleetFinding{}
	add := func(rule FleetRule, organization, text, next string, of ...string) {
		findings = append(findings, FleetFinding{Finding: rule, Cells: of, Organization: organization, Text: text, Next: next})
	}
	var in []*checkedCell
	for _, c := range all {
		switch {
		case errors.Is(c.err, cells.ErrNoCell) || errors.Is(c.err, ErrNotMigrated):
			add(RuleJoined, "", string(c.App.options.Scrub.Error(c.err)), "sluice fleet migrate", c.Name)
		case c.err != nil:
			add(RuleReach, "", string(c.App.options.Scrub.Error(c.err)), "start the database, or correct "+c.Path, c.Name)
		default:
			in = append(in, c)
		}
	}
	for i, c := range in {
		if c.cell.Name != c.Name {
			add(RuleName, "", "its database says that it is cell "+c.cell.Name,
				"give it that name in "+f.Path+", or correct the address: a name is never given to another database", c.Name)
		}
		for _, other := range in[:i] {
			if c.cell.Clashes(other.cell) {
				add(RuleNumbers, "", "both may have drawn the same numbers: no organization can move between them",
					"leave the organizations where they are, or move them through a cell that was empty when it joined", other.Name, c.Name)
			}
		}
		if i > 0 {
			if err := c.differs(ctx, in[0], add); err != nil {
				return nil, err
			}
		}
	}
	checkOrganizations(in, len(in) == len(all), f.now(), add)
	return findings, nil
}

type addFinding func(rule FleetRule, organization, text, next string, of ...string)

// read reads what is compared of a cell.
func (c *checkedCell) read(ctx context.Context) error {
	if c.Err != nil {
		return c.Err
	}
	if err := c.connect(ctx); err != nil {
		return err
	}
	var err error
	if c.cell, err = c.DB.Cell(ctx); err != nil {
		return err
	}
	homes, err := c.DB.Homes(ctx)
	if err != nil {
		return err
	}
	c.homes = make(map[string]cells.Home, len(homes))
	for i := range homes {
		c.homes[homes[i].Organization] = homes[i]
	}
	if c.salt, err = c.DB.Salt(ctx); err != nil {
		return err
	}
	if c.erased, err = c.DB.Erased(ctx); err != nil {
		return err
	}
	c.leftOut, err = leftout.Read(ctx, c.App.DB.Pool())
	return err
}

// differs adds what is different from the first cell, and would part the rows of one that moves
// from those that stay.
func (c *checkedCell) differs(ctx context.Context, first *checkedCell, add addFinding) error {
	switch err := cells.SameTables(ctx, first.DB, c.DB); {
	case errors.Is(err, cells.ErrTables):
		add(RuleTables, "", err.Error(), "give both the same custom resources, then: sluice fleet migrate", first.Name, c.Name)
	case err != nil:
		return err
	}
	if !bytes.Equal(first.salt, c.salt) {
		next := "sluice fleet migrate"
		if first.erased && c.erased {
			next = "keep organizations that share records in one cell: hashes of erased records are of no use in the other one"
		}
		add(RuleSalt, "", "hashes of erased records have another salt in each", next, first.Name, c.Name)
	}
	if a, b := leavesOutOf(first.App), leavesOutOf(c.App); a != b {
		add(RuleLeftOut, "", fmt.Sprintf("cell %s leaves out %s, and cell %s %s", first.Name, a, c.Name, b),
			"give both configurations the same omit and hash", first.Name, c.Name)
	}
	if mine, theirs := c.App.Config.Privacy.HashKey(), first.App.Config.Privacy.HashKey(); leftout.CheckKey(first.leftOut, mine) != nil ||
		leftout.CheckKey(c.leftOut, theirs) != nil || mine != nil && theirs != nil && mine.Print([8]byte{}) != theirs.Print([8]byte{}) {
		add(RuleHashKey, "", "hashes are made by another privacy.key in each: they cannot be joined",
			"give both configurations the same privacy.key, as docs/operations/cells.md says", first.Name, c.Name)
	}
	return nil
}

// leavesOutOf names the columns that a configuration leaves out.
func leavesOutOf(a *App) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(a.redactors)) {
		for _, rule := range a.redactors[name].Rules() {
			names = append(names, fmt.Sprintf("%s.%s (%s)", name, rule.Path, rule.How))
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// checkOrganizations checks that each organization is at home in one cell, and configured there.
// Without all cells it is not said what none of them has.
func checkOrganizations(in []*checkedCell, all bool, now time.Time, add addFinding) {
	names := make(map[string]bool)
	homes, of := make([][]cells.Home, len(in)), make([]*FleetCell, len(in))
	for i, c := range in {
		of[i] = c.FleetCell
		for name, home := range c.homes {
			names[name], homes[i] = true, append(homes[i], home)
		}
		for k := range c.App.Config.Organizations {
			names[c.App.Config.Organizations[k].Key] = true
		}
	}
	moving := make(map[string]bool)
	for _, m := range movesOf(of, homes) {
		moving[m.Organization] = true
		if age := now.Sub(m.Since); age > movesWithin {
			rule, text := RuleMove, "a move of it ended early: "+m.String()
			if m.FromState == cells.Left && m.ToState == cells.Here {
				rule, text = RuleRows, "it left cell "+m.From+", and rows of it are left there"
			}
			add(rule, m.Organization, text, fmt.Sprintf("sluice fleet move %s --to %s goes on", m.Organization, m.To), m.From, m.To)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var home, configured []string
		for _, c := range in {
			if h, is := c.homes[name]; is && h.State.AtHome() {
				home = append(home, c.Name)
			}
			if c.configures(name) {
				configured = append(configured, c.Name)
			}
		}
		if !moving[name] || len(home) > 1 {
			checkOrganization(name, home, configured, all, add)
		}
	}
}

// checkOrganization checks one organization: the cells in which it is at home, and those whose
// configuration has it.
func checkOrganization(name string, home, configured []string, all bool, add addFinding) {
	switch len(home) {
	case 0:
		if all {
			add(RuleNowhere, name, "no cell says that it is at home there: nothing of it is copied", "sluice fleet migrate", configured...)
		}
		return
	case 1:
	default:
		add(RuleTwice, name, "several cells say that it is at home there: one of the databases was restored from a backup of before a move",
			fmt.Sprintf("stop the processes of the restored one (cell %s?), then: sluice fleet move %s --to %s --restored %s",
				home[0], name, home[1], home[0]), home...)
		return
	}
	if !slices.Contains(configured, home[0]) {
		next := "write it into the configuration of cell " + home[0]
		if len(configured) > 0 {
			next += ", or move it: sluice fleet move " + name + " --to " + configured[0]
		}
		add(RuleConfig, name, "it is at home in cell "+home[0]+", whose configuration does not have it: nothing of it is copied", next, home[0])
	}
	for _, cell := range configured {
		if cell != home[0] && slices.Contains(configured, home[0]) {
			add(RuleConfig, name, fmt.Sprintf("the configuration of cell %s has it, and it is at home in cell %s", cell, home[0]),
				fmt.Sprintf("take it out of the configuration of cell %s, or move it: sluice fleet move %s --to %s", cell, name, cell), cell, home[0])
		}
	}
}
