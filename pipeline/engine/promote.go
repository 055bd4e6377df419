package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/lineage/promote"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/raw/archive"
	"sluice/schema/custom"
)

// sqlStored reads the raw records of the calls that brought the rows of the table %s.
const sqlStored = `
SELECT records FROM sluice.raw_records
WHERE service = $1 AND resource = $2 AND call_id IN (SELECT DISTINCT _call_id FROM %s)`

// Survey proposes columns for the keys of a user-declared resource that no column takes, from the
// raw records of all organizations.
func (a *App) Survey(ctx context.Context, stream pipeline.Stream) (promote.Proposal, error) {
	r := stream.Resource
	table := pgx.Identifier{r.SchemaName(stream.Service), r.Name}.Sanitize()
	declared := make(map[string]bool) // the keys of a record that have columns or tables
	for i := range r.Columns {
		declared[r.Columns[i].Wire] = true
	}
	for i := range r.Children {
		declared[r.Children[i].Name] = true
	}
	rows, err := a.DB.Pool().Query(ctx, fmt.Sprintf(sqlStored, table), stream.Service.Name, r.Name)
	if err != nil {
		return promote.Proposal{}, fmt.Errorf("read the records of %s: %w", stream, err)
	}
	var (
		survey promote.Survey
		kept   []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&kept}, func() error {
		records, _, err := archive.Rewrite(kept, stream.LeaveOut.Record)
		if err != nil {
			return fmt.Errorf("read records that were kept: %w", err)
		}
		return survey.Records(records, declared)
	})
	if err != nil {
		return promote.Proposal{}, fmt.Errorf("read the records of %s: %w", stream, err)
	}
	return survey.Proposal(), nil
}

// Declared returns the lists of a resource, one for each organization that has it. The name may be
// its table (custom.price_lists), its service and name, or its name alone.
func (a *App) Declared(name string) ([]pipeline.Stream, error) {
	var found []pipeline.Stream
	for _, stream := range a.Streams() {
		r := stream.Resource
		full := r.SchemaName(stream.Service) + "." + r.Name
		if stream.Work == pipeline.WorkList && (name == full || name == r.Name || name == resourceName(stream)) {
			if len(found) > 0 && found[0].Resource != r {
				return nil, fmt.Errorf("%w: %q means %s and %s: write one of them", ErrUsage, name, resourceName(found[0]), resourceName(stream))
			}
			found = append(found, stream)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: %q is no configured resource", ErrUsage, name)
	}
	return found, nil
}

// UserDeclared reports whether the configuration declares the stream's resource.
func UserDeclared(stream pipeline.Stream) bool { return stream.Resource.Schema == custom.Schema }

// notRunning returns ErrBusy if a run of the stream is under way.
func (a *App) notRunning(ctx context.Context, stream pipeline.Stream) error {
	row, err := a.DB.Stream(ctx, stream.Key())
	switch {
	case errors.Is(err, warehouse.ErrNotFound):
		return nil // it was never copied
	case err != nil:
		return fmt.Errorf("look at the stream: %w", err)
	case row.State == string(pipeline.StateRunning):
		return fmt.Errorf("%s: %w", stream, ErrBusy)
	default:
		return nil
	}
}
