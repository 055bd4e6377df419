package erasures

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
)

const (
	// batchRows is how many rows are rewritten in one transaction, which keeps runs from writing.
	batchRows = 200
	// mostPasses bounds how often all tables are looked through. A pass finds what was loaded
	// while the one before it went on.
	mostPasses = 10
)

const (
	sqlReading = `BEGIN READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL jit = off`

	sqlSalt = `SELECT salt FROM sluice.erasure_salt`

	// The same command goes on with the erasure that was stopped.
	sqlOpen = `SELECT id FROM sluice.erasures WHERE subject_hash = $1 AND organization_id = $2 AND ended_at IS NULL ORDER BY id LIMIT 1`

	sqlBeginText = `INSERT INTO sluice.erasures (organization_id, service, resource, subject_hash, note) VALUES ($1, '', '', $2, $3) RETURNING id`

	// Every transaction that locks more than one stream locks them in this order.
	sqlLockStreams = `SELECT FROM sluice.streams WHERE organization_id = $1 ORDER BY service, resource FOR UPDATE`

	sqlNoteValues = `
INSERT INTO sluice.erased_values (organization_id, value_hash, erasure_id) SELECT $1, v.hash, $3 FROM unnest($2::bytea[]) AS v (hash)
ON CONFLICT (organization_id, value_hash) DO NOTHING`

	sqlCountText = `
UPDATE sluice.erasures SET places = places || jsonb_build_object($2::text, coalesce((places ->> $2)::bigint, 0) + $3),
	rewritten = CASE WHEN $4::text = '' OR $4 = ANY (rewritten) THEN rewritten ELSE rewritten || $4 END
WHERE id = $1`

	sqlRewritten = `
SELECT DISTINCT t.name FROM sluice.erasures e CROSS JOIN LATERAL unnest(e.rewritten) AS t (name)
WHERE e.organization_id = $1 ORDER BY 1`

	sqlRebuilt = `
UPDATE sluice.erasures SET rewritten = ARRAY(SELECT t.name FROM unnest(rewritten) AS t (name) WHERE t.name <> ALL ($2))
WHERE organization_id = $1 AND rewritten && $2`

	sqlErasedText = `
SELECT id FROM sluice.erasures WHERE subject_hash = $1 AND organization_id = $2 AND ended_at IS NOT NULL AND allowed_at IS NULL
ORDER BY id DESC LIMIT 1`

	sqlPlaces = `SELECT places FROM sluice.erasures WHERE id = $1`

	sqlAllowText = `
WITH allowed AS (
	UPDATE sluice.erasures SET allowed_at = clock_timestamp() WHERE subject_hash = $1 AND organization_id = $2 AND allowed_at IS NULL RETURNING id
)
DELETE FROM sluice.erased_values v WHERE v.erasure_id IN (SELECT id FROM allowed)`
)

// TextSubject is a text that is erased from what an organization has.
type TextSubject struct {
	Organization string
	Needle       *places.Needle
	// Text is what the needle was made of; it names the erasure by its salted hash alone.
	Text, Note string
	// Progress, if not nil, is told of what is looked through.
	Progress func(place string, erased int64)
}

// texts is one erasure of a text under way.
type texts struct {
	*TextSubject

	pool *pgxpool.Pool
	salt []byte
	id   int64
	// found counts the values of a dry run, sum those that were erased.
	found map[string]int64
	sum   int64
	// rewritten are the tables of which rows were rewritten.
	rewritten map[string]bool
}

// EraseText takes a text out of all that an organization has here: each value that holds it is
// replaced by places.Erased, and left out of records from then on before they are loaded. It goes
// on with an erasure of the same text that was stopped or killed. A dry run counts the values and
// raw records that hold it, and writes nothing. If nothing holds it, it returns ErrNothing.
//
// Rows of which a value was replaced have content hashes that no longer fit, until they are made
// anew: see Rewritten.
func EraseText(ctx context.Context, pool *pgxpool.Pool, subject *TextSubject, dry bool) (Receipt, error) {
	const op = "erasing a text"
	e, err := newTexts(ctx, pool, subject)
	if err != nil {
		return Receipt{}, err
	}
	if dry {
		if _, err = e.pass(ctx, true); err == nil && len(e.found) == 0 {
			err = ErrNothing
		}
		return Receipt{Organization: subject.Organization, Places: e.found}, postgres.Fail(op, err)
	}
	if err := e.begin(ctx); err != nil {
		return Receipt{}, postgres.Fail(op, err)
	}
	for passes, left := 0, true; left; passes++ {
		if passes == mostPasses {
			return Receipt{}, fmt.Errorf("%s: it came again in each of %d passes: erase it upstream first", op, mostPasses)
		}
		var err error
		if left, err = e.pass(ctx, false); err != nil {
			return Receipt{}, postgres.Fail(op, err)
		}
	}
	receipt, err := e.end(ctx)
	if err != nil {
		return receipt, postgres.Fail(op, err)
	}
	err = receipt.forget(ctx, pool, slices.Sorted(maps.Keys(e.rewritten)))
	return receipt, err
}

