package flow

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/sync/unchanged"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema"
	"sluice/schema/record"
)

// lane reads pages and loads what they hold, on a connection of its own.
type lane struct {
	resource *schema.Resource
	conn     *pgx.Conn
	loader   *rows.Loader
	reader   unchanged.Reader
	// call is the number of the last transaction of all lanes.
	call   *atomic.Int64
	counts Counts
	// taking is held by the one lane that takes pages.
	taking *sync.Mutex
	// waiting are the records that were read and are to be loaded.
	waiting []record.Record
}

// lanes gives one for each connection.
func (j *Job) lanes() []lane {
	call, taking, l := new(atomic.Int64), new(sync.Mutex), rows.New(j.Service, j.Resource)
	call.Store(j.Call)
	lanes := make([]lane, 1+len(j.Beside))
	for i, conn := range append([]*pgx.Conn{j.Conn}, j.Beside...) {
		lanes[i] = lane{resource: j.Resource, conn: conn, loader: l, call: call, taking: taking}
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

func (l *lane) ask(ctx context.Context, records []record.Record) error {
	return l.loader.Known(ctx, l.conn, Organization, records) //nolint:wrapcheck // what fails says where
}

// run reads and loads pages until there are no more.
func (l *lane) run(ctx context.Context, bodies <-chan []byte) error {
	for {
		pages := l.take(bodies)
		if len(pages) == 0 {
			return nil
		}
		for _, page := range pages {
			if err := l.read(ctx, page); err != nil {
				return err
			}
		}
		if err := l.load(ctx); err != nil {
			return err
		}
	}
}

// take gives the pages of one transaction: the next one, and those behind it that are there already. No other lane takes pages
// meanwhile, so a transaction has a range of the list to itself, as it has in the product, where a list is one stream's. There
// are none when the list has ended.
func (l *lane) take(bodies <-chan []byte) [][]byte {
	l.taking.Lock()
	defer l.taking.Unlock()
	first, more := <-bodies
	if !more {
		return nil
	}
	pages := [][]byte{first}
	for len(pages) < groupPages {
		select {
		case page, more := <-bodies:
			if !more {
				return pages
			}
			pages = append(pages, page)
		default:
			return pages
		}
	}
	return pages
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
		if len(l.waiting) >= groupRecords {
			if err := l.load(ctx); err != nil {
				return err
			}
		}
		err := l.reader.Page(ctx, part, "", func(_ []byte, record record.Record, misfit error) error {
			switch {
			case misfit != nil:
			case record.Known: // nothing is to be written of it
				l.counts.Records++
			default:
				l.waiting = append(l.waiting, record)
			}
			return misfit
		})
		if err != nil {
			return fmt.Errorf("read records: %w", err)
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
