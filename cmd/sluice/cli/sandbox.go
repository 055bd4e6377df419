package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
)

func (c *cli) sandboxCommand() *cobra.Command {
	flags := sandboxFlags{}
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Serve a simulated upstream to try things against",
		Long: `Serve a simulated upstream over HTTP. It is not the real service: it holds no person's
data, calls no other machine, keeps nothing when it stops, serves no HTTPS and sends no
mail; of what the three API documents leave out it plays a few calls, each marked as
assumed in the header X-Sandbox-Assumed.

It plays the accounting, invoicing, subscription-billing, inventory and chat services
of made-up companies: lists, single records, exports and writes, the consent page and
tokens, change notifications, webhooks of workflow rules, limits and, on demand, faults.
The page at / says what it can do. Paths under /_sandbox/ change the company, move its
clock, count calls and set faults; they answer on this machine only.`,
		Example: `  sluice sandbox --records 20000 --seed 7 --plan premium
  sluice sandbox --latency 150ms±50ms --faults faults.json --strict
  sluice sandbox --world books --plant difference --headers-only
  sluice sandbox --organizations 60099999999,60012345678@eu --networks partners --modules cm_visits`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.serveSandbox(cmd.Context(), flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.listen, "listen", "127.0.0.1:8086", "address to listen on")
	f.Int64Var(&flags.options.Seed, "seed", 1, "seed of the company: the same seed and size give the same records")
	f.IntVar(&flags.options.Records, "records", 1000, "number of records, over all resources")
	f.StringVar(&flags.options.World, "world", "",
		"books plays companies whose books close, of the 24 months up to today, and answers an analyst's questions at /_sandbox/books/")
	f.StringSliceVar(&flags.options.Plant, "plant", nil,
		"changes of --world books that an analyst has to see: difference, deletions, restore, price_rises")
	f.StringVar(&flags.options.Plan, "plan", "free", "the organization's plan, which sets the limits")
	f.StringVar(&flags.options.TimeZone, "time-zone", "Asia/Kolkata", "the organization's time zone")
	f.StringVar(&flags.options.Vendor, "vendor", "Svc",
		"the vendor's name in the Authorization header, the organization headers and the scopes: letters and digits")
	f.Var(&flags.latency, "latency", "wait before each answer, such as 150ms or 150ms±50ms")
	f.StringVar(&flags.faults, "faults", "", "file with faults to begin with: a JSON list, as POST /_sandbox/faults takes it")
	f.BoolVar(&flags.options.Strict, "strict", false,
		"refuse what live services accept and no document shows: unknown query parameters, a slash too many, chat without Content-Type and the like")
	f.BoolVar(&flags.options.HeadersOnly, "headers-only", false, "leave lines and the like out of lists, as live services do")
	f.BoolVar(&flags.options.AsLive, "as-live", false,
		"send what recorded live services send: lists of headers, keys beyond the documents, other names of some arrays, their own orders")
	f.BoolVar(&flags.options.SortsModified, "sorts-modified", false,
		"let lists that filter by modification time sort by it, too, as live services may: the documents show both for no list")
	f.BoolVar(&flags.noLimit, "no-limits", false, "refuse no call; the rate headers say that the whole day is left")
	f.DurationVar(&flags.options.Limits.Minute, "minute", 0, "length of the minute of the limits, for tests that have not the time (default 1m0s)")
	f.StringSliceVar(&flags.options.Networks, "networks", nil, "chat networks, each with channels and chats of its own: partners,suppliers")
	f.StringSliceVar(&flags.options.CustomModules, "modules", nil, "custom modules of the accounting service: cm_vehicles,cm_visits")
	f.StringSliceVar(&flags.organizations, "organizations", nil, "further organizations by id, behind @ the data center: 60099999999,60012345678@eu")
	f.StringToIntVar(&flags.activity, "activity", nil,
		"what the business does by itself in an hour: inserts=20,edits=60,silent=10,deletes=5,restores=1,payments=10,credits=2")
	f.BoolVar(&flags.options.DocumentedCallbacks, "documented-callbacks", false,
		"send change notifications in the form of the API document, not in that of live services")
	f.BoolVar(&flags.options.OneDayChannels, "one-day-channels", false,
		"grant every channel of change notifications one day, whatever it asks for, as versions 2 and 3 of the API do")
	f.StringToStringVar(&flags.chaos, "chaos", nil,
		"what goes wrong with change notifications and webhooks on their way, as rates from 0 to 1: "+
			"lose=0.1,duplicate=0.1,late=0.1,late_by=90s,reorder=0.1,reencode=1,gzip=1")
	f.StringVar(&flags.webhooks, "webhooks", "",
		"file with workflow rules, whose addresses are called when records change: JSON, as POST /_sandbox/webhooks takes it")
	f.BoolVar(&flags.options.ControlAnywhere, "control-anywhere", false, "answer /_sandbox/ to other machines, too")
	f.BoolVar(&flags.options.CallbacksAnywhere, "callbacks-anywhere", false, "send change notifications and webhooks to other machines, too")
	return cmd
}

// serveSandbox serves until the context ends.
func (c *cli) serveSandbox(ctx context.Context, flags sandboxFlags) error {
	options, err := flags.resolve()
	if err != nil {
		return err
	}
	options.Now = c.env.Now
	upstream, err := startSandbox(ctx, flags.listen, options)
	if err != nil {
		return err
	}
	err = c.show(upstream, view.Line("%s", upstream.text()))
	select {
	case <-ctx.Done():
	case failure := <-upstream.failed: // the server has failed
		upstream.failed <- failure
	}
	return errors.Join(err, upstream.stop(ctx))
}

// text is what a reader needs to point sluice at the sandbox. The credentials belong to made-up
// companies and open nothing else.
func (r *runningSandbox) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `The sandbox answers at %s (Ctrl-C ends it). Open it in a browser to see what it does.

A configuration for it:

%s
and its secrets (of a made-up company, they open nothing else):

export SANDBOX_CLIENT_SECRET=%s
export SANDBOX_REFRESH_TOKEN=%s
`, r.URL, r.config(r.plan()), r.ClientSecret, r.RefreshToken)
	for n, o := range r.Others {
		fmt.Fprintf(&b, "export %s=%s\n", variableOf(n), o.RefreshToken)
	}
	return b.String() + "export SLUICE_ENCRYPTION_KEY=$(head -c 32 /dev/urandom | base64)"
}