func newTexts(ctx context.Context, pool *pgxpool.Pool, subject *TextSubject) (*texts, error) {
	e := &texts{TextSubject: subject, pool: pool, found: map[string]int64{}, rewritten: map[string]bool{}}
	return e, postgres.Fail("reading the salt of erasures", pool.QueryRow(ctx, sqlSalt).Scan(&e.salt))
}

// Rewritten returns the tables, with their schemas, in whose rows a text of an organization was
// replaced, and whose rows are still to be made anew out of raw records.
func Rewritten(ctx context.Context, pool *pgxpool.Pool, organization string) ([]string, error) {
	return postgres.Collect(ctx, pool, "reading where texts were erased", pgx.RowTo[string], sqlRewritten, organization)
}

// Rebuilt notes that the rows of tables were made anew.
func Rebuilt(ctx context.Context, pool *pgxpool.Pool, organization string, tables []string) error {
	_, err := pool.Exec(ctx, sqlRebuilt, organization, tables)
	return postgres.Fail("noting that rows were made anew", err)
}

// EarlierText returns the number of the erasure of a text whose values are left out; 0 if there is
// none.
func EarlierText(ctx context.Context, pool *pgxpool.Pool, organization, text string) (int64, error) {
	e, err := newTexts(ctx, pool, &TextSubject{Organization: organization, Text: text})
	if err != nil {
		return 0, err
	}
	var id int64
	err = pool.QueryRow(ctx, sqlErasedText, e.named(), organization).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return id, postgres.Fail("looking for an erasure", err)
}

// named is the salted hash of the text: another case is another text.
func (e *texts) named() []byte { return e.hash("text\n" + e.Organization + "\n" + e.Text) }

func (e *texts) hash(text string) []byte {
	sum := sha256.Sum256(append(slices.Clip(e.salt), text...))
	return sum[:]
}

// begin finds the erasure that was stopped, or makes a new one.
func (e *texts) begin(ctx context.Context) error {
	return pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLock); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, sqlOpen, e.named(), e.Organization).Scan(&e.id)
		if errors.Is(err, pgx.ErrNoRows) {
			err = tx.QueryRow(ctx, sqlBeginText, e.Organization, e.named(), e.Note).Scan(&e.id)
		}
		return err
	})
}

// end seals the receipt. Where nothing was found there is none to keep.
func (e *texts) end(ctx context.Context) (Receipt, error) {
	var receipt Receipt
	err := pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLock); err != nil {
			return err
		}
		var found map[string]int64
		if err := tx.QueryRow(ctx, sqlPlaces, e.id).Scan(&found); err != nil {
			return err
		}
		if len(found) == 0 {
			if _, err := tx.Exec(ctx, `DELETE FROM sluice.erasures WHERE id = $1`, e.id); err != nil {
				return err
			}
			return nil
		}
		var err error
		receipt, err = end(ctx, tx, e.id, found)
		return err
	})
	if err == nil && receipt.ID == 0 {
		err = ErrNothing
	}
	return receipt, err
}

// pass looks through all tables once, then rewrites what holds the text, and says whether anything
// did. A dry run counts.
func (e *texts) pass(ctx context.Context, dry bool) (bool, error) {
	holding, err := e.look(ctx, dry)
	if err != nil || dry {
		return false, err
	}
	for i := range holding {
		h := &holding[i]
		for part := range slices.Chunk(h.at, batchRows) {
			if err := e.rewrite(ctx, &h.table, part); err != nil {
				return true, fmt.Errorf("%s: %w", h.place, err)
			}
			if e.Progress != nil {
				e.Progress(h.place, e.sum)
			}
		}
	}
	return len(holding) > 0, nil
}

// holding is a table with the rows that hold the text.
type holding struct {
	table

	at []pgtype.TID
}

// look finds the rows that hold the text, one table after the other. A dry run counts values.
func (e *texts) look(ctx context.Context, dry bool) ([]holding, error) {
	var all []holding
	err := e.Needle.Search(ctx, e.pool, func(conn *pgx.Conn) error {
		tables, err := tables(ctx, conn)
		for i := 0; i < len(tables) && err == nil; i++ {
			h := holding{table: tables[i]}
			err = e.lookAt(ctx, conn, &h, dry)
			if len(h.at) > 0 {
				all = append(all, h)
			}
		}
		return err
	})
	return all, err
}

