// Package compare decides whether a row is what its raw records make of it.
//
// The package normalizes the last list record and the last single record of the row by the present
// declaration, and lays the later one over the other. Postgres decides whether two values are equal
// (package warehouse/contents). Values that only an earlier version of a record carried are not
// compared. Verify and rebuild share the answer, so that rebuild corrects what verify finds.
//
// It never writes, and it reads the database only through its caller's view.
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

// Normalize turns the bytes of one record into rows by the present declaration. Parent is the
// parent of the list that the record came from, "" where there are no parents. A record that does
// not fit gives a *record.RejectedError.
type Normalize func(raw []byte, parent string) (record.Record, error)

// LeavingOut returns a Normalize that leaves columns out first, as the stream says: raw records
// from before the configuration said so still have them.
func LeavingOut(stream pipeline.Stream, normalize Normalize) Normalize {
	if stream.LeaveOut == nil {
		return normalize
	}
	return func(raw []byte, parent string) (record.Record, error) {
		return normalize(stream.LeaveOut.Record(raw), parent)
	}
}

var (
	// ErrNoRaw says that the raw record of a row is not stored or was pruned.
	ErrNoRaw = errors.New("the raw record is not kept")
	// ErrOther says that a row refers to the raw record of another record.
	ErrOther = errors.New("the raw record is of another record")
)

// Version is a version of a record that a row was made of.
type Version struct {
	raw.Ref

	// Raw are its bytes; nil if they are not stored.
	Raw    []byte
	Record record.Record
	// hash is its content hash as the row stores it; nil if the row has none.
	hash []byte
}

// Differs reports whether the present declaration makes something else of the record than the row's
// content hash says.
func (v *Version) Differs() bool { return v.hash != nil && !bytes.Equal(v.hash, v.Record.Hash[:]) }

// Answer is the result of comparing a row with its raw records.
type Answer struct {
	Row *contents.Row
	// List is the version from the list, Detail the one from the single record; nil if no single
	// record was loaded.
	List   Version
	Detail *Version
	// Merged is what both records together make of the row. Its content hash and payload hash are
	// those of the list record.
	Merged record.Record
	// Err says why there is no Merged: ErrNoRaw, ErrOther, or that a raw record does not fit the
	// declaration. Of is the version concerned.
	Err error
	Of  *Version
	// Differences are the values that differ; Values fills them in.
	Differences []contents.Difference
}

// Versions returns the versions of the row, that of the list first.
func (a *Answer) Versions() []*Version {
	if a.Detail == nil {
		return []*Version{&a.List}
	}
	return []*Version{&a.List, a.Detail}
}

// OtherHash reports whether a content hash of the row differs: the declaration changed, or the hash
// was edited.
func (a *Answer) OtherHash() bool { return a.List.Differs() || a.Detail != nil && a.Detail.Differs() }

// OtherPayloadHash reports whether the row has another payload hash than its list record. A row
// without a content hash of its list record, because a single record changed it, has to have none.
func (a *Answer) OtherPayloadHash() bool {
	if a.List.hash == nil {
		return a.Row.PayloadHash != 0
	}
	return a.Row.PayloadHash != a.List.Record.PayloadHash
}

// Repaired reports whether a raw record holds replacement characters for bytes that Postgres cannot
// store. It may then differ from the record that was loaded.
func (a *Answer) Repaired() bool {
	for _, v := range a.Versions() {
		if bytes.Contains(v.Raw, []byte("\uFFFD")) || bytes.Contains(v.Raw, []byte("\u2400")) {
			return true
		}
	}
	return false
}

// Comparer compares the rows of one resource of one organization with their raw records. It is not
// safe for concurrent use.
type Comparer struct {
	*contents.Table

	resource  string
	normalize Normalize
	// archives are the archives of the last rows. The next rows often came by the same call.
	archives *raw.Archives
}

// New makes a comparer for the rows of a stream's resource.
func New(stream pipeline.Stream, normalize Normalize) *Comparer {
	return &Comparer{Table: contents.New(stream), resource: stream.String(), normalize: normalize, archives: new(raw.Archives)}
}

// Read returns what the raw records make of rows, in the order of the rows.
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

// normalized normalizes an answer's raw records and merges them, or sets Err and Of.
func (c *Comparer) normalized(a *Answer) error {
	for _, v := range a.Versions() {
		if a.Err = c.normalizedOf(v, a.Row); a.Err != nil {
			a.Of = v
			return nil //nolint:nilerr // the error is part of the answer, not a failure of the comparison
		}
	}
	return a.merge(c.Tables())
}

// normalizedOf normalizes one raw record of a row, and returns what is wrong with it.
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

// merge lays the later record over the earlier one. The list record is the later one if the row has
// no content hash of its single record: loading it removes that hash.
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

// Values compares rows with what their records make of them, value by value, and sets Differences:
// all of them, or enough to know whether there are any. It compares the answers for which the
// filter returns true.
func (c *Comparer) Values(ctx context.Context, view contents.View, answers []Answer, all bool, filter func(*Answer) bool) error {
	records := make([]record.Record, 0, len(answers))
	for i := range answers {
		if answers[i].Err == nil && filter(&answers[i]) {
			records = append(records, answers[i].Merged)
		}
	}
	differences, err := c.Differences(ctx, view, records, all)
	if err != nil {
		return err
	}
	for i := range answers {
		answers[i].Differences = differences[answers[i].Row.Key]
	}
	return nil
}
