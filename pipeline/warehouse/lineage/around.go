package lineage

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/schema"
)

// Version is one version of the record whose raw record is stored.
type Version struct {
	// Call brought it; Position is its index among the records of the call.
	Call     *Call     `json:"call"`
	Position int64     `json:"position"`
	KeptAt   time.Time `json:"kept_at"`
	// Modified is its modification time, as upstream wrote it; "" if it has none.
	Modified string `json:"modified,omitempty"`
	// Single says that it is a single record and not one of a list.
	Single bool `json:"single,omitempty"`
	// Bytes is its size in bytes.
	Bytes int64 `json:"bytes"`
}

// Entry is one entry of the quarantine.
type Entry struct {
	ID          int64      `json:"id"`
	State       string     `json:"state"`
	Code        string     `json:"code"`
	Path        string     `json:"path,omitempty"`
	Detail      string     `json:"detail"`
	Call        *Call      `json:"call,omitempty"`
	Seen        int64      `json:"seen"`
	FirstSeenAt time.Time  `json:"first_seen_at"`
	LastSeenAt  time.Time  `json:"last_seen_at"`
	DecidedAt   *time.Time `json:"decided_at,omitempty"`
	Note        string     `json:"note,omitempty"`
}

// Stream is the state of a stream.
type Stream struct {
	Resource string `db:"resource" json:"resource"`
	Enabled  bool   `db:"enabled"  json:"enabled"`
	// Watermark is the instant up to which the stream is complete; nil if it never was.
	Watermark  *time.Time `db:"watermark"    json:"watermark"`
	State      string     `db:"state"        json:"state"`
	Reason     string     `db:"reason"       json:"reason,omitempty"`
	Until      *time.Time `db:"wait_until"   json:"until,omitempty"`
	NextDueAt  time.Time  `db:"next_due_at"  json:"next_due_at"`
	LastDoneAt *time.Time `db:"last_done_at" json:"last_done_at"`
	// Waiting counts the rows that need their single record; nil for lists.
	Waiting *int64 `db:"waiting" json:"waiting,omitempty"`
}

// Parent is the progress of the list of one parent.
type Parent struct {
	ID       string     `db:"parent_id" json:"id"`
	Active   bool       `db:"active"    json:"active"`
	ReadAt   *time.Time `db:"read_at"   json:"read_at"`
	Failures int        `db:"failures"  json:"failures"`
	Note     string     `db:"note"      json:"note,omitempty"`
}

const (
	// An archive is a page of records: its text is searched for the identifier before it is parsed.
	sqlVersions = `
SELECT r.call_id, r.first_position + e.place - 1, r.kept_at, coalesce(e.record->>$5::text, ''),
	octet_length(e.record::text), c.reserved_at, coalesce(c.path, ''), coalesce(c.page, 0), coalesce(c.status, 0), coalesce(c.code, ''),
	coalesce(c.class, ''), coalesce(c.run_id, 0)
FROM (
	SELECT call_id, first_position, records, kept_at FROM sluice.raw_records WHERE (organization_id, service, resource) = ($1, $2, $3)
	ORDER BY call_id DESC, first_position DESC LIMIT $7
) AS r
CROSS JOIN LATERAL (
	SELECT record, place FROM json_array_elements(r.records::json) WITH ORDINALITY AS a (record, place)
	WHERE position($4 IN r.records) > 0 AND a.record->>$6::text = $4
) AS e
LEFT JOIN sluice.calls c ON c.id = r.call_id
ORDER BY r.call_id DESC, 2 DESC`

	sqlArchives = `
SELECT count(*) FROM (SELECT FROM sluice.raw_records WHERE (organization_id, service, resource) = ($1, $2, $3) LIMIT $4) AS r`

	sqlEntries = `
SELECT id, state, code, path, detail, coalesce(call_id, 0), seen, first_seen_at, last_seen_at, decided_at, note FROM sluice.quarantine
WHERE (organization_id, service, resource, record_id) = ($1, $2, $3, $4) ORDER BY id DESC LIMIT 100`

	sqlStream = `
SELECT resource, enabled, watermark, state, reason, wait_until, next_due_at, last_done_at,
	CASE WHEN resource LIKE '%.details' THEN (
		SELECT b.pending + b.stale + b.failed FROM sluice.detail_backlog(organization_id, service, resource) AS b WHERE b.pending IS NOT NULL
	) END AS waiting
FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3)`

	sqlParent = `
SELECT parent_id, active, read_at, failures, note FROM sluice.parents
WHERE (organization_id, service, resource, parent_id) = ($1, $2, $3, $4)`
)

