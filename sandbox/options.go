package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"sluice/sandbox/company/activity"
	"sluice/sandbox/limits"
	"sluice/sandbox/lists"
	"sluice/sandbox/oauth"
	"sluice/sandbox/world/ledger"
)

// Credentials that the sandbox accepts. They open nothing else.
const (
	ClientID              = "1000.SANDBOXCLIENT"
	ClientSecret          = "sandbox-client-secret"                                                    // of the sandbox only.
	RefreshToken          = "1000.53616e64626f785265667265736800000.53616e64626f785265667265736800001" // of the sandbox only.
	DefaultOrganizationID = "60012345678"
)

const (
	defaultRecords  = 1000
	defaultTimeZone = "Asia/Kolkata"
	defaultVendor   = "Svc"
	defaultPlan     = "free"
)

// WorldBooks names the world whose books close.
const WorldBooks = "books"

// Options describe the simulated upstream.
type Options struct {
	// Seed and Records fix the world: the same pair gives the same bytes, as long as the clock
	// starts after 2025. Records counts the resources of which a business has many; settings and
	// persons come on top. It defaults to 1000.
	Seed    int64
	Records int
	// World is WorldBooks for businesses whose books close, as of today; "" for worlds of single
	// records, whose bytes depend on seed and size alone. Base is the organization's own currency
	// in the former: one of ledger.Bases; it defaults to the first one.
	World, Base string
	// Plant changes the books of each organization in WorldBooks at the start, as world.Plant does:
	// difference, deletions, restore or price_rises.
	Plant []string
	// Plan is the organization's plan: free, standard, professional, premium, elite, ultimate
	// (accounting) or enterprise (inventory). It defaults to free.
	Plan string
	// OrganizationID defaults to DefaultOrganizationID, TimeZone (an IANA name) to Asia/Kolkata,
	// Vendor (the prefix of scheme and scopes) to Svc.
	OrganizationID string
	TimeZone       string
	Vendor         string
	// Organizations are simulated beside the one above.
	Organizations []OrganizationOptions
	// Networks names chat networks, CustomModules custom modules. Each organization has all of
	// them, with records of its own.
	Networks      []string
	CustomModules []string
	// Demo fills keys that few businesses ever fill. In 5,000 records, every key that the documents
	// name has a value in at least one.
	Demo bool
	// Now is the clock; it is required.
	Now func() time.Time
	// Limits override the plan's, field by field.
	Limits Limits
	// HeadersOnly makes lists of bills, credit notes, vendor payments, items and composite items
	// omit what live services give with the single record alone.
	HeadersOnly bool
	// AsLive plays live services beyond the documents: lists of headers, further keys, other names
	// of some arrays, and the orders that lists have by themselves (docs/upstream.md U87, U101,
	// U310 to U329). It includes HeadersOnly and AccountsByType.
	AsLive bool
	// SortsModified makes lists that filter by modification time sort by it as well, in both
	// directions, as live services may. The documents show both for no list.
	SortsModified bool
	// AccountsByType makes the list of accounts come by account_type unless a sort is asked for, as
	// live services do (docs/upstream.md U101). Without it they come newest created first, like the
	// other lists.
	AccountsByType bool
	// PageLatency is the delay before each answer of a service. LatencyJitter is the most that it
	// varies, drawn by the seed.
	PageLatency, LatencyJitter time.Duration
	// Strict refuses what live services tolerate beyond the documents. Examples are unknown query
	// parameters, chat without Content-Type, a slash too many and the organization of invoicing and
	// billing in the query. Others are Bearer in accounting and consent without state.
	Strict bool
	// ControlAnywhere opens the controls to other machines than this one.
	ControlAnywhere bool
	// Poster sends change notifications; nil sends none. They go to addresses on this machine,
	// unless CallbacksAnywhere is set.
	Poster            Poster
	CallbacksAnywhere bool
	// DocumentedCallbacks sends callbacks in the form of the API document (docs/upstream.md U279),
	// instead of that of live services (U285).
	DocumentedCallbacks bool
	// OneDayChannels grants every channel one day, whatever is asked (docs/upstream.md U288).
	OneDayChannels bool
	// Chaos is what goes wrong with notifications and webhooks on their way.
	Chaos Chaos
	// Webhooks are the workflow rules of the sandbox's own organization (docs/upstream.md U300).
	// They need a plan other than free. The Poster sends them as well.
	Webhooks Webhooks
	// Activity is what each business does by itself as its clock goes on; nothing by default.
	Activity Activity
	// Faults are set at the start, and again by a reset.
	Faults []Fault
	// Clients are registered beside the sandbox's own client.
	Clients []Client
	// NoCSVHeader omits the first line of the conversation export.
	NoCSVHeader bool
	// ChatPage is the number of chats in one answer of the export; 0 gives all in one answer. Every
	// answer but the last ends with a blank line and the token to ask on with (docs/upstream.md
	// U254).
	ChatPage int
	// ChatEpoch writes the times of chats in epoch milliseconds (docs/upstream.md U256).
	ChatEpoch bool
}

