package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/leftout"
	"sluice/schema"
	"sluice/schema/record"
	"sluice/schema/redact"
)

// errNoHashKey says that a command makes hashes and has no key for them.
var errNoHashKey = errors.New("columns are hashed, and privacy.key is missing here: give this command the key that sync has")

// redactors compiles what the configuration leaves out, by resource.
func redactors(conf *config.Config) map[string]*redact.Redactor {
	all, key := make(map[string]*redact.Redactor), conf.Privacy.HashKey()
	for service, resource := range schema.Each(conf.Services) {
		name := service.Name + "." + resource.Name
		if rules := conf.Resources[name].LeftOut; len(rules) > 0 {
			all[name] = redact.New(resource, rules, key)
		}
	}
	return all
}

// LeavesOut reports whether the configuration leaves something out of records or hashes it.
func (a *App) LeavesOut() bool { return len(a.redactors) > 0 }

// leavesOut reports whether something is left out of the records of a service.
func (a *App) leavesOut(service string) bool {
	for name := range a.redactors {
		if strings.HasPrefix(name, service+".") {
			return true
		}
	}
	return false
}

// normalize compiles the declaration of a stream for stored records: it leaves out what the
// configuration leaves out now. A process without the key of hashes makes none.
func (a *App) normalize(stream pipeline.Stream) (compare.Normalize, error) {
	normalizer, err := record.New(stream.Resource, stream.Org.Zone())
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", stream, err)
	}
	if err := a.mayHash(stream); err != nil {
		return nil, err
	}
	return compare.LeavingOut(stream, normalizer.RecordUnder), nil
}

// mayHash returns an error if the stream's records are hashed and this process must not do so: the
// key is missing, or it is another one than before.
func (a *App) mayHash(stream pipeline.Stream) error {
	hashed := slices.ContainsFunc(stream.LeaveOut.Rules(), func(rule redact.Rule) bool { return rule.How == redact.Hashed })
	if !hashed {
		return nil
	}
	err := a.hashKey
	if a.Config.Privacy.HashKey() == nil {
		err = errNoHashKey
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrUsage, stream, err)
	}
	return nil
}

// checkHashKey compares the key of hashes with the one that made those of the database. Commands
// that make no hashes go on with another key.
func (a *App) checkHashKey(ctx context.Context) error {
	key := a.Config.Privacy.HashKey()
	if key == nil || !a.hashes() {
		return nil
	}
	columns, err := leftout.Read(ctx, a.DB.Pool())
	if err != nil {
		return err
	}
	a.hashKey = leftout.CheckKey(columns, key)
	return nil
}

// hashes reports whether something is hashed.
func (a *App) hashes() bool {
	for _, redactor := range a.redactors {
		if slices.ContainsFunc(redactor.Rules(), func(rule redact.Rule) bool { return rule.How == redact.Hashed }) {
			return true
		}
	}
	return false
}

// noteLeftOut notes what is left out before records are read by it.
func (a *App) noteLeftOut(ctx context.Context) error {
	var choices []leftout.Choice
	a.eachLeftOut(func(list pipeline.Stream, _ string) {
		choices = append(choices, leftout.Choice{Service: list.Service.Name, Resource: list.Resource.Name, Rules: list.LeaveOut.Rules()})
	})
	if err := leftout.Note(ctx, a.DB.Pool(), choices, a.Config.Privacy.HashKey()); err != nil {
		if errors.Is(err, leftout.ErrOtherKey) {
			return fmt.Errorf("%w: %w", ErrUsage, err)
		}
		return err
	}
	return nil
}

// LeavingOut returns the lists of whose records something is left out or hashed, also those that
// are not copied now, of all organizations: all of them, or those of the resources that are named.
func (a *App) LeavingOut(names []string) ([]pipeline.Stream, error) {
	var lists []pipeline.Stream
	for _, name := range names {
		declared, err := a.Declared(name)
		if err != nil {
			return nil, err
		}
		lists = append(lists, declared...)
	}
	if len(names) == 0 {
		lists = a.Streams()
	}
	return slices.DeleteFunc(lists, func(s pipeline.Stream) bool { return s.Work != pipeline.WorkList || s.LeaveOut == nil }), nil
}

