// Package compare answers one question: is this row what its records say?
//
// A row is what its last list record and its last single record make of it, normalized anew by the
// declaration as it is now, the one that was loaded later over the other. Postgres says whether two
// values are the same (package contents of the warehouse). What only an earlier version of a record
// carried is not looked for. Verify and rebuild share the answer, so that the one finds what the
// other mends.
//
// It never writes, and it speaks to the database through a view of its caller alone.
//
// Start reading at Comparer.Read, then Comparer.Values.
package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/raw"
	"sluice/schema"
	"sluice/schema/record"
)

// Normalize turns the bytes of one record into rows, as the declaration has it now; parent is the
// one that the record was listed under, "" where there are none. What does not fit is a
// *record.RejectedError.
type Normalize func(raw []byte, parent string) (record.Record, error)

var (
	// ErrNoRaw says that the raw record of a row is not kept (any more).
	ErrNoRaw = errors.New("the raw record is not kept")
	// ErrOther says that a row leads to the raw record of another record.
	ErrOther = errors.New("the raw record is of another record")
)

// Version is a record that made a row what it is.
type Version struct {
	raw.Ref

	// Raw are its bytes; nil if they are not kept.
	Raw    []byte
	Record record.Record
	// hash is the content hash that the row has of it; nil if it was forgotten.
	hash []byte
}

// Differs says that the declaration makes something else of the record than it did.
func (v *Version) Differs() bool { return v.hash != nil && !bytes.Equal(v.hash, v.Record.Hash[:]) }

// Answer is what its records say about a row.
type Answer struct {
	Row *contents.Row
	// List is the version of the list, Detail that of the single record, nil if none was loaded.
	List   Version
	Detail *Version
	// Merged is what the records make of the row together. It has content hash and payload hash of
	// the list's record.
	Merged record.Record
	// Err says why there is no such record: ErrNoRaw, ErrOther, or that a raw record does not fit
	// the declaration. Of is whose raw record that is.
	Err error
	Of  *Version
	// Differences are the values that differ, once Values was asked.
	Differences []contents.Difference
}

// Versions are those of the row, that of the list first.
func (a *Answer) Versions() []*Version {
	if a.Detail == nil {
		return []*Version{&a.List}
	}
	return []*Version{&a.List, a.Detail}
}

// OtherHash says that the declaration makes something else of the row than it did, or that a
// content hash was edited.
func (a *Answer) OtherHash() bool { return a.List.Differs() || a.Detail != nil && a.Detail.Differs() }

// OtherPayloadHash says that the row has another payload hash than its list record. A row that a
// single record made another version of has none.
func (a *Answer) OtherPayloadHash() bool {
	if a.List.hash == nil {
		return a.Row.PayloadHash != 0
	}
	return a.Row.PayloadHash != a.List.Record.PayloadHash
}

// Repaired says that a raw record holds signs that stand for what Postgres cannot keep, so that it
// need not be what was loaded.
func (a *Answer) Repaired() bool {
	for _, v := range a.Versions() {
		if bytes.Contains(v.Raw, []byte("\uFFFD")) || bytes.Contains(v.Raw, []byte("\u2400")) {
			return true
		}
	}
	return false
}

// Comparer holds the rows of one resource of one organization against their records. It is for one
// user at a time.
type Comparer struct {
	*contents.Table

	resource  string
	normalize Normalize
	// archives are those that the last rows came from: rows that come next were often brought by
	// the same call.
	archives *raw.Archives
}

// New prepares to compare rows of a stream's resource.
func New(stream pipeline.Stream, normalize Normalize) *Comparer {
	return &Comparer{Table: contents.New(stream), resource: stream.String(), normalize: normalize, archives: new(raw.Archives)}
}

// Read finds what their records make of rows, in the order of the rows.
func (c *Comparer) Read(ctx context.Context, view contents.View, rows []contents.Row) ([]Answer, error) {
	answers := make([]Answer, len(rows))
	var versions []*Version
	var places []raw.Ref
	for i := range rows {
		a, row := &answers[i], &rows[i]
		a.Row, a.List = row, Version{Ref: row.List(), hash: row.Hash}
		if row.DetailCall != 0 {
			a.Detail = &Version{Ref: row.Detail(), hash: row.DetailHash}
		}
		for _, v := range a.Versions() {
			versions, places = append(versions, v), append(places, v.Ref)
		}
	}
	raws, archives, err := c.archives.Read(ctx, view, places)
	if err != nil {
		return nil, fmt.Errorf("reading raw records of %s: %w", c.resource, err)
	}
	c.archives = archives
	for i, v := range versions {
		v.Raw = raws[i]
	}
	for i := range answers {
		if err := c.normalized(&answers[i]); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// normalized makes records of an answer's raw records, as far as they fit.
func (c *Comparer) normalized(a *Answer) error {
	for _, v := range a.Versions() {
		if a.Err = c.normalizedOf(v, a.Row); a.Err != nil {
			a.Of = v
			return nil //nolint:nilerr // it is the answer's, and no failure of looking
		}
	}
	return a.merge(c.Tables())
}

// normalizedOf makes the record of one raw record of a row, and says what is wrong with it.
func (c *Comparer) normalizedOf(v *Version, row *contents.Row) error {
	if v.Raw == nil {
		return ErrNoRaw
	}
	var err error
	if v.Record, err = c.normalize(v.Raw, row.Parent); err != nil {
		return err
	}
	if v.Record.ID != row.Key {
		return ErrOther
	}
	return nil
}

// merge lays the record that was loaded later over the other: one of a list makes the row forget
// the hash of the single record that it covers.
func (a *Answer) merge(tables []schema.Table) error {
	a.Merged = a.List.Record
	if a.Detail == nil {
		return nil
	}
	var err error
	if a.Detail.hash == nil {
		a.Merged, err = merge(tables, &a.Detail.Record, &a.List.Record)
	} else {
		a.Merged, err = merge(tables, &a.List.Record, &a.Detail.Record)
	}
	a.Merged.Hash, a.Merged.PayloadHash = a.List.Record.Hash, a.List.Record.PayloadHash
	return err
}

// Values holds rows against what their records make of them, value by value. It asks about those
// for which the filter says yes.
func (c *Comparer) Values(ctx context.Context, view contents.View, answers []Answer, filter func(*Answer) bool) error {
	records := make([]record.Record, 0, len(answers))
	for i := range answers {
		if answers[i].Err == nil && filter(&answers[i]) {
			records = append(records, answers[i].Merged)
		}
	}
	differences, err := c.Differences(ctx, view, records)
	if err != nil {
		return err
	}
	for i := range answers {
		answers[i].Differences = differences[answers[i].Row.Key]
	}
	return nil
}
