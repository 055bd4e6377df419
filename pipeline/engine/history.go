package engine

import (
	"sluice/migrations"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/history"
)

// histories returns for which resources the configuration wants versions or values by day. A change
// of these settings ends one period and begins another.
func (a *App) histories() []warehouse.HistorySetting {
	var settings []warehouse.HistorySetting
	for _, stream := range onlyLists(a.Streams()) {
		setting := history.Of(stream.Organization, stream.Service, stream.Resource)
		chosen := a.resource(stream)
		setting.Versions, setting.Daily = chosen.History, chosen.Daily
		if len(setting.Daily) > 0 { // versions do not depend on it
			setting.TimeZone = stream.Org.Zone().String()
		}
		settings = append(settings, setting)
	}
	return settings
}

// pastTables returns the tables of which the past can be read, if the database is migrated with this
// configuration.
func (a *App) pastTables() migrations.History {
	var kept migrations.History
	for i := range a.Config.Organizations {
		kept.Organizations = append(kept.Organizations, a.Config.Organizations[i].Key)
	}
	for _, setting := range a.histories() {
		if setting.Versions {
			kept.Tables = append(kept.Tables, setting.Schema+"."+setting.List.Resource)
		}
	}
	return kept
}