func (e *texts) lookAt(ctx context.Context, conn *pgx.Conn, h *holding, dry bool) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: sqlReading}, func(tx pgx.Tx) error {
		return e.each(ctx, tx, &h.table, places.Candidates(h.columns), nil, func(row found) error {
			changed := h.rewritten(e.Needle, row.values)
			if changed.hits == 0 {
				return nil
			}
			h.at = append(h.at, row.at)
			if dry {
				e.found[h.place] += int64(changed.hits)
			}
			return nil
		})
	})
}

// found is a row with the values of the table's columns, nil where there is none.
type found struct {
	at     pgtype.TID
	record *string
	values [][]byte
}

// each calls fn for each row for which a condition is true, of the organization where rows belong
// to one.
func (e *texts) each(ctx context.Context, tx pgx.Tx, t *table, condition string, arg any, fn func(found) error) error {
	selected := []string{"ctid", "NULL::text"}
	if t.record != "" {
		selected[1] = pgx.Identifier{t.record}.Sanitize()
	}
	for _, c := range t.columns {
		selected = append(selected, c.Value())
	}
	sql, args := "SELECT "+strings.Join(selected, ", ")+" FROM "+t.name+" WHERE "+condition, []any{}
	if arg != nil {
		args = append(args, arg)
	}
	if t.organized {
		args = append(args, e.Organization)
		sql += fmt.Sprintf(" AND coalesce(organization_id, $%[1]d) = $%[1]d", len(args)) // a note can be about none
	}
	rows, _ := tx.Query(ctx, sql, args...)
	var row found
	into := []any{&row.at, &row.record}
	values := make([][]byte, len(t.columns))
	for i := range values {
		into = append(into, &values[i])
	}
	_, err := pgx.ForEachRow(rows, into, func() error {
		row.values = slices.Clone(values)
		return fn(row)
	})
	return err
}

// rewrite takes the text out of some rows in one transaction, with all that follows from it.
func (e *texts) rewrite(ctx context.Context, t *table, at []pgtype.TID) error {
	return pgx.BeginFunc(ctx, e.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLockStreams, e.Organization); err != nil {
			return err
		}
		erased, batch := int64(0), new(pgx.Batch)
		leaves, records := map[string]bool{}, map[string]bool{}
		err := e.each(ctx, tx, t, "ctid = ANY ($1)", at, func(row found) error {
			changed := t.rewritten(e.Needle, row.values)
			if changed.hits == 0 {
				return nil // another transaction changed it: the next pass sees it
			}
			erased += int64(changed.hits)
			for _, leaf := range changed.leaves {
				leaves[leaf] = true
			}
			if row.record != nil && t.record != "" {
				records[*row.record] = true
			}
			t.queue(batch, row.at, &changed)
			return nil
		})
		if err != nil || erased == 0 {
			return err
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if err := e.follow(ctx, tx, t, leaves, records); err != nil {
			return err
		}
		e.sum += erased
		e.rewritten[t.name] = true
		_, err = tx.Exec(ctx, sqlCountText, e.id, t.place, erased, t.copied)
		return err
	})
}

// follow notes the values, so that they are not loaded again, and logs whose rows changed.
func (e *texts) follow(ctx context.Context, tx pgx.Tx, t *table, leaves, records map[string]bool) error {
	hashes := make([][]byte, 0, len(leaves))
	for leaf := range leaves {
		hashes = append(hashes, e.hash(e.Organization+"\n"+leaf))
	}
	noted, err := tx.Exec(ctx, sqlNoteValues, e.Organization, hashes, e.id)
	if err != nil {
		return err
	}
	if noted.RowsAffected() > 0 { // a worker that claimed its stream before would load the value
		if err := streams.Unclaim(ctx, tx, pipeline.Key{Organization: e.Organization}); err != nil {
			return err
		}
	}
	if t.place != placeRows { // the log names records; that of an array is logged when it is made anew
		return nil
	}
	return changes.Write(ctx, tx, e.Organization, t.copied, changes.Rewritten, slices.Sorted(maps.Keys(records)))
}

// AllowText lets values be loaded again that an erasure of a text took out, and says how many.
func AllowText(ctx context.Context, pool *pgxpool.Pool, organization, text string) (int64, error) {
	e, err := newTexts(ctx, pool, &TextSubject{Organization: organization, Text: text})
	if err != nil {
		return 0, err
	}
	done, err := pool.Exec(ctx, sqlAllowText, e.named(), organization)
	return done.RowsAffected(), postgres.Fail("allowing an erased text", err)
}
