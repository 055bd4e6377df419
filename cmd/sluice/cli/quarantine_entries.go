package cli

import (
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/quarantine"
)

// quarantineFlags select entries on a command line.
type quarantineFlags struct {
	organization                 organizationFlag
	resource, code, field, since string
}

func (f *quarantineFlags) add(cmd *cobra.Command) {
	f.organization.add(cmd)
	cmd.Flags().StringVar(&f.code, "code", "", "only entries with this reason, such as bad_time")
	cmd.Flags().StringVar(&f.field, "field", "", "only entries with this field, array positions left out: line_items[].rate")
	cmd.Flags().StringVar(&f.since, "since", "", "only entries last seen since then: a day (2026-03-01), an instant (RFC 3339) or how long ago (36h)")
}

// filter makes the filter of the flags; it selects open entries only, unless all is set.
func (f *quarantineFlags) filter(c *cli, a *engine.App, all bool) (quarantine.Filter, error) {
	filter := quarantine.Filter{State: "open", Code: f.code}
	if all {
		filter.State = ""
	}
	if f.field != "" {
		filter.Field = &f.field
	}
	if f.resource != "" && f.resource != "all" {
		filter.Service, filter.Resource = splitName(f.resource)
	}
	var err error
	if filter.Organization, err = f.organization.key(a); err != nil {
		return filter, err
	}
	filter.Since, err = sinceOf(f.since, c.env.Now(), a.Zone(filter.Organization))
	return filter, err
}

// sinceOf parses an instant, or a day that begins in the zone.
func sinceOf(text string, now time.Time, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return day, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return time.Time{}, usage("--since %q is no day (2026-03-01), no instant (2026-03-01T08:00:00Z) and no time ago (36h)", text)
}

// The name of an entry's number in errors, and the command that lists entries.
const (
	entryNumber     = "entry number"
	quarantineLists = "quarantine list"
)

// wholeEntry is an entry with its record as received.
type wholeEntry struct {
	quarantine.Entry

	// Raw is the record, byte for byte. If it is no valid UTF-8, RawBase64 has the bytes and Raw
	// shows them as well as possible.
	Raw       string `json:"raw"`
	RawBase64 []byte `json:"raw_base64,omitempty"`
}

func wholeOf(e quarantine.Entry) wholeEntry {
	whole := wholeEntry{Entry: e, Raw: string(e.Raw)}
	if !utf8.Valid(e.Raw) {
		whole.RawBase64 = e.Raw
	}
	return whole
}
