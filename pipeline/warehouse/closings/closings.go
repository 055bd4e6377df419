// Package closings closes periods of an organization: it keeps what belonged to a period on the day
// of closing, and notices what changed since.
//
// It is the only writer of sluice.closings, closing_sums, closed_records and after_close_notices.
// It never compares values itself: analytics.after_close does, and analysts read the same view.
//
// Start reading at Close, then Notice.
package closings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// Reasons why a period is not closed, or not opened again.
var (
	ErrClosed    = errors.New("the period is closed already")
	ErrNotClosed = errors.New("the period is not closed")
	ErrNotOver   = errors.New("the period is not over")
	ErrNothing   = errors.New("no table of the organization has records with a day")
)

// LacksError says that something of the period is missing: closing it nevertheless has to be asked
// for.
type LacksError struct{ Lacks []string }

// Error implements error.
func (e *LacksError) Error() string {
	return "the period is not complete: " + strings.Join(e.Lacks, "; ")
}

// Closing is a closed period, or what it would be.
type Closing struct {
	Organization string    `db:"organization_id" json:"organization"`
	Period       string    `db:"period"          json:"period"`
	FirstDay     string    `db:"first_day"       json:"first_day"`
	LastDay      string    `db:"last_day"        json:"last_day"`
	TimeZone     string    `db:"time_zone"       json:"time_zone"`
	ClosedAt     time.Time `db:"closed_at"       json:"closed_at"`
	Records      int64     `db:"records"         json:"records"`
	Digest       string    `db:"digest"          json:"digest"`
	// Lacks is what was missing when it was closed nevertheless, in sentences.
	Lacks []string `db:"lacks" json:"lacks"`
	// Changes is how many records changed it since, as they were noticed last.
	Changes int64 `db:"changes" json:"changes"`
	// Sums are its counts and sums; List leaves them out.
	Sums []Sum `db:"-" json:"sums,omitempty"`
}

// Sum is the counts and sums of one table and currency.
type Sum struct {
	Table    string `db:"table_name"    json:"table"`
	Currency string `db:"currency_code" json:"currency"`
	Records  int64  `db:"records"       json:"records"`
	Counted  int64  `db:"counted"       json:"counted"`
	// Figures are the sums as JSON, by figure: {"total": 1210.50}.
	Figures json.RawMessage `db:"figures" json:"figures"`
}

