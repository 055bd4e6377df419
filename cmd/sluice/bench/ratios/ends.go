package ratios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice/bench/flow"
	"sluice/cmd/sluice/bench/goods"
	"sluice/cmd/sluice/bench/rival"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/loader"
	"sluice/pipeline/warehouse/rebuild"
	"sluice/schema/normalize"
)

// ends measures from HTTP to the tables.
func (b *bench) ends(ctx context.Context) error {
	return b.served(ctx, func(pages string) error {
		for range b.Repetitions {
			if err := b.items(ctx, pages); err != nil {
				return err
			}
			if err := b.chats(ctx, pages); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) items(ctx context.Context, pages string) error {
	resource := b.resource("items")
	names, other := b.names(resource), rival.Of(resource)
	if err := rival.Empty(ctx, b.conn, append(names, other.Names()...)...); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	asked := b.ask(pages, "items", b.Pages)
	fresh, err := b.process(ctx, asked)
	if err != nil {
		return err
	}
	copied, err := rival.RawCopy(ctx, b.conn, b.Folder, names)
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	again, err := b.rebuild(ctx)
	if err != nil {
		return err
	}
	asked = b.ask(pages, "items", b.Pages)
	same, err := b.process(ctx, asked)
	if err != nil {
		return err
	}
	asked.Rival = true
	freshOther, err := b.process(ctx, asked)
	if err != nil {
		return err
	}
	inRow, err := rival.RawCopy(ctx, b.conn, b.Folder, other.Names())
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	sameOther, err := b.process(ctx, asked)
	if err != nil {
		return err
	}
	const name = "end to end, items, "
	note := fmt.Sprintf("%d pages a transaction", b.Pages/asked.PerPage/max(fresh.Transactions, 1))
	b.found(ratio{name: name + "fresh", against: "raw COPY, archive too", goal: "≥ 0.8", want: 0.8}, copied.Took.Seconds()/fresh.Seconds).note = note
	b.found(ratio{name: name + "fresh", against: "raw COPY, json in the row", goal: "≥ 1.5", want: 1.5}, inRow.Took.Seconds()/fresh.Seconds)
	const usual = "encoding/json + batch of upserts"
	b.found(ratio{name: name + "fresh", against: usual, goal: "≥ 4", want: 4, format: "%.1f"}, freshOther.Seconds/fresh.Seconds)
	b.found(ratio{name: name + "unchanged", against: usual, goal: "≥ 15", want: 15, format: "%.1f"}, sameOther.Seconds/same.Seconds)
	b.found(ratio{name: "rebuild from raw, items, all rows", against: "end to end, fresh", goal: "≥ 1.5", want: 1.5}, fresh.Seconds/again.Seconds())
	return nil
}

// rebuild writes all rows anew from their raw records, as a new rule would ask for, and takes the time.
func (b *bench) rebuild(ctx context.Context) (time.Duration, error) {
	resource := b.resource("items")
	if _, err := b.conn.Exec(ctx, `UPDATE bench.items SET _hash = decode(repeat('00', 16), 'hex')`); err != nil {
		return 0, fmt.Errorf("forget the hashes: %w", err)
	}
	// What an update leaves behind is not what a rebuild takes.
	if _, err := b.conn.Exec(ctx, `VACUUM FULL bench.items`); err != nil {
		return 0, fmt.Errorf("vacuum: %w", err)
	}
	normalizer, err := normalize.New(resource, time.UTC)
	if err != nil {
		return 0, fmt.Errorf("prepare: %w", err)
	}
	stream := pipeline.Stream{Organization: flow.Organization, Service: b.service, Resource: resource}
	pool, err := pgxpool.New(ctx, b.Database)
	if err != nil {
		return 0, fmt.Errorf("connect to the database: %w", err)
	}
	defer pool.Close()
	rows := rebuild.New(stream, 1, rebuild.All, loader.New(b.service, resource), normalizer.RecordUnder)
	rows.ReadAhead(pool)
	defer rows.Close()
	rewritten := 0
	took, _, err := b.timed(ctx, func() error {
		for after, more := "", true; more; {
			err := pgx.BeginFunc(ctx, b.conn, func(tx pgx.Tx) error {
				done, err := rows.Step(ctx, tx, after, false)
				rewritten += done.Rewritten
				after, more = done.Last, done.Last != ""
				return err //nolint:wrapcheck // it says what failed
			})
			if err != nil {
				return fmt.Errorf("rebuild: %w", err)
			}
		}
		return nil
	})
	if err == nil && rewritten != b.Pages {
		err = fmt.Errorf("%d of %d rows were written anew", rewritten, b.Pages)
	}
	return took, err
}

// chats measures an export against the client's COPY of the same lines into the same columns.
func (b *bench) chats(ctx context.Context, pages string) error {
	resource := b.resource("chats")
	if err := rival.Empty(ctx, b.conn, b.names(resource)...); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	fresh, err := b.process(ctx, b.ask(pages, "chats", b.Lines))
	if err != nil {
		return err
	}
	path := filepath.Join(b.Folder, "chats.csv")
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("make the file: %w", err)
	}
	defer func() { _ = os.Remove(path) }() // the folder goes, too
	if err := errors.Join(goods.WriteLines(file, b.Lines), file.Close()); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	_, err = b.conn.Exec(ctx, `DROP TABLE IF EXISTS rival.lines; CREATE TABLE rival.lines AS SELECT chat_id, title, creation_time,
last_modified_time, participant_count, total_message_count, creator_id FROM bench.chats WITH NO DATA;
ALTER TABLE rival.lines ADD PRIMARY KEY (chat_id)`)
	if err != nil {
		return fmt.Errorf("make the client's table: %w", err)
	}
	plain, _, err := b.timed(ctx, func() error {
		cmd := exec.CommandContext(ctx, b.Psql, "--no-psqlrc", "--quiet", "--dbname", b.Database, "--command", //nolint:gosec // the server's own client
			`\copy rival.lines FROM '`+path+`' WITH (FORMAT csv)`)
		cmd.Stderr = b.Log
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("run %s: %w", b.Psql, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.found(ratio{
		name: "end to end, chat export, fresh", against: `psql \copy, no raw, no hash`, goal: "≥ 0.7", want: 0.7,
	}, plain.Seconds()/fresh.Seconds)
	return nil
}

// did is what a process did, and the most memory that it had resident, in bytes.
type did struct {
	flow.Did

	peak float64
}

// process runs one flow.
func (b *bench) process(ctx context.Context, asked flow.Asked) (did, error) {
	var result did
	if err := rival.Checkpoint(ctx, b.conn); err != nil {
		return result, err //nolint:wrapcheck // it says what failed
	}
	cmd := exec.CommandContext(ctx, b.Program, asked.Args()...) //nolint:gosec // this program itself
	cmd.Stderr = b.Log
	said, err := cmd.Output()
	if err != nil {
		return result, fmt.Errorf("copy %s: %w", asked.Resource, err)
	}
	if err := json.Unmarshal(said, &result.Did); err != nil {
		return result, fmt.Errorf("read what was done: %w", err)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		result.peak = float64(usage.Maxrss) * 1024 //nolint:mnd // kilobytes, on Linux
	}
	return result, nil
}

// served runs work while a process serves pages.
func (b *bench) served(ctx context.Context, work func(pages string) error) (err error) {
	cmd := exec.CommandContext(ctx, b.Program, flow.ServerRole) //nolint:gosec // this program itself
	cmd.Stderr = b.Log
	said, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("prepare the server of pages: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the server of pages: %w", err)
	}
	defer func() {
		err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
	}()
	var where flow.Served
	if err := json.NewDecoder(said).Decode(&where); err != nil {
		return fmt.Errorf("read where pages are served: %w", err)
	}
	return work(where.URL)
}
