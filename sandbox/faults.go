package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// Fault makes some calls go wrong.
type Fault struct {
	Path  string `json:"path"`  // prefix of the paths concerned, such as /inventory/v1/bills
	Kind  string `json:"kind"`  // one of FaultKinds
	Count int    `json:"count"` // so many calls; 0: until the faults are set anew
	After int    `json:"after"` // so many matching calls pass first
	// Milliseconds is the pause of the kind slow between two pieces; 0 means 50.
	Milliseconds int `json:"milliseconds,omitempty"`
}

// is compares the kind; a nil fault is of no kind.
func (f *Fault) is(kind string) bool { return f != nil && f.Kind == kind }

// FaultKind describes one kind of fault in a sentence.
type FaultKind struct {
	Kind     string `json:"kind"`
	Sentence string `json:"sentence"`
}

// FaultKinds lists the kinds of faults. Those of lists and pages do nothing to
// single records, the export or the token endpoint, where they make no sense.
func FaultKinds() []FaultKind {
	return []FaultKind{
		{"html", "Answers 200 with an HTML page, as a login or maintenance page does."},
		{"cut", "Breaks the connection in the middle of a body whose length was announced."},
		{"cut_silent", "Ends the body in the middle, with nothing that announced its length."},
		{"error_in_200", "Answers 200 with code 9 in the envelope."},
		{"wrong_page", "Claims the next page's number in page_context."},
		{"repeat_page", "Answers every page with the records of page 1."},
		{"ignore_filter", "Ignores last_modified_time in silence."},
		{"empty_more", "Answers an empty page that says there are more."},
		{"missing_context", "Leaves page_context out."},
		{"unavailable", "Answers 503 with HTML."},
		{"throttle", "Answers 429 with code 44: too many calls in a minute."},
		{"crowded", "Answers 429 with code 1070: too many calls at once."},
		{"exhausted", "Answers 429 with code 45: the day's allowance is gone."},
		{"unauthorized", "Answers 401 with code 57 although the token is good."},
		{"forbidden", "Answers 403."},
		{"poison", "Gives the page's first record a text where a number or date belongs, and its second record no id."},
		{"nul", "Puts U+0000 into a text of the page's first record."},
		{"unsorted", "Answers the page's records in the reverse of the order asked for."},
		{"reset", "Resets the connection before any answer."},
		{"slow", "Sends the body in sixteen pieces with a pause before each."},
		{"redirect", "Answers 302 to another host."},
		{"duplicate", "Shows the page's first record twice."},
		{"delete_between", "Deletes a record of page 1 for good before a later page is answered."},
		{"extra_keys", "Adds keys to each record that no document names."},
	}
}

// faultBook holds the faults that were set; the server's lock guards it.
type faultBook struct{ set []*armed }

type armed struct {
	Fault

	seen, fired int
}

// next notes a call at each fault of its path, and answers the first that strikes.
func (b *faultBook) next(path string) *Fault {
	var strikes *Fault
	for _, a := range b.set {
		if !strings.HasPrefix(path, a.Path) {
			continue
		}
		a.seen++
		if strikes == nil && a.seen > a.After && (a.Count == 0 || a.fired < a.Count) {
			a.fired++
			strikes = &a.Fault
		}
	}
	return strikes
}

// SetFaults replaces all faults; none sets the sandbox right again. An unknown
// kind, a negative number or an empty path is an error, and nothing is replaced.
func (s *Server) SetFaults(faults []Fault) error {
	set := make([]*armed, 0, len(faults))
	for n, fault := range faults {
		known := slices.ContainsFunc(FaultKinds(), func(k FaultKind) bool { return k.Kind == fault.Kind })
		switch {
		case !known:
			return fmt.Errorf("sandbox: fault %d: kind %q is unknown: GET %sfaults lists them", n, fault.Kind, controlRoot)
		case fault.Path == "":
			return fmt.Errorf("sandbox: fault %d (%s): path is empty: name the prefix of the paths concerned", n, fault.Kind)
		case fault.Count < 0 || fault.After < 0 || fault.Milliseconds < 0:
			return fmt.Errorf("sandbox: fault %d (%s): count, after and milliseconds must not be negative", n, fault.Kind)
		}
		set = append(set, &armed{Fault: fault})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.set = set
	return nil
}

// activeFaults answers the faults as they were set.
func (s *Server) activeFaults() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	active := make([]Fault, 0, len(s.faults.set))
	for _, a := range s.faults.set {
		active = append(active, a.Fault)
	}
	return active
}
