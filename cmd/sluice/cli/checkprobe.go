package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/upstream/probe"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/readers"
)

// listView is what was measured of one list.
type listView struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	// Calls is how many calls the probe made; Note is why it made none.
	Calls    int            `json:"calls"`
	Note     string         `json:"note,omitempty"`
	Verdicts []measuredView `json:"verdicts"`
	// Error is why the probe ended early.
	Error string `json:"error,omitempty"`
}

// measuredView is one verdict beside what the declaration says.
type measuredView struct {
	Capability  pipeline.Capability `json:"capability"`
	Verdict     pipeline.Answer     `json:"verdict"`
	Value       string              `json:"value,omitempty"`
	Declared    pipeline.Answer     `json:"declared"`
	Contradicts bool                `json:"contradicts"`
	Evidence    string              `json:"evidence"`
}

// probe measures one list after the other and stores the verdicts. A list that cannot be measured
// stops no other, unless the calls are spent or upstream is out of reach.
func (c *cli) probe(ctx context.Context, a *engine.App, client probe.Source, streams []pipeline.Stream) ([]listView, error) {
	lists := []listView{}
	var failed error
	for _, stream := range streams {
		if stream.Work != pipeline.WorkList {
			continue
		}
		result, err := probe.List(ctx, client, stream, a.Zone(stream.Organization), pipeline.DefaultRules().PerPage)
		if keep := a.DB.StoreVerdicts(ctx, stream, result.Verdicts); keep != nil {
			return lists, fmt.Errorf("keep what %s can do: %w", stream, keep)
		}
		list := listOfProbe(stream, result)
		if err != nil {
			list.Error = err.Error()
			failed = errors.Join(failed, err)
		}
		lists = append(lists, list)
		if kind := pipeline.KindOf(err); err != nil && kind != pipeline.Denied && kind != pipeline.Unexpected {
			return lists, failed
		}
	}
	return lists, failed
}

func listOfProbe(stream pipeline.Stream, result probe.Result) listView {
	list := listView{
		Organization: stream.Organization, Resource: stream.Service.Name + "." + stream.Resource.Name,
		Calls: result.Calls, Note: result.Note, Verdicts: []measuredView{},
	}
	declared := make(map[pipeline.Capability]pipeline.Answer)
	for _, v := range capabilities.Declared(stream.Resource) {
		declared[v.Capability] = v.Answer
	}
	for _, v := range result.Verdicts {
		said := cmp.Or(declared[v.Capability], pipeline.AnswerUnknown)
		list.Verdicts = append(list.Verdicts, measuredView{
			Capability: v.Capability, Verdict: v.Answer, Value: v.Value, Declared: said, Evidence: v.Evidence,
			Contradicts: v.Answer == pipeline.AnswerNo && said == pipeline.AnswerYes,
		})
	}
	return list
}

// measured shows the capabilities of lists.
func measured(lists []listView) view.Text {
	return func(page *view.Page) {
		var rows []view.Row
		for i := range lists {
			list := &lists[i]
			for _, v := range list.Verdicts {
				sign := ""
				if v.Contradicts {
					sign = "FAIL"
				}
				rows = append(rows, view.Row{sign, list.Organization, list.Resource, v.Capability, v.Verdict, v.Value, v.Declared, v.Evidence})
			}
			if text := cmp.Or(list.Error, list.Note); text != "" {
				rows = append(rows, view.Row{"", list.Organization, list.Resource, "", "not measured", "", "", text})
			}
		}
		if len(lists) > 0 {
			page.Linef("")
			page.Add(view.TableOf("  "+headOrganization+"  LIST  CAPABILITY  MEASURED  VALUE  DECLARED  EVIDENCE", rows))
		}
	}
}

// checkReaders warns of readers that have too much or too little, and of groups that lack rights,
// once they are made. It gives no finding if all is well.
func checkReaders(ctx context.Context, a *engine.App) []finding {
	const check = "readers"
	state, err := readers.Look(ctx, a.DB.Pool(), readers.Standard())
	if err != nil {
		return []finding{verdict(check, err, "")}
	}
	var findings []finding
	if state.Begun() {
		for _, lack := range state.Lacks {
			findings = append(findings, verdict(check, nil, fmt.Sprintf("a warning: %s; to end that: sluice readers --apply;", lack.What)))
		}
	}
	for _, f := range state.Findings {
		findings = append(findings, verdict(check, nil, fmt.Sprintf("a warning: %s; to end that: %s;", f.What, f.Remedy)))
	}
	return findings
}
