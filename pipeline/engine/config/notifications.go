package config

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/engine/config/strict"
	"sluice/pipeline/notifications"
)

// Notifications says how change notifications are received.
type Notifications struct {
	// Listen is the address of the listener; "" means that this process receives nothing.
	Listen string `yaml:"listen"`
	// PublicURL is the address that upstream is told, without a slash at the end.
	PublicURL string `yaml:"public_url"`
	// APIVersion is the version of upstream's API by which channels are enabled.
	APIVersion string `yaml:"api_version"`
	// TrustedProxies are the networks whose X-Forwarded-For is believed. AllowFrom are the networks
	// that may send; empty means any.
	TrustedProxies []netip.Prefix `yaml:"trusted_proxies"`
	AllowFrom      []netip.Prefix `yaml:"allow_from"`
	// Debounce is how long a hint waits for further callbacks, MaxWait how long it waits in all.
	Debounce time.Duration `yaml:"debounce"`
	MaxWait  time.Duration `yaml:"max_wait"`
	// SelfTest is the interval between two tests through PublicURL; zero means none.
	SelfTest time.Duration `yaml:"self_test"`
	// Keep is how long callbacks and events are kept; KeepBodies keeps the bodies with them.
	Keep       time.Duration `yaml:"keep"`
	KeepBodies bool          `yaml:"keep_bodies"`
	// HintedPerMinute is how many reads of one stream hints may cause in a minute.
	HintedPerMinute int `yaml:"hinted_per_minute"`
}

// OrganizationNotifications are the change notifications of one organization.
type OrganizationNotifications struct {
	// Secret signs the webhooks of rules, and the tokens of channels are derived from it. It is one
	// secret, or the new and the old one during a rotation.
	Secret strict.OneOrMore[Secret] `yaml:"secret"`
	// Watch are the modules with a channel.
	Watch []Watch `yaml:"watch"`
}

// Watch is one channel.
type Watch struct {
	Module string `yaml:"module"`
	// Operations are all, or some of create, edit and delete.
	Operations strict.OneOrMore[string] `yaml:"operations"`
	// Tells are the resources whose lists are read because of it, by their full names.
	Tells []string `yaml:"tells"`
}

// Notified says how a resource is read that callbacks tell of.
type Notified struct {
	// Every is the interval between two runs where callbacks can be relied on; zero means the usual
	// one.
	Every time.Duration `yaml:"every"`
}

// The bounds of notifications. A reader may take some seconds to see a change, and a wait that is
// longer than an interval would be of no use.
const (
	maxDebounce, maxMaxWait = time.Minute, 10 * time.Minute
	minSelfTest             = time.Minute
	minKeepCallbacks        = day
	// mostHinted is the number of calls that upstream allows in a minute (docs/upstream.md U40).
	mostHinted = 100
	// mostSecrets are those of a rotation.
	mostSecrets = 2
	allOfThem   = "all"
)

// Shapes of values. Upstream takes secrets of 12 to 50 letters and digits (docs/upstream.md U304).
//
//nolint:gochecknoglobals // constants
var (
	hookSecret = regexp.MustCompile(`^[0-9A-Za-z]{12,50}$`)
	apiVersion = regexp.MustCompile(`^v[0-9]{1,2}(\.[0-9])?$`)
	moduleName = regexp.MustCompile(`^[0-9A-Za-z_]{1,100}$`)
	operations = []string{allOfThem, "create", "edit", "delete"}
)

// Notifies reports whether the configuration has notifications of the organization.
func (o *Organization) Notifies() bool { return len(o.Notifications.Secret) > 0 }

// network reads a network or a single address.
func network(from secrets.Source, raw string) (netip.Prefix, error) {
	text, err := from.Expand(raw)
	if err != nil {
		return netip.Prefix{}, err
	}
	if single, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(single, single.BitLen()), nil
	}
	read, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, errors.New("wants a network such as 10.0.0.0/8, or an address")
	}
	return read.Masked(), nil
}

// notifications checks how change notifications are received. The resources have to be complete.
func (c *checker) notifications(doc *document) {
	n := &doc.Notifications
	c.publicURL(&n.PublicURL)
	c.figures(n)
	notified := false
	for i := range doc.Organizations {
		org, path := &doc.Organizations[i], fmt.Sprintf("organizations[%d].notifications", i)
		notified = notified || org.Notifies() || c.Spoilt(path)
		c.notified(doc, org, path)
		if org.Notifies() && n.PublicURL == "" {
			c.failf("notifications.public_url", "is missing: organization %s has notifications, and upstream has to know where to send them", org.Name)
		}
		if longest := len(n.PublicURL) + longestPath(doc, org); org.Notifies() && longest > notifications.MaxAddress {
			c.failf("notifications.public_url", "is too long: upstream takes addresses of %d characters, and the longest one of organization %s has %d",
				notifications.MaxAddress, org.Name, longest)
		}
	}
	if n.Listen == "" {
		return
	}
	switch port := c.hostPort("notifications.listen", n.Listen, "127.0.0.1:9465"); {
	case port == "":
	case n.Listen == doc.Listen && port != "0":
		c.failf("notifications.listen", "is also the address of the status pages (listen): what upstream reaches must not show them")
	case !notified:
		c.failf("notifications.listen", "has nothing to receive: no organization has notifications.secret")
	}
}

