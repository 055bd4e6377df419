// Package flow brings pages from HTTP into tables with the program's own parts and nothing around them: no call log, no
// positions, no queue, no limits. It shows what the parts can do; what a whole run does is measured beside it.
//
// One party fetches, and a few lanes beside each other take the pages, or the lines of an export, read them and load them, each on a
// connection of its own: while one waits for the server or for the disk, the others go on, as streams do that run side by side. The
// pages that are ready when a lane asks become one transaction: one where calls are slow, many where they are fast.
//
// Start reading at Pages.
package flow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/pipeline/sync/unchanged"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

// Organization is whose records these are.
const Organization = "org"

const (
	// groupRecords bounds one transaction. All lanes together have so many times their number in memory.
	groupRecords = 2000
	// partRecords is how many records of a large page are read at once: it waits as a page of the usual size does.
	partRecords = 200
	// groupPages are those of one transaction, where pages have the usual size; as many may wait for a lane.
	groupPages = groupRecords / partRecords
	// lines of an export come in groups of so many.
	groupLines = 10_000
)

// Job is what is read and where it goes.
type Job struct {
	// Conn is that of the first lane, or of whoever has no lanes; Beside are those of the other lanes.
	Conn     *pgx.Conn
	Beside   []*pgx.Conn
	Service  *schema.Service
	Resource *schema.Resource
	// Page gives the address of a page by its number.
	Page func(number int) string
	// Call is the number of the first call.
	Call int64
}

// Counts say what became of the records.
type Counts struct {
	Records      int `json:"records"`
	Written      int `json:"written"`
	Transactions int `json:"transactions"`
}

// fetch reads pages one after the other until there is no more.
func (j *Job) fetch(ctx context.Context, client *http.Client, each func(data []byte) (more bool, err error)) error {
	for number, more := 1, true; more; number++ {
		data, err := get(ctx, client, j.Page(number))
		if err != nil {
			return err
		}
		if more, err = each(data); err != nil {
			return err
		}
	}
	return nil
}

func get(ctx context.Context, client *http.Client, address string) (_ []byte, err error) {
	answer, err := open(ctx, client, address)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	data := make([]byte, max(answer.ContentLength, 0))
	if _, err := io.ReadFull(answer.Body, data); err != nil {
		return nil, fmt.Errorf("read a page: %w", err)
	}
	return data, nil
}

func open(ctx context.Context, client *http.Client, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask for a page: %w", err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for a page: %w", err)
	}
	return answer, nil
}

// Pages copies a list: fetching, reading and loading side by side.
func (j *Job) Pages(ctx context.Context) (Counts, error) {
	normalizer, err := record.New(j.Resource, time.UTC)
	if err != nil {
		return Counts{}, fmt.Errorf("prepare: %w", err)
	}
	bodies := make(chan []byte, groupPages)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(bodies)
		return j.fetch(ctx, new(http.Client), func(data []byte) (bool, error) {
			// Only its end says whether more follows; what is in between is read by the lanes.
			const tail = 60
			more := string(data[max(0, len(data)-tail):])
			return more[len(more)-len(`true}}`):] == `true}}`, send(ctx, bodies, data)
		})
	})
	lanes := j.lanes()
	for i := range lanes {
		lanes[i].reader = unchanged.Reader{Normalizer: normalizer, Ask: lanes[i].ask}
		group.Go(func() error { return lanes[i].run(ctx, bodies) })
	}
	err = group.Wait()
	return sum(lanes), err //nolint:wrapcheck // what fails says where
}

func send[T any](ctx context.Context, to chan<- T, value T) error {
	select {
	case to <- value:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Load loads records in one transaction.
func Load(ctx context.Context, conn *pgx.Conn, l *rows.Loader, records []record.Record, call int64, counts *Counts) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { //nolint:wrapcheck // what fails says where
		result, refused, err := l.LoadBisect(ctx, tx, rows.Batch{Organization: Organization, Run: 1, Call: call, Records: records})
		if err == nil && (len(refused) > 0 || result.Superseded > 0) {
			err = fmt.Errorf("%d records were refused and %d superseded: nothing is measured", len(refused), result.Superseded)
		}
		counts.Records += len(records)
		counts.Written += result.Inserted + result.Updated
		counts.Transactions++
		return err //nolint:wrapcheck // what fails says where
	})
}

// Rival copies the list as most tools do: one step after the other, by encoding/json and upserts by row.
func (j *Job) Rival(ctx context.Context, tables *baseline.Tables, group int) (Counts, error) {
	var counts Counts
	var waiting []record.Record
	flush := func() error {
		counts.Records += len(waiting)
		counts.Transactions++
		err := tables.Upserts(ctx, j.Conn, Organization, waiting, group)
		waiting = nil
		return err //nolint:wrapcheck // what fails says where
	}
	err := j.fetch(ctx, new(http.Client), func(data []byte) (bool, error) {
		records, err := baseline.Decode(data, j.Resource)
		if err != nil {
			return false, err //nolint:wrapcheck // what fails says where
		}
		if waiting = append(waiting, records...); len(waiting) >= group {
			if err := flush(); err != nil {
				return false, err
			}
		}
		return string(data[len(data)-len(`true}}`):]) == `true}}`, nil
	})
	if err == nil && len(waiting) > 0 {
		err = flush()
	}
	return counts, err
}