// own returns the record's own identifier, without its parent, and the key on the wire that carries
// it.
func own(r *schema.Resource, id string) (string, string) {
	if cursor, ok := r.Cursor.(schema.PerParent); ok && cursor.Identifier != "" {
		return id[strings.LastIndex(id, "/")+1:], cursor.Identifier
	}
	return id, r.ID
}

func (t *Tracer) versions(ctx context.Context, stream pipeline.Stream, h *History, archives int) error {
	r := stream.Resource
	id, wire := own(r, h.Record)
	err := t.pool.QueryRow(ctx, sqlArchives, stream.Organization, stream.Service.Name, r.Name, archives+1).Scan(&h.Archives)
	if err != nil {
		return err
	}
	h.AllArchives = h.Archives <= archives
	h.Archives = min(h.Archives, archives)
	rows, _ := t.pool.Query(ctx, sqlVersions, stream.Organization, stream.Service.Name, r.Name, id, r.Modified(), wire, archives)
	var v Version
	var c Call
	_, err = pgx.ForEachRow(rows, []any{
		&c.ID, &v.Position, &v.KeptAt, &v.Modified, &v.Bytes, &c.At, &c.Path, &c.Page, &c.Status, &c.Code, &c.Class, &c.Run,
	}, func() error {
		call, version := c, v
		version.Call = &call
		h.Versions = append(h.Versions, version)
		return nil
	})
	for i := range h.Versions {
		version := &h.Versions[i]
		if err == nil && version.Call.At == nil {
			version.Call, err = t.call(ctx, version.Call.ID)
		}
		if err == nil {
			version.Single = single(stream, h, *version.Call)
		}
	}
	return err
}

// single reports whether a call brought single records: by the row, by its class or, as hints are
// followed in a class of their own, by its path.
func single(stream pipeline.Stream, h *History, c Call) bool {
	switch r := stream.Resource; {
	case c.Imported != nil:
		return c.Imported.Single
	case h.Row != nil && h.Row.Detail != nil && h.Row.Detail.ID == c.ID:
		return true
	case r.Details != nil && c.Class == string(pipeline.ClassDetails):
		return true
	case r.Single == nil:
		return false
	default:
		id, _ := own(r, h.Record)
		return c.Path == stream.Service.Root+strings.ReplaceAll(r.Single.Path, "{id}", id)
	}
}

func (t *Tracer) quarantine(ctx context.Context, stream pipeline.Stream, h *History) error {
	rows, _ := t.pool.Query(ctx, sqlEntries, stream.Organization, stream.Service.Name, stream.Resource.Name, h.Record)
	var e Entry
	var calls []int64
	var call int64
	_, err := pgx.ForEachRow(rows, []any{
		&e.ID, &e.State, &e.Code, &e.Path, &e.Detail, &call, &e.Seen, &e.FirstSeenAt, &e.LastSeenAt, &e.DecidedAt, &e.Note,
	}, func() error {
		h.Quarantine, calls = append(h.Quarantine, e), append(calls, call)
		return nil
	})
	for i := range h.Quarantine {
		if err == nil {
			h.Quarantine[i].Call, err = t.call(ctx, calls[i])
		}
	}
	return err
}

func (t *Tracer) streams(ctx context.Context, stream pipeline.Stream, h *History) error {
	var err error
	stream.Work = pipeline.WorkList
	if h.List, err = one[Stream](ctx, t, sqlStream, stream.Organization, stream.Service.Name, stream.Key().Resource); err != nil {
		return err
	}
	if stream.Resource.Details == nil {
		return nil
	}
	stream.Work = pipeline.WorkDetails
	h.Details, err = one[Stream](ctx, t, sqlStream, stream.Organization, stream.Service.Name, stream.Key().Resource)
	return err
}

func (t *Tracer) parent(ctx context.Context, stream pipeline.Stream, h *History) error {
	cursor, ok := stream.Resource.Cursor.(schema.PerParent)
	id := ""
	switch at := strings.LastIndex(h.Record, "/"); {
	case !ok:
		return nil
	case h.Row != nil:
		id = h.Row.Parent
	case cursor.Identifier != "" && at >= 0:
		id = h.Record[:at]
	}
	var err error
	h.Parent, err = one[Parent](ctx, t, sqlParent, stream.Organization, stream.Service.Name, stream.Resource.Name, id)
	return err
}

// one reads one row; nil if there is none.
func one[T any](ctx context.Context, t *Tracer, sql string, args ...any) (*T, error) {
	rows, _ := t.pool.Query(ctx, sql, args...)
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // there is none
	}
	return found, err
}
