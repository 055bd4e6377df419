// Package certify states what of an organization is in the warehouse at one instant, signs it, and
// later tells what was tampered with from what runs changed since.
//
// It makes no call and changes no row. Its signature says that this program wrote the certificate;
// what upstream has is the subject of package verify.
//
// Start reading at Issue, then Check.
package certify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/certificates"
	"sluice/pipeline/warehouse/verifications"
)

// Format is the number of the format.
const Format = 1

// Certificate says what of an organization was in the warehouse at one instant.
type Certificate struct {
	Format       int    `json:"format"`
	ID           int64  `json:"id"`
	Organization string `json:"organization"`
	Program      string `json:"program"`

	certificates.Moment

	Verdict Verdict `json:"verdict"`
	// ButFor names what is missing, one sentence each.
	ButFor     []string             `json:"but_for"`
	Lists      []List               `json:"lists"`
	Quarantine []certificates.Entry `json:"quarantine"`
	Gaps       []certificates.Gap   `json:"gaps"`
	Checks     []CheckResult        `json:"checks"`
	Sample     Sample               `json:"sample"`
	Retention  Retention            `json:"retention"`
}

// List is one list with its tables.
type List struct {
	certificates.List

	// Rows and Tombstones count the records without and with a tombstone.
	Rows       int64                `json:"records"`
	Tombstones int64                `json:"tombstones"`
	Tables     []certificates.Table `json:"tables"`
}

// CheckResult is what one of the checks found that must find nothing.
type CheckResult struct {
	Name     string `json:"name"`
	Severity string `json:"severity"`
	Found    int64  `json:"found"`
}

// Sample is how many records were compared with upstream. Allowed is zero if none was to be.
type Sample struct {
	Allowed      int    `json:"calls_allowed"`
	Calls        int    `json:"calls"`
	Records      int64  `json:"records"`
	Violations   int64  `json:"violations"`
	Outcome      string `json:"outcome"`
	Verification int64  `json:"verification"`
}

// Retention is how long our own notes are kept, in hours; zero means for ever.
type Retention struct {
	Calls   int64 `json:"calls_hours"`
	Runs    int64 `json:"runs_hours"`
	Raw     int64 `json:"raw_hours"`
	History int64 `json:"history_hours"`
}

// Verdict is a closed set: how complete the organization is.
type Verdict string

// The verdicts.
const (
	Complete       Verdict = "complete"
	CompleteButFor Verdict = "complete but for"
	Incomplete     Verdict = "incomplete"
)

// Options say what to certify.
type Options struct {
	Organization, Program string
	// Streams are its enabled lists.
	Streams   []pipeline.Stream
	Checks    []verifications.Check
	Sample    Sample
	Retention Retention
	Store     *certificates.Store
	Key       Key
}

