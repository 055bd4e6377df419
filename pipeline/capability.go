package pipeline

import "time"

// Capability is a closed set: what a list can do, as far as reading it depends on that.
type Capability string

// The capabilities.
const (
	// CapabilityFilter: the filter by modification time lets pass what was modified since, and
	// nothing else.
	CapabilityFilter Capability = "filter"
	// CapabilityInclusive: the filter lets pass what was modified at the instant itself.
	CapabilityInclusive Capability = "filter_inclusive"
	// CapabilityDescending and CapabilityAscending: the list sorts by modification time.
	CapabilityDescending Capability = "sort_descending"
	CapabilityAscending  Capability = "sort_ascending"
	// CapabilityPage: the parameter page leads to another page.
	CapabilityPage Capability = "page"
	// CapabilityPageSize: the parameter per_page sets the size of a page. The value of its verdict
	// is the largest size that was answered, or that is said to be.
	CapabilityPageSize Capability = "page_size"
	// CapabilityDetail: a single record is read by its identifier; CapabilityBatchDetail: several
	// in one call. The value of their verdicts is the path.
	CapabilityDetail      Capability = "detail"
	CapabilityBatchDetail Capability = "batch_detail"
)

// Answer is a closed set: what is held of a capability.
type Answer string

// The answers.
const (
	AnswerYes     Answer = "yes"
	AnswerNo      Answer = "no"
	AnswerUnknown Answer = "unknown"
)

// Source is a closed set: how a verdict is known.
type Source string

// The sources, the weakest first: a weaker one never replaces a stronger one.
const (
	// SourceAssumed: the declaration relies on it, and no document shows it.
	SourceAssumed Source = "assumed"
	// SourceDocumented: a document shows it.
	SourceDocumented Source = "documented"
	// SourceProbed: it was measured, by calls made for that alone.
	SourceProbed Source = "probed"
	// SourceObserved: an answer to a run showed it.
	SourceObserved Source = "observed"
)

// Verdict is what is known of one capability of a list.
type Verdict struct {
	Capability Capability `json:"capability"`
	Answer     Answer     `json:"verdict"`
	// Value is the figure or the path that belongs to it; "" if there is none.
	Value  string `json:"value,omitempty"`
	Source Source `json:"source"`
	// Evidence is what it rests on, in words without values of records.
	Evidence string `json:"evidence,omitempty"`
	// SeenAt is when it was last declared, measured or seen, by the database's clock.
	SeenAt time.Time `json:"seen_at"`
	// Age is how long ago that was.
	Age time.Duration `json:"-"`
}

// RetryAfter is how long an observed no counts: the next run then asks as the declaration says once
// more, which costs a page at most, and the no is taken back or renewed. One that was probed counts
// until it is probed again, for there are ways of misreading a filter that the answer to a run does
// not show.
const RetryAfter = 24 * time.Hour

// Capabilities are the verdicts on one list, by capability.
type Capabilities map[Capability]Verdict

// Lacks says that the list is known not to have the capability, so that the next run does not ask
// for it.
func (c Capabilities) Lacks(capability Capability) bool {
	v := c[capability]
	return v.Answer == AnswerNo && (v.Source != SourceObserved || v.Age < RetryAfter)
}

// Shows says that the list was measured or seen to have the capability: what a declaration or a
// document says alone does not count. One that an answer contradicted, which only those do that
// were asked for what was known, is tried again like all others.
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
