package config

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline/engine/config/strict"
	"sluice/schema"
)

// maxWorkers is more than any allowance upstream can keep busy.
const maxWorkers = 64

// Closed sets and shapes of values.
//
//nolint:gochecknoglobals // constants
var (
	totalsUses = []string{totalsAuto, TotalsOff}
	logLevels  = []string{"debug", "info", "warn", "error"}
	digits     = regexp.MustCompile(`^[0-9]{1,32}$`)
	key        = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)
	brand      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,31}$`)
	// dataCenters are the documented domain suffixes (docs/upstream.md U7 and U8); package upstream
	// has their addresses.
	dataCenters = []string{"ca", "cn", "com", "com.au", "com.cn", "eu", "in", "jp", "sa", "uk"}
)

// checker holds the rules that go beyond the type of one value.
type checker struct {
	*strict.Document

	getenv   func(string) (string, bool)
	declared []schema.Service
	services map[string]*schema.Service
	// absent are the paths of missing secrets that are no mistakes.
	absent map[string]bool
}

func newChecker(file *strict.Document, getenv func(string) (string, bool), services []schema.Service, absent map[string]bool) *checker {
	c := &checker{Document: file, getenv: getenv, declared: services, services: make(map[string]*schema.Service, len(services)), absent: absent}
	for i := range services {
		c.services[services[i].Name] = &services[i]
	}
	return c
}

// failf records a mistake about a value that can be shown, unless a mistake was recorded for it or
// for a key around it. Messages quote the value as it is written (Raw), because a variable may hold
// a secret.
func (c *checker) failf(path, format string, args ...any) {
	if !c.Spoilt(path) {
		c.Addf(path, true, format, args...)
	}
}

// wantf records what a value has to be, unless it is that. The last verb of the format stands for
// the value as it is written.
func (c *checker) wantf(is bool, path, format string, args ...any) {
	if !is {
		c.failf(path, format, append(args, c.Raw(path))...)
	}
}

// need records that a key is missing, and reports whether it has a value without a mistake.
func (c *checker) need(path, value, what string) bool {
	if value == "" {
		c.failf(path, "is missing: %s", what)
		return false
	}
	return !c.Spoilt(path)
}

// needSecret records that a secret is missing, unless it may be missing.
func (c *checker) needSecret(path string, value Secret, what string) {
	if !c.absent[path] {
		c.need(path, value.Reveal(), what)
	}
}

// The calls of a day are counted in the call log, so two days of it are needed; ten years are the
// most.
const minRetention, maxRetention = 2 * day, 3650 * day

// minRuns is what sluice.prune_runs and sluice.prune_actions keep at least.
const minRuns = 35 * day

// retention checks how long notes and raw records are kept.
func (c *checker) retention(r Retention) {
	if calls := r.Calls; calls < minRetention || calls > maxRetention || calls%day != 0 {
		c.failf("retention.calls", "has to be whole days, 48h to 87600h, not %s: 840h is 35 days", c.Raw("retention.calls"))
	} else if runs := r.Runs; runs != 0 && runs < minRuns && calls <= minRuns {
		c.failf("retention.runs", "has to be %gh (35 days) at least, or 0 for ever, not %s", minRuns.Hours(), c.Raw("retention.runs"))
	} else if runs != 0 && runs < calls {
		c.failf("retention.runs", "has to be %gh at least, as the call log names runs for so long (retention.calls), or 0 for ever, not %s",
			calls.Hours(), c.Raw("retention.runs"))
	}
	for _, kept := range []struct {
		key string
		age time.Duration
	}{
		{"raw", r.Raw},
		{"history", r.History},
		{"quarantine.open", r.Quarantine.Open},
		{"quarantine.retried", r.Quarantine.Retried},
		{"quarantine.resolved", r.Quarantine.Resolved},
		{"gone", r.Tombstoned},
	} {
		c.wantf(kept.age == 0 || kept.age >= minRetention, "retention."+kept.key,
			"has to be %gh at least, or 0 for ever, not %s", minRetention.Hours())
	}
	c.wantf(r.Changes >= minRetention && r.Changes <= maxRetention, "retention.changes",
		"has to be 48h to 87600h, not %s: 336h is two weeks")
}

// The uses of totals.
const (
	totalsAuto = "auto"
	TotalsOff  = "off"
	// minCounts is the least time between two counts of a list.
	minCounts = time.Minute
)

func (c *checker) totals(t Totals) {
	if !slices.Contains(totalsUses, t.Use) {
		c.failf("totals.use", "there is no use %q; %s", c.Raw("totals.use"), strict.Hint(t.Use, totalsUses))
	}
	c.wantf(t.Every >= minCounts, "totals.every", "has to be 1m at least, not %s: 1h counts each list once an hour")
}

// process checks the keys about the process itself.
func (c *checker) process(cfg *Config) {
	c.wantf(cfg.Workers >= 1 && cfg.Workers <= maxWorkers, "workers", "has to be 1 to %d, not %s", maxWorkers)
	if !slices.Contains(logLevels, cfg.Log.Level) {
		c.failf("log.level", "there is no level %q; %s", c.Raw("log.level"), strict.Hint(cfg.Log.Level, logLevels))
	}
	share := cfg.Quarantine.MaxShare
	c.wantf(share >= 0 && share <= 1, "quarantine.max_share",
		"has to be a share from 0 to 1, not %s: 0.05 is five in a hundred")
	c.wantf(cfg.Quarantine.MaxOpen >= 0, "quarantine.max_open", "has to be a number of records, or 0 for no alarm, not %s")
	c.retention(cfg.Retention)
	c.hostPort("listen", cfg.Listen, "127.0.0.1:9464")
}

// hostPort checks the address of a listener, and returns its port; "" if it is a mistake.
func (c *checker) hostPort(path, listen, example string) string {
	_, port, err := net.SplitHostPort(listen)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		c.failf(path, "wants host:port, such as %s, not %q", example, c.Raw(path))
		return ""
	}
	return port
}

func (c *checker) vendor(v *Vendor) {
	c.wantf(brand.MatchString(v.Name), "vendor.name",
		"wants letters and digits, as it goes into headers and scopes, not %q")
	c.address("vendor.api_url", &v.APIURL)
	c.address("vendor.chat_url", &v.ChatURL)
	if c.need("vendor.auth_url", v.AuthURL, "give the address of the authorization server of data center com") {
		c.address("vendor.auth_url", &v.AuthURL)
	}
}

// address checks a base address and removes the slash at its end. Messages and excerpts never show
// the address, because it may hold credentials.
func (c *checker) address(path string, into *string) {
	c.clearOr(path, into, false, "sends tokens in clear: write https (plain http is for this machine only)")
}

// clearOr checks a base address as address does. Plain http to another host is a mistake, described
// by inClear, unless it is allowed.
func (c *checker) clearOr(path string, into *string, allowed bool, inClear string) {
	if *into == "" || c.Spoilt(path) {
		return
	}
	u, err := url.Parse(*into)
	switch {
	case err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http"):
		c.Addf(path, false, "is not an address: write https://host")
	case u.User != nil:
		c.Addf(path, false, "holds a user name or password: remove everything before the @")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		c.Addf(path, false, "holds a query or a fragment: end the address before the ? or #")
	case u.Scheme == "http" && !allowed && !loopback(u.Hostname()):
		c.Addf(path, false, "%s", inClear)
	default:
		*into = strings.TrimRight(*into, "/")
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
