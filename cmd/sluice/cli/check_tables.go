package cli

import (
	"context"

	"sluice/pipeline/engine"
)

// checkTables names tables and columns of the program that something else dropped or altered. It says nothing where all is as declared.
func (c *cli) checkTables(ctx context.Context, a *engine.App) []finding {
	lacks, err := a.Lacking(ctx)
	if err != nil {
		return []finding{verdict("tables", err, "")}
	}
	var findings []finding
	for _, lack := range lacks {
		findings = append(findings, finding{
			Check: "tables", code: codeFailed,
			Text: lack.String() + ": sluice migrate proposes a plan for what is missing; " + engine.Restoring(lack),
		})
	}
	return findings
}
