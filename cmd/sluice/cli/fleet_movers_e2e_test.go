//go:build e2e

package cli

import (
	"math"
	"slices"
	"strings"

	"sluice/pipeline/warehouse/cells"
)

// movesUnderKills moves some organizations at once, and returns when that has ended.
func (f *servedFleet) movesUnderKills() {
	f.t.Helper()
	var movers []*mover
	for _, i := range f.chance.Perm(len(f.organizations))[:3] {
		m := &mover{f: f, organization: f.organizations[i]}
		for m.to == nil || m.to == f.homes[m.organization.name] {
			m.to = f.cells[f.chance.IntN(len(f.cells))]
		}
		m.begin(false)
		movers = append(movers, m)
	}
	f.aim()
	f.waitUntil("the moves end", func() bool {
		f.kill()
		movers = slices.DeleteFunc(movers, (*mover).look)
		return len(movers) == 0
	})
}

// aim chooses when the next process of a cell is killed: some calls later.
func (f *servedFleet) aim() { f.strike = f.arrivals.total() + 1 + f.chance.IntN(40) }

// kill kills the process of some cell if its time has come, and starts another one.
func (f *servedFleet) kill() {
	f.t.Helper()
	if f.arrivals.total() < f.strike {
		return
	}
	c := f.cells[f.chance.IntN(len(f.cells))]
	select {
	case <-c.serve.done:
		f.t.Fatalf("serve of cell %s ended by itself with %d\n%s", c.name, c.serve.code, c.serve.stderr.String())
	default:
	}
	c.serve.kill()
	c.started()
	f.killed.served++
	if f.strike = math.MaxInt; f.chance.IntN(2) == 0 {
		f.aim()
	}
}

// mover moves an organization, by one process after the other.
type mover struct {
	*process

	f            *servedFleet
	organization business
	to           *servedCell
	cancels      bool
	// The process is killed so many looks after it has said at; below zero, never.
	at    string
	looks int
}

// begin starts a process that moves the organization, or gives the move up.
func (m *mover) begin(cancels bool) {
	m.f.t.Helper()
	args := []string{"fleet", "--fleet", m.f.file, "move", m.organization.name, "--to", m.to.name}
	steps := []cells.Step{"", cells.Draining, cells.Copying, cells.Comparing, cells.Switching, cells.Dropping}
	m.cancels, m.at, m.looks = cancels, string(steps[m.f.chance.IntN(len(steps))]), -1
	if cancels {
		args, m.at = append(args, "--cancel"), ""
	}
	if m.f.chance.IntN(3) > 0 && (!cancels || m.f.chance.IntN(2) == 0) {
		m.looks = m.f.chance.IntN(15)
	}
	m.process = m.f.start(args...)
}

// look kills the process if its time has come, and starts another one after an end that is not the
// end of the move. It reports whether that has come.
func (m *mover) look() bool {
	m.f.t.Helper()
	select {
	case <-m.done:
	default:
		if m.looks >= 0 && strings.Contains(m.stderr.String(), m.at) {
			if m.looks--; m.looks < 0 {
				m.kill()
				m.f.killed.movers++
			}
		}
		return false
	}
	const killed = -1
	said := m.stderr.String()
	switch {
	case m.code == codeFine && m.cancels:
		m.f.moves.givenUp++
		return true
	case m.code == codeFine:
		m.f.homes[m.organization.name] = m.to
		m.f.moves.ended++
		return true
	case m.code == killed:
		m.begin(!strings.Contains(said, string(cells.Switching)) && m.f.chance.IntN(2) == 0)
	case m.code == codeEnvironment && strings.Contains(said, cells.ErrBusy.Error()):
		m.begin(m.cancels) // the server has not noticed yet that the last one was killed
	case m.code == codeFailed && m.cancels:
		m.begin(false) // the last one had not begun, or had switched
	default:
		m.f.t.Fatalf("the move of %s to %s ended with %d\n%s%s", m.organization.name, m.to.name, m.code, m.stdout.String(), said)
	}
	return false
}
