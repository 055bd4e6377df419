package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice/cli/view"
)

// sharePercent is how much of a company is items, and as much is bills (package
// sandbox/world).
const sharePercent = 28

// round is one repetition of everything about one stream.
type round struct {
	tables, whole          baseline.Copied
	alone                  time.Duration
	first, mark, unchanged *synced
	same, edited           time.Duration
	where                  phases
}

// measureStreams copies one stream after the other, beside a raw COPY of the same
// rows, and prints the medians of rounds that alternate between the streams.
func measureStreams(ctx context.Context, s *stage, p plan, out io.Writer) error {
	rounds := make(map[string][]round)
	profile := p.Profile
	for range p.Repetitions {
		for _, stream := range p.Streams {
			one, err := s.round(ctx, p.Records, stream, profile)
			if err != nil {
				return err
			}
			rounds[stream], profile = append(rounds[stream], one), ""
		}
	}
	for _, stream := range p.Streams {
		if err := printStream(out, stream, rounds[stream]); err != nil {
			return err
		}
	}
	return say(out, `
A first sync reads each list of more than one page twice (docs/decisions/0007): twice as many records are read as written.
RATIO is the time of COPY into the stream's tables over the time of the line: 1.00 is as fast as COPY.`)
}

func (s *stage) round(ctx context.Context, records int, stream, profile string) (_ round, err error) {
	var one round
	// A new one each time, for it gives out ten tokens in ten minutes and no more.
	upstream, err := s.upstream(ctx, (records*100+sharePercent-1)/sharePercent)
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, upstream.Stop()) }()
	w, err := s.fresh(ctx)
	if err != nil {
		return one, err
	}
	defer func() { err = errors.Join(err, w.drop(ctx)) }()
	names, err := tables(stream)
	if err != nil {
		return one, err
	}
	if one.first, err = w.sync(ctx, upstream, profile, stream); err != nil {
		return one, err
	}
	if one.where, err = w.phases(ctx, one.first); err != nil {
		return one, err
	}
	if one.mark, err = w.sync(ctx, upstream, "", stream); err != nil {
		return one, err
	}
	if err := w.do(ctx, forgetMarks); err != nil {
		return one, err
	}
	if one.unchanged, err = w.sync(ctx, upstream, "", stream); err != nil {
		return one, err
	}
	if one.same, err = w.rebuild(ctx, upstream, stream); err != nil {
		return one, err
	}
	if err := w.do(ctx, editRows(names[0])); err != nil {
		return one, err
	}
	if one.edited, err = w.rebuild(ctx, upstream, stream); err != nil {
		return one, err
	}
	// Last, for it empties the tables; the archive follows the tables that refer to it.
	if one.tables, err = w.rawCopy(ctx, names); err != nil {
		return one, err
	}
	if one.whole, err = w.rawCopy(ctx, append(names, archive)); err != nil {
		return one, err
	}
	one.alone, err = upstream.readAlone(ctx, stream, 2) //nolint:mnd // the passes of a first sync
	return one, err
}

// forgetMarks makes the next run read everything, as a first one does.
func forgetMarks(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "UPDATE sluice.streams SET mark = NULL"); err != nil {
		return fmt.Errorf("forget the marks: %w", err)
	}
	return nil
}

// printStream prints the medians of the rounds of a stream.
func printStream(out io.Writer, stream string, rounds []round) error {
	_, records, _ := rounds[0].first.sum()
	limit := median(rounds, func(r *round) time.Duration { return r.tables.Took })
	ratio := func(d time.Duration) string { return fmt.Sprintf("%.2f", float64(limit)/float64(d)) }
	plain := func(what string, took func(*round) time.Duration) []string {
		d := median(rounds, took)
		return []string{what, seconds(d), "", rate(records, d), ratio(d), "", "", ""}
	}
	sync := func(what string, of func(*round) *synced) []string {
		d := median(rounds, func(r *round) time.Duration { return of(r).running() })
		read, written, calls := of(&rounds[0]).sum()
		peak := median(rounds, func(r *round) int64 { return of(r).peak })
		return []string{
			what, seconds(d), rate(read, d), rate(written, d), ratio(d), view.Count(calls),
			seconds(median(rounds, func(r *round) time.Duration { return of(r).cpu })), fmt.Sprintf("%.1f", float64(peak)/megabyte),
		}
	}
	if err := say(out, "\n%s: %s records, %s rows with children (medians of %d)", stream, view.Count(records),
		view.Count(rounds[0].tables.Rows), len(rounds)); err != nil {
		return err
	}
	err := view.Printer{Out: out}.Table(
		[]string{strings.ToUpper(stream), "SECONDS", "READ/S", "WRITTEN/S", "RATIO", "CALLS", "CPU S", "PEAK MB"}, [][]string{
			plain("raw COPY into its tables", func(r *round) time.Duration { return r.tables.Took }),
			plain("raw COPY, archive of records too", func(r *round) time.Duration { return r.whole.Took }),
			sync("first sync, the run", func(r *round) *synced { return r.first }),
			plain("first sync, start to end of the process", func(r *round) time.Duration { return r.first.process }),
			plain("only reading the pages twice", func(r *round) time.Duration { return r.alone }),
			sync("next sync, nothing changed", func(r *round) *synced { return r.mark }),
			sync("everything read again, nothing changed", func(r *round) *synced { return r.unchanged }),
			plain("rebuild, no row differs, start to end of the process", func(r *round) time.Duration { return r.same }),
			plain("rebuild, every row was edited, start to end", func(r *round) time.Duration { return r.edited }),
		})
	if err != nil {
		return err
	}
	return say(out, "Of the first sync %s s went by in calls, %s s with normalizing and loading, and %s s with the same between two tickets "+
		"of the queue.",
		seconds(median(rounds, func(r *round) time.Duration { return r.where.calls })),
		seconds(median(rounds, func(r *round) time.Duration { return r.where.loading })),
		seconds(median(rounds, func(r *round) time.Duration { return r.where.between })))
}

// running is the time of the run by the clock of the database.
func (s *synced) running() time.Duration {
	var all float64
	for i := range s.runs {
		all += s.runs[i].Seconds
	}
	return time.Duration(all * float64(time.Second))
}

// median is the middle value, the lower one of two.
func median[N cmp.Ordered](rounds []round, of func(*round) N) N {
	values := make([]N, len(rounds))
	for i := range rounds {
		values[i] = of(&rounds[i])
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

func rate(n int64, d time.Duration) string {
	if n == 0 || d <= 0 {
		return ""
	}
	return view.Count(int64(float64(n) / d.Seconds()))
}
