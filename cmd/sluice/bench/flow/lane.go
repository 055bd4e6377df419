package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/run/known"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/warehouse/loader"
	"sluice/schema"
	"sluice/schema/normalize"
)

// lane reads pages and loads what they hold, on a connection of its own.
type lane struct {
	resource *schema.Resource
	conn     *pgx.Conn
	loader   *loader.Loader
	reader   known.Reader
	// call is the number of the last transaction of all lanes.
	call   *atomic.Int64
	counts Counts
	// waiting are the records that were read and are to be loaded.
	waiting []normalize.Record
}

// lanes gives one for each connection.
func (j *Job) lanes() []lane {
	call, l := new(atomic.Int64), loader.New(j.Service, j.Resource)
	call.Store(j.Call)
	lanes := make([]lane, 1+len(j.Beside))
	for i, conn := range append([]*pgx.Conn{j.Conn}, j.Beside...) {
		lanes[i] = lane{resource: j.Resource, conn: conn, loader: l, call: call}
	}
	return lanes
}

// sum gives what became of the records of all lanes.
func sum(lanes []lane) Counts {
	var counts Counts
	for i := range lanes {
		counts.Records += lanes[i].counts.Records
		counts.Written += lanes[i].counts.Written
		counts.Transactions += lanes[i].counts.Transactions
	}
	return counts
}

func (l *lane) ask(ctx context.Context, records []normalize.Record) error {
	return l.loader.Known(ctx, l.conn, Organization, records) //nolint:wrapcheck // what fails says where
}

// run takes pages until there are no more, and loads before it waits for one.
func (l *lane) run(ctx context.Context, bodies <-chan []byte) error {
	for {
		var data []byte
		select {
		case data = <-bodies:
		default:
			if err := l.load(ctx); err != nil {
				return err
			}
			data = <-bodies
		}
		if data == nil { // there are no more, and every page has bytes
			return l.load(ctx)
		}
		if err := l.read(ctx, data); err != nil {
			return err
		}
	}
}

// read normalizes a page, a part at a time: a page can be large, and what is made of it is larger.
func (l *lane) read(ctx context.Context, data []byte) error {
	envelope, err := body.Parse(data)
	if err != nil {
		return fmt.Errorf("read an envelope: %w", err)
	}
	page, err := envelope.Page(l.resource.Key)
	if err != nil {
		return fmt.Errorf("read a list: %w", err)
	}
	for part := range slices.Chunk(page.Records, partRecords) {
		var unfit error
		err := l.reader.Page(ctx, part, "", func(_ []byte, record normalize.Record, misfit error) {
			unfit = errors.Join(unfit, misfit)
			if record.Known { // nothing is to be written of it
				l.counts.Records++
				return
			}
			l.waiting = append(l.waiting, record)
		})
		if err := errors.Join(err, unfit); err != nil {
			return fmt.Errorf("read records: %w", err)
		}
		if len(l.waiting) < groupRecords {
			continue
		}
		if err := l.load(ctx); err != nil {
			return err
		}
	}
	return nil
}

// load loads what waits in one transaction.
func (l *lane) load(ctx context.Context) error {
	if len(l.waiting) == 0 {
		return nil
	}
	err := Load(ctx, l.conn, l.loader, l.waiting, l.call.Add(1), &l.counts)
	clear(l.waiting) // the bytes of pages
	l.waiting = l.waiting[:0]
	return err
}
