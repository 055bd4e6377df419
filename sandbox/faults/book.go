package faults

import (
	"fmt"
	"slices"
	"strings"

	"sluice/sandbox/services"
)

// Book holds the faults that were set. Its zero value holds none; it is not safe
// for concurrent use: the server's lock guards it.
type Book struct{ set []*armed }

type armed struct {
	Fault

	seen, fired int
}

// Next notes an organization's call at each fault of its path, and answers the first
// that strikes.
func (b *Book) Next(path, organization string) *Fault {
	var strikes *Fault
	for _, a := range b.set {
		if !strings.HasPrefix(path, a.Path) || a.Organization != "" && a.Organization != organization {
			continue
		}
		a.seen++
		if strikes == nil && a.seen > a.After && (a.Count == 0 || a.fired < a.Count) {
			a.fired++
			strikes = &a.Fault
		}
	}
	return strikes
}

// Set replaces all faults; none sets everything right again. An unknown kind, a
// negative number or an empty path is an error, and nothing is replaced.
func (b *Book) Set(faults []Fault) error {
	set := make([]*armed, 0, len(faults))
	for n, fault := range faults {
		known := slices.ContainsFunc(Kinds(), func(k Kind) bool { return k.Kind == fault.Kind })
		switch {
		case !known:
			return fmt.Errorf("sandbox: fault %d: kind %q is unknown: GET %sfaults lists them", n, fault.Kind, services.ControlRoot)
		case fault.Path == "":
			return fmt.Errorf("sandbox: fault %d (%s): path is empty: name the prefix of the paths concerned", n, fault.Kind)
		case fault.Count < 0 || fault.After < 0 || fault.Milliseconds < 0:
			return fmt.Errorf("sandbox: fault %d (%s): count, after and milliseconds must not be negative", n, fault.Kind)
		}
		set = append(set, &armed{Fault: fault})
	}
	b.set = set
	return nil
}

// Active answers the faults as they were set.
func (b *Book) Active() []Fault {
	active := make([]Fault, 0, len(b.set))
	for _, a := range b.set {
		active = append(active, a.Fault)
	}
	return active
}
