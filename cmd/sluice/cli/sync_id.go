package cli

import (
	"context"
	"errors"
	"slices"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
)

// syncRecords reads single records of one resource and shows the result of each.
func (c *cli) syncRecords(ctx context.Context, a *engine.App, name string, organization organizationFlag, ids []string) error {
	chosen, err := a.ChooseOrganization(string(organization))
	if err != nil {
		return err
	}
	read, err := a.ReadRecords(ctx, name, chosen.Key, ids)
	if err == nil || len(read) > 0 {
		shown := c.show(read, view.Table(read, headOrganization+"  TABLE  RECORD  RESULT  CALL", func(r *engine.SingleRecord) view.Row {
			return view.Row{r.Organization, r.Resource, r.Record, resultOf(r.Result), r.Call}
		}))
		err = errors.Join(err, shown)
	}
	switch pipeline.KindOf(err) { //nolint:exhaustive // the others are failures
	case pipeline.Exhausted, pipeline.Throttled, pipeline.Crowded:
		return &exitError{code: codeBudget, err: err}
	}
	return errors.Join(err, exitIf(err == nil && slices.ContainsFunc(read, func(r engine.SingleRecord) bool { return r.Result.Failed() })))
}

// resultOf is a result with what follows from it.
func resultOf(result engine.Reread) string {
	switch result {
	case engine.RereadOlder:
		return "older than the row, which stays"
	case engine.RereadAbsent:
		return "absent: upstream does not know it"
	case engine.RereadNone:
		return "no record in upstream's answer"
	case engine.RereadRejected:
		return "rejected: sluice quarantine list"
	case engine.RereadErased:
		return "erased: sluice erase --list"
	default:
		return string(result)
	}
}