// publicURL checks the address that upstream is told.
func (c *checker) publicURL(into *string) {
	const path = "notifications.public_url"
	c.address(path, into)
	if strings.Contains(*into, "|") || strings.ContainsFunc(*into, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.Addf(path, false, "holds characters that an address has to escape: write plain ones")
	}
}

// figures checks the time spans and numbers.
func (c *checker) figures(n *Notifications) {
	const at = "notifications."
	c.wantf(apiVersion.MatchString(n.APIVersion), at+"api_version", "wants a version such as v8, not %q")
	c.wantf(n.Debounce >= 0 && n.Debounce <= maxDebounce, at+"debounce", "has to be 0s to %s, not %s", short(maxDebounce))
	c.wantf((n.MaxWait >= n.Debounce || c.Spoilt(at+"debounce")) && n.MaxWait <= maxMaxWait, at+"max_wait",
		"has to be %s (debounce) to %s, not %s", short(n.Debounce), short(maxMaxWait))
	c.wantf(n.SelfTest == 0 || n.SelfTest >= minSelfTest, at+"self_test",
		"has to be %s or more, or 0 for none, not %s", short(minSelfTest))
	c.wantf(n.Keep >= minKeepCallbacks && n.Keep <= maxRetention, at+"keep",
		"has to be %s to %s, not %s", short(minKeepCallbacks), short(maxRetention))
	c.wantf(n.HintedPerMinute >= 1 && n.HintedPerMinute <= mostHinted, at+"hinted_per_minute",
		"has to be 1 to %d, not %s", mostHinted)
}

// longestPath returns the length of the longest path of an organization, in characters.
func longestPath(doc *document, org *Organization) int {
	longest := len(notifications.Path(notifications.Watch, org.Key, ""))
	for name := range doc.Config.Resources {
		longest = max(longest, len(notifications.Path(notifications.Rule, org.Key, name)))
	}
	return longest
}

// notified checks what one organization is notified of.
func (c *checker) notified(doc *document, org *Organization, path string) {
	of := &org.Notifications
	if len(of.Secret) == 0 && len(of.Watch) > 0 {
		c.failf(path+".secret", "is missing: tokens of channels are derived from it; "+secrets.Forms)
	}
	if len(of.Secret) > mostSecrets {
		c.failf(path+".secret", "has %d secrets: write one, or the new and the old one while you change it", len(of.Secret))
	}
	for i, secret := range of.Secret {
		at := c.element(path+".secret", i)
		if !c.absent[at] && !c.Spoilt(at) && !hookSecret.MatchString(secret.Reveal()) {
			c.Addf(at, false, "has to be 12 to 50 letters and digits: upstream takes no other secret")
		}
	}
	seen := make(map[string]bool)
	for i := range of.Watch {
		watch, at := &of.Watch[i], fmt.Sprintf("%s.watch[%d]", path, i)
		switch {
		case !c.need(at+".module", watch.Module, "write the API name of the module, such as Products"):
		case !moduleName.MatchString(watch.Module):
			c.failf(at+".module", "wants letters, digits and underscores, not %q", c.Raw(at+".module"))
		case seen[watch.Module]:
			c.failf(at+".module", "is watched twice: a module has one channel, so put both together")
		}
		seen[watch.Module] = true
		c.watched(doc, org, watch, at)
	}
}

// element returns the path of an element of a list that may be written as a single value.
func (c *checker) element(path string, i int) string {
	if c.Raw(path) != "" {
		return path
	}
	return fmt.Sprintf("%s[%d]", path, i)
}

// watched checks one channel, and fills in that it is told of all operations.
func (c *checker) watched(doc *document, org *Organization, watch *Watch, path string) {
	if len(watch.Operations) == 0 {
		watch.Operations = []string{allOfThem}
	}
	for i, operation := range watch.Operations {
		at := c.element(path+".operations", i)
		switch {
		case !slices.Contains(operations, operation):
			c.failf(at, "there is no operation %q; %s", c.Raw(at), strict.Hint(operation, operations))
		case operation == allOfThem && len(watch.Operations) > 1:
			c.failf(at, "means create, edit and delete: write it alone")
		}
	}
	for i, name := range watch.Tells {
		at := fmt.Sprintf("%s.tells[%d]", path, i)
		service, _, _ := strings.Cut(name, ".")
		chosen, known := doc.Config.Resources[name]
		_, copied := org.Services[service]
		switch {
		case !known:
			c.failf(at, "there is no resource %q; %s", c.Raw(at), strict.Hint(name, slices.Sorted(maps.Keys(doc.Config.Resources))))
		case !copied || !chosen.Enabled:
			c.failf(at, "is not copied from organization %s: enable it, or remove it here", org.Name)
		case slices.Index(watch.Tells, name) < i:
			c.failf(at, "is there twice: remove one of the two")
		}
	}
}

// relaxed checks how often a resource is read where callbacks can be relied on.
func (c *checker) relaxed(every time.Duration, path string) time.Duration {
	if written := c.Raw(path); written != "" && every < minEvery {
		c.failf(path, "has to be %s or more, not %s", short(minEvery), written)
		return 0
	}
	return every
}
