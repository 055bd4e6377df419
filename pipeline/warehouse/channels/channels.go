// Package channels holds the channels by which upstream tells of changes: what was granted until
// when, what was refused, and the gaps in which nothing could have been told.
//
// It never calls upstream; package notifications enables and renews channels.
//
// Start reading at Store.Claim.
package channels

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
)

// State is a closed set: what is known of a channel.
type State string

// The states.
const (
	// Wanted: it was not asked for yet.
	Wanted State = "wanted"
	// Active: upstream granted it.
	Active State = "active"
	// Refused: upstream refused what was asked for. It is asked for again when the configuration
	// changes.
	Refused State = "refused"
	// Denied: the consent is missing. It is asked for again a day later.
	Denied State = "denied"
	// Disabled: an operator ended it. It stays so until an operator enables it.
	Disabled State = "disabled"
)

// Channel is one module of which upstream should tell.
type Channel struct {
	Organization string `db:"organization_id" json:"organization"`
	Module       string `db:"module"          json:"module"`
	ID           int64  `db:"channel_id"      json:"channel_id"`
	State        State  `db:"state"           json:"state"`
	// Code, Path and Reason say why it is refused or denied, or why the last call failed.
	Code   string `db:"code"   json:"code,omitempty"`
	Path   string `db:"path"   json:"path,omitempty"`
	Reason string `db:"reason" json:"reason,omitempty"`
	// EnabledAt is when upstream granted it last, ExpiresAt until when; nil if it never did.
	EnabledAt *time.Time `db:"enabled_at" json:"enabled_at,omitempty"`
	ExpiresAt *time.Time `db:"expires_at" json:"expires_at,omitempty"`
	// RenewAt is when it is asked for next. Short says that upstream grants an hour to a request
	// for a week.
	RenewAt  time.Time `db:"renew_at" json:"renew_at"`
	Short    bool      `db:"short"    json:"short,omitempty"`
	Failures int       `db:"failures" json:"failures,omitempty"`
	// Lives says that it is granted at present.
	Lives bool `db:"lives" json:"lives"`
}

// Wish is what the configuration asks for.
type Wish struct {
	Organization, Module string
	ID                   int64
	// Digest covers all that the request would say.
	Digest []byte
}

const (
	columns = `organization_id, module, channel_id, state, code, path, reason, enabled_at, expires_at, renew_at, short, failures,
	state = 'active' AND expires_at > clock_timestamp() AS lives`

	// A refused channel is asked for again only if something changed, and one that an operator
	// disabled only then or when the operator enables it.
	sqlRegister = `
INSERT INTO sluice.channels AS c (organization_id, module, channel_id, wanted)
SELECT w.organization_id, w.module, w.channel_id, w.wanted
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[]) AS w (organization_id, module, channel_id, wanted)
ORDER BY w.organization_id, w.module
ON CONFLICT (organization_id, module) DO UPDATE SET
	channel_id = excluded.channel_id, wanted = excluded.wanted, renew_at = clock_timestamp(),
	state = CASE WHEN c.state = 'active' AND c.channel_id = excluded.channel_id THEN c.state ELSE 'wanted' END, code = '', path = '', reason = ''
WHERE c.wanted <> excluded.wanted OR c.channel_id <> excluded.channel_id`

	// The claim is the new renew_at: another process waits for it and finds no row due, so that one
	// process asks for all of them in one call. If it is killed, they are asked for again soon.
	sqlClaim = `
WITH due AS (
	SELECT organization_id, module FROM sluice.channels
	WHERE organization_id = $1 AND module = ANY ($2::text[]) AND (state NOT IN ('refused', 'disabled') OR $3) AND ($3 OR renew_at <= clock_timestamp())
	ORDER BY module FOR UPDATE
)
UPDATE sluice.channels c SET renew_at = clock_timestamp() + interval '5 minutes'
FROM due d WHERE (d.organization_id, d.module) = (c.organization_id, c.module)
RETURNING c.organization_id, c.module, c.channel_id, c.state, c.code, c.path, c.reason, c.enabled_at, c.expires_at, c.renew_at, c.short,
	c.failures, c.state = 'active' AND c.expires_at > clock_timestamp() AS lives`

	sqlGrant = `
UPDATE sluice.channels SET state = 'active', code = '', path = '', reason = '', failures = 0, enabled_at = clock_timestamp(),
	expires_at = $3, renew_at = clock_timestamp() + $4::interval, short = $5
WHERE (organization_id, module) = ($1, $2)`

	sqlRefuse = `
UPDATE sluice.channels SET state = $3, code = $4, path = $5, reason = $6, failures = failures + 1, renew_at = clock_timestamp() + $7::interval
WHERE (organization_id, module) = ($1, $2)`

	sqlFail = `
UPDATE sluice.channels SET reason = $3, failures = failures + 1,
	renew_at = clock_timestamp() + least(interval '1 hour', interval '1 minute' * 2 ^ least(failures, 10))
WHERE (organization_id, module) = ($1, $2)`

	sqlDisable = `
UPDATE sluice.channels SET state = 'disabled', expires_at = least(expires_at, clock_timestamp())
WHERE organization_id = $1 AND module = ANY ($2::text[])`

	sqlList = `SELECT ` + columns + ` FROM sluice.channels WHERE $1 = '' OR organization_id = $1 ORDER BY organization_id, module`
)

