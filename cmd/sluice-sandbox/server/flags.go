package server

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"sluice/cmd/sluice-sandbox/poster"
	"sluice/sandbox"
)

// DefaultListen is where a sandbox listens if no flag says otherwise.
const DefaultListen = "127.0.0.1:8086"

// Flags are the flags of a sandbox.
type Flags struct {
	// Listen is the address to listen on.
	Listen        string
	options       sandbox.Options
	noLimit       bool
	latency       latency
	faults        string   // a file
	organizations []string // beside the sandbox's own
	activity      map[string]int
	chaos         map[string]string
	webhooks      string // a file
}

// Add adds the flags to a set.
func (f *Flags) Add(set *pflag.FlagSet) {
	set.StringVar(&f.Listen, "listen", DefaultListen, "address to listen on")
	set.Int64Var(&f.options.Seed, "seed", 1, "seed of the company: the same seed and size give the same records")
	set.IntVar(&f.options.Records, "records", 1000, "number of records, over all resources")
	set.StringVar(&f.options.World, "world", "",
		"books plays companies whose books close, of the 24 months up to today, and answers an analyst's questions at /_sandbox/books/")
	set.StringSliceVar(&f.options.Plant, "plant", nil,
		"changes of --world books that an analyst has to see: difference, deletions, restore, price_rises")
	set.StringVar(&f.options.Plan, "plan", "free", "the organization's plan, which sets the limits")
	set.StringVar(&f.options.TimeZone, "time-zone", "Asia/Kolkata", "the organization's time zone")
	set.StringVar(&f.options.Vendor, "vendor", "Svc",
		"the vendor's name in the Authorization header, the organization headers and the scopes: letters and digits")
	set.Var(&f.latency, "latency", "wait before each answer, such as 150ms or 150ms±50ms")
	set.StringVar(&f.faults, "faults", "", "file with faults to begin with: a JSON list, as POST /_sandbox/faults takes it")
	set.BoolVar(&f.options.Strict, "strict", false,
		"refuse what live services accept and no document shows: unknown query parameters, a slash too many, chat without Content-Type and the like")
	set.BoolVar(&f.options.HeadersOnly, "headers-only", false, "leave lines and the like out of lists, as live services do")
	set.BoolVar(&f.options.AsLive, "as-live", false,
		"send what recorded live services send: lists of headers, keys beyond the documents, other names of some arrays, their own orders")
	set.BoolVar(&f.options.SortsModified, "sorts-modified", false,
		"let lists that filter by modification time sort by it, too, as live services may: the documents show both for no list")
	set.BoolVar(&f.noLimit, "no-limits", false, "refuse no call; the rate headers say that the whole day is left")
	set.DurationVar(&f.options.Limits.Minute, "minute", 0, "length of the minute of the limits, for tests that have not the time (default 1m0s)")
	set.StringSliceVar(&f.options.Networks, "networks", nil, "chat networks, each with channels and chats of its own: partners,suppliers")
	set.StringSliceVar(&f.options.CustomModules, "modules", nil, "custom modules of the accounting service: cm_vehicles,cm_visits")
	set.StringSliceVar(&f.organizations, "organizations", nil, "further organizations by id, behind @ the data center: 60099999999,60012345678@eu")
	set.StringToIntVar(&f.activity, "activity", nil,
		"what the business does by itself in an hour: inserts=20,edits=60,silent=10,deletes=5,restores=1,payments=10,credits=2")
	set.BoolVar(&f.options.DocumentedCallbacks, "documented-callbacks", false,
		"send change notifications in the form of the API document, not in that of live services")
	set.BoolVar(&f.options.OneDayChannels, "one-day-channels", false,
		"grant every channel of change notifications one day, whatever it asks for, as versions 2 and 3 of the API do")
	set.StringToStringVar(&f.chaos, "chaos", nil,
		"what goes wrong with change notifications and webhooks on their way, as rates from 0 to 1: "+
			"lose=0.1,duplicate=0.1,late=0.1,late_by=90s,reorder=0.1,reencode=1,gzip=1")
	set.StringVar(&f.webhooks, "webhooks", "",
		"file with workflow rules, whose addresses are called when records change: JSON, as POST /_sandbox/webhooks takes it")
	set.BoolVar(&f.options.ControlAnywhere, "control-anywhere", false, "answer /_sandbox/ to other machines, too")
	set.BoolVar(&f.options.CallbacksAnywhere, "callbacks-anywhere", false, "send change notifications and webhooks to other machines, too")
}

