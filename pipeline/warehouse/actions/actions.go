// Package actions notes what operators did in the console, and where people reach it.
//
// It is the only writer of sluice.actions and sluice.console_address. It never does the actions:
// the console calls what the commands call, and then notes the outcome here.
//
// Start reading at Write.
package actions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/record/canonical"
)

// Outcome is a closed set: how an action ended.
type Outcome string

// The outcomes.
const (
	Done   Outcome = "done"
	Failed Outcome = "failed"
)

// Action is what an operator did.
type Action struct {
	// ID and At are given by Write.
	ID int64     `db:"id" json:"id"`
	At time.Time `db:"at" json:"at"`
	// Actor is the operator, by the name with which the console knows people.
	Actor string `db:"actor" json:"actor"`
	// Action is what was done, in the words of the command that does the same: backfill pause.
	Action string `db:"action" json:"action"`
	// Target is what it was done to; Organization is the key of its organization, "" if it has
	// none.
	Target       string `db:"target"          json:"target"`
	Organization string `db:"organization_id" json:"organization,omitempty"`
	// Before and After are the target as JSON, nil where there was or is none. They hold no
	// secret. Write spells them anew, and leaves out what is longer than MaxState.
	Before  json.RawMessage `db:"before"  json:"before,omitempty"`
	After   json.RawMessage `db:"after"   json:"after,omitempty"`
	Outcome Outcome         `db:"outcome" json:"outcome"`
	// Error says why it failed; "" exactly if it is Done.
	Error outside.Text `db:"error" json:"error,omitempty"`
}

// MaxState bounds Before and After, in bytes: an action on many records tells their number, and not
// the records.
const MaxState = 64 << 10

const (
	sqlWrite = `
INSERT INTO sluice.actions (actor, action, target, organization_id, before, after, outcome, error)
VALUES ($1, $2, $3, nullif($4, ''), $5, $6, $7, nullif($8, '')) RETURNING id`

	sqlActions = `
SELECT id, at, actor, action, target, coalesce(organization_id, '') AS organization_id, before, after, outcome, coalesce(error, '') AS error
FROM sluice.actions`

	sqlList = sqlActions + ` WHERE $1::bigint = 0 OR id < $1 ORDER BY id DESC LIMIT $2`
	sqlGet  = sqlActions + ` WHERE id = $1`

	sqlPrune = `SELECT sluice.prune_actions($1)`
)

// Write notes an action, and returns its number. In the transaction of the action, either both are
// committed or neither; an action that failed is noted after its transaction.
func Write(ctx context.Context, db postgres.Asker, action *Action) (int64, error) {
	op := fmt.Sprintf("noting the action %q", action.Action)
	before, err := stored(action.Before)
	if err != nil {
		return 0, fmt.Errorf("%s: before it: %w", op, err)
	}
	after, err := stored(action.After)
	if err != nil {
		return 0, fmt.Errorf("%s: after it: %w", op, err)
	}
	var id int64
	err = db.QueryRow(ctx, sqlWrite, postgres.Clean(action.Actor, postgres.MaxName), postgres.Clean(action.Action, postgres.MaxName),
		postgres.Clean(action.Target, postgres.MaxName), postgres.Clean(action.Organization, postgres.MaxName), before, after,
		action.Outcome, postgres.Clean(action.Error, postgres.MaxReason)).Scan(&id)
	return id, postgres.Fail(op, err)
}

// State spells a value as JSON, for Before and After; nil stays nil.
func State(of any) (json.RawMessage, error) {
	if of == nil {
		return nil, nil
	}
	text, err := json.Marshal(of)
	return text, postgres.Fail("spell the state of an action", err)
}

// stored is a state as Postgres accepts it; nil is null.
func stored(state json.RawMessage) (json.RawMessage, error) {
	if len(state) == 0 {
		return nil, nil
	}
	if len(state) > MaxState {
		return fmt.Appendf(nil, `{"left_out_bytes": %d}`, len(state)), nil
	}
	spelled, reason := canonical.AppendJSON(nil, []byte(state))
	if reason.Code != "" {
		return nil, errors.New(reason.Detail)
	}
	return spelled, nil
}

// Filter chooses actions.
type Filter struct {
	// Limit is how many at most; 0 means a hundred.
	Limit int
	// Before is the number of an action: only older ones are returned; 0 means all.
	Before int64
}

// List returns actions, newest first.
func List(ctx context.Context, db postgres.Querier, filter Filter) ([]Action, error) {
	return postgres.Read[Action](ctx, db, "actions", sqlList, filter.Before, postgres.Limit(filter.Limit))
}

// Get returns one action, or postgres.ErrNotFound.
func Get(ctx context.Context, db postgres.Querier, id int64) (Action, error) {
	found, err := postgres.Read[Action](ctx, db, "actions", sqlGet, id)
	if err != nil {
		return Action{}, err
	}
	if len(found) == 0 {
		return Action{}, fmt.Errorf("action %d: %w", id, postgres.ErrNotFound)
	}
	return found[0], nil
}

// Prune deletes actions that are older than age, of which the database makes 35 days at least. It
// deletes a bounded number, and returns it; the next call continues.
func Prune(ctx context.Context, db postgres.Asker, age time.Duration) (int, error) {
	var dropped int
	err := db.QueryRow(ctx, sqlPrune, age).Scan(&dropped)
	return dropped, postgres.Fail("keeping the actions", err)
}
