package app

import (
	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/history"
)

// histories says of which resources the configuration wants versions kept.
func (a *App) histories() []warehouse.HistorySetting {
	var settings []warehouse.HistorySetting
	for _, stream := range a.Streams() {
		if stream.Work != pipeline.WorkList {
			continue
		}
		r := stream.Resource
		setting := warehouse.HistorySetting{
			Resource: history.Resource{Organization: stream.Organization, Service: stream.Service.Name, Name: r.Name},
			Kept:     a.resource(stream).History, Schema: r.SchemaName(stream.Service), Arrays: []string{},
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
