package accounting

import "sluice/schema"

// customModuleRecords declares the records of modules that the organization made itself, one list
// for each module that the configuration names. Source: docs/upstream.md U158 and U159. What the
// single record alone has (U327) cannot come: no list under a parent reads single records.
func customModuleRecords() schema.Resource {
	return schema.Resource{
		Name:  "custom_module_records",
		Doc:   "A record of a module that the organization made itself, with fields of its own.",
		Path:  "/{parent}",
		Key:   "module_record",
		ID:    "module_record_id",
		Scope: "custommodules",
		Cursor: schema.PerParent{
			Column: "module_name",
			Listed: schema.ListedModules,
			List:   schema.FullScan{Modified: "last_modified_time", Created: "created_time"},
		},
		Every: "6h",
		Columns: []schema.Column{
			schema.ID("module_record_id", "Identifier of the record; unique within the organization."),
			schema.ID("module_name", "Name of the module as the configuration lists it.").Give(),
			schema.ID("module_api_name", "Name of the module for programs: cm_ and the name of the module."),
			schema.Text("record_name", "Name of the record, or its running number, by the module's settings.").Is(schema.FreeText),
			schema.ID("created_by_id", "Identifier of the user who made the record."),
			schema.ID("last_modified_by_id", "Identifier of the user who last changed the record."),
			schema.Time("created_time", "When the record was made."),
			schema.Time("last_modified_time", "When the record last changed."),
		},
		Children: []schema.Child{{
			Name:   "fields",
			Doc:    "The value of one field of a module's record; which fields there are is the organization's choice.",
			Prefix: "cf_",
			Twin:   "_formatted",
			Columns: []schema.Column{
				schema.ID("field", "Key of the field, cf_ and a name; the same on every record of the module."),
				schema.JSON("value", "Value of the field, kept as JSON because its type depends on the field.").Is(schema.FreeText),
				schema.Text("formatted", "Value of the field as the organization's settings show it, for display only.").Is(schema.FreeText),
			},
		}},
		Ignored: map[string]string{
			"created_time_formatted":       "the same instant, written by the organization's settings",
			"last_modified_time_formatted": "the same instant, written by the organization's settings",
			"record_name_formatted":        "the same name, written by the organization's settings",
		},
		Assumed: []string{
			"Identifiers of records are unique across modules.",
			"Rows come newest created first.",
		},
	}
}
