package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	changelog "sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/closings"
	"sluice/schema"
)

// ClosePeriod closes a period of an organization: see closings.Close. Days end in the
// organization's time zone.
func (a *App) ClosePeriod(ctx context.Context, organization string, period closings.Period, anyway, dryRun bool) (closings.Closing, error) {
	request := closings.Request{Organization: organization, Period: period, Zone: a.Zone(organization).String(), Anyway: anyway, DryRun: dryRun}
	for service, resource := range schema.Each(a.Catalogue) {
		if resource.Dated != nil {
			request.Services = append(request.Services, service.Name)
			request.Resources = append(request.Resources, resource.Name)
		}
	}
	return closings.Close(ctx, a.DB.Pool(), &request)
}

// NoticeAfterClose tells changes in closed periods that were not told yet: to the log, and to the
// log of changes.
func (a *App) NoticeAfterClose(ctx context.Context) error {
	noticed, err := closings.Notice(ctx, a.DB.Pool(), tellAfterClose)
	type closing struct{ organization, period string }
	found := map[closing]map[string]int{}
	for i := range noticed {
		of := closing{noticed[i].Organization, noticed[i].Period}
		if found[of] == nil {
			found[of] = map[string]int{}
		}
		found[of][noticed[i].Kind]++
	}
	for of, kinds := range found {
		var words []string
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			words = append(words, fmt.Sprintf("%d %s", kinds[kind], kind))
		}
		a.Log.WarnContext(ctx, "a closed period changed", "organization", of.organization, "period", of.period, "records", strings.Join(words, ", "))
	}
	return err
}

// tellAfterClose gives the log of changes the changes of closed periods.
func tellAfterClose(ctx context.Context, tx pgx.Tx, found []closings.Change) error {
	for i := range found {
		c := &found[i]
		if err := changelog.Note(ctx, tx, c.Organization, c.Table, changelog.AfterClose, []string{c.Record}, c); err != nil {
			return err
		}
	}
	return nil
}