// OrganizationOptions describe a further organization. It has a world, an allowance and a refresh
// token of its own: RefreshTokenFor.
type OrganizationOptions struct {
	// ID may equal that of an organization in another data center.
	ID string
	// DataCenter names the host region. Its API, chat and authorization server are served below
	// /dc/<name>. "" is the data center without a prefix.
	DataCenter string
	Seed       int64
	// Base is its own currency in WorldBooks. It defaults to another one for each organization.
	Base string
	// Records, TimeZone and Plan default to those of the sandbox's own organization.
	Records  int
	TimeZone string
	Plan     string
}

// RefreshTokenFor returns the refresh token of an organization in a data center.
func RefreshTokenFor(id, dataCenter string) string {
	if id == DefaultOrganizationID && dataCenter == "" {
		return RefreshToken
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "refresh/%s/%s", dataCenter, id))
	text := hex.EncodeToString(sum[:])
	half := len(text) / 2 // half of the sum.
	return "1000." + text[:half] + "." + text[half:]
}

// Client is an application that may ask for consent and tokens.
type Client = oauth.Client

// Activity says how often things happen, per hour.
type Activity = activity.Rates

// Limits bound the calls. A zero field takes the plan's value.
type Limits = limits.Limits

// habits are the ways of lists.
func (o Options) habits() lists.Habits {
	return lists.Habits{HeadersOnly: o.HeadersOnly, SortsModified: o.SortsModified, AccountsByType: o.AccountsByType, AsLive: o.AsLive}
}

func (o Options) withDefaults() Options {
	if o.Records <= 0 {
		o.Records = defaultRecords
	}
	fallback(&o.Plan, defaultPlan)
	fallback(&o.OrganizationID, DefaultOrganizationID)
	fallback(&o.TimeZone, defaultTimeZone)
	fallback(&o.Vendor, defaultVendor)
	o.Organizations = slices.Clone(o.Organizations)
	for n := range o.Organizations {
		other := &o.Organizations[n]
		fallback(&other.Plan, o.Plan)
		fallback(&other.TimeZone, o.TimeZone)
		if other.Records <= 0 {
			other.Records = o.Records
		}
		if o.World == WorldBooks {
			fallback(&other.Base, ledger.Bases()[(n+1)%len(ledger.Bases())])
		}
	}
	if o.World == WorldBooks {
		fallback(&o.Base, ledger.Bases()[0])
	}
	return o
}

// all returns the simulated organizations, the sandbox's own first.
func (o Options) all() []OrganizationOptions {
	return append([]OrganizationOptions{{
		ID: o.OrganizationID, Seed: o.Seed, Base: o.Base, Records: o.Records, TimeZone: o.TimeZone, Plan: o.Plan,
	}}, o.Organizations...)
}

func fallback(value *string, preset string) {
	if *value == "" {
		*value = preset
	}
}

// check returns an error for options that cannot be simulated.
func (o Options) check() error {
	if o.Now == nil {
		return errors.New("sandbox: option Now is missing: pass the clock")
	}
	if o.ChatPage < 0 {
		return fmt.Errorf("sandbox: option ChatPage is %d: use 0 for all chats in one answer", o.ChatPage)
	}
	if o.LatencyJitter < 0 || o.LatencyJitter > max(o.PageLatency, 0) {
		return fmt.Errorf("sandbox: option LatencyJitter is %s around %s: no answer takes less than no time", o.LatencyJitter, o.PageLatency)
	}
	if !regexp.MustCompile(`^[A-Za-z0-9]+$`).MatchString(o.Vendor) {
		return fmt.Errorf("sandbox: option Vendor is %q: use letters and digits, as it goes into headers and scopes", o.Vendor)
	}
	if err := o.checkWorld(); err != nil {
		return err
	}
	segment := regexp.MustCompile(`^[A-Za-z0-9_.-]+$`) // characters that a path keeps unescaped.
	for option, names := range map[string][]string{"Networks": o.Networks, "CustomModules": o.CustomModules} {
		for n, name := range names {
			if !segment.MatchString(name) || slices.Contains(names[:n], name) {
				return fmt.Errorf("sandbox: option %s: name %q: use letters, digits, _ . - and each name once", option, name)
			}
		}
	}
	seen := map[[2]string]bool{{"", o.OrganizationID}: true}
	for _, other := range o.Organizations {
		place := [2]string{other.DataCenter, other.ID}
		if other.ID == "" || seen[place] {
			return fmt.Errorf("sandbox: option Organizations: id %q in data center %q: name each once, with its id", other.ID, other.DataCenter)
		}
		if other.DataCenter != "" && !segment.MatchString(other.DataCenter) {
			return fmt.Errorf("sandbox: option Organizations: data center %q: use letters, digits, _ . -", other.DataCenter)
		}
		seen[place] = true
	}
	return nil
}

// checkWorld returns an error for an unknown world, or a currency that it does not have.
func (o Options) checkWorld() error {
	if o.World != "" && o.World != WorldBooks {
		return fmt.Errorf("sandbox: option World is %q: use %q, or leave it out", o.World, WorldBooks)
	}
	for _, organization := range o.all() {
		switch {
		case o.World == "" && organization.Base != "":
			return fmt.Errorf("sandbox: option Base is %q: only the world %q has other currencies than rupees", organization.Base, WorldBooks)
		case o.World != "" && !slices.Contains(ledger.Bases(), organization.Base):
			return fmt.Errorf("sandbox: option Base is %q: use one of %v", organization.Base, ledger.Bases())
		}
	}
	return nil
}
