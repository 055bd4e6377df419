package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/files"
	"sluice/pipeline/warehouse/exports"
)

// ExportOptions say what to export, and where to.
type ExportOptions struct {
	// Names are tables and views as on a command line, with * for any characters.
	Names []string
	// Organization is a name as on a command line; "" means all. Day is the day of schema as_of, as
	// 2026-10-31; "" exports nothing of it.
	Organization, Day string
	Format            files.Format
	// Folder gets the files. If it is "", To gets the rows of the one table.
	Folder  string
	Replace bool
	To      io.Writer
	// Progress is told of each table and of its rows so far.
	Progress func(done, all int, table string, rows int64)
}

// Export is the manifest of an export.
type Export struct {
	Format files.Format `json:"format"`
	// Program is the version of sluice.
	Program string `json:"sluice"`
	// Snapshot is the instant of all tables, by the clock of the database.
	Snapshot time.Time `json:"snapshot"`
	// Organization and Day are those that were asked for; "" stands for all and for none.
	Organization string `json:"organization"`
	Day          string `json:"as_of"`
	// Cuts and Freshness say how far the tables were complete.
	Cuts      []exports.Cut       `json:"cut"`
	Freshness []exports.Freshness `json:"freshness"`
	Tables    []ExportedTable     `json:"tables"`
}

// ExportedTable is the file of one table.
type ExportedTable struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Order are the columns by which the rows are ordered.
	Order []string `json:"order"`
}

// manifestFile is the file beside those of the tables.
const manifestFile = "export.json"

// progressRows is after how many rows progress is told.
const progressRows = 10_000

// Exportable returns what the role may export.
func (a *App) Exportable(ctx context.Context) ([]exports.Relation, error) {
	source, err := exports.Open(ctx, a.URL, a.Password())
	if err != nil {
		return nil, err
	}
	defer source.Close()
	return relations(ctx, source)
}

func relations(ctx context.Context, source *exports.Source) ([]exports.Relation, error) {
	const undefinedTable = "42P01"
	found, err := source.Relations(ctx)
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Code == undefinedTable {
		return nil, fmt.Errorf("%w (%w)", ErrNotMigrated, err)
	}
	return found, err
}

// Export writes tables and views to files, all from one snapshot.
func (a *App) Export(ctx context.Context, o ExportOptions) (*Export, error) {
	organization, err := a.OrganizationKey(o.Organization)
	if err != nil {
		return nil, err
	}
	source, err := exports.Open(ctx, a.URL, a.Password())
	if err != nil {
		return nil, err
	}
	defer source.Close()
	known, err := relations(ctx, source)
	if err != nil {
		return nil, err
	}
	chosen, err := a.chooseRelations(known, o.Names, o.Day, organization)
	if err != nil {
		return nil, err
	}
	e := &export{ExportOptions: o, made: &Export{
		Format: o.Format, Program: a.options.Version, Organization: organization, Day: o.Day, Tables: []ExportedTable{},
	}}
	write := e.toFolder
	if o.Folder == "" {
		if len(chosen) > 1 {
			return nil, fmt.Errorf("%w: %d tables are named, and standard output takes one: name a folder", ErrUsage, len(chosen))
		}
		write = e.toOutput
	}
	err = source.Within(ctx, chosen, exports.Scope{Organization: organization, Day: o.Day}, func(s *exports.Snapshot) error {
		return write(ctx, s, chosen)
	})
	if err == nil && e.folder != nil {
		err = e.folder.Commit()
	}
	if err != nil && e.folder != nil {
		err = errors.Join(err, e.folder.Discard())
	}
	if errors.Is(err, files.ErrExists) {
		err = fmt.Errorf("%w: %w: --replace replaces the files of an earlier export", ErrUsage, err)
	}
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return e.made, nil
}

type export struct {
	ExportOptions

	made   *Export
	folder *files.Folder
}

func (e *export) toOutput(ctx context.Context, s *exports.Snapshot, chosen []exports.Relation) error {
	columns, err := s.Columns(ctx, &chosen[0], e.Format)
	if err != nil {
		return err
	}
	w, err := files.NewWriter(e.Format, e.To, columns)
	if err != nil {
		return err
	}
	_, err = e.rows(ctx, s, &chosen[0], w, step{0, 1})
	return err
}

func (e *export) toFolder(ctx context.Context, s *exports.Snapshot, chosen []exports.Relation) error {
	names := []string{manifestFile}
	for i := range chosen {
		names = append(names, e.fileOf(&chosen[i]))
	}
	var err error
	if e.folder, err = files.OpenFolder(e.Folder, names, e.Replace); err != nil {
		return err
	}
	if e.made.Snapshot, err = s.Instant(ctx); err != nil {
		return err
	}
	if e.made.Cuts, err = s.Cuts(ctx); err != nil {
		return err
	}
	if e.made.Freshness, err = s.Freshness(ctx); err != nil {
		return err
	}
	for i := range chosen {
		if err := e.table(ctx, s, &chosen[i], step{i, len(chosen)}); err != nil {
			return err
		}
	}
	return e.manifest() // the last file: it says that the others are whole
}

func (e *export) fileOf(r *exports.Relation) string { return r.Full() + "." + string(e.Format) }

// step is how many tables are done, of all.
type step struct{ done, all int }

func (e *export) table(ctx context.Context, s *exports.Snapshot, r *exports.Relation, at step) error {
	columns, err := s.Columns(ctx, r, e.Format)
	if err != nil {
		return err
	}
	file, err := e.folder.Create(e.fileOf(r))
	if err != nil {
		return err
	}
	w, err := files.NewWriter(e.Format, file, columns)
	if err != nil {
		return err
	}
	rows, err := e.rows(ctx, s, r, w, at)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	e.made.Tables = append(e.made.Tables, ExportedTable{
		Name: r.Full(), Rows: rows, File: file.Name, Bytes: file.Bytes, SHA256: file.SHA256, Order: r.Order(),
	})
	return nil
}

// rows writes the rows of one table, and counts them.
func (e *export) rows(ctx context.Context, s *exports.Snapshot, r *exports.Relation, w files.Writer, at step) (int64, error) {
	rows := int64(0)
	e.Progress(at.done, at.all, r.Full(), rows)
	err := s.Each(ctx, r, func(row []files.Value) error {
		if rows++; rows%progressRows == 0 {
			e.Progress(at.done, at.all, r.Full(), rows)
		}
		return w.Write(row)
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return rows, fmt.Errorf("%s: %w", r.Full(), err)
	}
	return rows, nil
}

func (e *export) manifest() error {
	file, err := e.folder.Create(manifestFile)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(file)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e.made); err != nil {
		return fmt.Errorf("write %s: %w", manifestFile, err)
	}
	return file.Close()
}
