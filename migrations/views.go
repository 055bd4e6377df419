package migrations

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// viewFiles hold the views of schema analytics, one file for each, with its name. A function is a
// view that asks for something first, such as a day. Unlike a numbered file, such a file may
// change: Migrate applies the text that the database does not have yet. Columns of a view are only
// ever added at the end, those of a function and its parameters stay.
//
//go:embed views/*.sql
var viewFiles embed.FS

const (
	// A view is gone if a table that it reads was dropped. A worker may not use schema as_of, so
	// that it could not ask to_regclass.
	sqlViews = `
SELECT v.name, v.digest FROM sluice.views v
CROSS JOIN LATERAL (SELECT CASE WHEN strpos(v.name, '.') > 0 THEN v.name ELSE 'analytics.' || v.name END) AS w (whole)
CROSS JOIN LATERAL (SELECT to_regnamespace(split_part(w.whole, '.', 1)), split_part(w.whole, '.', 2)) AS n (schema, name)
WHERE EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.schema AND c.relname = n.name)
	OR EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.pronamespace = n.schema AND p.proname = n.name
		AND p.proowner = (SELECT o.role FROM sluice.owner o))`
	sqlMissing    = `SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL`
	sqlViewIsMade = `
INSERT INTO sluice.views (name, digest, applied_at) VALUES ($1, $2, clock_timestamp())
ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = excluded.applied_at`
)

// What Postgres says of a view that loses columns, and of a function that returns other ones.
const (
	invalidTable    = "42P16" // invalid_table_definition
	invalidFunction = "42P13" // invalid_function_definition
)

// What it says of a view that reads what is not there.
const (
	undefinedTable  = "42P01" // undefined_table
	undefinedColumn = "42703" // undefined_column
)

// ErrViewLosesColumns says that the text of a view lacks columns that the database's view has: a
// newer version of the program made it, or the text breaks the promise that columns stay.
var ErrViewLosesColumns = errors.New("the view in the database has columns that would be lost: a newer version of the program may have made it")

// viewFile is the text of one view or function. Its name has the schema, unless that is analytics.
type viewFile struct {
	name, text string
	digest     [sha256.Size]byte
}

func newView(name, text string) viewFile {
	return viewFile{name: name, text: text, digest: sha256.Sum256([]byte(text))}
}

// whole is the name with its schema.
func (f *viewFile) whole() string {
	if strings.Contains(f.name, ".") {
		return f.name
	}
	return "analytics." + f.name
}

var (
	// viewOf finds the views that a text reads or makes.
	viewOf = regexp.MustCompile(`\banalytics\.(\w+)`)
	// sentences are the comments of a text, which may name any view.
	sentences = regexp.MustCompile(`(?m)^COMMENT ON .*$`)
	// customTable finds the tables that exist only where the configuration declares their lists.
	customTable = regexp.MustCompile(`\bcustom\.\w+`)
)

// readViews reads the files, each after those whose views it reads.
func readViews(from fs.FS) ([]viewFile, error) {
	names, err := fs.Glob(from, "views/*.sql")
	if err != nil {
		return nil, fmt.Errorf("reading the views: %w", err)
	}
	files := make(map[string]viewFile, len(names))
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, fmt.Errorf("reading the views: %w", err)
		}
		view := strings.TrimSuffix(path.Base(name), ".sql")
		files[view] = newView(view, string(text))
	}
	var ordered []viewFile
	var place func(name string, under []string) error
	place = func(name string, under []string) error {
		file, known := files[name]
		if !known || slices.ContainsFunc(ordered, func(f viewFile) bool { return f.name == name }) {
			return nil // of a numbered file, or placed already
		}
		if slices.Contains(under, name) {
			return fmt.Errorf("views read each other: %s", strings.Join(append(under, name), ", "))
		}
		for _, found := range viewOf.FindAllStringSubmatch(sentences.ReplaceAllString(file.text, ""), -1) {
			if found[1] != name {
				if err := place(found[1], append(under, name)); err != nil {
					return err
				}
			}
		}
		ordered = append(ordered, file)
		return nil
	}
	for _, name := range names {
		if err := place(strings.TrimSuffix(path.Base(name), ".sql"), nil); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}

