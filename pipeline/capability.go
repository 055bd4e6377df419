package pipeline

import (
	"strings"
	"time"
)

// Capability is a closed set: the abilities of a list that reading depends on.
type Capability string

// The capabilities.
const (
	// CapabilityFilter: the filter by modification time returns the records modified since, and
	// only those.
	CapabilityFilter Capability = "filter"
	// CapabilityInclusive: the filter also returns records modified at the very instant of the
	// filter.
	CapabilityInclusive Capability = "filter_inclusive"
	// CapabilityDescending and CapabilityAscending: the list sorts by modification time.
	CapabilityDescending Capability = "sort_descending"
	CapabilityAscending  Capability = "sort_ascending"
	// CapabilityPage: the parameter page leads to another page.
	CapabilityPage Capability = "page"
	// CapabilityPageSize: the parameter per_page sets the size of a page. The value of its verdict
	// is the largest page size that upstream answered with or documents.
	CapabilityPageSize Capability = "page_size"
	// CapabilityDetail: a single record is read by its identifier; CapabilityBatchDetail: several
	// in one call. The value of their verdicts is the path.
	CapabilityDetail      Capability = "detail"
	CapabilityBatchDetail Capability = "batch_detail"
	// CapabilityTotal: the list says how many records it has (docs/upstream.md U91). The value of its
	// verdict is "1" after one whole reading that disagreed.
	CapabilityTotal Capability = "total"
	// CapabilitySums: the list says the sums of columns (U93). The value of its verdict names, between
	// commas, those that were equal at the end of a reading that the count proved.
	CapabilitySums Capability = "sums"
)

// Answer is a closed set: whether a list has a capability.
type Answer string

// The answers.
const (
	AnswerYes     Answer = "yes"
	AnswerNo      Answer = "no"
	AnswerUnknown Answer = "unknown"
)

// Source is a closed set: what a verdict is based on.
type Source string

// The sources, the weakest first: a weaker one never replaces a stronger one.
const (
	// SourceAssumed: the declaration relies on it, and no document shows it.
	SourceAssumed Source = "assumed"
	// SourceDocumented: a document shows it.
	SourceDocumented Source = "documented"
	// SourceProbed: a probe measured it, with calls made for that alone.
	SourceProbed Source = "probed"
	// SourceObserved: an answer to a run showed it.
	SourceObserved Source = "observed"
)

// Verdict is what is known of one capability of a list.
type Verdict struct {
	Capability Capability `json:"capability"`
	Answer     Answer     `json:"verdict"`
	// Value is the figure or the path that belongs to the capability; "" if there is none.
	Value  string `json:"value,omitempty"`
	Source Source `json:"source"`
	// Evidence says in words what the verdict is based on. It quotes no value of a record.
	Evidence string `json:"evidence,omitempty"`
	// SeenAt is when the verdict was last declared, measured or observed, by the database's clock.
	SeenAt time.Time `json:"seen_at"`
	// Age is the time since SeenAt.
	Age time.Duration `json:"-"`
}

// RetryAfter is how long an observed no counts. After that, the next run asks again as the
// declaration says, which costs a page at most. Its answer renews the no or takes it back. A probed
// no counts until the next probe: a filter can fail in ways that the answer to a run does not show.
// A list that does not say its total or its sums is asked again after RetryTotal, whoever asked.
const (
	RetryAfter = 24 * time.Hour
	RetryTotal = 30 * RetryAfter
)

// Capabilities are the verdicts on one list, by capability.
type Capabilities map[Capability]Verdict

// Lacks reports whether the list is known to be without the capability. The next run then does not
// rely on it.
func (c Capabilities) Lacks(capability Capability) bool {
	v := c[capability]
	if capability == CapabilityTotal || capability == CapabilitySums {
		return v.Answer == AnswerNo && v.Age < RetryTotal
	}
	return v.Answer == AnswerNo && (v.Source != SourceObserved || v.Age < RetryAfter)
}

