package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/lineage/adopt"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/adoptions/foreign"
	"sluice/pipeline/warehouse/postgres"
)

// AdoptOptions say what is adopted.
type AdoptOptions struct {
	// From is airbyte, fivetran, singer or jsonl.
	From string
	// Database is the address of the source, or the name of a variable of the environment that has
	// it; "" means the warehouse. Schema, if set, is the only schema that is looked at.
	Database, Schema string
	// Files is the folder with files: always for jsonl, for singer instead of a database.
	Files string
	// Map names the resource of a stream of the other program, as service.resource.
	Map map[string]string
	// Organization is the key of the organization whose records they are.
	Organization string
	// Times is utc or organization: how times without an offset are read; "" means the usual
	// reading of the program.
	Times string
	Again bool
	Dry   bool
	// Progress, if not nil, gets the number of records of a stream so far.
	Progress func(stream pipeline.Stream, n int64)
}

// Adopting is what became of one stream.
type Adopting struct {
	adopt.Result

	Match  adopt.Match
	Losses []string
	Err    error
}

// Adopt takes over the records of another program's warehouse, stream after stream, without a call.
// A stream that cannot be adopted stops no other (invariant 9). It also returns the tables and
// files that were left alone.
func (a *App) Adopt(ctx context.Context, options AdoptOptions) ([]Adopting, []adopt.Left, error) {
	origins, done, err := a.origins(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	selected, err := a.Rebuildable(nil, options.Organization)
	if err != nil {
		return nil, nil, err
	}
	if !options.Dry {
		if err := a.noteLeftOut(ctx); err != nil {
			return nil, nil, err
		}
	}
	known := map[string]bool{}
	for _, stream := range selected {
		known[resourceName(stream)] = true
		if err := a.mayHash(stream); err != nil {
			return nil, nil, err
		}
	}
	for name, resource := range options.Map {
		if !known[resource] {
			return nil, nil, fmt.Errorf("%w: --map %s=%s: %s is no configured resource", ErrUsage, name, resource, resource)
		}
	}
	matches, left, err := adopt.Find(ctx, origins, selected, options.Map)
	if errors.Is(err, adopt.ErrNoStream) {
		return nil, nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find what can be adopted: %w", err)
	}
	results := make([]Adopting, 0, len(matches))
	for _, match := range matches {
		how := adopt.Options{Source: options.From, Again: options.Again, Dry: options.Dry, Now: a.options.Now, Rules: a.rules()}
		if options.Progress != nil {
			how.Progress = func(n int64) { options.Progress(match.Stream, n) }
		}
		result, err := adopt.Run(ctx, a.DB, match, how)
		switch {
		case errors.Is(err, warehouse.ErrAtWork):
			err = fmt.Errorf("%s: %w", match.Stream, ErrBusy)
		case errors.Is(err, warehouse.ErrPosition):
			err = fmt.Errorf("%w: --again adopts beside the rows that it has", err)
		}
		results = append(results, Adopting{Result: result, Match: match, Losses: match.Origin.Losses(), Err: err})
		if ctx.Err() != nil || postgres.Unreachable(err) {
			return results, left, err
		}
	}
	return results, left, nil
}

// origins opens the source of an adoption; done closes it.
func (a *App) origins(ctx context.Context, options AdoptOptions) ([]adopt.Origin, func(), error) {
	none := func() {}
	switch {
	case options.From == "jsonl" || options.Files != "":
		found, err := adopt.Files(options.Files, options.From == "singer")
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrUsage, err)
		}
		return found, none, nil
	default:
		address, err := a.sourceAddress(options.Database)
		if err != nil {
			return nil, nil, err
		}
		db, err := foreign.Open(ctx, address)
		if errors.Is(err, foreign.ErrAddress) {
			return nil, nil, fmt.Errorf("%w: --database: %w", ErrUsage, err)
		}
		if err != nil {
			return nil, nil, err
		}
		times := foreign.Times(options.Times == "utc" || options.Times == "" && options.From != string(foreign.Airbyte))
		found, err := adopt.Tables(ctx, db, foreign.Program(options.From), options.Schema, times)
		if err != nil {
			db.Close()
			return nil, nil, err
		}
		return found, db.Close, nil
	}
}

// sourceAddress is the address of the database to adopt from. Its password becomes known to the
// scrubber, and is not taken from the command line, which other users of the machine can read.
func (a *App) sourceAddress(given string) (string, error) {
	if given == "" {
		return a.URL, nil
	}
	if strings.Contains(given, "://") || strings.Contains(given, "=") {
		if passwords := postgres.PasswordsWithin(given); len(passwords) > 0 {
			a.options.Scrub.Keep(passwords...)
			return "", fmt.Errorf("%w: --database: others can read a password on a command line: put the address into a variable of the environment "+
				"and give its name", ErrUsage)
		}
		return given, nil
	}
	address, set := a.options.LookupEnv(given)
	if !set || address == "" {
		return "", fmt.Errorf("%w: --database: %q is no address, and no variable of the environment has this name", ErrUsage, given)
	}
	a.options.Scrub.Keep(postgres.Passwords(address)...)
	return address, nil
}
