package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"sluice/sandbox/lists"
	"sluice/sandbox/services"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/watch/delivery"
	"sluice/sandbox/world"
)

// Change is an operation on one record.
type Change struct {
	Kind      world.Kind
	Under     string // its parent; "" for none
	Operation channel.Operation
	Record    json.RawMessage // a deleted one as it was
}

// Publish queues a webhook for each rule that a change fires, as far as plan and day allow.
func (s *Server) Publish(changes ...Change) {
	unpaid := s.options.Plan() == freePlan
	s.mu.Lock()
	defer s.mu.Unlock()
	var calls []delivery.Callback
	for _, change := range changes {
		for n, rule := range s.settings.Rules {
			switch {
			case !s.targets[n].of(change) || change.Operation == channel.Delete && !rule.Deleted:
			case unpaid && !s.settings.FreePlan:
				s.stats.Unpaid++
			case !s.spend():
				s.stats.OverLimit++
			default:
				calls = append(calls, s.call(rule, s.targets[n], change))
			}
		}
	}
	s.Add(calls...)
}

// spend takes one webhook of the day; false if there is none left. The caller holds the lock.
func (s *Server) spend() bool {
	if day := s.options.Now().In(s.options.Zone).Format(time.DateOnly); day != s.day {
		s.day, s.used = day, 0
	}
	if s.used >= s.settings.Daily {
		return false
	}
	s.used++
	return true
}

// call returns one webhook; the caller holds the lock.
func (s *Server) call(rule Rule, of target, change Change) delivery.Callback {
	body := fmt.Appendf(nil, `{%q:%s}`, of.key, change.Record)
	if rule.Body != "" {
		body = fill(rule.Body, of, change)
	}
	header := http.Header{}
	if rule.Secret != "" {
		header.Set("X-"+s.options.Vendor+"-Webhook-Signature", signature(rule, body))
	}
	delay := s.settings.Earliest
	if spread := s.settings.Latest - delay; spread > 0 {
		delay += time.Duration(s.late.Int64N(int64(spread) + 1))
	}
	return delivery.Callback{
		Address: rule.Address, Header: header, Body: func(time.Time) ([]byte, error) { return body, nil },
		Delay: delay, Retries: s.settings.Retries, Pause: s.settings.Pause,
	}
}

var placeholder = regexp.MustCompile(`\$\{\w+\}`)

// fill puts values of a record into the body of a rule: texts without their quotes, other values as
// they are. A key that the record lacks leaves nothing, apart from that of its parent.
func fill(body string, of target, change Change) []byte {
	values := map[string]json.RawMessage{}
	_ = json.Unmarshal(change.Record, &values) // the world writes objects only
	return placeholder.ReplaceAllFunc([]byte(body), func(found []byte) []byte {
		key := string(found[2 : len(found)-1])
		value, has := values[key]
		if !has && key == of.parent {
			return []byte(change.Under)
		}
		return []byte(strings.TrimSuffix(strings.TrimPrefix(string(value), `"`), `"`))
	})
}

// signature returns the hexadecimal HMAC-SHA256 of the pairs in the address, sorted by key, key and
// value one after the other, and of the raw body (docs/upstream.md U304).
func signature(rule Rule, body []byte) string {
	sum := hmac.New(sha256.New, []byte(rule.Secret))
	if address, err := url.Parse(rule.Address); err == nil { // it was checked when the rule was set
		query := address.Query()
		for _, key := range slices.Sorted(maps.Keys(query)) {
			for _, value := range query[key] {
				sum.Write([]byte(key + value))
			}
		}
	}
	sum.Write(body)
	return hex.EncodeToString(sum.Sum(nil))
}

// target is what a rule is about.
type target struct {
	kind   world.Kind
	under  string // the custom module; "" for every parent
	key    string // of the record in a body
	parent string // the key of the parent, where records have one
}

// of reports whether a change concerns the target.
func (t target) of(change Change) bool {
	return t.kind == change.Kind && (t.under == "" || t.under == change.Under)
}

var secretForm = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9]{%d,%d}$`, shortestToken, longestToken))

// check returns what a rule is about, or why it cannot work.
func (s *Server) check(rule Rule) (target, error) {
	found, ok := s.target(rule.Resource)
	if !ok {
		return target{}, fmt.Errorf("resource %q has no rules: name one with its service, as inventory.bills, or a custom module, as accounting.cm_visits",
			rule.Resource)
	}
	if err := channel.Reachable(rule.Address, s.options.AnyHost); err != nil {
		return target{}, fmt.Errorf("address %q %w", rule.Address, err)
	}
	if rule.Secret != "" && !secretForm.MatchString(rule.Secret) {
		return target{}, errors.New("the secret has 12 to 50 letters and digits")
	}
	return found, nil
}

// target finds what a name stands for.
func (s *Server) target(name string) (target, bool) {
	service, of, _ := strings.Cut(name, ".")
	if service == services.Accounting && slices.Contains(s.options.Modules, of) {
		return target{kind: world.ModuleRecords, under: of, key: "module_record", parent: "module_name"}, true
	}
	resource, found := lists.Find(service, of)
	if !found || !ruled(resource.Kind) {
		return target{}, false
	}
	key := resource.OneKey
	if key == "" { // a person, whose single record is below its contact
		key = "contact_person"
	}
	return target{kind: resource.Kind, key: key, parent: resource.Parent}, true
}

// ruled reports whether a kind belongs to a module with rules: sales, purchases, contacts, items,
// the accountant's module (docs/upstream.md U300). A change of a person is one of its contact.
func ruled(kind world.Kind) bool {
	return slices.Contains([]world.Kind{
		world.CreditNotes, world.Bills, world.Payments, world.Expenses, world.ContactPersons, world.CustomerPersons,
		world.Items, world.CompositeItems, world.Accounts, world.Adjustments, world.OpeningBalances,
	}, kind)
}
