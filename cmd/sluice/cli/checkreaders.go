package cli

import (
	"context"
	"fmt"

	"sluice/pipeline/engine"
)

// checkReaders warns of readers that have too much or too little, and of groups that lack rights,
// once they are made. It gives no finding if all is well.
func checkReaders(ctx context.Context, a *engine.App) []finding {
	const check = "readers"
	state, err := a.Readers(ctx)
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