// Shows reports whether a probe or a run has shown the capability: the word of a declaration or a
// document alone does not count. An observed no that is older than RetryAfter counts as shown,
// because only a run that relied on the capability can observe one.
func (c Capabilities) Shows(capability Capability) bool {
	v := c[capability]
	switch v.Answer {
	case AnswerYes:
		return v.Source == SourceProbed || v.Source == SourceObserved
	case AnswerNo:
		return v.Source == SourceObserved && v.Age >= RetryAfter
	case AnswerUnknown:
		return false
	default:
		return false
	}
}

// Sums gives those of a list's sums that were seen to be those of its records.
func (c Capabilities) Sums(sums Sums) Sums {
	seen := make(Sums)
	for column := range strings.SplitSeq(c[CapabilitySums].Value, ",") {
		if sum, ok := sums[column]; ok && c.Shows(CapabilitySums) {
			seen[column] = sum
		}
	}
	return seen
}

// Look is the progress of a look for deletions (docs/decisions/0010-deletions). In the order of
// creation, the rows before a record tell on which page of the list it has to stand. Where the list
// shows fewer records than there are rows, rows are missing.
type Look struct {
	// Rows is how many live rows the list had when the look began, Most how many of them the look
	// may miss.
	Rows int `json:"rows"`
	Most int `json:"most"`
	// First is the first call of the look, Pages the number of its pages so far.
	First int64 `json:"first,omitempty"`
	Pages int   `json:"pages,omitempty"`
	// Size is the largest page size that upstream gives, zero if it heeds the one asked for; Fixed
	// says that it gives no smaller one.
	Size  int  `json:"size,omitempty"`
	Fixed bool `json:"fixed,omitempty"`
	// Spans are the parts of the list that have to be looked at; the last is the next one.
	Spans []Span `json:"spans,omitempty"`
	// Missing are the rows that were not where they had to be.
	Missing []string `json:"missing,omitempty"`
	// Sweep says that a part could not be looked at although rows are missing in it.
	Sweep bool `json:"sweep,omitempty"`
	// Search are the parts in which upstream's count or sums are not those of the rows, where no row
	// is missing; the last is the next one.
	Search []Part `json:"search,omitempty"`
	// Read is how many parts were read.
	Read int `json:"read,omitempty"`
}

// Axis is a closed set: the filter by which a search cuts a list in two.
type Axis string

// The axes.
const (
	AxisNone Axis = ""
	// AxisDay: the days of its records. AxisModified: the times of their modification.
	AxisDay      Axis = "day"
	AxisModified Axis = "modified"
)

// Part is a part of a list along an axis.
type Part struct {
	// From is where it begins, To where what is behind it begins; zero is the end of the list.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
	// Rows is the tally of the rows, Listed that of upstream, Behind upstream's from To on.
	Rows   Tally `json:"rows"`
	Listed Tally `json:"listed"`
	Behind Tally `json:"behind"`
}

// Off is by how much upstream and the rows differ.
func (p Part) Off() Tally { return p.Listed.Less(p.Rows) }

// Span is a part of a list between two instants of creation, From inclusive, To exclusive.
type Span struct {
	From Edge `json:"from,omitzero"`
	To   Edge `json:"to,omitzero"`
	// Open says that the end of the list is in the span: To has no instant, and its number of
	// records is the largest possible one, zero if that is unknown.
	Open bool `json:"open,omitempty"`
}

// Missing is how many rows the list does not show in the span; negative if it shows more records
// than there are rows.
func (s Span) Missing() int { return s.To.Rows - s.From.Rows - (s.To.Listed - s.From.Listed) }

// Edge is an instant of creation in a list. The zero instant is the beginning or the end.
type Edge struct {
	At time.Time `json:"at,omitzero"`
	// Listed is how many records of the list were created before it, Rows how many live rows.
	Listed int `json:"listed,omitempty"`
	Rows   int `json:"rows,omitempty"`
}

// Absent are rows whose records a look did not find where they had to be.
type Absent struct {
	// Started is upstream's clock at the first answer of the look; First is its first call.
	Started time.Time
	First   int64
	IDs     []string
}
