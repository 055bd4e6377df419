package webhooks

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sluice/sandbox/lists"
	"sluice/sandbox/services"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/world"
)

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
