package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-lake/files"
	"sluice/pipeline/warehouse/postgres"
)

// Kept is for how long snapshots can be read that are not the current ones.
const Kept = 7 * 24 * time.Hour

// erasureProperty is how the property of Published begins that has the number of the last erasure
// of a cell that is carried out in the lake.
const erasureProperty = "sluice-erasure."

const sqlErasures = `
SELECT e.id, e.service, e.resource FROM sluice.erasures e WHERE e.id > $1 ORDER BY e.id`

// Expired says what Expire did.
type Expired struct {
	// Snapshots are those that can no longer be read, Files those that were removed, also what
	// killed publications had left.
	Snapshots int `json:"snapshots"`
	Files     int `json:"files"`
}

// Compact publishes what changed, and writes each bucket anew that has rows which are gone or many
// small files.
func (p *Publisher) Compact(ctx context.Context) (Result, error) {
	return p.publishAs(ctx, func(w *work) { w.compacts = true })
}

// crowded reports whether a bucket has more files than its rows need.
func crowded(live *files.Live) bool {
	return len(live.Deletes) > 0 || int64(len(live.Data)) > live.Rows()/files.FileRows+2
}

// Expire removes snapshots that are older than an age, and files that no snapshot refers to.
func (p *Publisher) Expire(ctx context.Context, age time.Duration) (Expired, error) {
	return p.expire(ctx, age, func(string) bool { return true })
}