// Store is the table of channels. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// New returns the table over the connections of a warehouse.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

// Register brings the table in line with the configuration. A channel that changed is asked for
// anew.
func (s *Store) Register(ctx context.Context, wishes []Wish) error {
	organizations, modules := make([]string, len(wishes)), make([]string, len(wishes))
	ids, digests := make([]int64, len(wishes)), make([][]byte, len(wishes))
	for i, w := range wishes {
		organizations[i], modules[i], ids[i], digests[i] = w.Organization, w.Module, w.ID, w.Digest
	}
	_, err := s.pool.Exec(ctx, sqlRegister, organizations, modules, ids, digests)
	return postgres.Fail("registering channels", err)
}

// Claim takes those of an organization's channels that are to be asked for. Now takes those that
// are not due, too. If the process is killed, they are due again after five minutes.
func (s *Store) Claim(ctx context.Context, organization string, modules []string, now bool) ([]Channel, error) {
	return postgres.Read[Channel](ctx, s.pool, "channels to renew", sqlClaim, organization, modules, now)
}

// Grant notes that upstream granted a channel until an instant. It is renewed after a pause.
func (s *Store) Grant(ctx context.Context, c Channel, expires time.Time, renew time.Duration, short bool) error {
	_, err := s.pool.Exec(ctx, sqlGrant, c.Organization, c.Module, expires, renew, short)
	return postgres.Fail("noting a granted channel", err)
}

// Refusal says why upstream refused a channel, and the state that leaves it in.
type Refusal struct {
	State              State
	Code, Path, Reason outside.Text
}

// Refuse notes that upstream refused a channel. A denied one is asked for again after a pause.
func (s *Store) Refuse(ctx context.Context, c Channel, why Refusal, again time.Duration) error {
	_, err := s.pool.Exec(ctx, sqlRefuse, c.Organization, c.Module, why.State, postgres.Clean(why.Code, postgres.MaxReason),
		postgres.Clean(why.Path, postgres.MaxReason), postgres.Clean(why.Reason, postgres.MaxReason), again)
	return postgres.Fail("noting a refused channel", err)
}

// Fail notes that nothing is known of a channel because its call failed. The pauses double, up to
// an hour.
func (s *Store) Fail(ctx context.Context, c Channel, reason outside.Text) error {
	_, err := s.pool.Exec(ctx, sqlFail, c.Organization, c.Module, postgres.Clean(reason, postgres.MaxReason))
	return postgres.Fail("noting a failed call for a channel", err)
}

