package harness

import (
	"context"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Inbox holds the judge's findings about callbacks.
type Inbox struct {
	Broken

	// Sent counts the callbacks that upstream sent, Taken those that were answered with 2xx.
	Sent, Taken int
	// Hints counts the records and lists that were told of, Read those that were read since.
	Hints, Read int
}

// sqlInbox returns what the inbox has of each content, and how many events its callbacks made.
const sqlInbox = `SELECT c.dialect, c.digest, c.times, cardinality(c.ids) AS ids,
	(SELECT count(*) FROM notifications.events e WHERE e.callback_id = c.id) AS events
FROM sluice.callbacks c WHERE c.dialect <> 'test'`

// stored is a row of the inbox.
type stored struct {
	Dialect            string
	Digest             []byte
	Times, IDs, Events int
}

// JudgeInbox compares the inbox with what upstream sent and what it was answered, when no callback
// is under way. All hints have to be read.
func (b *Bed) JudgeInbox(ctx context.Context, warehouse *pgxpool.Pool) (Inbox, error) {
	var i Inbox
	rows, _ := warehouse.Query(ctx, sqlInbox) // collecting returns its error
	inbox, err := pgx.CollectRows(rows, pgx.RowToStructByPos[stored])
	if err != nil {
		return i, fmt.Errorf("read the inbox: %w", err)
	}
	b.callbacks.mu.Lock()
	told := maps.Clone(b.callbacks.told)
	b.callbacks.mu.Unlock()
	i.compare(told, inbox)
	const sql = `SELECT count(*), count(read_at) FROM sluice.hints`
	if err := warehouse.QueryRow(ctx, sql).Scan(&i.Hints, &i.Read); err != nil {
		return i, fmt.Errorf("count hints: %w", err)
	}
	if i.Read < i.Hints {
		i.Brokenf("of %d records and lists that were told of, %d were read", i.Hints, i.Read)
	}
	return i, nil
}

// compare finds what is missing in the inbox, what it has twice, and what was never sent.
func (i *Inbox) compare(told map[content]fate, inbox []stored) {
	found := make(map[content]int, len(inbox))
	for _, row := range inbox {
		of := content{dialect: row.Dialect}
		copy(of.digest[:], row.Digest)
		if found[of] > 0 {
			i.Brokenf("the inbox has a content twice: %s %x", of.dialect, of.digest)
		}
		found[of] += row.Times
		// Equal contents of a channel are a repetition, those of a rule are further changes.
		changes := 1
		if row.Dialect == "rule" {
			changes = row.Times
		}
		if row.Events != row.IDs*changes {
			i.Brokenf("%d events of %d records that were told of %d times: %s %x", row.Events, row.IDs, changes, of.dialect, of.digest)
		}
		if sent := told[of].sent; found[of] > sent {
			i.Brokenf("the inbox has %s %x %d times, it was sent %d times", of.dialect, of.digest, found[of], sent)
		}
	}
	lost := 0
	var example content
	for of, fate := range told {
		i.Sent, i.Taken = i.Sent+fate.sent, i.Taken+fate.taken
		if missing := fate.taken - found[of]; missing > 0 {
			lost, example = lost+missing, of
		}
	}
	if lost > 0 {
		i.Brokenf("%d callbacks were answered with 2xx and are not in the inbox: %s %x", lost, example.dialect, example.digest)
	}
}