const (
	sqlOver = `SELECT ($1::date + 1)::timestamp AT TIME ZONE $2 <= clock_timestamp()`

	// sqlLacks gives what is missing of a period: tables that are not complete up to its end,
	// records whose single record is still to be read, and records in quarantine, whose day is not
	// known. $5 and $6 are the services and resources that have days.
	sqlLacks = `
WITH streams AS (
	SELECT s.service, s.resource, s.service || '.' || s.resource AS name, s.watermark FROM sluice.streams s
	JOIN unnest($5::text[], $6::text[]) AS d (service, resource) ON (d.service, d.resource) = (s.service, s.resource)
	WHERE s.organization_id = $1 AND s.enabled
), lacks AS (
	SELECT 1 AS place, s.name, CASE WHEN s.watermark IS NULL THEN s.name || ' was never read whole'
		ELSE s.name || ' is complete up to ' || to_char(s.watermark AT TIME ZONE $4, 'YYYY-MM-DD HH24:MI') || ' only' END AS lack
	FROM streams s WHERE s.watermark IS NULL OR s.watermark < ($3::date + 1)::timestamp AT TIME ZONE $4
	UNION ALL
	SELECT 2, r.service || '.' || r.resource,
		r.service || '.' || r.resource || ' has ' || count(*) || ' records of the period whose single record is still to be read'
	FROM sluice.dated_records r WHERE r.organization_id = $1 AND r.day BETWEEN $2::date AND $3::date AND NOT r.is_whole AND NOT r.is_deleted
	GROUP BY r.service, r.resource
	UNION ALL
	SELECT 3, s.name, s.name || ' has ' || count(*) || ' records in quarantine, of whatever day'
	FROM streams s JOIN sluice.quarantine q ON q.organization_id = $1 AND (q.service, q.resource) = (s.service, s.resource) AND q.state = 'open'
	GROUP BY s.name
)
SELECT (SELECT count(*) FROM streams), coalesce((SELECT array_agg(l.lack ORDER BY l.place, l.name) FROM lacks l), '{}')`

	sqlClose = `
INSERT INTO sluice.closings (organization_id, period, first_day, last_day, time_zone, lacks) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (organization_id, period) WHERE reopened_at IS NULL DO NOTHING RETURNING id`

	sqlRecords = `
INSERT INTO sluice.closed_records
	(closing_id, table_name, record_id, day, counts, is_deleted, is_whole, currency_code, exchange_rate, figures, content)
SELECT $1, r.table_name, r.record_id, r.day, r.counts, r.is_deleted, r.is_whole, r.currency_code, r.exchange_rate, r.figures, r.content
FROM sluice.dated_records r WHERE r.organization_id = $2 AND r.day BETWEEN $3::date AND $4::date`

	sqlSums = `
INSERT INTO sluice.closing_sums (closing_id, table_name, currency_code, records, counted, figures)
SELECT $1, r.table_name, r.currency_code, r.records, r.counted, coalesce((SELECT jsonb_object_agg(f.key, f.sum) FROM (
	SELECT f.key, coalesce(sum(f.value::numeric) FILTER (WHERE c.counts AND NOT c.is_deleted), 0) AS sum
	FROM sluice.closed_records c CROSS JOIN LATERAL jsonb_each_text(c.figures) AS f
	WHERE c.closing_id = $1 AND c.table_name = r.table_name AND coalesce(c.currency_code, '') = r.currency_code GROUP BY f.key) AS f), '{}')
FROM (SELECT c.table_name, coalesce(c.currency_code, '') AS currency_code, count(*) AS records,
		count(*) FILTER (WHERE c.counts AND NOT c.is_deleted) AS counted
	FROM sluice.closed_records c WHERE c.closing_id = $1 GROUP BY 1, 2) AS r`

	// Of equal values the digest is equal: text of JSON is canonical in the database but for the
	// zeros behind a decimal point, which are a record's own.
	sqlSeal = `
UPDATE sluice.closings SET (records, digest) = (
	SELECT count(*), encode(sha256(convert_to(coalesce(string_agg(concat_ws('|', r.table_name, r.record_id, r.day, r.counts, r.is_deleted, r.is_whole,
		coalesce(r.currency_code, ''), coalesce(r.exchange_rate::text, ''), r.figures, r.content),
		E'\n' ORDER BY r.table_name, r.record_id), ''), 'UTF8')), 'hex')
	FROM sluice.closed_records r WHERE r.closing_id = $1)
WHERE id = $1`

	sqlClosings = `
SELECT c.organization_id, c.period, c.first_day::text, c.last_day::text, c.time_zone, c.closed_at, c.records, c.digest, c.lacks,
	(SELECT count(*) FROM sluice.after_close_notices n WHERE n.closing_id = c.id) AS changes
FROM sluice.closings c`

	sqlOne  = sqlClosings + ` WHERE c.id = $1`
	sqlList = sqlClosings + ` WHERE c.reopened_at IS NULL AND ($1 = '' OR c.organization_id = $1) ORDER BY c.organization_id, c.first_day, c.last_day`

	sqlSumsOf = `
SELECT table_name, currency_code, records, counted, figures FROM sluice.closing_sums
WHERE closing_id = $1 ORDER BY table_name, currency_code`

	// What was closed is not needed any more; its sums and its digest stay.
	sqlReopen = `
WITH opened AS (
	UPDATE sluice.closings SET reopened_at = clock_timestamp() WHERE organization_id = $1 AND period = $2 AND reopened_at IS NULL RETURNING id
), records AS (
	DELETE FROM sluice.closed_records r USING opened o WHERE r.closing_id = o.id
), notices AS (
	DELETE FROM sluice.after_close_notices n USING opened o WHERE n.closing_id = o.id
)
SELECT count(*) FROM opened`
)