func (p *Publisher) expire(ctx context.Context, age time.Duration, wanted func(full string) bool) (Expired, error) {
	var done Expired
	// Two transactions: a file is removed only when nothing can bring its snapshot back.
	err := p.locked(ctx, func(w *work) error {
		if err := w.guard(); err != nil {
			return err
		}
		for _, full := range slices.Sorted(maps.Keys(w.catalog.Locations())) {
			if !wanted(full) {
				continue
			}
			n, err := w.forget(ctx, full, age)
			if err != nil {
				return fmt.Errorf("expiring snapshots of %s: %w", full, err)
			}
			done.Snapshots += n
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	err = p.locked(ctx, func(w *work) error {
		for _, full := range slices.Sorted(maps.Keys(w.catalog.Locations())) {
			if !wanted(full) {
				continue
			}
			n, err := w.sweep(ctx, full)
			if done.Files += n; err != nil {
				return fmt.Errorf("removing files of %s: %w", full, err)
			}
		}
		return nil
	})
	return done, err
}

// forget removes old snapshots of a table from its metadata.
func (w *work) forget(ctx context.Context, full string, age time.Duration) (int, error) {
	t, err := w.catalog.Load(ctx, full)
	if err != nil {
		return 0, err
	}
	before := len(t.Metadata().Snapshots())
	update := t.NewTransaction()
	err = update.ExpireSnapshots(table.WithOlderThan(age), table.WithRetainLast(1), table.WithPostCommit(false))
	if err != nil {
		return 0, err
	}
	after, err := update.Commit(ctx)
	if err != nil {
		return 0, err
	}
	return before - len(after.Metadata().Snapshots()), nil
}

// sweep removes the files of a table that its metadata does not refer to.
func (w *work) sweep(ctx context.Context, full string) (int, error) {
	t, err := w.catalog.Load(ctx, full)
	if err != nil {
		return 0, err
	}
	used, err := references(w, t)
	if err != nil {
		return 0, err
	}
	var unused []string
	folders := plain(w.catalog.Folders(full))
	err = w.Store.WalkDir(t.Location()[:strings.LastIndexByte(t.Location(), '/')], func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasPrefix(plain(name), folders) && !used[plain(name)] {
			unused = append(unused, name)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("listing its files: %w", err)
	}
	// While the lock was held nothing else wrote files: those of the list will never be referred
	// to.
	if err := w.catalog.Held(ctx); err != nil {
		return 0, err
	}
	for i, name := range unused {
		if err := w.Store.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return i, fmt.Errorf("removing %s: %w", name, err)
		}
	}
	return len(unused), nil
}

// plain is an address as both listings and metadata have it.
func plain(name string) string { return strings.TrimPrefix(name, "file://") }

// references are all files that the metadata of a table refers to.
func references(w *work, t *table.Table) (map[string]bool, error) {
	used := map[string]bool{plain(t.MetadataLocation()): true}
	for entry := range t.Metadata().PreviousFiles() {
		used[plain(entry.MetadataFile)] = true
	}
	snapshots := t.Metadata().Snapshots()
	for i := range snapshots {
		used[plain(snapshots[i].ManifestList)] = true
		manifests, err := snapshots[i].Manifests(w.Store)
		if err != nil {
			return nil, fmt.Errorf("reading its snapshots: %w", err)
		}
		for _, manifest := range manifests {
			if used[plain(manifest.FilePath())] {
				continue
			}
			used[plain(manifest.FilePath())] = true
			for entry, err := range manifest.Entries(w.Store, true) {
				if err != nil {
					return nil, fmt.Errorf("reading its snapshots: %w", err)
				}
				used[plain(entry.DataFile().FilePath())] = true
			}
		}
	}
	return used, nil
}

// erasures are those that are not carried out in the lake yet.
type erasures struct {
	// last is the number of the newest one.
	last int64
	// records are the tables of the records.
	records map[string]bool
}

// erasures reads which erasures the warehouse has that the lake does not have.
func (w *work) erasures(ctx context.Context) (erasures, error) {
	var found erasures
	if !w.catalog.Has(Published) {
		return found, nil
	}
	t, err := w.loaded(ctx, Published)
	if err != nil {
		return found, err
	}
	if text := t.Properties()[erasureProperty+w.cell]; text != "" {
		if found.last, err = strconv.ParseInt(text, 10, 64); err != nil {
			return found, fmt.Errorf("the property %s of %s is no number: %w", erasureProperty+w.cell, Published, err)
		}
	}
	rows, err := w.tx.Query(ctx, sqlErasures, found.last)
	if err != nil {
		return found, postgres.Fail("looking for erasures", err)
	}
	found.records = map[string]bool{}
	var service, resource string
	_, err = pgx.ForEachRow(rows, []any{&found.last, &service, &resource}, func() error {
		for i := range w.tables {
			if t := &w.tables[i]; t.Record == t.Full() && t.Name == resource && (t.Schema == service || t.Service == service) {
				found.records[t.Full()] = true
			}
		}
		return nil
	})
	return found, postgres.Fail("looking for erasures", err)
}

// carryOut ends an erasure: no snapshot of before can be read any more, and its files are gone. It
// is noted last; a process that is killed before repeats all of it.
func (p *Publisher) carryOut(ctx context.Context, e erasures) error {
	records := map[string]string{}
	for i := range p.Tables {
		records[p.Tables[i].Full()] = p.Tables[i].Record
	}
	done, err := p.expire(ctx, 0, func(full string) bool { return e.records[records[full]] })
	if err != nil {
		return fmt.Errorf("carrying out an erasure in the lake: %w", err)
	}
	p.Log.InfoContext(ctx, "an erasure is carried out in the lake", "erasure", e.last, "snapshots", done.Snapshots, "files", done.Files)
	return p.locked(ctx, func(w *work) error {
		t, err := w.catalog.Load(ctx, Published)
		if err != nil {
			return err
		}
		update := t.NewTransaction()
		if err := update.SetProperties(iceberg.Properties{erasureProperty + w.cell: strconv.FormatInt(e.last, 10)}); err != nil {
			return fmt.Errorf("noting an erasure in %s: %w", Published, err)
		}
		if _, err := update.Commit(ctx); err != nil {
			return fmt.Errorf("noting an erasure in %s: %w", Published, err)
		}
		return nil
	})
}
