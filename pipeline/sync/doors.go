package sync

import (
	"context"
	"time"

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
	// declaration says. The page leaves out what upstream does not know: that is an answer, not an
	// error.
	Details(ctx context.Context, request pipeline.Request, ids []string) (pipeline.Page, error)
}

// Backlog says what a run that has no list of its own reads next.
type Backlog interface {
	// Pending gives at most limit identifiers of rows that need their single record, or of records
	// of which change notifications told, in the order in which they are read, and how many there
	// are in all. Place is that of the first of them: rows
	// that have waited long have places of their own. An identifier that was asked for is not given
	// again for a while, whatever the answer was.
	Pending(ctx context.Context, stream pipeline.Stream, place, limit int) (ids []string, total int, err error)
	// NextParent gives the parent whose list was read longest ago; "" if none is left. Parents that
	// were read or failed since the run began do not count. left is how many are left, with this
	// one.
	NextParent(ctx context.Context, claim pipeline.Claim) (parent string, left int, err error)
	// Control gives an identifier that upstream should know and that is not among ids, if a scan
	// missed one of ids; "" if it missed none of them, or if there is no such identifier.
	Control(ctx context.Context, stream pipeline.Stream, ids []string) (string, error)
}

// Ranks says where the live rows of a list stand in the order of their creation. Rows that a scan
// missed, and rows without a time of creation, do not count.
type Ranks interface {
	// Extent gives the number of rows, and how many of them a look may miss.
	Extent(ctx context.Context, stream pipeline.Stream) (rows, most int, err error)
	// Between gives how many rows were created before an instant, and the identifiers of those that
	// were created then or later, and before another instant. A zero instant is no bound.
	Between(ctx context.Context, stream pipeline.Stream, from, to time.Time) (before int, ids []string, err error)
}

// Store is where rows and progress go.
type Store interface {
	// Load writes batches of one claim, in their order, in one transaction or, if the server
	// refuses that, in one each. The claim fences them. It returns pipeline.ErrLostClaim if another
	// worker claimed the stream, and writes nothing then. After another error some batches may be
	// loaded, each with all batches before it.
	Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error)
	// Refusals gives how many records the run of a claim received so far, and how many of them went
	// to quarantine as new ones.
	Refusals(ctx context.Context, claim pipeline.Claim) (pipeline.Refusals, error)
}

// UnchangedFinder finds records whose rows hold the same bytes already.
type UnchangedFinder interface {
	// Unchanged sets record.Record.Unchanged of those records of a list whose rows have their
	// payload hashes, and may set Seen of any. Records without a key are skipped.
	Unchanged(ctx context.Context, stream pipeline.Stream, records []record.Record) error
}