// Request is what is to be closed.
type Request struct {
	Organization string
	Period       Period
	// Zone is the organization's time zone, in which the last day ends.
	Zone string
	// Services and Resources are the lists that have days, a pair for each.
	Services, Resources []string
	// Anyway closes a period of which something is missing, and notes what.
	Anyway bool
	// DryRun only says what would be closed.
	DryRun bool
}

var errDryRun = errors.New("only looked")

// Close keeps what belongs to a period, out of one snapshot of all tables. A dry run returns the
// same and keeps nothing; what is missing is then in the result. Otherwise it returns a LacksError
// for a period that is not complete, unless it is to be closed anyway.
func Close(ctx context.Context, pool *pgxpool.Pool, r *Request) (Closing, error) {
	op := "closing " + r.Period.Name + " of organization " + r.Organization
	var made Closing
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		lacks, err := lacksOf(ctx, tx, r)
		if err != nil {
			return err
		}
		if len(lacks) > 0 && !r.Anyway && !r.DryRun {
			return &LacksError{Lacks: lacks}
		}
		if made, err = write(ctx, tx, r, lacks); err == nil && r.DryRun {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		return made, nil
	}
	if err != nil {
		return Closing{}, postgres.Fail(op, err)
	}
	return made, nil
}

func lacksOf(ctx context.Context, tx pgx.Tx, r *Request) ([]string, error) {
	var over bool
	if err := tx.QueryRow(ctx, sqlOver, r.Period.Last, r.Zone).Scan(&over); err != nil {
		return nil, err
	}
	if !over {
		return nil, fmt.Errorf("%w: %s ends with %s in %s", ErrNotOver, r.Period.Name, r.Period.Last, r.Zone)
	}
	var streams int
	var lacks []string
	err := tx.QueryRow(ctx, sqlLacks, r.Organization, r.Period.First, r.Period.Last, r.Zone, r.Services, r.Resources).Scan(&streams, &lacks)
	if err == nil && streams == 0 {
		err = ErrNothing
	}
	return lacks, err
}

func write(ctx context.Context, tx pgx.Tx, r *Request, lacks []string) (Closing, error) {
	var id int64
	err := tx.QueryRow(ctx, sqlClose, r.Organization, r.Period.Name, r.Period.First, r.Period.Last, r.Zone, lacks).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return Closing{}, ErrClosed
	}
	if err != nil {
		return Closing{}, err
	}
	if _, err := tx.Exec(ctx, sqlRecords, id, r.Organization, r.Period.First, r.Period.Last); err != nil {
		return Closing{}, err
	}
	for _, sql := range []string{sqlSums, sqlSeal} {
		if _, err := tx.Exec(ctx, sql, id); err != nil {
			return Closing{}, err
		}
	}
	rows, _ := tx.Query(ctx, sqlOne, id)
	made, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Closing])
	if err != nil {
		return Closing{}, err
	}
	made.Sums, err = postgres.Read[Sum](ctx, tx, "sums", sqlSumsOf, id)
	return made, err
}

// List returns the closed periods of an organization, of all if it is "", without their sums.
func List(ctx context.Context, pool *pgxpool.Pool, organization string) ([]Closing, error) {
	return postgres.Read[Closing](ctx, pool, "closed periods", sqlList, organization)
}

// Reopen ends the closing of a period: its changes are noticed no longer. What was closed is
// deleted but for sums and digest.
func Reopen(ctx context.Context, pool *pgxpool.Pool, organization string, period Period) error {
	op := "opening " + period.Name + " of organization " + organization + " again"
	var opened int
	if err := pool.QueryRow(ctx, sqlReopen, organization, period.Name).Scan(&opened); err != nil {
		return postgres.Fail(op, err)
	}
	if opened == 0 {
		return fmt.Errorf("%s: %w", op, ErrNotClosed)
	}
	return nil
}
