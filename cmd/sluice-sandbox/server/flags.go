package server

import (
	"fmt"
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
	organizations []string // beside the sandbox's own
	activity      map[string]int
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
	set.DurationVar(&f.options.PageLatency, "latency", 0, "wait before each answer, such as 150ms")
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
	set.BoolVar(&f.options.ControlAnywhere, "control-anywhere", false, "answer /_sandbox/ to other machines, too")
	set.BoolVar(&f.options.CallbacksAnywhere, "callbacks-anywhere", false, "send change notifications and webhooks to other machines, too")
}

// Options makes options from flags. Errors are ErrUsage.
func (f *Flags) Options() (sandbox.Options, error) {
	options := f.options
	options.Now = time.Now
	options.Limits.Off = f.noLimit
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
			return options, fmt.Errorf("%w: --activity: %q is unknown: use inserts, edits, silent, deletes, restores, payments or credits", ErrUsage, name)
		}
		*field = float64(rate)
	}
	return options, nil
}

// fieldOf is the rate with this name; nil if there is none.
func fieldOf(rates *sandbox.Activity, name string) *float64 {
	return map[string]*float64{
		"inserts": &rates.Inserts, "edits": &rates.Edits, "silent": &rates.Silent, "deletes": &rates.Deletes,
		"restores": &rates.Restores, "payments": &rates.Payments, "credits": &rates.Credits,
	}[name]
}
