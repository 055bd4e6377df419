package publish

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
)

// Status says how far the lake is.
type Status struct {
	// PublishedAt is when the last cut was made; nil if none was.
	PublishedAt *time.Time `json:"published_at"`
	// Behind says that records changed since, and LagSeconds how old the oldest of those changes
	// is.
	Behind     bool    `json:"behind"`
	LagSeconds float64 `json:"lag_seconds"`
	// Lost says why the position cannot be followed: the next publication is whole. "" if it can.
	Lost   string        `json:"lost,omitempty"`
	Tables []TableStatus `json:"tables"`
}

// TableStatus is one table of the lake.
type TableStatus struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
	// Snapshot is the current one, and SnapshotAt its time; Snapshots is how many can be read.
	Snapshot   int64     `json:"snapshot"`
	SnapshotAt time.Time `json:"snapshot_at"`
	Snapshots  int       `json:"snapshots"`
	// Files is how many files with rows it has, Deleted how many of their rows are gone.
	Files   int64 `json:"files"`
	Deleted int64 `json:"deleted"`
	// Metadata is the file that an engine without the catalog reads the table by.
	Metadata string `json:"metadata"`
}

// Status reads how far the lake is, beside publications.
func (p *Publisher) Status(ctx context.Context) (Status, error) {
	found := Status{Tables: []TableStatus{}}
	err := inSnapshot(ctx, p.Pool, func(tx pgx.Tx) error {
		w, before, err := p.look(ctx, tx)
		if errors.Is(err, ErrUnpublished) {
			return nil
		}
		if err != nil {
			return err
		}
		found.PublishedAt = &before.at
		if err := w.lag(ctx, before, &found); err != nil {
			return err
		}
		for _, full := range w.names() {
			t, err := w.loaded(ctx, full)
			if err != nil {
				return err
			}
			if s := t.CurrentSnapshot(); s != nil {
				found.Tables = append(found.Tables, TableStatus{
					Table: full, Rows: Rows(t), Snapshot: s.SnapshotID, SnapshotAt: time.UnixMilli(s.TimestampMs).UTC(),
					Snapshots: len(t.Metadata().Snapshots()), Files: total(s, "total-data-files"), Deleted: total(s, "total-position-deletes"),
					Metadata: t.MetadataLocation(),
				})
			}
		}
		return nil
	})
	return found, err
}

// lag looks for the first change that is not published.
func (w *work) lag(ctx context.Context, before *position, found *Status) error {
	cursor := before.cursor
	for {
		var rows []changes.Change
		err := pgx.BeginFunc(ctx, w.tx, func(tx pgx.Tx) error {
			var err error
			rows, cursor, err = changes.Read(ctx, tx, cursor, page)
			return err
		})
		if errors.Is(err, changes.ErrCursor) {
			found.Lost, found.Behind = err.Error(), true
			return nil
		}
		if err != nil {
			return err
		}
		for i := range rows {
			if c := &rows[i]; c.Op != changes.Finished && c.Op != changes.AfterClose {
				found.Behind = true
				err := w.tx.QueryRow(ctx, `SELECT extract(epoch FROM clock_timestamp() - $1)`, c.At).Scan(&found.LagSeconds)
				return postgres.Fail("asking for the time", err)
			}
		}
		if len(rows) < page {
			return nil
		}
	}
}
