package sync

import (
	"context"

	"sluice/pipeline"
	"sluice/schema/record"
)

// Source is where records come from.
type Source interface {
	// Page reads one page of a list. Its errors are *pipeline.Error with a kind.
	Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error)
	// Export streams a list that comes as one body, in groups of records.
	Export(ctx context.Context, request pipeline.Request, each func(pipeline.Page) error) error
	// Details reads single records by their identifiers, as many at once as the resource's
	// declaration says. What upstream does not know is left out of the page: that is an answer and
	// no error.
	Details(ctx context.Context, request pipeline.Request, ids []string) (pipeline.Page, error)
}

// Backlog says what a run that has no list of its own reads next.
type Backlog interface {
	// Pending gives at most limit identifiers of rows that need their single record, newest first,
	// and how many need it in all. One that was asked for rests for a while, whatever came of it.
	Pending(ctx context.Context, stream pipeline.Stream, limit int) (ids []string, total int, err error)
	// NextParent gives the parent whose list was read longest ago, of those not read (and not
	// failed) since the run began, and how many are left with it; "" if none is.
	NextParent(ctx context.Context, claim pipeline.Claim) (parent string, left int, err error)
}

// Store is where rows and progress go.
type Store interface {
	// Load writes units of one claim, in their order, in one transaction, fenced by the claim. It
	// returns pipeline.ErrLostClaim if another worker claimed the stream, and writes nothing then.
	// After another error some of them may be loaded, each with all that were before it.
	Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error)
	// Refusals gives what the run of a claim was given so far, and what of it went to quarantine
	// and is news.
	Refusals(ctx context.Context, claim pipeline.Claim) (pipeline.Refusals, error)
}

// UnchangedFinder knows the rows that there are.
type UnchangedFinder interface {
	// Unchanged sets record.Record.Unchanged of those records of a list whose rows have their
	// payload hashes, and may set Seen of any. Records without a key are none.
	Unchanged(ctx context.Context, stream pipeline.Stream, records []record.Record) error
}