// Disable notes that channels were ended.
func (s *Store) Disable(ctx context.Context, organization string, modules []string) error {
	_, err := s.pool.Exec(ctx, sqlDisable, organization, modules)
	return postgres.Fail("noting disabled channels", err)
}

// Channels returns the channels of an organization, or of all if it is empty.
func (s *Store) Channels(ctx context.Context, organization string) ([]Channel, error) {
	return postgres.Read[Channel](ctx, s.pool, "channels", sqlList, organization)
}

// Gap is a time in which nothing could have told of a change.
type Gap struct {
	Organization string `db:"organization_id" json:"organization"`
	// Channel is the module of a channel; "" if callbacks of all channels and rules could not
	// arrive.
	Channel string `db:"channel" json:"channel,omitempty"`
	// OpenedAt is the last instant at which the way surely worked, ClosedAt the first one at which
	// it surely works again; nil while the gap is open.
	OpenedAt time.Time  `db:"opened_at" json:"opened_at"`
	ClosedAt *time.Time `db:"closed_at" json:"closed_at,omitempty"`
	Reason   string     `db:"reason"    json:"reason"`
}

const (
	// A gap that was closed a moment ago by another process is not opened again from before.
	sqlOpenGap = `
INSERT INTO sluice.channel_gaps (organization_id, channel, opened_at, reason)
SELECT $1, $2, greatest($3::timestamptz, (SELECT max(g.closed_at) FROM sluice.channel_gaps g WHERE (g.organization_id, g.channel) = ($1, $2))), $4
ON CONFLICT (organization_id, channel) WHERE closed_at IS NULL DO NOTHING`

	// A gap ends at the instant from which the hints of its lists are: a run that began since has read
	// what nothing could have told of.
	sqlCloseGap = `
UPDATE sluice.channel_gaps SET closed_at = greatest(opened_at, now())
WHERE (organization_id, channel) = ($1, $2) AND closed_at IS NULL`

	sqlGaps = `
SELECT organization_id, channel, opened_at, closed_at, reason FROM sluice.channel_gaps
WHERE $1 = '' OR organization_id = $1 ORDER BY opened_at DESC, channel LIMIT $2`

	sqlGapSums = `
SELECT organization_id, channel, extract(epoch FROM sum(coalesce(closed_at, clock_timestamp()) - opened_at))::float8 AS seconds
FROM sluice.channel_gaps GROUP BY organization_id, channel ORDER BY organization_id, channel`
)

// OpenGap notes since when nothing could have told of a change. An open gap stays as it is.
func (s *Store) OpenGap(ctx context.Context, organization, channel string, since time.Time, reason outside.Text) error {
	_, err := s.pool.Exec(ctx, sqlOpenGap, organization, channel, since, postgres.Clean(reason, postgres.MaxReason))
	return postgres.Fail("noting a gap of notifications", err)
}

// CloseGap notes that the way works again, and reports whether a gap was open. It works in the
// caller's transaction, which also asks for what could have been missed.
func CloseGap(ctx context.Context, tx pgx.Tx, organization, channel string) (bool, error) {
	tag, err := tx.Exec(ctx, sqlCloseGap, organization, channel)
	return tag.RowsAffected() > 0, postgres.Fail("noting the end of a gap of notifications", err)
}

// Gaps returns the last gaps of an organization, or of all if it is empty, the newest first.
func (s *Store) Gaps(ctx context.Context, organization string, limit int) ([]Gap, error) {
	return postgres.Read[Gap](ctx, s.pool, "gaps of notifications", sqlGaps, organization, limit)
}

// GapSum is how long nothing could have told of a change, in all gaps together.
type GapSum struct {
	Organization string `db:"organization_id"`
	// Channel is that of a Gap.
	Channel string  `db:"channel"`
	Seconds float64 `db:"seconds"`
}

// GapSums returns the sums of all gaps that there were. An open gap counts up to now.
func (s *Store) GapSums(ctx context.Context) ([]GapSum, error) {
	return postgres.Read[GapSum](ctx, s.pool, "sums of gaps of notifications", sqlGapSums)
}
