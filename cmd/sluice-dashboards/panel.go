package main

import "fmt"

// The types have the fields of Grafana's JSON that the dashboards need; Grafana fills in the rest.

type dashboard struct {
	UID           string     `json:"uid"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	Tags          []string   `json:"tags"`
	SchemaVersion int        `json:"schemaVersion"`
	Editable      bool       `json:"editable"`
	Refresh       string     `json:"refresh"`
	Time          span       `json:"time"`
	Links         []link     `json:"links"`
	Templating    templating `json:"templating"`
	Panels        []panel    `json:"panels"`
}

type span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type link struct {
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	Tags        []string `json:"tags"`
	IncludeVars bool     `json:"includeVars"`
	KeepTime    bool     `json:"keepTime"`
}

type templating struct {
	List []variable `json:"list"`
}

type variable struct {
	Name       string  `json:"name"`
	Label      string  `json:"label"`
	Type       string  `json:"type"`
	Query      string  `json:"query"`
	Datasource *source `json:"datasource,omitempty"`
	Refresh    int     `json:"refresh,omitempty"`
	Sort       int     `json:"sort,omitempty"`
	IncludeAll bool    `json:"includeAll"`
	AllValue   string  `json:"allValue,omitempty"`
	Multi      bool    `json:"multi"`
}

type source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID              int              `json:"id"`
	Type            string           `json:"type"`
	Title           string           `json:"title"`
	Description     string           `json:"description,omitempty"`
	GridPos         gridPos          `json:"gridPos"`
	Datasource      *source          `json:"datasource,omitempty"`
	Targets         []target         `json:"targets,omitempty"`
	FieldConfig     fieldConfig      `json:"fieldConfig"`
	Options         map[string]any   `json:"options,omitempty"`
	Transformations []transformation `json:"transformations,omitempty"`
}

type gridPos struct {
	H int `json:"h"`
	W int `json:"w"`
	X int `json:"x"`
	Y int `json:"y"`
}

type target struct {
	RefID        string  `json:"refId"`
	Datasource   *source `json:"datasource"`
	Expr         string  `json:"expr"`
	LegendFormat string  `json:"legendFormat"`
	Instant      bool    `json:"instant"`
	Range        bool    `json:"range"`
	Format       string  `json:"format"`
}

type fieldConfig struct {
	Defaults  defaults   `json:"defaults"`
	Overrides []override `json:"overrides"`
}

type defaults struct {
	Measure    string         `json:"unit,omitempty"`
	Min        *float64       `json:"min,omitempty"`
	Max        *float64       `json:"max,omitempty"`
	Thresholds *thresholds    `json:"thresholds,omitempty"`
	Custom     map[string]any `json:"custom,omitempty"`
}

type thresholds struct {
	Mode  string `json:"mode"`
	Steps []step `json:"steps"`
}

type step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

type override struct {
	Matcher    option   `json:"matcher"`
	Properties []option `json:"properties"`
}

// option is a matcher, whose value is in options, or a property, whose value is in value.
type option struct {
	ID      string `json:"id"`
	Options string `json:"options,omitempty"`
	Value   any    `json:"value,omitempty"`
}

type transformation struct {
	ID      string         `json:"id"`
	Options map[string]any `json:"options"`
}

// query is an expression and what its lines are called; in a table, its column.
type query struct{ expr, name string }

// The units of Grafana.
const (
	seconds = "s"
	number  = "short"
	ratio   = "percentunit"
	rate    = "reqps"
	instant = "dateTimeFromNow"
)

func prometheus() *source { return &source{Type: "prometheus", UID: "${datasource}"} }

// draw makes a panel of a type.
func draw(kind, title, description, unit string, queries ...query) panel {
	p := panel{
		Type: kind, Title: title, Description: description, Datasource: prometheus(),
		FieldConfig: fieldConfig{Defaults: defaults{Measure: unit}, Overrides: []override{}},
	}
	for i, q := range queries {
		p.Targets = append(p.Targets, target{
			RefID: string(rune('A' + i)), Datasource: prometheus(), Expr: q.expr, LegendFormat: q.name, Range: true, Format: "time_series",
		})
	}
	return p
}

// lines are figures over time; stacked ones add up.
func lines(title, description, unit string, queries ...query) panel {
	p := draw("timeseries", title, description, unit, queries...)
	p.FieldConfig.Defaults.Min = new(float64)
	p.Options = map[string]any{
		"legend":  map[string]any{"displayMode": "list", "placement": "bottom", "showLegend": true},
		"tooltip": map[string]any{"mode": "multi", "sort": "desc"},
	}
	return p
}

func (p panel) stacked() panel {
	p.FieldConfig.Defaults.Custom = map[string]any{"fillOpacity": 40, "stacking": map[string]any{"mode": "normal", "group": "A"}}
	return p
}

// above draws the lines of a query over a stack, and dashed.
func (p panel) above(name string) panel {
	p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, override{
		Matcher: option{ID: "byRegexp", Options: name},
		Properties: []option{
			{ID: "custom.stacking", Value: map[string]any{"mode": "none"}},
			{ID: "custom.fillOpacity", Value: 0},
			{ID: "custom.lineStyle", Value: map[string]any{"fill": "dash", "dash": []int{8, 8}}},
		},
	})
	return p
}

// figure is one number of now, which turns orange and red from these values on.
func figure(title, description, unit string, orange, red float64, q query) panel {
	p := now(draw("stat", title, description, unit, q))
	p.FieldConfig.Defaults.Thresholds = limits(orange, red)
	p.Options = map[string]any{"colorMode": "background", "reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}}}
	return p
}

// bars are numbers of now, the largest first.
func bars(title, description, unit string, orange, red float64, q query) panel {
	p := now(draw("bargauge", title, description, unit, q))
	p.FieldConfig.Defaults.Thresholds = limits(orange, red)
	p.FieldConfig.Defaults.Min = new(float64)
	p.Options = map[string]any{
		"orientation": "horizontal", "displayMode": "basic",
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "values": false},
	}
	return p
}

// table has a row for each set of labels, and a column for each query.
func table(title, description string, queries ...query) panel {
	p := now(draw("table", title, description, "", queries...))
	hidden, renamed := map[string]any{"Time": true, "job": true}, map[string]any{}
	for i := range p.Targets {
		p.Targets[i].Format = "table"
		value := "Value #" + p.Targets[i].RefID
		if len(queries) == 1 {
			value = "Value"
		}
		renamed[value] = p.Targets[i].LegendFormat
	}
	p.Transformations = []transformation{
		{ID: "merge", Options: map[string]any{}},
		{ID: "organize", Options: map[string]any{"excludeByName": hidden, "renameByName": renamed}},
	}
	return p
}

// in gives a column of a table its unit.
func (p panel) in(column, unit string) panel {
	p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, override{
		Matcher: option{ID: "byName", Options: column}, Properties: []option{{ID: "unit", Value: unit}},
	})
	return p
}

// by sorts a table by a column, the largest value first.
func (p panel) by(column string) panel {
	p.Options = map[string]any{"sortBy": []map[string]any{{"displayName": column, "desc": true}}}
	return p
}

func now(p panel) panel {
	for i := range p.Targets {
		p.Targets[i].Instant, p.Targets[i].Range = true, false
	}
	return p
}

func limits(orange, red float64) *thresholds {
	return &thresholds{Mode: "absolute", Steps: []step{{Color: "green"}, {Color: "orange", Value: &orange}, {Color: "red", Value: &red}}}
}

// row is a heading above panels of one height, side by side.
type row struct {
	title  string
	height int
	panels []panel
}

// laid numbers panels and puts them beneath each other, the panels of a row side by side.
func laid(rows ...row) []panel {
	const width = 24
	var all []panel
	y := 0
	put := func(p panel, pos gridPos) {
		p.ID, p.GridPos = len(all)+1, pos
		all = append(all, p)
	}
	for _, r := range rows {
		put(panel{Type: "row", Title: r.title, FieldConfig: fieldConfig{Overrides: []override{}}}, gridPos{H: 1, W: width, Y: y})
		y++
		each := width / len(r.panels)
		for i, p := range r.panels {
			put(p, gridPos{H: r.height, W: each, X: i * each, Y: y})
		}
		y += r.height
	}
	return all
}

// board makes a dashboard with the variables datasource and job, and further ones.
func board(name, title, description string, variables []variable, rows ...row) dashboard {
	all := []variable{
		{Name: "datasource", Label: "Prometheus", Type: "datasource", Query: "prometheus"},
		choice("job", "Deployment", "label_values(sluice_database_up, job)", true),
	}
	return dashboard{
		UID: "sluice-" + name, Title: "sluice: " + title, Description: description, Tags: []string{"sluice"}, SchemaVersion: 39,
		Editable: true, Refresh: "1m", Time: span{From: "now-24h", To: "now"},
		Links:      []link{{Title: "sluice", Type: "dashboards", Tags: []string{"sluice"}, IncludeVars: true, KeepTime: true}},
		Templating: templating{List: append(all, variables...)},
		Panels:     laid(rows...),
	}
}

func choice(name, label, values string, all bool) variable {
	v := variable{Name: name, Label: label, Type: "query", Query: values, Datasource: prometheus(), Refresh: 2, Sort: 1}
	if all {
		v.IncludeAll, v.AllValue = true, ".*"
	}
	return v
}

// one takes one of the equal figures that all processes report. By are the labels that stay, beside
// job.
func one(metric, by string) string { return fmt.Sprintf("max by (job%s) (%s)", comma(by), metric) }

func comma(by string) string {
	if by == "" {
		return ""
	}
	return ", " + by
}
