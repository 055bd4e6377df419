package calls

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// Use is what calls were made for.
type Use struct{ Service, Resource, Class string }

// Refusal is whose calls ended in an error, and in which kind of error.
type Refusal struct{ Organization, Service, Kind string }

// Counts are the calls of a time.
type Counts struct {
	Used    map[Use]int64
	Refused map[Refusal]int64
}

func noCounts() Counts {
	return Counts{Used: make(map[Use]int64), Refused: make(map[Refusal]int64)}
}

// add adds the calls of another time.
func (c Counts) add(other Counts) {
	for use, calls := range other.Used {
		c.Used[use] += calls
	}
	for refusal, calls := range other.Refused {
		c.Refused[refusal] += calls
	}
}

const (
	sqlClock = `SELECT clock_timestamp()`

	sqlCounts = `
SELECT date_bin('1 hour', reserved_at, 'epoch') AS hour, organization_id, service, resource, class, coalesce(kind, ''), count(*) FROM sluice.calls
WHERE reserved_at >= $1 AND reserved_at < $2 GROUP BY hour, organization_id, service, resource, class, kind`
)

// Tally counts the calls of the last 24 hours out of the call log, for figures that are asked for
// again and again. It counts an hour once: after that, only hours whose calls may still end, and
// the hour of which a part is a day old. It is safe for concurrent use.
type Tally struct {
	ledger *Ledger

	mu sync.Mutex
	// over has the hours whose calls have all ended, by their beginning.
	over map[time.Time]Counts
}

// NewTally makes a tally that has counted nothing.
func NewTally(ledger *Ledger) *Tally {
	return &Tally{ledger: ledger, over: make(map[time.Time]Counts)}
}

const (
	// tallied is the time that a tally counts.
	tallied = 24 * time.Hour
	// ends is the time after which no call of an hour is under way: an export may take an hour, and
	// its lease a margin.
	ends = 2 * time.Hour
	// atOnce is how much one statement counts. What is counted stays so if the caller's time ends:
	// the next attempt goes on there.
	atOnce = 6 * time.Hour
)

// Last24Hours counts the calls that were reserved in the last 24 hours, by the clock of the
// database. Of calls that ended in an error, it also counts the kinds.
func (t *Tally) Last24Hours(ctx context.Context) (Counts, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var now time.Time
	if err := t.ledger.pool.QueryRow(ctx, sqlClock).Scan(&now); err != nil {
		return Counts{}, fmt.Errorf("counting the calls of the day: %w", err)
	}
	from, ended := now.Add(-tallied), now.Add(-ends)
	for hour := range t.over {
		if hour.Before(from) {
			delete(t.over, hour)
		}
	}
	all := noCounts()
	for from.Before(now) {
		if counts, counted := t.over[from.UTC()]; counted {
			all.add(counts)
			from = from.Add(time.Hour)
			continue
		}
		to := t.upTo(from, ended, now)
		hours, err := t.ledger.count(ctx, from, to)
		if err != nil {
			return Counts{}, err
		}
		for hour := from.Truncate(time.Hour).UTC(); hour.Before(to); hour = hour.Add(time.Hour) {
			counts := hours[hour]
			all.add(counts)
			if !hour.Before(from) && !hour.Add(time.Hour).After(ended) {
				t.over[hour] = counts
			}
		}
		from = to
	}
	return all, nil
}

// upTo returns until when calls are counted from an instant on, in one statement: for some hours,
// up to the next hour that was counted before, or beyond now, for a clock that was set back.
func (t *Tally) upTo(from, ended, now time.Time) time.Time {
	first := from.Truncate(time.Hour)
	for hour := first.Add(time.Hour); hour.Before(ended); hour = hour.Add(time.Hour) {
		if _, counted := t.over[hour.UTC()]; counted || hour.Sub(first) == atOnce {
			return hour
		}
	}
	return now.Add(time.Hour).Truncate(time.Hour).Add(time.Hour)
}

// count counts calls by the hour in which they were reserved.
func (l *Ledger) count(ctx context.Context, from, to time.Time) (map[time.Time]Counts, error) {
	hours := make(map[time.Time]Counts)
	_, err := postgres.ReadAll(ctx, l.pool, "the calls of the day", func(row pgx.CollectableRow) (int64, error) {
		var hour time.Time
		var use Use
		var refusal Refusal
		var calls int64
		err := row.Scan(&hour, &refusal.Organization, &use.Service, &use.Resource, &use.Class, &refusal.Kind, &calls)
		counts, begun := hours[hour.UTC()]
		if !begun {
			counts = noCounts()
			hours[hour.UTC()] = counts
		}
		counts.Used[use] += calls
		if refusal.Kind != "" {
			refusal.Service = use.Service
			counts.Refused[refusal] += calls
		}
		return calls, err
	}, sqlCounts, from, to)
	return hours, err
}