// viewWork is what Migrate does to the views of a database.
type viewWork struct {
	// making are the views whose text the database does not have, in the order in which they can be
	// made.
	making []viewFile
	// ended are the names of what was made for a history that is over, drops the statements that
	// drop it.
	ended []string
	drops []string
}

// lackingViews returns what is left to do to the views.
func lackingViews(ctx context.Context, q session, from fs.FS, kept History) (viewWork, error) {
	var work viewWork
	files, err := readViews(from)
	if err != nil {
		return work, err
	}
	missing, err := missingCustom(ctx, q, files)
	if err != nil {
		return work, err
	}
	files = slices.DeleteFunc(files, func(f viewFile) bool { return len(missing[f.name]) > 0 })
	past, err := pastViews(ctx, q, files, kept)
	if err != nil {
		return work, err
	}
	made := make(map[string][]byte)
	var name string
	var digest []byte
	err = postgres.Each(ctx, q, "looking which views are made", []any{&name, &digest}, func() error {
		made[name] = bytes.Clone(digest)
		return nil
	}, sqlViews)
	if err != nil {
		return work, err
	}
	work.ended = past.ended(made)
	work.making = slices.DeleteFunc(append(files, past.wanted...), func(f viewFile) bool { return bytes.Equal(made[f.name], f.digest[:]) })
	work.drops, err = postgres.Collect(ctx, q, "looking what was made for a history that is over", pgx.RowTo[string],
		sqlDropped, append([]string{}, work.ended...))
	return work, err
}

// missingCustom returns, by view, the tables of schema custom that it reads, itself or through
// another view, and that do not exist.
func missingCustom(ctx context.Context, q session, files []viewFile) (map[string][]string, error) {
	missing := make(map[string][]string)
	for i := range files { // each after those that it reads
		text := sentences.ReplaceAllString(files[i].text, "")
		for _, view := range viewOf.FindAllStringSubmatch(text, -1) {
			missing[files[i].name] = append(missing[files[i].name], missing[view[1]]...)
		}
		tables := customTable.FindAllString(text, -1)
		if len(tables) == 0 {
			continue
		}
		names, err := postgres.Collect(ctx, q, "looking for the tables of a view", pgx.RowTo[string], sqlMissing, tables)
		if err != nil {
			return nil, err
		}
		missing[files[i].name] = append(missing[files[i].name], names...)
	}
	return missing, nil
}

// PendingViews says whether Migrate would make or drop views, in a database without pending
// migrations. Nothing but analysts needs them: a program whose views are those of another version
// works.
func PendingViews(ctx context.Context, url string, kept History) (bool, error) {
	pool, err := connect(ctx, url)
	if err != nil {
		return false, err
	}
	defer pool.Close()
	if newer, err := ofNewer(ctx, pool); err != nil || newer {
		return false, err
	}
	work, err := lackingViews(ctx, pool, viewFiles, kept)
	return len(work.making) > 0 || len(work.drops) > 0, err
}

// migrateViews makes the views whose text the database does not have, a transaction for each. A
// view of tables that are not there is left out: those of lists that are not enabled, and those
// that were dropped. Then it drops what was made for a history that is over.
func migrateViews(ctx context.Context, pool *pgxpool.Pool, from fs.FS, kept History, others *beside) error {
	work, err := lackingViews(ctx, others.conn, from, kept)
	if err != nil {
		return err
	}
	for i := range work.making {
		file := &work.making[i]
		err := others.try(ctx, file.whole(), func(ctx context.Context) error {
			return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, file.text); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, sqlViewIsMade, file.name, file.digest[:])
				return err
			})
		})
		pg, ok := errors.AsType[*pgconn.PgError](err)
		if ok && (pg.Code == invalidTable || pg.Code == invalidFunction) {
			err = fmt.Errorf("%w: %w", ErrViewLosesColumns, err)
		}
		if ok && (pg.Code == undefinedTable || pg.Code == undefinedColumn) { // a plan may restore it, and then the view is made
			others.log.WarnContext(ctx, "view left out: it reads what is not there", "view", file.whole(), "error", pg.Message)
			continue
		}
		if err != nil {
			return fmt.Errorf("making %s: %w", file.whole(), err)
		}
		others.log.InfoContext(ctx, "view made", "view", file.whole())
	}
	return dropPast(ctx, pool, work, others)
}
