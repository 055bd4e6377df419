// Command sluice-chaos tries the invariants on real processes: several of sluice serve, receivers
// of callbacks, a Postgres that survives power cuts, and the sandbox. Every line between them has a
// proxy. While upstream changes and tells of it, it kills and suspends processes, stops the
// database, fills its disk, breaks connections and lets upstream refuse, by a plan that a seed
// fixes. Then all faults stop, and a judge that knows nothing of sluice compares both sides, and
// the inbox with what upstream sent. make chaos runs it;
// docs/decisions/0021-tests says what it proves.
//
// The program under test is the test binary of cmd/sluice/cli: the program itself, with a shorter
// minute and with clocks that are off.
//
// make rolling plays a rolling upgrade and its rollback instead, with processes of two versions
// beside an analyst: see playRolling.
//
// Start reading at play, then package plan and do.go; package testbed has the judge.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice-chaos:", err)
		os.Exit(1)
	}
}

// choice holds the flags.
type choice struct {
	scenario

	// For is the time for chaos runs, each with the next seed, and Total the number of kills over
	// all of them; zero makes one run.
	For   time.Duration
	Total int
	JSON  bool
	// Rolling plays a rolling upgrade from Previous, a revision; "" for the last release.
	Rolling  bool
	Previous string
}

func parse(args []string) (choice, error) {
	c := choice{scenario: usual()}
	flags := flag.NewFlagSet("sluice-chaos", flag.ContinueOnError)
	flags.StringVar(&c.Program, "program", c.Program, "test binary of cmd/sluice/cli, made by go test -c")
	flags.Uint64Var(&c.Seed, "seed", c.Seed, "the same seed gives the same plan")
	flags.IntVar(&c.Slots, "processes", c.Slots, "processes that serve")
	flags.IntVar(&c.Kills, "kills", c.Kills, "processes to kill in one chaos run")
	flags.IntVar(&c.Crashes, "crashes", c.Crashes, "stops of Postgres in one chaos run")
	flags.IntVar(&c.Leaders, "leaders", c.Leaders, "kills of the queue's leader, of the kills")
	flags.IntVar(&c.Receivers, "receivers", c.Receivers, "processes that only receive callbacks")
	flags.IntVar(&c.ReceiverKills, "receiver-kills", c.ReceiverKills, "receivers to kill in one chaos run")
	flags.IntVar(&c.Records, "records", c.Records, "records upstream")
	flags.DurationVar(&c.Recovery, "recovery", c.Recovery, "how long the fleet may take to come to rest")
	flags.DurationVar(&c.For, "for", 0, "play rounds, each with the next seed, until so much time has passed; 0: one")
	flags.IntVar(&c.Total, "total", 0, "play rounds, each with the next seed, until so many processes were killed; 0: one")
	flags.StringVar(&c.Keep, "keep", "", "folder to keep the logs of all processes in")
	flags.BoolVar(&c.Rolling, "rolling", false, "play a rolling upgrade and its rollback instead; it builds both versions itself")
	flags.StringVar(&c.Previous, "previous", "", "revision to upgrade from; none: the last release, or this tree to one with a further migration")
	flags.BoolVar(&c.JSON, "json", false, "print reports as JSON, one a line")
	if err := flags.Parse(args); err != nil {
		return c, fmt.Errorf("read the flags: %w", err)
	}
	if c.Rolling {
		c.Receivers, c.Leaders = max(c.Receivers, 1), 0
	}
	if c.Previous != "" && !c.Rolling {
		return c, errors.New("-previous is the version that -rolling upgrades from")
	}
	least := min(c.Slots, c.Kills, c.Crashes, c.Receivers, c.ReceiverKills, c.Records)
	if least < 1 || c.Leaders < 0 || c.Leaders > c.Kills || c.For < 0 || c.Total < 0 || flags.NArg() > 0 {
		return c, errors.New("all figures have to be positive, -leaders at most -kills, and there are no arguments: see -help")
	}
	return c, nil
}

// play plays one round.
func (c choice) play(ctx context.Context, log io.Writer) (Report, error) {
	if c.Rolling {
		return playRolling(ctx, c.scenario, c.Previous, log)
	}
	return play(ctx, c.scenario, log)
}

func run(ctx context.Context, args []string, out, log io.Writer) error {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	end := time.Now().Add(c.For)
	kills, crashes, rounds, broken := 0, 0, 0, 0
	for rounds == 0 || kills < c.Total || time.Now().Before(end) {
		report, err := c.play(ctx, log)
		if err != nil {
			return fmt.Errorf("seed %d: %w", c.Seed, err)
		}
		if c.JSON {
			err = json.NewEncoder(out).Encode(report)
		} else {
			err = report.print(out)
		}
		if err != nil {
			return err
		}
		rounds, kills, crashes, broken = rounds+1, kills+report.Kills, crashes+report.Crashes, broken+len(report.Violations)
		c.Seed++
	}
	if !c.JSON {
		if _, err := fmt.Fprintf(out, "%d rounds: %d kills, %d ends of Postgres, %d violations\n", rounds, kills, crashes, broken); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d violations", broken)
	}
	return nil
}
