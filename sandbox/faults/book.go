package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"sluice/sandbox/faults/deform"
	"sluice/sandbox/services"
)

// Book holds the active faults; its zero value holds none. It is not safe for concurrent use: the
// server's lock guards it.
type Book struct{ set []*armed }

type armed struct {
	Fault

	seen, fired int
	chance      *rand.Rand // nil if it always strikes
}

// Next counts an organization's call at each fault of its path, and returns the first fault that
// strikes.
func (b *Book) Next(method, path, organization string) *Fault {
	var strikes *Fault
	for _, a := range b.set {
		if !a.concerns(method, path, organization) {
			continue
		}
		a.seen++
		if a.seen <= a.After || a.Count > 0 && a.fired >= a.Count || a.chance != nil && a.chance.Float64() >= a.Rate {
			continue
		}
		if strikes == nil {
			a.fired++
			struck := a.Fault
			struck.Strike = deform.Strike(a.fired)
			strikes = &struck
		}
	}
	return strikes
}

func (f *Fault) concerns(method, path, organization string) bool {
	return strings.HasPrefix(path, f.Path) && (f.Method == "" || f.Method == method) &&
		(f.Organization == "" || f.Organization == organization)
}

// Set replaces all faults; an empty list ends them. An unknown kind, a negative number, a rate
// above 1 or an empty path is an error, and the faults stay as they were.
func (b *Book) Set(faults []Fault) error {
	set := make([]*armed, 0, len(faults))
	for n, fault := range faults {
		known := slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Kind == fault.Kind })
		switch {
		case !known:
			return fmt.Errorf("sandbox: fault %d: kind %q is unknown: GET %sfaults lists them", n, fault.Kind, services.ControlRoot)
		case fault.Path == "":
			return fmt.Errorf("sandbox: fault %d (%s): path is empty: name the prefix of the paths concerned", n, fault.Kind)
		case min(fault.Count, fault.After, fault.Milliseconds, fault.Byte, fault.Seconds) < 0:
			return fmt.Errorf("sandbox: fault %d (%s): no number may be negative", n, fault.Kind)
		case !(fault.Rate >= 0 && fault.Rate <= 1):
			return fmt.Errorf("sandbox: fault %d (%s): rate is %v: use 0 to 1", n, fault.Kind, fault.Rate)
		}
		a := &armed{Fault: fault}
		a.Cache = &Cache{}
		if fault.Rate > 0 && fault.Rate < 1 {
			a.chance = rand.New(rand.NewPCG(fault.Seed, uint64(n))) // repeatable, by seed.
		}
		set = append(set, a)
	}
	b.set = set
	return nil
}

// Active returns the faults as they were set.
func (b *Book) Active() []Fault {
	active := make([]Fault, 0, len(b.set))
	for _, a := range b.set {
		fault := a.Fault
		fault.Cache = nil
		active = append(active, fault)
	}
	return active
}
