// Package channel reads and checks subscriptions of change notifications (docs/upstream.md U270 to
// U276 and U282): which events a channel asks for, until when, and which documented errors a body
// deserves.
//
// It stores no channels and sends nothing: package watch does. Start reading with Channel, then
// Rules.Read. File condition.go reads notification_condition, and node.go walks a JSON body and
// remembers the path.
package channel

import (
	"encoding/json"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a subscription (docs/upstream.md U271 and U274).
const (
	mostToken    = 50 // characters
	mostAhead    = 7 * 24 * time.Hour
	defaultAhead = time.Hour
	oneDay       = 24 * time.Hour // docs/upstream.md U288
)

// Operation is an action on a record, in the words of a subscription.
type Operation string

// The operations; a subscription to all includes every one of them.
const (
	Create Operation = "create"
	Edit   Operation = "edit"
	Delete Operation = "delete"
	all    Operation = "all"
)

// Event is one entry of events: an operation in a module.
type Event struct {
	Module    Module
	Operation Operation
}

// Channel is a subscription.
type Channel struct {
	ID        int64
	Events    []Event
	NotifyURL string
	Token     *string // nil if none was given
	Expires   time.Time
	// Values makes callbacks carry the changed fields with their values.
	Values bool
	// Related makes actions on associated records raise callbacks as well.
	Related    bool
	Conditions []Condition
}

// Wants reports whether the channel is subscribed to an operation in a module.
func (c Channel) Wants(module string, operation Operation) bool {
	return slices.ContainsFunc(c.Events, func(e Event) bool {
		return e.Module.Name == module && (e.Operation == operation || e.Operation == all)
	})
}

// Modules returns the modules that the channel is subscribed to, each once.
func (c Channel) Modules() []Module {
	var modules []Module
	for _, event := range c.Events {
		if !slices.ContainsFunc(modules, func(m Module) bool { return m.Name == event.Module.Name }) {
			modules = append(modules, event.Module)
		}
	}
	return modules
}

// Rules are the limits and modules for checking subscriptions.
type Rules struct {
	Modules Catalogue
	Now     time.Time
	// AnyHost lets notify_url name other machines than this one.
	AnyHost bool
	// OneDay grants one day, whatever is asked.
	OneDay bool
}

// Element is one unchecked subscription of a body.
type Element struct{ node }

// Split returns the elements of the body of a request: an object with the array watch.
func Split(body []byte) ([]Element, *Problem) {
	whole := node{name: "body", path: "$", raw: body}
	if !json.Valid(body) {
		return nil, whole.mistyped("jsonobject")
	}
	members, problem := whole.object()
	if problem != nil {
		return nil, problem
	}
	list, problem := members.need("watch", ExpectedMissing)
	if problem != nil {
		return nil, problem
	}
	entries, problem := list.list()
	if problem != nil {
		return nil, problem
	}
	if len(entries) == 0 {
		return nil, list.invalid("no subscription given")
	}
	elements := make([]Element, len(entries))
	for i, entry := range entries {
		elements[i] = Element{entry}
	}
	return elements, nil
}

// NotSubscribed returns the problem of an update whose channel is not alive.
func (e Element) NotSubscribed() *Problem {
	id := node{name: "channel_id", path: e.path + ".channel_id"}
	return id.problem(NotSubscribed, "the channel is not subscribed or has expired")
}

// Read checks one subscription.
func (r Rules) Read(element Element) (Channel, *Problem) {
	fresh := Channel{Related: true, Expires: r.Now.Add(defaultAhead)}
	if r.OneDay {
		fresh.Expires = r.Now.Add(oneDay)
	}
	return r.read(element, fresh, "channel_id", "events", "notify_url")
}

// read checks a subscription on top of a channel that has the values of what it does not name.
func (r Rules) read(element Element, channel Channel, required ...string) (Channel, *Problem) {
	body, problem := element.object()
	if problem != nil {
		return Channel{}, problem
	}
	for _, name := range required {
		if _, problem = body.need(name, MandatoryNotFound); problem != nil {
			return Channel{}, problem
		}
	}
	for _, part := range []struct {
		name string
		read func(node, *Channel) *Problem
	}{
		{"channel_id", r.id},
		{"events", r.events},
		{"notify_url", r.address},
		{"token", token},
		{"channel_expiry", r.expiry},
		{"return_affected_field_values", func(n node, c *Channel) *Problem { return n.flag(&c.Values) }},
		{"notify_on_related_action", func(n node, c *Channel) *Problem { return n.flag(&c.Related) }},
		{"notification_condition", r.conditions},
	} {
		if member, found := body.find(part.name); found {
			if problem = part.read(member, &channel); problem != nil {
				return Channel{}, problem
			}
		}
	}
	return channel, nil
}

func (r Rules) id(n node, channel *Channel) *Problem {
	id, problem := n.long()
	channel.ID = id
	return problem
}

// events reads texts of the form <module_api_name>.<operation>.
func (r Rules) events(n node, channel *Channel) *Problem {
	entries, problem := n.list()
	if problem != nil {
		return problem
	}
	if len(entries) == 0 {
		return n.invalid("no event given")
	}
	channel.Events = nil
	for _, entry := range entries {
		text, problem := entry.text()
		if problem != nil {
			return problem
		}
		name, operation, _ := strings.Cut(text, ".")
		module, found := r.Modules.Find(name)
		if !found || !slices.Contains([]Operation{Create, Edit, Delete, all}, Operation(operation)) {
			return entry.invalid("the event is not <module_api_name>.<create, delete, edit or all>")
		}
		channel.Events = append(channel.Events, Event{module, Operation(operation)})
	}
	return nil
}

// address reads the target of callbacks.
func (r Rules) address(n node, channel *Channel) *Problem {
	text, problem := n.text()
	if problem != nil {
		return problem
	}
	if err := Reachable(text, r.AnyHost); err != nil {
		return n.invalid("notify_url " + err.Error())
	}
	channel.NotifyURL = text
	return nil
}

// Reachable returns an error, to be read behind the name of the address, if the sandbox does not
// call it. It judges the text alone: a name that resolves to this machine counts as another
// machine.
func Reachable(address string, anyHost bool) error {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Hostname() == "" || parsed.User != nil {
		return errors.New("is no http or https address")
	}
	ip, err := netip.ParseAddr(parsed.Hostname())
	loopback := parsed.Hostname() == "localhost" || (err == nil && ip.IsLoopback())
	if !loopback && !anyHost {
		return errors.New("is not on this machine: the sandbox calls others only if it was told to")
	}
	return nil
}

func token(n node, channel *Channel) *Problem {
	text, problem := n.text()
	if problem != nil {
		return problem
	}
	if utf8.RuneCountInString(text) > mostToken {
		return n.invalid("the token is longer than 50 characters")
	}
	channel.Token = &text
	return nil
}

// expiry reads the expiry: one week ahead at most. A later one becomes one hour, like an absent one
// (docs/upstream.md U274); or each becomes one day. A past one is a problem.
func (r Rules) expiry(n node, channel *Channel) *Problem {
	text, problem := n.text()
	if problem != nil {
		return problem
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05Z0700", text)
	}
	switch {
	case err != nil:
		return n.mistyped("datetime")
	case !at.After(r.Now):
		return n.invalid("channel_expiry is past")
	case r.OneDay:
		channel.Expires = r.Now.Add(oneDay)
	case at.Sub(r.Now) <= mostAhead:
		channel.Expires = at
	default:
		channel.Expires = r.Now.Add(defaultAhead)
	}
	return nil
}

// Amend checks a change of a living channel, which the element names: what it does not name stays
// as it was. With _delete_events it ends the events that it names, and changes nothing else
// (docs/upstream.md U291). A channel without events is left then.
func (r Rules) Amend(element Element, living func(id int64) (Channel, bool)) (Channel, *Problem) {
	body, problem := element.object()
	if problem != nil {
		return Channel{}, problem
	}
	member, problem := body.need("channel_id", MandatoryNotFound)
	if problem != nil {
		return Channel{}, problem
	}
	id, problem := member.long()
	if problem != nil {
		return Channel{}, problem
	}
	before, found := living(id)
	if !found {
		return Channel{}, element.NotSubscribed()
	}
	remove := false
	if flag, found := body.find("_delete_events"); found {
		if problem = flag.flag(&remove); problem != nil {
			return Channel{}, problem
		}
	}
	if !remove {
		return r.read(element, before)
	}
	named, problem := r.read(element, before, "events")
	if problem != nil {
		return Channel{}, problem
	}
	before.Events = slices.DeleteFunc(slices.Clone(before.Events), func(e Event) bool {
		return slices.ContainsFunc(named.Events, func(n Event) bool { return n.Module.Name == e.Module.Name && n.Operation == e.Operation })
	})
	return before, nil
}
