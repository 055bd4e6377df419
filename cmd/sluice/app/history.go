package app

import (
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/history"
)

// histories says of which resources the configuration wants the past kept. A change of the time
// zone, as any other, ends one period and begins another.
func (a *App) histories() []warehouse.HistorySetting {
	var settings []warehouse.HistorySetting
	for _, stream := range a.Streams() {
		if stream.Work != pipeline.WorkList {
			continue
		}
		r := stream.Resource
		setting := warehouse.HistorySetting{
			Resource: history.Resource{Organization: stream.Organization, Service: stream.Service.Name, Name: r.Name},
			Versions: a.resource(stream).History, Daily: a.resource(stream).Daily, Schema: r.SchemaName(stream.Service),
			TimeZone: time.UTC.String(),
		}
		if len(setting.Daily) > 0 { // others do not depend on it
			setting.TimeZone = a.Zone(stream.Organization).String()
		}
		for _, column := range r.Columns {
			switch column.Wire {
			case r.ID:
				setting.Key = column.ColumnName()
			case r.Modified():
				setting.Modified = column.ColumnName()
			}
		}
		for _, table := range r.Tables()[1:] {
			setting.Arrays = append(setting.Arrays, table.Name)
		}
		settings = append(settings, setting)
	}
	return settings
}