// Issue makes a certificate, stores it, and returns it with its file.
func Issue(ctx context.Context, o Options) (*Certificate, []byte, error) {
	id, err := o.Store.Number(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := &Certificate{
		Format: Format, ID: id, Organization: o.Organization, Program: o.Program, Sample: o.Sample, Retention: o.Retention, Checks: []CheckResult{},
	}
	for i := range o.Checks {
		c.Checks = append(c.Checks, CheckResult{Name: o.Checks[i].Name, Severity: string(o.Checks[i].Severity), Found: o.Checks[i].Found})
	}
	var parts []certificates.Parts
	err = o.Store.Within(ctx, func(view certificates.View) error {
		parts, err = c.read(ctx, view, o.Streams)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("certify %s: %w", o.Organization, err)
	}
	c.judge()
	file, err := o.Key.Seal(c)
	if err != nil {
		return nil, nil, err
	}
	issued := certificates.Issued{
		ID: id, Organization: c.Organization, TakenAt: c.TakenAt, Cut: c.Cut, Verdict: string(c.Verdict), ButFor: c.ButFor,
		Quarantined: int64(len(c.Quarantine)), PublicKey: o.Key.Public(), Document: string(file),
	}
	for i := range c.Lists {
		issued.Rows += c.Lists[i].Rows
		issued.Tombstones += c.Lists[i].Tombstones
	}
	return c, file, o.Store.Write(ctx, &issued, parts)
}

// read reads all that the certificate says, on one snapshot.
func (c *Certificate) read(ctx context.Context, view certificates.View, streams []pipeline.Stream) ([]certificates.Parts, error) {
	var err error
	if c.Moment, err = certificates.At(ctx, view, c.Organization); err != nil {
		return nil, err
	}
	lists, err := certificates.Lists(ctx, view, c.Organization)
	if err != nil {
		return nil, err
	}
	if c.Quarantine, err = certificates.Entries(ctx, view, c.Organization, nil); err != nil {
		return nil, err
	}
	if c.Gaps, err = certificates.Gaps(ctx, view, c.Organization, nil); err != nil {
		return nil, err
	}
	c.Quarantine, c.Gaps, c.Lists = notNil(c.Quarantine), notNil(c.Gaps), []List{}
	var kept []certificates.Parts
	for _, stream := range streams {
		key := stream.Key()
		list := List{List: certificates.List{Resource: key.Service + "." + key.Resource, Enabled: true, State: "never read"}}
		if at := slices.IndexFunc(lists, func(l certificates.List) bool { return l.Resource == list.Resource }); at >= 0 {
			list.List = lists[at]
		}
		parts, err := list.sum(ctx, view, stream)
		if err != nil {
			return nil, err
		}
		kept = append(kept, parts...)
		c.Lists = append(c.Lists, list)
	}
	c.inUTC()
	slices.SortFunc(c.Lists, func(a, b List) int { return cmp.Compare(a.Resource, b.Resource) })
	return kept, nil
}

// inUTC spells all instants alike on every machine.
func (c *Certificate) inUTC() {
	utc := func(at *time.Time) {
		if at != nil {
			*at = at.UTC()
		}
	}
	utc(&c.TakenAt)
	utc(&c.QuietBefore)
	utc(c.Cut)
	for i := range c.Lists {
		utc(c.Lists[i].Watermark)
		utc(c.Lists[i].LastDoneAt)
		utc(c.Lists[i].SweptAt)
	}
	for i := range c.Gaps {
		utc(&c.Gaps[i].OpenedAt)
		utc(c.Gaps[i].ClosedAt)
	}
}

func notNil[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}

// sum reads all rows of a list, part by part, and makes the digests of its tables.
func (l *List) sum(ctx context.Context, view certificates.View, stream pipeline.Stream) ([]certificates.Parts, error) {
	var err error
	if l.Tables, err = certificates.TablesOf(ctx, view, stream); err != nil {
		return nil, err
	}
	l.Tables = slices.DeleteFunc(l.Tables, func(t certificates.Table) bool { return len(t.Columns) == 0 }) // not migrated
	kept, sums := make([]certificates.Parts, len(l.Tables)), make([]*certificates.Sum, len(l.Tables))
	for i := range l.Tables {
		kept[i], sums[i] = certificates.Parts{Resource: l.Resource, Table: l.Tables[i].Name}, certificates.NewSum()
	}
	if len(l.Tables) == 0 {
		return nil, nil
	}
	of := certificates.Range{}
	for number := 0; ; number++ {
		if of.Upto, err = l.Tables[0].Next(ctx, view, stream.Organization, of.After); err != nil {
			return nil, err
		}
		for i := range l.Tables {
			records, err := l.Tables[i].Part(ctx, view, stream.Organization, of)
			if err != nil {
				return nil, err
			}
			sums[i].Add(records)
			if i == 0 {
				l.count(records)
			}
			if len(records) > 0 {
				kept[i].Parts = append(kept[i].Parts, certificates.Part{Number: number, Records: records})
			}
		}
		if of.Upto == "" {
			break
		}
		of.After = of.Upto
	}
	for i := range l.Tables {
		l.Tables[i].Rows, l.Tables[i].Digest = sums[i].Rows, sums[i].Digest()
	}
	return kept, nil
}

func (l *List) count(records []certificates.Record) {
	for i := range records {
		if records[i].Deleted != nil {
			l.Tombstones++
		} else {
			l.Rows++
		}
	}
}
