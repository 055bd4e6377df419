// Package webhooks plays the workflow rules of accounting, invoicing, billing and inventory
// (docs/upstream.md U300 to U309): when a record of a resource is created or edited, it POSTs a
// signed body to the address of each rule.
//
// A server belongs to one organization. It makes no changes: the code that changes records calls
// Publish. It opens no connection itself: webhooks leave through a Poster. Start reading with
// Settings, then Publish.
package webhooks

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"sluice/sandbox/watch/delivery"
)

// Limits of rules (docs/upstream.md U302 and U304), and what no source shows (U309).
const (
	mostRules     = 200
	mostOfModule  = 10
	mostOfDay     = 1000
	mostRetries   = 3
	defaultPause  = time.Minute
	shortestToken = 12 // characters of a secret
	longestToken  = 50
	freePlan      = "free"
)

// Rule calls an address when a record of a resource changes.
type Rule struct {
	// Resource has its service before it, as inventory.bills. A custom module goes by its own name:
	// accounting.cm_visits.
	Resource string `json:"resource"`
	Address  string `json:"address"`
	// Secret signs the calls: 12 to 50 letters and digits. "" sends no signature.
	Secret string `json:"secret,omitempty"`
	// Body is the text of each call, with ${key} for a value of the record, as in
	// {"bill_id":"${bill_id}"}. "" is JSON with the whole record under its key.
	Body string `json:"body,omitempty"`
	// Deleted fires the rule for deleted records as well, which only integrators mention.
	Deleted bool `json:"deleted,omitempty"`
}

// Settings are the rules of an organization, and how it calls.
type Settings struct {
	Rules []Rule `json:"rules"`
	// Daily is the most webhooks in a day of the organization's zone; 0 is 1,000. Those above are
	// dropped.
	Daily int `json:"daily"`
	// FreePlan lets rules work on the plan free as well.
	FreePlan bool `json:"free_plan"`
	// Earliest and Latest are the time between a change and its webhook, drawn between them.
	Earliest time.Duration `json:"earliest_ns"`
	Latest   time.Duration `json:"latest_ns"`
	// Retries is how often a webhook is sent again that was not answered with 2xx: 0 to 3. Pause is
	// the time before each; 0 is a minute.
	Retries int           `json:"retries"`
	Pause   time.Duration `json:"pause_ns"`
}

// Options describe a server.
type Options struct {
	Now    func() time.Time // the clock; required
	Zone   *time.Location   // the organization's
	Vendor string           // the prefix of the header
	// Plan returns the plan in force.
	Plan    func() string
	Modules []string // custom modules
	// AnyHost lets webhooks go to other machines than this one.
	AnyHost bool
	// Poster sends webhooks; required. Seed and Chaos are those of delivery.Options.
	Poster delivery.Poster
	Seed   int64
	Chaos  delivery.Chaos

	Settings Settings
}

// Server plays the rules of one organization. It is safe for concurrent use.
type Server struct {
	*delivery.Queue // of the webhooks: Run, Wake, Flush, SetChaos

	options Options

	mu       sync.Mutex // guards everything below
	settings Settings
	targets  []target   // of the rules, in their order
	late     *rand.Rand // draws the time between change and webhook
	day      string     // that used counts
	used     int
	stats    Stats
}

// Stats count webhooks since the server started.
type Stats struct {
	delivery.Stats

	OverLimit int `json:"over_limit"` // dropped: the day's were used up
	Unpaid    int `json:"unpaid"`     // not made: the plan has no rules
}

// New builds a server. It fails on rules that Set refuses, and on a missing clock or Poster.
func New(options Options) (*Server, error) {
	queue, err := delivery.New(delivery.Options{Now: options.Now, Poster: options.Poster, Seed: options.Seed, Chaos: options.Chaos})
	if err != nil {
		return nil, err
	}
	const sequence = 4 // keeps it apart from the other sequences of the seed
	s := &Server{options: options, Queue: queue, late: rand.New(rand.NewPCG(uint64(options.Seed), sequence))}
	if err := s.Set(options.Settings); err != nil {
		return nil, err
	}
	return s, nil
}

// Settings returns the settings in force.
func (s *Server) Settings() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	settings := s.settings
	settings.Rules = slices.Clone(settings.Rules)
	return settings
}

// Set replaces the settings. An unknown resource, an address or a secret that does not fit, too
// many rules, rules on the plan free and numbers out of bounds are errors, and nothing changes. The
// count of the day stays.
func (s *Server) Set(settings Settings) error {
	if err := settings.check(); err != nil {
		return err
	}
	if len(settings.Rules) > 0 && !settings.FreePlan && s.options.Plan() == freePlan {
		return errors.New("sandbox: webhooks: the plan free has no rules: use another plan, or set free_plan")
	}
	targets := make([]target, 0, len(settings.Rules))
	of := map[string]int{}
	for n, rule := range settings.Rules {
		found, err := s.check(rule)
		if err != nil {
			return fmt.Errorf("sandbox: webhooks: rule %d: %w", n, err)
		}
		if of[rule.Resource]++; of[rule.Resource] > mostOfModule {
			return fmt.Errorf("sandbox: webhooks: %s has more than %d rules", rule.Resource, mostOfModule)
		}
		targets = append(targets, found)
	}
	settings.Rules = slices.Clone(settings.Rules)
	if settings.Daily == 0 {
		settings.Daily = mostOfDay
	}
	if settings.Pause == 0 {
		settings.Pause = defaultPause
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings, s.targets = settings, targets
	return nil
}

func (s Settings) check() error {
	switch {
	case len(s.Rules) > mostRules:
		return fmt.Errorf("sandbox: webhooks: an organization has at most %d rules", mostRules)
	case s.Daily < 0 || s.Pause < 0:
		return errors.New("sandbox: webhooks: neither the day's limit nor the pause is negative")
	case s.Earliest < 0 || s.Latest < s.Earliest:
		return fmt.Errorf("sandbox: webhooks: sent from %s to %s after the change: use a range from 0 on", s.Earliest, s.Latest)
	case s.Retries < 0 || s.Retries > mostRetries:
		return fmt.Errorf("sandbox: webhooks: %d retries: use 0 to %d", s.Retries, mostRetries)
	}
	return nil
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Stats = s.Queue.Stats()
	return stats
}
