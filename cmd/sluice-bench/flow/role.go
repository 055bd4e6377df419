package flow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-bench/baseline"
	"sluice/cmd/sluice-bench/dataset"
	"sluice/cmd/sluice-bench/peak"
	"sluice/pipeline/warehouse/postgres"
)

// What the first argument of the benchmark's program makes it: a server of pages, or one flow.
const (
	ServerRole = "pages"
	FlowRole   = "flow"
)

// rivalGroup is how many records the rival brings in one transaction.
const rivalGroup = 5000

// usualLanes is how many lanes a list or an export has where nobody says how many.
const usualLanes = 2

// Served says where pages are served.
type Served struct {
	URL string `json:"url"`
}

// ServeMain serves pages until the context ends, and says where.
func ServeMain(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() }) // Serve says so
	if err := json.NewEncoder(os.Stdout).Encode(Served{URL: "http://" + listener.Addr().String()}); err != nil {
		return fmt.Errorf("say where pages are served: %w", err)
	}
	if err := dataset.Serve(listener); ctx.Err() == nil {
		return err //nolint:wrapcheck // it says what failed
	}
	return nil
}

// Asked is one flow, as its process is told.
type Asked struct {
	Database, Pages, Resource string
	Rival                     bool
	Total, PerPage            int
	// Lanes is how many there are; 0 means the usual number.
	Lanes int
	Mix   dataset.Mix
	Call  int64
	// Profile is a file for the CPU profile, "" for none.
	Profile string
}

// Args are the arguments of the process.
func (a *Asked) Args() []string {
	return []string{
		FlowRole, "-database", a.Database, "-pages", a.Pages, "-resource", a.Resource, "-rival=" + strconv.FormatBool(a.Rival),
		"-total", strconv.Itoa(a.Total), "-per-page", strconv.Itoa(a.PerPage), "-mix", strconv.Itoa(int(a.Mix)), "-call", strconv.FormatInt(a.Call, 10),
		"-lanes", strconv.Itoa(a.Lanes), "-cpuprofile", a.Profile,
	}
}

// Did is what a flow's process says at its end.
type Did struct {
	Counts

	Seconds float64 `json:"seconds"`
	// Peak is the most memory that it had resident, in bytes.
	Peak int64 `json:"peak"`
}

// Main is one flow in a process of its own; args are those behind the role.
func Main(ctx context.Context, args []string) (err error) {
	var a Asked
	flags := flag.NewFlagSet(FlowRole, flag.ContinueOnError)
	flags.StringVar(&a.Database, "database", "", "address of the database")
	flags.StringVar(&a.Pages, "pages", "", "address of the pages")
	flags.StringVar(&a.Resource, "resource", "", "what is copied")
	flags.BoolVar(&a.Rival, "rival", false, "as other tools do it")
	flags.IntVar(&a.Total, "total", 0, "how many records there are")
	flags.IntVar(&a.PerPage, "per-page", 200, "records a page") //nolint:mnd // the usual size
	flags.IntVar((*int)(&a.Mix), "mix", 0, "which version they have")
	flags.IntVar(&a.Lanes, "lanes", 0, "how many lanes read and load beside each other; 0: as many as usual")
	flags.Int64Var(&a.Call, "call", 1, "the number of the first call")
	profile := flags.String("cpuprofile", "", "file for a CPU profile")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read the flags: %w", err)
	}
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			return fmt.Errorf("make the file of the profile: %w", err)
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	conns, err := connect(ctx, a.Database, cmp.Or(a.Lanes, usualLanes))
	defer func() {
		for _, conn := range conns {
			err = errors.Join(err, conn.Close(ctx))
		}
	}()
	if err != nil {
		return err
	}
	job := &Job{Conn: conns[0], Beside: conns[1:], Service: dataset.Service(), Call: a.Call}
	address := func(path string, number int) string {
		return a.Pages + path + a.Resource + "?" + url.Values{
			"page": {strconv.Itoa(number)}, "per_page": {strconv.Itoa(a.PerPage)}, "total": {strconv.Itoa(a.Total)}, "mix": {strconv.Itoa(int(a.Mix))},
		}.Encode()
	}
	job.Page = func(number int) string { return address("/", number) }
	// What is measured begins with pages that are there: how they are made is nothing of ours.
	if _, err := get(ctx, new(http.Client), address(dataset.ReadyPath, 1)); err != nil {
		return err
	}
	if job.Resource, err = dataset.Find(job.Service, a.Resource); err != nil {
		return err //nolint:wrapcheck // it says what is wrong
	}
	began := time.Now()
	var did Did
	switch {
	case a.Rival:
		did.Counts, err = job.Rival(ctx, baseline.Of(job.Resource), rivalGroup)
	case a.Resource == "chats":
		did.Counts, err = job.Lines(ctx)
	default:
		did.Counts, err = job.Pages(ctx)
	}
	did.Seconds = time.Since(began).Seconds()
	if err == nil && did.Records != a.Total {
		err = fmt.Errorf("%d of %d records came", did.Records, a.Total)
	}
	if err != nil {
		return err
	}
	if did.Peak, err = peak.Self(); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(did); err != nil {
		return fmt.Errorf("say what was done: %w", err)
	}
	return nil
}

// connect opens the connections of all lanes; those that were opened before one failed are given, too.
func connect(ctx context.Context, database string, lanes int) ([]*pgx.Conn, error) {
	var conns []*pgx.Conn
	for range lanes {
		conn, err := pgx.Connect(ctx, database)
		if err != nil {
			return conns, fmt.Errorf("connect to the database: %w", err)
		}
		conns = append(conns, conn)
		if err := postgres.KeepMemory(ctx, conn); err != nil { // as the warehouse's connections do
			return conns, err //nolint:wrapcheck // it says what failed
		}
	}
	return conns, nil
}
