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

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/dataset"
	"sluice/cmd/sluice-bench/flow"
)

// items measures a list from HTTP to the tables.
func (b *bench) items(ctx context.Context) error { return b.repeated(ctx, b.list) }

// chats measures an export from HTTP to the tables.
func (b *bench) chats(ctx context.Context) error { return b.repeated(ctx, b.export) }

// repeated measures while pages are served.
func (b *bench) repeated(ctx context.Context, measure func(ctx context.Context, pages string) error) error {
	return b.served(ctx, func(pages string) error {
		for range b.Repetitions {
			if err := measure(ctx, pages); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b *bench) list(ctx context.Context, pages string) error {
	resource := b.resource("items")
	names, other := b.names(resource), baseline.Of(resource)
	if err := baseline.Empty(ctx, b.conn, append(names, other.Names()...)...); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	asked := b.ask(pages, "items", b.Pages)
	fresh, err := b.process(ctx, asked)
	if err != nil {
		return err
	}
	copied, err := baseline.RawCopy(ctx, b.conn, b.Folder, names)
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
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
	inRow, err := baseline.RawCopy(ctx, b.conn, b.Folder, other.Names())
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
	return nil
}

// export measures one against the client's COPY of the same lines into the same columns.
func (b *bench) export(ctx context.Context, pages string) error {
	resource := b.resource("chats")
	if err := baseline.Empty(ctx, b.conn, b.names(resource)...); err != nil {
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
	if err := errors.Join(dataset.WriteLines(file, b.Lines), file.Close()); err != nil {
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

// process runs one flow.
func (b *bench) process(ctx context.Context, asked flow.Asked) (flow.Did, error) {
	var result flow.Did
	if err := baseline.Checkpoint(ctx, b.conn); err != nil {
		return result, err //nolint:wrapcheck // it says what failed
	}
	cmd := exec.CommandContext(ctx, b.Program, asked.Args()...) //nolint:gosec // this program itself
	cmd.Stderr = b.Log
	said, err := cmd.Output()
	if err != nil {
		return result, fmt.Errorf("copy %s: %w", asked.Resource, err)
	}
	if err := json.Unmarshal(said, &result); err != nil {
		return result, fmt.Errorf("read what was done: %w", err)
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
