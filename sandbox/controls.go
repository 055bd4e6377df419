package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/lists"
	"sluice/sandbox/watch"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/world"
)

const maxAdvance = math.MaxInt32 // seconds, some 68 years

func (s *Server) resetStats(a asked) {
	s.ResetStats()
	a.write(a.company.Stats())
}

func (*Server) change(a asked) {
	var wanted Change
	if a.read(&wanted) {
		a.changed(wanted)
	}
}

func (*Server) create(a asked) {
	wanted := struct {
		Resources []string `json:"resources"`
		Count     int      `json:"count"`
	}{Count: 1}
	if a.read(&wanted) {
		a.changed(Change{Inserts: wanted.Count, Resources: wanted.Resources})
	}
}

func (a asked) changed(wanted Change) {
	changed, err := a.company.Change(wanted)
	if err != nil {
		a.refuse(err)
		return
	}
	a.write(changed)
}

// remove deletes records by their identifiers, all of them or none.
func (*Server) remove(a asked) {
	var wanted struct {
		Resource string   `json:"resource"` // with its service, as inventory.bills
		IDs      []string `json:"ids"`
	}
	if !a.read(&wanted) {
		return
	}
	var kind world.Kind
	known := false
	for _, resource := range lists.All() {
		if resource.Service+"."+resource.Name == wanted.Resource {
			kind, known = resource.Kind, true
		}
	}
	if !known {
		a.refuse(fmt.Errorf("sandbox: delete: resource %q is unknown: name it with its service, as inventory.bills", wanted.Resource))
		return
	}
	var missing []string
	a.company.With(func(w *world.World) {
		indices := make([]int, 0, len(wanted.IDs))
		for _, id := range wanted.IDs {
			i, found := w.Index(kind, id)
			if !found {
				missing = append(missing, id)
			}
			indices = append(indices, i)
		}
		for _, i := range indices {
			if len(missing) == 0 {
				w.Delete(kind, i)
			}
		}
	})
	if len(missing) > 0 {
		a.refuse(fmt.Errorf("sandbox: delete: %s has no record %q: nothing was deleted", wanted.Resource, missing))
		return
	}
	a.write(map[string]any{"deleted": wanted.IDs})
}

func (*Server) setActivity(a asked) {
	var rates Activity
	if !a.read(&rates) {
		return
	}
	if err := a.company.SetActivity(rates); err != nil {
		a.refuse(err)
		return
	}
	a.write(a.company.Activity())
}

func (s *Server) advance(a asked) {
	var step struct {
		Seconds int64 `json:"seconds"`
	}
	if !a.read(&step) {
		return
	}
	if step.Seconds < 0 || step.Seconds > maxAdvance {
		a.refuse(errors.New("sandbox: advance: seconds must be 0 or more, and less than 68 years"))
		return
	}
	s.Advance(time.Duration(step.Seconds) * time.Second)
	a.write(map[string]any{"now": s.now().UTC().Format(time.RFC3339)})
}

func (*Server) setPlan(a asked) {
	var wanted struct {
		Plan   string `json:"plan"`
		Limits Limits `json:"limits"`
	}
	if !a.read(&wanted) {
		return
	}
	if err := a.company.SetPlan(wanted.Plan, wanted.Limits); err != nil {
		a.refuse(err)
		return
	}
	a.write(a.company.Allowance())
}

func (s *Server) expireTokens(a asked) {
	s.ExpireTokens()
	a.write(map[string]any{"expired": true})
}

func (s *Server) resetAll(a asked) {
	if err := s.Reset(); err != nil {
		a.refuse(err)
		return
	}
	a.write(map[string]any{"now": s.now().UTC().Format(time.RFC3339)})
}

func (s *Server) showFaults(a asked) {
	a.write(map[string]any{"kinds": faults.Kinds(), "active": s.activeFaults()})
}

func (s *Server) setFaults(a asked) {
	var set []Fault
	if !a.read(&set) {
		return
	}
	if err := s.SetFaults(set); err != nil {
		a.refuse(err)
		return
	}
	a.write(map[string]any{"active": s.activeFaults()})
}

// showTruth writes one JSON object a line.
func (*Server) showTruth(a asked) {
	service, resource := a.r.PathValue("service"), a.r.PathValue("resource")
	if _, found := lists.Find(service, resource); !found {
		answer.Error(a.w, http.StatusNotFound, answer.NoSuchURL, "no such resource: truth/<service>/<resource>")
		return
	}
	a.w.Header().Set("Content-Type", "application/x-ndjson")
	out := bufio.NewWriter(a.w)
	for record := range a.company.Truth(service, resource) {
		if _, err := out.Write(append(record, '\n')); err != nil {
			return // the client left
		}
	}
	_ = out.Flush()
}

// notifications are the channels and callbacks of an organization.
type notifications struct {
	Sending bool              `json:"sending"` // a Poster was given
	Form    string            `json:"form"`    // of callbacks: live or documented
	OneDay  bool              `json:"one_day"` // channels are granted one day, whatever is asked
	Stats   watch.Stats       `json:"stats"`
	Modules channel.Catalogue `json:"modules"`
}

// Forms of callbacks.
const (
	formLive       = "live"
	formDocumented = "documented"
)

func (s *Server) showNotifications(a asked) {
	watcher := a.stage.watchers[a.company]
	shown := notifications{
		Sending: s.options.Poster != nil, Form: formLive, OneDay: watcher.Habits().OneDay, Stats: watcher.Stats(), Modules: watcher.Modules(),
	}
	if watcher.Habits().Documented {
		shown.Form = formDocumented
	}
	a.write(shown)
}

// setNotifications changes what the body names; chaos is that of webhooks, too.
func (s *Server) setNotifications(a asked) {
	var wanted struct {
		Form   string `json:"form"` // "" leaves it as it is
		OneDay *bool  `json:"one_day"`
		Chaos  *Chaos `json:"chaos"`
	}
	if !a.read(&wanted) {
		return
	}
	watcher, hook := a.stage.watchers[a.company], a.stage.hooks[a.company]
	habits := watcher.Habits()
	switch wanted.Form {
	case "":
	case formLive, formDocumented:
		habits.Documented = wanted.Form == formDocumented
	default:
		a.refuse(fmt.Errorf("sandbox: notifications: form %q is unknown: use documented or live", wanted.Form))
		return
	}
	if wanted.OneDay != nil {
		habits.OneDay = *wanted.OneDay
	}
	if wanted.Chaos != nil {
		err := watcher.SetChaos(*wanted.Chaos)
		if err == nil {
			err = hook.SetChaos(*wanted.Chaos)
		}
		if err != nil {
			a.refuse(err)
			return
		}
	}
	watcher.SetHabits(habits)
	s.showNotifications(a)
}

func (s *Server) deliverNow(a asked) {
	a.write(map[string]any{"sent": s.Deliver(a.r.Context())})
}
