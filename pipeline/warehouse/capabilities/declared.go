package capabilities

import (
	"strconv"

	"sluice/pipeline"
	"sluice/schema"
)

const (
	shown    = "a document shows it on this list"
	relied   = "the declaration relies on it, no document shows it on this list"
	unstated = "no document and no declaration says so"
	// largestPage is the largest page that upstream is assumed to give. Source: docs/upstream.md
	// U80.
	largestPage = 200
)

// Declared returns the verdicts that a declaration gives, each documented or assumed. A list
// without pages gets no verdict about pages.
func Declared(resource *schema.Resource) []pipeline.Verdict {
	var verdicts []pipeline.Verdict
	add := func(c pipeline.Capability, declared, assumed bool, value string) {
		v := pipeline.Verdict{
			Capability: c, Answer: pipeline.AnswerUnknown, Value: value, Source: pipeline.SourceAssumed, Evidence: unstated,
		}
		switch {
		case declared && assumed:
			v.Answer, v.Evidence = pipeline.AnswerYes, relied
		case declared:
			v.Answer, v.Source, v.Evidence = pipeline.AnswerYes, pipeline.SourceDocumented, shown
		}
		verdicts = append(verdicts, v)
	}
	if resource.Modified() != "" && resource.Paging == schema.PagingNumber && !resource.Exported() {
		since, filters := resource.Cursor.(schema.Since)
		newest, sorts := resource.Cursor.(schema.NewestFirst)
		add(pipeline.CapabilityFilter, filters, since.Assumed, "")
		add(pipeline.CapabilityInclusive, filters, since.Assumed, "")
		add(pipeline.CapabilityDescending, sorts, newest.Assumed, "")
		add(pipeline.CapabilityAscending, false, true, "")
	}
	if _, single := resource.Cursor.(schema.Snapshot); !single && resource.Paging == schema.PagingNumber && !resource.Exported() {
		// The documents show page_context in answers, and no parameter that asks for a page.
		add(pipeline.CapabilityPage, true, true, "")
		add(pipeline.CapabilityPageSize, true, true, strconv.Itoa(largestPage))
	}
	if resource.Single != nil {
		add(pipeline.CapabilityDetail, true, resource.Single.Assumed, resource.Single.Path)
	}
	if resource.Details != nil && resource.Details.Batch != nil {
		add(pipeline.CapabilityBatchDetail, true, false, resource.Details.Batch.Path)
	}
	return verdicts
}
