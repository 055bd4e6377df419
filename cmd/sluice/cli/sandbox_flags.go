package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"sluice/cmd/sluice/poster"
	"sluice/sandbox"
)

// sandboxFlags are the flags of the sandbox command.
type sandboxFlags struct {
	listen        string
	options       sandbox.Options
	noLimit       bool
	latency       latency
	faults        string   // a file
	organizations []string // beside the sandbox's own
	activity      map[string]int
	chaos         map[string]string
	webhooks      string // a file
}

// resolve makes options from flags. Invalid values are usage errors.
func (f sandboxFlags) resolve() (sandbox.Options, error) {
	options := f.options
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
			return options, usage("--activity: %q is unknown: use inserts, edits, silent, deletes, restores, payments or credits", name)
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

// setChaos reads rates from 0 to 1, and the time late_by.
func (f sandboxFlags) setChaos(chaos *sandbox.Chaos) error {
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
			return usage("--chaos: %q is unknown: use lose, duplicate, late, late_by, reorder, reencode or gzip", name)
		}
		if err != nil {
			return usage("--chaos: %s=%s: use a rate from 0 to 1, and for late_by a time such as 90s: %w", name, text, err)
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
		return nil, usage("--faults: %w", err)
	}
	defer func() { _ = file.Close() }() // the file was only read
	faults, err := sandbox.ReadFaults(file)
	if err != nil {
		return nil, usage("--faults: %s is no list of faults, such as [{\"path\":\"/inventory/v1/bills\",\"kind\":\"html\"}]: %w", path, err)
	}
	return faults, nil
}

// readWebhooks reads rules of webhooks.
func readWebhooks(path string) (sandbox.Webhooks, error) {
	file, err := os.Open(path)
	if err != nil {
		return sandbox.Webhooks{}, usage("--webhooks: %w", err)
	}
	defer func() { _ = file.Close() }() // the file was only read
	webhooks, err := sandbox.ReadWebhooks(file)
	if err != nil {
		return webhooks, usage(`--webhooks: %s has no rules, such as {"rules":[{"resource":"inventory.bills","address":"http://127.0.0.1:8099"}]}: %w`,
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
