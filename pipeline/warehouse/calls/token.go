package calls

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	sqlAccessMake = `INSERT INTO sluice.tokens (credential) VALUES ($1) ON CONFLICT DO NOTHING`

	sqlAccessLock = `
SELECT sealed, version, reason, refresh, died_young, refusals, granted_at IS NOT NULL, fell_back, scopes
FROM sluice.tokens WHERE credential = $1 FOR UPDATE`

	// A statement of its own, after the lock: a statement that waited for the lock would read the
	// clock of before the wait.
	sqlAccessAge = `
SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint,
	(extract(epoch FROM clock_timestamp() - attempted_at) * 1000)::bigint
FROM sluice.tokens WHERE credential = $1`

	// If the token is unchanged, its expiry and its version stay as they are.
	sqlAccessStore = `
UPDATE sluice.tokens SET sealed = $2, version = version + (sealed <> $2)::integer,
	expires_at = CASE WHEN sealed = $2 AND $2 <> '' THEN expires_at ELSE clock_timestamp() + $3::interval END,
	granted_at = CASE WHEN sealed <> $2 AND $2 <> '' THEN clock_timestamp() ELSE granted_at END,
	attempted_at = CASE WHEN $9 THEN attempted_at ELSE clock_timestamp() END,
	reason = $4, refresh = $5, died_young = $6, refusals = $7, fell_back = $8, scopes = $10
WHERE credential = $1`

	sqlAccessAll = `SELECT credential, sealed, refresh FROM sluice.tokens`

	sqlAccessAttempt = `UPDATE sluice.tokens SET attempted_at = clock_timestamp(), reason = $2 WHERE credential = $1`
)

// SealedTokens returns the sealed tokens of all credentials, with the refresh tokens that upstream
// sent in place of the configured ones.
func (l *Ledger) SealedTokens(ctx context.Context) (map[string]pipeline.Token, error) {
	found := make(map[string]pipeline.Token)
	var credential string
	var one pipeline.Token
	err := postgres.Each(ctx, l.tokens, "reading the tokens", []any{&credential, &one.Sealed, &one.Refresh}, func() error {
		found[credential] = pipeline.Token{Sealed: slices.Clone(one.Sealed), Refresh: slices.Clone(one.Refresh)}
		return nil
	}, sqlAccessAll)
	return found, err
}

// WithToken calls fn with the token of a credential, under a lock that one process at a time holds.
// fn may refresh the token; processes that waited then see the result. fn returns the token to
// store, whether it attempted a refresh, and an error. Without an attempt nothing is stored. After
// an attempt its time and Reason are stored. Without an error the rest is stored, too, and a
// changed token gets the next version. The error of fn is returned as it is.
//
// The result of fn is stored even if ctx ends meanwhile: upstream grants few tokens.
func (l *Ledger) WithToken(
	ctx context.Context, credential string, fn func(ctx context.Context, t pipeline.Token) (pipeline.Token, bool, error),
) error {
	tx, err := l.tokens.Begin(ctx)
	if err != nil {
		return postgres.Fail("opening the token of "+credential, err)
	}
	defer postgres.Rollback(ctx, tx)
	token, err := lockToken(ctx, tx, credential)
	if err != nil {
		return postgres.Fail("locking the token of "+credential, err)
	}
	renewed, attempted, failure := fn(ctx, token)
	if !attempted {
		return failure
	}
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), postgres.SettleLimit)
	defer cancel()
	reason := postgres.Clean(renewed.Reason, postgres.MaxReason)
	if failure == nil {
		_, err = tx.Exec(storing, sqlAccessStore, credential, postgres.NotNil(renewed.Sealed), renewed.ExpiresIn, reason,
			postgres.NotNil(renewed.Refresh), renewed.DiedYoung, renewed.Refusals, renewed.FellBack, renewed.Forgotten, renewed.Scopes)
	} else {
		_, err = tx.Exec(storing, sqlAccessAttempt, credential, reason)
	}
	if err == nil {
		err = tx.Commit(storing)
	}
	return errors.Join(failure, postgres.Fail("storing the token of "+credential, err))
}

func lockToken(ctx context.Context, tx pgx.Tx, credential string) (pipeline.Token, error) {
	var (
		token           pipeline.Token
		expires, passed *int64
	)
	if _, err := tx.Exec(ctx, sqlAccessMake, credential); err != nil {
		return token, err
	}
	if err := tx.QueryRow(ctx, sqlAccessLock, credential).
		Scan(&token.Sealed, &token.Version, &token.Reason, &token.Refresh, &token.DiedYoung, &token.Refusals, &token.Worked, &token.FellBack,
			&token.Scopes); err != nil {
		return token, err
	}
	if err := tx.QueryRow(ctx, sqlAccessAge, credential).Scan(&expires, &passed); err != nil {
		return token, err
	}
	if expires != nil {
		token.ExpiresIn = time.Duration(*expires) * time.Millisecond
	}
	token.SinceRefresh = math.MaxInt64
	if passed != nil {
		token.SinceRefresh = time.Duration(*passed) * time.Millisecond
	}
	return token, nil
}

const sqlFellBack = `SELECT count(*) FROM sluice.token_states WHERE fell_back`

// TokensFellBack returns the number of credentials that use the configured refresh token because
// upstream refused the one that it had sent in its place.
func (l *Ledger) TokensFellBack(ctx context.Context) (int, error) {
	var fell int
	err := l.pool.QueryRow(ctx, sqlFellBack).Scan(&fell)
	return fell, postgres.Fail("reading which refresh tokens were refused", err)
}

const sqlDiedYoung = `SELECT coalesce(max(died_young), 0) FROM sluice.token_states`

// TokensDiedYoung returns how many access tokens in a row upstream refused before their expiry, for
// the credential with most of them.
func (l *Ledger) TokensDiedYoung(ctx context.Context) (int, error) {
	var young int
	err := l.pool.QueryRow(ctx, sqlDiedYoung).Scan(&young)
	return young, postgres.Fail("reading which tokens died young", err)
}

const (
	// The lock is that of a refresh: it waits for one under way, and sees what that stored.
	sqlSealedLock = `SELECT sealed, refresh FROM sluice.tokens WHERE credential = $1 FOR UPDATE`

	// The tokens stay the same ones: neither version nor expiry changes.
	sqlReseal = `UPDATE sluice.tokens SET sealed = $2, refresh = $3 WHERE credential = $1`
)

// Reseal replaces how the tokens of a credential are sealed, in a transaction of its own. Seal gets
// the sealed tokens as they are under the lock of a refresh, and returns them sealed again, and
// whether that is to be stored. The credential may be gone.
func (l *Ledger) Reseal(ctx context.Context, credential string, seal func(pipeline.Token) (pipeline.Token, bool)) error {
	op := "sealing the tokens of " + credential
	return postgres.InTx(ctx, l.tokens, op, func(tx pgx.Tx) error {
		var token pipeline.Token
		err := tx.QueryRow(ctx, sqlSealedLock, credential).Scan(&token.Sealed, &token.Refresh)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return postgres.Fail(op, err)
		}
		sealed, store := seal(token)
		if !store {
			return nil
		}
		_, err = tx.Exec(ctx, sqlReseal, credential, postgres.NotNil(sealed.Sealed), postgres.NotNil(sealed.Refresh))
		return postgres.Fail(op, err)
	})
}
