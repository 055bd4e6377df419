package engine

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/lineage/promote"
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
	rows, err := a.DB.Pool().Query(ctx, fmt.Sprintf(sqlStored, table), stream.Service.Name, r.Name)
	if err != nil {
		return promote.Proposal{}, fmt.Errorf("read the records of %s: %w", table, err)
	}
	declared := make(map[string]bool)
	for i := range r.Columns {
		declared[r.Columns[i].Wire] = true
	}
	for i := range r.Children {
		declared[r.Children[i].Name] = true
	}
	var (
		survey promote.Survey
		kept   []byte
	)
	if _, err := pgx.ForEachRow(rows, []any{&kept}, func() error { return survey.Records(kept, declared) }); err != nil {
		return promote.Proposal{}, fmt.Errorf("read the records of %s: %w", table, err)
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
	streams, err := a.DB.Streams(ctx, stream.Organization)
	if err != nil {
		return fmt.Errorf("look at the stream: %w", err)
	}
	for i := range streams {
		s := &streams[i]
		if s.Service == stream.Service.Name && s.Resource == stream.Key().Resource && s.State == string(pipeline.StateRunning) {
			return fmt.Errorf("%s: %w", stream, ErrBusy)
		}
	}
	return nil
}
