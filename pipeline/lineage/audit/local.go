package audit

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/lineage/audit/values"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/rebuild"
	"sluice/schema/record"
)

// The codes of rows held against their raw records.
const (
	// CodeEdited: the row is not what its raw records make of it.
	CodeEdited = "edited"
	// CodeHash: the values are right and the content hash is another one: the declaration reads the record in another way
	// than when it was loaded, or the hash was edited.
	CodeHash = "hash"
	// CodeNoRaw: the raw record is not kept (any more).
	CodeNoRaw = "no_raw"
	// CodeUnfit: the raw record does not fit the declaration any more.
	CodeUnfit = "unfit"
)

// Local holds the rows of keys against the raw records that are kept beside them, normalized anew, without a call. A row is
// what its last list record and its last single record made of it, the one that was loaded later over the other: a row whose
// list record changed since forgets the hash of its single record. It gives the findings, and how many rows were looked at.
func (t *Table) Local(ctx context.Context, tx pgx.Tx, keys []string) ([]Finding, int, error) {
	rows, err := t.Rows(ctx, tx, keys)
	if err != nil {
		return nil, 0, err
	}
	kept, err := raw.Read(ctx, tx, places(rows))
	if err != nil {
		return nil, 0, fmt.Errorf("reading raw records of %s: %w", t.stream, err)
	}
	var (
		findings []Finding
		records  []record.Record
		byKey    = make(map[string]*versions, len(rows))
	)
	for i := range rows {
		v, finding := t.versions(&rows[i], kept)
		if finding != nil {
			findings = append(findings, *finding)
			continue
		}
		byKey[v.merged.ID] = v
		records = append(records, v.merged)
	}
	differences, err := t.Compare(ctx, tx, records)
	if err != nil {
		return nil, 0, err
	}
	for i := range records {
		id := records[i].ID
		if finding := t.judge(byKey[id], differences[id]); finding != nil {
			findings = append(findings, *finding)
		}
	}
	return findings, len(rows), nil
}

// versions are a row with the records that made it.
type versions struct {
	row    *Row
	merged record.Record
	// otherHash says that a record has another content hash than the row says; repaired that a raw record holds signs that
	// stand for what Postgres cannot keep, so that it need not be what was loaded.
	otherHash, repaired bool
}

func places(rows []Row) []raw.Place {
	found := make([]raw.Place, 0, len(rows))
	for i := range rows {
		found = append(found, raw.Place{Call: rows[i].Call, Position: rows[i].Position})
		if rows[i].DetailCall != 0 {
			found = append(found, raw.Place{Call: rows[i].DetailCall, Position: rows[i].DetailPosition})
		}
	}
	return found
}

func (t *Table) versions(row *Row, kept map[raw.Place][]byte) (*versions, *Finding) {
	v := &versions{row: row}
	list, finding := t.version(v, raw.Place{Call: row.Call, Position: row.Position}, row.Hash, kept)
	if finding != nil || row.DetailCall == 0 {
		v.merged = list
		return v, finding
	}
	detail, finding := t.version(v, raw.Place{Call: row.DetailCall, Position: row.DetailPosition}, row.DetailHash, kept)
	if row.DetailHash == nil {
		v.merged = rebuild.Merge(&detail, &list)
	} else {
		v.merged = rebuild.Merge(&list, &detail)
	}
	return v, finding
}

func (t *Table) version(v *versions, at raw.Place, hash []byte, kept map[raw.Place][]byte) (record.Record, *Finding) {
	refuse := func(severity Severity, code, detail string) (record.Record, *Finding) {
		finding := t.finding(severity, SourceRow, code, v.row.Key, detail)
		finding.Call = at.Call
		return record.Record{}, &finding
	}
	raw, found := kept[at]
	if !found {
		return refuse(Notice, CodeNoRaw, fmt.Sprintf("its raw record of call %d is not kept: nobody can say whether the row was edited", at.Call))
	}
	record, err := t.normalize(raw, v.row.Parent)
	switch {
	case err != nil:
		return refuse(Notice, CodeUnfit, "its raw record does not fit the declaration any more: "+err.Error())
	case record.ID != v.row.Key:
		return refuse(Violation, CodeEdited, fmt.Sprintf("the raw record that the row leads to, of call %d, is of another record", at.Call))
	}
	v.repaired = v.repaired || bytes.Contains(raw, []byte("\uFFFD")) || bytes.Contains(raw, []byte("\u2400"))
	v.otherHash = v.otherHash || hash != nil && !bytes.Equal(hash, record.Hash[:])
	return record, nil
}

func (t *Table) judge(v *versions, differences []values.Difference) *Finding {
	var finding Finding
	switch {
	case len(differences) > 0:
		finding = t.finding(Violation, SourceRow, CodeEdited, v.row.Key, "the row is not what its raw record makes of it: "+values.Sentence(differences))
		finding.Path = differences[0].Path
		if v.otherHash {
			finding.Detail += "; the content hash is another one, too: if the declaration changed, sluice rebuild writes the rows anew"
		}
	case v.otherHash:
		finding = t.finding(Violation, SourceRow, CodeHash, v.row.Key,
			"the content hash is not that of its raw record: the row was edited, or the declaration changed (sluice rebuild writes the rows anew)")
	default:
		return nil
	}
	if v.repaired {
		finding.Severity = Notice
		finding.Detail += " (the raw record holds signs for bytes that could not be kept, which may be the reason)"
	}
	finding.Call = v.row.LastCall()
	return &finding
}
