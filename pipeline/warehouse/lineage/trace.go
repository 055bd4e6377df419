// Package lineage returns the history of one record: its row, the calls that brought its versions,
// its entries in quarantine, its tombstone, and the progress of its streams.
//
// It only reads. Its structs are the JSON of sluice explain.
//
// Start reading at Tracer.Record.
package lineage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/imports"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema"
)

// Tracer reads the warehouse.
type Tracer struct{ pool *pgxpool.Pool }

// New makes a tracer over the connections of a warehouse.
func New(pool *pgxpool.Pool) *Tracer { return &Tracer{pool: pool} }

// History is what is known of one record.
type History struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	Resource     string `json:"resource"`
	Record       string `json:"record"`
	// Row is nil if there is none.
	Row *Row `json:"row"`
	// Versions are the stored raw records, newest call first. Archives is how many archives were
	// searched. AllArchives says that these were all, so Versions is complete.
	Versions    []Version `json:"versions"`
	Archives    int       `json:"archives"`
	AllArchives bool      `json:"all_archives"`
	// Quarantine are the entries about the record, newest first.
	Quarantine []Entry `json:"quarantine"`
	// Erasure is the number of the erasure because of which the record is not loaded; 0 if it is
	// not refused.
	Erasure int64 `json:"erasure,omitempty"`
	// Tombstone is the evidence that the record is gone upstream; nil if no list ever missed it.
	Tombstone *tombstones.Tombstone `json:"tombstone,omitempty"`
	// List and Details are the streams that bring the record; Details is nil where there are no
	// single records.
	List    *Stream `json:"list"`
	Details *Stream `json:"details,omitempty"`
	// Parent is the progress of the list of the record's parent; nil where there are no parents.
	Parent *Parent `json:"parent,omitempty"`
}

// Row is what a row stores about its origin.
type Row struct {
	FirstSeenAt time.Time `json:"first_seen_at"`
	ChangedAt   time.Time `json:"changed_at"`
	// Modified is upstream's modification time; nil if the record has none.
	Modified *time.Time `json:"modified,omitempty"`
	// List is the call that brought the last list record that changed the row, Detail that of the
	// last single record.
	List   *Call `json:"list_call"`
	Detail *Call `json:"detail_call,omitempty"`
	// Run loaded the list record.
	Run *Run `json:"run"`
	// DetailState is the detail state, "" where there are no single records; DetailAt is when the
	// single record was last loaded or requested.
	DetailState string     `json:"detail_state,omitempty"`
	DetailAt    *time.Time `json:"detail_at,omitempty"`
	// Unknown are the undeclared keys, which are in _extra.
	Unknown []string `json:"unknown_keys,omitempty"`
	// Parent is the parent's identifier, "" if there is none.
	Parent string `json:"parent,omitempty"`
	// Arrays count the rows of the record's arrays, by table.
	Arrays map[string]int64 `json:"arrays,omitempty"`
	// Values are the values of all columns, as JSON.
	Values map[string]json.RawMessage `json:"-"`
}

// Call is one call, with what the call log still has of it.
type Call struct {
	ID int64 `json:"id"`
	// At is when it was reserved; nil if the call log no longer has it.
	At     *time.Time `json:"at,omitempty"`
	Path   string     `json:"path,omitempty"`
	Page   int        `json:"page,omitempty"`
	Status int        `json:"status,omitempty"`
	Code   string     `json:"code,omitempty"`
	Class  string     `json:"class,omitempty"`
	Run    int64      `json:"run,omitempty"`
	// Imported is the origin of the records if no call of ours brought them: the number stands for
	// a batch of imported lines then.
	Imported *imports.Batch `json:"imported,omitempty"`
}

// Run is one run of a stream, with what is still stored of it.
type Run struct {
	ID        int64      `json:"id"`
	Class     string     `json:"class,omitempty"`
	StartedAt *time.Time `json:"started_at,omitempty"`
	// Outcome is done, provisional or failed; "" while the run is open or if it is no longer
	// stored.
	Outcome string `json:"outcome,omitempty"`
	Note    string `json:"note,omitempty"`
}