// Options makes options from flags. Errors are ErrUsage.
func (f *Flags) Options() (sandbox.Options, error) {
	options := f.options
	options.Now = time.Now
	options.Limits.Off = f.noLimit
	options.PageLatency, options.LatencyJitter = f.latency.middle, f.latency.around
	options.Poster = new(poster.Poster)
	for n, text := range f.organizations {
		id, dataCenter, _ := strings.Cut(text, "@")
		options.Organizations = append(options.Organizations, sandbox.OrganizationOptions{
			ID: id, DataCenter: dataCenter, Seed: options.Seed + int64(n) + 1,
		})
	}
	for name, rate := range f.activity {
		field := fieldOf(&options.Activity, name)
		if field == nil {
			return options, usagef("--activity: %q is unknown: use inserts, edits, silent, deletes, restores, payments or credits", name)
		}
		*field = float64(rate)
	}
	if err := f.setChaos(&options.Chaos); err != nil {
		return options, err
	}
	var err error
	if f.faults != "" {
		if options.Faults, err = readFaults(f.faults); err != nil {
			return options, err
		}
	}
	if f.webhooks != "" {
		options.Webhooks, err = readWebhooks(f.webhooks)
	}
	return options, err
}

func usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrUsage, fmt.Errorf(format, args...))
}

// setChaos reads rates from 0 to 1, and the time late_by.
func (f *Flags) setChaos(chaos *sandbox.Chaos) error {
	rates := map[string]*float64{
		"lose": &chaos.Lose, "duplicate": &chaos.Duplicate, "late": &chaos.Late, "reorder": &chaos.Reorder,
		"reencode": &chaos.Reencode, "gzip": &chaos.Gzip,
	}
	for name, text := range f.chaos {
		var err error
		switch rate := rates[name]; {
		case rate != nil:
			*rate, err = strconv.ParseFloat(text, 64)
		case name == "late_by":
			chaos.LateBy, err = time.ParseDuration(text)
		default:
			return usagef("--chaos: %q is unknown: use lose, duplicate, late, late_by, reorder, reencode or gzip", name)
		}
		if err != nil {
			return usagef("--chaos: %s=%s: use a rate from 0 to 1, and for late_by a time such as 90s: %w", name, text, err)
		}
	}
	return nil
}

// fieldOf is the rate with this name; nil if there is none.
func fieldOf(rates *sandbox.Activity, name string) *float64 {
	return map[string]*float64{
		"inserts": &rates.Inserts, "edits": &rates.Edits, "silent": &rates.Silent, "deletes": &rates.Deletes,
		"restores": &rates.Restores, "payments": &rates.Payments, "credits": &rates.Credits,
	}[name]
}

// readFaults reads a list of faults.
func readFaults(path string) ([]sandbox.Fault, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usagef("--faults: %w", err)
	}
	defer func() { _ = file.Close() }() // the file was only read
	faults, err := sandbox.ReadFaults(file)
	if err != nil {
		return nil, usagef("--faults: %s is no list of faults, such as [{\"path\":\"/inventory/v1/bills\",\"kind\":\"html\"}]: %w", path, err)
	}
	return faults, nil
}

// readWebhooks reads rules of webhooks.
func readWebhooks(path string) (sandbox.Webhooks, error) {
	file, err := os.Open(path)
	if err != nil {
		return sandbox.Webhooks{}, usagef("--webhooks: %w", err)
	}
	defer func() { _ = file.Close() }() // the file was only read
	webhooks, err := sandbox.ReadWebhooks(file)
	if err != nil {
		return webhooks, usagef(`--webhooks: %s has no rules, such as {"rules":[{"resource":"inventory.bills","address":"http://127.0.0.1:8099"}]}: %w`,
			path, err)
	}
	return webhooks, nil
}

// latency is a duration with its variation, written 150ms±50ms.
type latency struct{ middle, around time.Duration }

// String writes it as Set parses it.
func (l *latency) String() string {
	if l.around == 0 {
		return l.middle.String()
	}
	return l.middle.String() + "±" + l.around.String()
}

// Set parses it; +- means ±, which not every keyboard has.
func (l *latency) Set(text string) error {
	middle, around, varies := strings.Cut(strings.Replace(text, "+-", "±", 1), "±")
	var read latency
	var err error
	if read.middle, err = time.ParseDuration(middle); err != nil {
		return fmt.Errorf("%q is no time, such as 150ms or 150ms±50ms", text)
	}
	if varies {
		if read.around, err = time.ParseDuration(around); err != nil {
			return fmt.Errorf("%q is no time, such as 150ms or 150ms±50ms", text)
		}
	}
	if read.middle < 0 || read.around < 0 || read.around > read.middle {
		return fmt.Errorf("%q reaches below nothing", text)
	}
	*l = read
	return nil
}

// Type names the kind of value in the help.
func (*latency) Type() string { return "duration" }