// eachLeftOut calls do for one list of each resource of whose records something is left out.
func (a *App) eachLeftOut(do func(list pipeline.Stream, name string)) {
	seen := make(map[string]bool)
	for _, stream := range a.Streams() {
		if name := resourceName(stream); stream.LeaveOut != nil && !seen[name] {
			seen[name] = true
			do(stream, name)
		}
	}
}

// LeftOut is a column that is left out of records or hashed, or was.
type LeftOut struct {
	Resource string     `json:"resource"`
	Column   string     `json:"column"`
	How      redact.How `json:"how"`
	// Since is nil until a process has worked by it. Ended says since when it is in force no
	// longer.
	Since *time.Time `json:"since,omitempty"`
	Ended *time.Time `json:"ended,omitempty"`
	// ScrubbedAt is when what was stored before was brought in line; nil if it was not.
	ScrubbedAt *time.Time `json:"scrubbed_at,omitempty"`
	// Plain counts the rows that still have a value of before.
	Plain int64 `json:"plain"`
}

// LeftOut returns what the configuration leaves out and what was noted of it, by resource and
// column. With counts it looks through the tables for values of before.
func (a *App) LeftOut(ctx context.Context, counts bool) ([]LeftOut, error) {
	noted, err := leftout.Read(ctx, a.DB.Pool())
	if err != nil {
		return nil, err
	}
	known := make(map[[2]string]*leftout.Column, len(noted))
	for i := range noted {
		known[[2]string{noted[i].Service + "." + noted[i].Resource, noted[i].Path}] = &noted[i]
	}
	var all []LeftOut
	a.eachLeftOut(func(list pipeline.Stream, name string) {
		rules := list.LeaveOut.Rules()
		var plain map[string]int64
		if counts && err == nil {
			plain, err = leftout.Plain(ctx, a.DB.Pool(), list)
		}
		for _, rule := range rules {
			one := LeftOut{Resource: name, Column: rule.Path, How: rule.How, Plain: plain[rule.Path]}
			if before := known[[2]string{name, rule.Path}]; before != nil && before.How == rule.How && before.EndedAt == nil {
				one.Since, one.ScrubbedAt = &before.Since, before.ScrubbedAt
			}
			delete(known, [2]string{name, rule.Path})
			all = append(all, one)
		}
	})
	for i := range noted { // in force once, and not any more
		n := &noted[i]
		if name := n.Service + "." + n.Resource; known[[2]string{name, n.Path}] != nil {
			ended := n.EndedAt
			if ended == nil {
				ended = new(a.options.Now())
			}
			all = append(all, LeftOut{Resource: name, Column: n.Path, How: n.How, Since: &n.Since, Ended: ended, ScrubbedAt: n.ScrubbedAt})
		}
	}
	return all, err
}

// Scrub leaves columns out of all that is stored of a stream's resource, as the configuration says
// now, and writes the content hashes of its rows anew. It makes no call. With dry it writes
// nothing.
func (a *App) Scrub(ctx context.Context, stream pipeline.Stream, dry bool, progress func(warehouse.Scrubbed)) (warehouse.Scrubbed, error) {
	if err := a.mayHash(stream); err != nil {
		return warehouse.Scrubbed{}, err
	}
	if !dry {
		if err := a.noteLeftOut(ctx); err != nil {
			return warehouse.Scrubbed{}, err
		}
	}
	stored := redact.NewStored(stream.Resource, stream.LeaveOut.Rules(), a.Config.Privacy.HashKey())
	counts, err := a.DB.Scrub(ctx, stream, stored, dry, progress)
	if err != nil {
		return counts, fmt.Errorf("scrub %s: %w", stream, err)
	}
	if !dry {
		_, err = a.Rebuild(ctx, stream, rebuild.Changed, false, nil)
	}
	return counts, err
}

// EndScrub notes that a resource is scrubbed, unless rows of organizations that the configuration
// does not name still have values of before. It returns the number of such rows.
func (a *App) EndScrub(ctx context.Context, stream pipeline.Stream) (int64, error) {
	plain, err := leftout.Plain(ctx, a.DB.Pool(), stream)
	if err != nil {
		return 0, err
	}
	left := int64(0)
	for _, rows := range plain {
		left = max(left, rows)
	}
	if left > 0 {
		return left, nil
	}
	return 0, leftout.Scrubbed(ctx, a.DB.Pool(), stream.Service.Name, stream.Resource.Name)
}
