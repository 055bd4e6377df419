package foreign

import (
	"regexp"
	"strings"
)

var (
	// rawStream is what Airbyte calls a raw table: <namespace>_raw__stream_<name>, with more
	// underscores where a name has some. oldStream is what it called one before destinations of
	// version 2.
	rawStream = regexp.MustCompile(`^.*_raw_+stream_(.+)$`)
	oldStream = regexp.MustCompile(`^_airbyte_raw_(.+)$`)
)

// find returns the first of these columns that the table has, whatever their case; "" if it has
// none.
func (t *Table) find(names ...string) string {
	for _, name := range names {
		for _, c := range t.columns {
			if strings.EqualFold(c.name, name) {
				return c.name
			}
		}
	}
	return ""
}

// airbyte recognizes raw tables of both kinds, and final tables. A final table of an older version
// is one, too; those of its arrays have names that are no resource's.
func (t *Table) airbyte() bool {
	if t.find("_airbyte_raw_id", "_airbyte_ab_id") == "" {
		return false
	}
	t.extracted = t.find("_airbyte_extracted_at", "_airbyte_emitted_at")
	t.meta, t.data, t.deleted = t.find("_airbyte_meta"), t.find("_airbyte_data"), t.find("_ab_cdc_deleted_at")
	if t.data == "" {
		return true
	}
	t.Layout = Raw
	for _, pattern := range []*regexp.Regexp{rawStream, oldStream} {
		if match := pattern.FindStringSubmatch(t.Name); match != nil {
			t.Stream = match[1]
			break
		}
	}
	return true
}

// fivetran recognizes tables with rows. Those of arrays cannot be told from others; their names are
// no resource's.
func (t *Table) fivetran() bool {
	t.extracted = t.find("_fivetran_synced")
	t.deleted, t.active = t.find("_fivetran_deleted"), t.find("_fivetran_active")
	return t.extracted != ""
}

// singer recognizes the tables of targets that add the columns of Stitch.
func (t *Table) singer() bool {
	t.extracted, t.deleted = t.find("_sdc_extracted_at", "_sdc_received_at", "_sdc_batched_at"), t.find("_sdc_deleted_at")
	for _, c := range t.columns {
		name := strings.ToLower(c.name)
		if strings.HasPrefix(name, "_sdc_level_") || strings.HasPrefix(name, "_sdc_source_key_") || strings.HasPrefix(name, "_sdc_foreign_key_") {
			t.Layout = Child
		}
	}
	return t.extracted != "" || t.find("_sdc_sequence", "_sdc_table_version") != ""
}
