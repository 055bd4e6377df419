package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"sluice/pipeline/lineage/importer"
	"sluice/pipeline/warehouse"
)

// ImportOptions are the options of an import.
type ImportOptions struct {
	// Resource is the resource that the lines are records of, Organization the key of their
	// organization.
	Resource, Organization string
	// File is the name of the file in messages.
	File string
	Dry  bool
	// Progress, if not nil, receives the number of lines so far.
	Progress func(lines int64)
}

// Imported is the result of an import.
type Imported struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	File         string `json:"file"`
	importer.Result

	DryRun bool `json:"dry_run,omitempty"`
}

// Import imports records that another program has read upstream, as lines of JSON, without API
// calls.
func (a *App) Import(ctx context.Context, lines io.Reader, options ImportOptions) (Imported, error) {
	lists, err := a.Rebuildable([]string{options.Resource}, options.Organization)
	if err != nil {
		return Imported{}, err
	}
	if len(lists) > 1 {
		names := make([]string, len(lists))
		for i := range lists {
			names[i] = resourceName(lists[i])
		}
		return Imported{}, fmt.Errorf("%w: %s is more than one resource: choose one of %s", ErrUsage, options.Resource, strings.Join(names, ", "))
	}
	stream := lists[0]
	if err := a.mayHash(stream); err != nil {
		return Imported{}, err
	}
	if !options.Dry {
		if err := a.noteLeftOut(ctx); err != nil {
			return Imported{}, err
		}
	}
	result, err := importer.Run(ctx, a.DB, lines, importer.Options{
		Stream: stream, File: options.File, Dry: options.Dry, Now: a.options.Now, Rules: a.rules(), Progress: options.Progress,
	})
	switch {
	case errors.Is(err, importer.ErrResource), errors.Is(err, importer.ErrNoRecord):
		err = fmt.Errorf("%w: %w", ErrUsage, err)
	case errors.Is(err, warehouse.ErrAtWork):
		err = fmt.Errorf("%s: %w", stream, ErrBusy)
	}
	return Imported{Organization: stream.Organization, Resource: resourceName(stream), File: options.File, Result: result, DryRun: options.Dry}, err
}