// Record returns the history of a record. Archives bounds how many archives are searched for
// versions, the newest first.
func (t *Tracer) Record(ctx context.Context, stream pipeline.Stream, id string, archives int) (History, error) {
	h := History{
		Organization: stream.Organization, Service: stream.Service.Name, Resource: stream.Resource.Name, Record: id,
		Versions: []Version{}, Quarantine: []Entry{},
	}
	for _, read := range []func(context.Context, pipeline.Stream, *History) error{
		t.row, t.erasure, t.tombstone, t.quarantine, t.streams, t.parent,
		func(ctx context.Context, stream pipeline.Stream, h *History) error {
			return t.versions(ctx, stream, h, archives)
		},
	} {
		if err := read(ctx, stream, &h); err != nil {
			return h, fmt.Errorf("reading about %s of %s: %w", id, stream, err)
		}
	}
	return h, nil
}

// row reads the whole row as JSON: the columns about its origin have the same names in every table.
func (t *Tracer) row(ctx context.Context, stream pipeline.Stream, h *History) error {
	r := stream.Resource
	sql := fmt.Sprintf(`SELECT to_jsonb(t) FROM %s AS t WHERE t.organization_id = $1 AND t.%s = $2`,
		pgx.Identifier{r.SchemaName(stream.Service), r.Name}.Sanitize(), pgx.Identifier{r.Columns[0].ColumnName()}.Sanitize())
	var text []byte
	err := t.pool.QueryRow(ctx, sql, stream.Organization, h.Record).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	var ours struct {
		Call        int64                      `json:"_call_id"`
		Run         int64                      `json:"_run_id"`
		FirstSeenAt time.Time                  `json:"_first_seen_at"`
		ChangedAt   time.Time                  `json:"_changed_at"`
		Extra       map[string]json.RawMessage `json:"_extra"`
		DetailState string                     `json:"_detail_state"`
		DetailCall  int64                      `json:"_detail_call_id"`
		DetailAt    *time.Time                 `json:"_detail_at"`
	}
	if err := json.Unmarshal(text, &ours); err != nil {
		return err
	}
	h.Row = &Row{
		FirstSeenAt: ours.FirstSeenAt, ChangedAt: ours.ChangedAt, DetailState: ours.DetailState, DetailAt: ours.DetailAt,
		Unknown: slices.Sorted(maps.Keys(ours.Extra)), Arrays: map[string]int64{},
	}
	if err := h.Row.declared(r, text); err != nil {
		return err
	}
	if h.Row.List, err = t.call(ctx, ours.Call); err != nil {
		return err
	}
	if h.Row.Detail, err = t.call(ctx, ours.DetailCall); err != nil {
		return err
	}
	if h.Row.Run, err = t.run(ctx, ours.Run); err != nil {
		return err
	}
	return t.arrays(ctx, stream, h)
}

// declared reads the values, and among them the modification time and the parent; the declaration
// names their columns.
func (row *Row) declared(r *schema.Resource, text []byte) error {
	if err := json.Unmarshal(text, &row.Values); err != nil {
		return err
	}
	under, _ := r.Cursor.(schema.PerParent)
	for _, c := range r.Columns {
		value := row.Values[c.ColumnName()]
		switch {
		case len(value) == 0 || string(value) == "null":
		case c.Wire == r.Modified() && c.Kind == schema.KindTime:
			if err := json.Unmarshal(value, &row.Modified); err != nil {
				return err
			}
		case c.Wire == under.Column:
			row.Parent = strings.Trim(string(value), `"`)
		}
	}
	return nil
}

func (t *Tracer) arrays(ctx context.Context, stream pipeline.Stream, h *History) error {
	tables := stream.Resource.Tables()
	for i := 1; i < len(tables); i++ {
		var n int64
		name := pgx.Identifier{stream.Resource.SchemaName(stream.Service), tables[i].Name}.Sanitize()
		sql := fmt.Sprintf(`SELECT count(*) FROM %s WHERE organization_id = $1 AND _parent_id = $2`, name)
		if err := t.pool.QueryRow(ctx, sql, stream.Organization, h.Record).Scan(&n); err != nil {
			return err
		}
		h.Row.Arrays[tables[i].Name] = n
	}
	return nil
}

