package cli

import (
	"context"
	"fmt"

	"sluice/pipeline/engine"
)

// checkRights warns of what other roles of the database may do and should not; each warning ends with the statement that ends it.
func checkRights(ctx context.Context, a *engine.App) []finding {
	const check = "other roles of the database"
	rights, err := a.Report.Rights(ctx)
	if err != nil {
		return []finding{verdict(check, err, "")}
	}
	findings := make([]finding, len(rights))
	for i, right := range rights {
		findings[i] = verdict(check, nil, fmt.Sprintf("a warning: %s; to end that: %s;", right.What, right.Remedy))
	}
	return findings
}