const (
	sqlCall = `
SELECT reserved_at, path, coalesce(page, 0), coalesce(status, 0), coalesce(code, ''), class, coalesce(run_id, 0) FROM sluice.calls WHERE id = $1`
	sqlRun = `SELECT class, started_at, coalesce(outcome, ''), note FROM sluice.runs WHERE id = $1`
)

// call returns a call by its number; nil for zero. If the log does not have it, the call has its
// number only, and says whether its records were imported.
func (t *Tracer) call(ctx context.Context, id int64) (*Call, error) {
	if id == 0 {
		return nil, nil //nolint:nilnil // no call
	}
	c := &Call{ID: id}
	err := t.pool.QueryRow(ctx, sqlCall, id).Scan(&c.At, &c.Path, &c.Page, &c.Status, &c.Code, &c.Class, &c.Run)
	if errors.Is(err, pgx.ErrNoRows) {
		c.Imported, err = imports.Of(ctx, t.pool, id)
		if c.Imported != nil {
			c.Run = c.Imported.Run
		}
	}
	return c, err
}

func (t *Tracer) run(ctx context.Context, id int64) (*Run, error) {
	r := &Run{ID: id}
	err := t.pool.QueryRow(ctx, sqlRun, id).Scan(&r.Class, &r.StartedAt, &r.Outcome, &r.Note)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, err
	}
	return r, nil
}

// Numbered is a record that carries a number which people use, such as that of a bill.
type Numbered struct {
	Record string `db:"record" json:"record"`
	// Column has the number.
	Column string `db:"column" json:"column"`
}

const (
	// mostNumbered bounds the records that one number finds, numberLimit the search: the columns
	// have no index.
	mostNumbered = 20
	numberLimit  = 2 * time.Second
)

// Numbered returns records of a list by a number that they carry: 20 at most. Numbers are the
// columns of identifiers whose names end in _number.
func (t *Tracer) Numbered(ctx context.Context, stream pipeline.Stream, number string) ([]Numbered, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, numberLimit, fmt.Errorf("the search took more than %s", numberLimit))
	defer cancel()
	r := stream.Resource
	table := pgx.Identifier{r.SchemaName(stream.Service), r.Name}.Sanitize()
	id := pgx.Identifier{r.Columns[0].ColumnName()}.Sanitize()
	var selects []string
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Kind != schema.KindID || !strings.HasSuffix(c.ColumnName(), "_number") {
			continue
		}
		column := pgx.Identifier{c.ColumnName()}.Sanitize()
		selects = append(selects, fmt.Sprintf(`(SELECT %s AS record, '%s' AS column FROM %s WHERE organization_id = $1 AND %s = $2 LIMIT %d)`,
			id, c.ColumnName(), table, column, mostNumbered))
	}
	if len(selects) == 0 {
		return nil, nil
	}
	sql := fmt.Sprintf("%s ORDER BY 1, 2 LIMIT %d", strings.Join(selects, " UNION "), mostNumbered)
	found, err := postgres.Read[Numbered](ctx, t.pool, "the records of a number", sql, stream.Organization, number)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return found, err
}

// Records returns the raw record of each version, nil where it is not kept any more.
func (t *Tracer) Records(ctx context.Context, versions []Version) ([][]byte, error) {
	places := make([]raw.Ref, len(versions))
	for i := range versions {
		places[i] = raw.Ref{Call: versions[i].Call.ID, Position: int32(versions[i].Position)} //nolint:gosec // it was read from such a column
	}
	found, err := raw.Read(ctx, t.pool, places)
	if err != nil {
		return nil, err
	}
	records := make([][]byte, len(versions))
	for i, place := range places {
		records[i] = found[place]
	}
	return records, nil
}

func (t *Tracer) erasure(ctx context.Context, stream pipeline.Stream, h *History) error {
	var err error
	h.Erasure, err = erasures.Earlier(ctx, t.pool, stream.ListKey(), h.Record)
	return err
}

func (t *Tracer) tombstone(ctx context.Context, stream pipeline.Stream, h *History) error {
	var err error
	h.Tombstone, err = tombstones.New(t.pool).Of(ctx, stream.Organization, stream.Service.Name, stream.Resource.Name, h.Record)
	return err
}
