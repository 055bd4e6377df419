package migrations_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

// sqlPeople are two organizations of equal identifiers with chats and fields of their own. Chat 1
// is a channel, too, 2 is a conversation alone, channel c3 names no conversation, and network n has
// another chat 1.
const sqlPeople = `
WITH organization AS (
	INSERT INTO sluice.organizations (organization_id, name, time_zone) VALUES ('a', 'Acme', 'UTC'), ('b', 'Beta', 'UTC') RETURNING 1
), conversation AS (
	INSERT INTO chat.conversations (organization_id, chat_id, title, total_message_count, participant_count, last_modified_time, _deleted_at, ` + own + `)
	VALUES ('a', '1', 'Secret plan', 50, 3, '2026-01-02Z', NULL, ` + ownValues + `), ('a', '2', 'Lunch', 5, 2, '2026-01-01Z', now(), ` + ownValues + `),
		('b', '1', 'Other', 9, 2, '2026-01-01Z', NULL, ` + ownValues + `) RETURNING 1
), channel AS (
	INSERT INTO chat.channels (organization_id, channel_id, chat_id, name, creator_name, total_message_count, participant_count, last_modified_time, ` + own + `)
	VALUES ('a', 'c1', '1', '#plan', 'Ann Ames', 49, 3, '2026-01-03Z', ` + ownValues + `), ('a', 'c2', '1', '#twice', 'Bob', 1, 1, NULL, ` + ownValues + `),
		('a', 'c3', NULL, '#quiet', NULL, 0, 1, NULL, ` + ownValues + `) RETURNING 1
), network AS (
	INSERT INTO chat.network_conversations (organization_id, network_chat_id, network, chat_id, title, total_message_count, ` + own + `)
	VALUES ('a', 'n/1', 'n', '1', 'Partners', 2, ` + ownValues + `) RETURNING 1
), period AS (
	INSERT INTO history.periods (organization_id, service, resource, asked_at, in_schema, key_column, arrays, versions, daily, time_zone)
	VALUES ('a', 'chat', 'channels', now() - interval '40 days', 'chat', 'channel_id', '{}', false, '{total_message_count}', 'UTC'),
		('b', 'chat', 'conversations', now() - interval '40 days', 'chat', 'chat_id', '{}', false, '{total_message_count}', 'UTC') RETURNING 1
), day AS ( -- counted from the Monday three weeks ago
	INSERT INTO history.days (organization_id, service, resource, record_id, day, content, seen_at)
	SELECT o, 'chat', r, i, date_trunc('week', now() AT TIME ZONE 'UTC')::date - 21 + d, j::jsonb, now() FROM (VALUES
		('a', 'channels', 'c1', 1, '{"total_message_count": 10}'), ('a', 'channels', 'c1', 6, '{"total_message_count": 16}'),
		('a', 'channels', 'c1', 7, '{"total_message_count": 20}'), ('a', 'channels', 'c1', 13, '{"total_message_count": 18}'),
		('b', 'conversations', '1', 20, '{"total_message_count": 9}')) AS v (o, r, i, d, j) RETURNING 1
), account AS (
	INSERT INTO accounting.chart_of_accounts (organization_id, account_id, ` + own + `) VALUES ('a', '1', ` + ownValues + `) RETURNING 1
), payment AS (
	INSERT INTO accounting.vendor_payments (organization_id, payment_id, ` + own + `) VALUES ('a', '1', ` + ownValues + `) RETURNING 1
), item AS (
	INSERT INTO inventory.items (organization_id, item_id, ` + own + `) VALUES ('a', '1', ` + ownValues + `), ('b', '1', ` + ownValues + `) RETURNING 1
), bundle AS (
	INSERT INTO inventory.composite_items (organization_id, composite_item_id, ` + own + `) VALUES ('a', '1', ` + ownValues + `) RETURNING 1
), bill AS (
	INSERT INTO inventory.bills (organization_id, bill_id, ` + own + `) VALUES ('a', '1', ` + ownValues + `) RETURNING 1
), note AS (
	INSERT INTO inventory.credit_notes (organization_id, creditnote_id, email, ` + own + `) VALUES ('a', '1', 'Ann@customer.example', ` + ownValues + `),
		('a', '2', 'ann@customer.example', ` + ownValues + `) RETURNING 1
), record AS (
	INSERT INTO accounting.custom_module_records (organization_id, module_record_id, module_name, ` + own + `) VALUES ('a', '1', 'cm_cars', ` + ownValues + `) RETURNING 1
), fields AS (
	INSERT INTO accounting.chart_of_accounts_custom_fields (organization_id, _parent_id, _position, customfield_id, value) VALUES ('a', '1', 0, 'f1', '"2026-02-28"') RETURNING 1
), fields_2 AS (
	INSERT INTO accounting.vendor_payments_custom_fields (organization_id, _parent_id, _position, custom_field_id, label, value) VALUES ('a', '1', 0, 'f2', 'Cost centre', '"North"') RETURNING 1
), fields_3 AS (
	INSERT INTO inventory.items_custom_fields (organization_id, _parent_id, _position, customfield_id, value)
	VALUES ('a', '1', 0, 'f2', '"-12.50"'), ('a', '1', 1, 'f2', '"2026-02-30"'), ('b', '1', 0, 'f2', '7') RETURNING 1
), fields_4 AS (
	INSERT INTO inventory.composite_items_custom_fields (organization_id, _parent_id, _position, custom_field_id, label, value) VALUES ('a', '1', 0, 'f4', 'Colour', 'null') RETURNING 1
), fields_5 AS (
	INSERT INTO inventory.bills_custom_fields (organization_id, _parent_id, _position, customfield_id, value) VALUES ('a', '1', 0, 'f4', '{"x": 1}') RETURNING 1
), fields_6 AS (
	INSERT INTO inventory.credit_notes_custom_fields (organization_id, _parent_id, _position, index, label, value) VALUES ('a', '1', 0, 1, 'Reason', 'true') RETURNING 1
)
INSERT INTO accounting.custom_module_records_fields (organization_id, _parent_id, _position, field, value) VALUES ('a', '1', 0, 'cf_seats', '5') RETURNING 'made'`

func TestChatsAndOwnFields(t *testing.T) {
	t.Parallel()
	url := migrated(t)
	list(t, url, sqlPeople)
	for what, test := range map[string]struct {
		ask  string
		want []string
	}{
		"chats": {
			`SELECT concat_ws(' ', organization_id, network, chat_id, kind, title, coalesce(creator_name, '-'), messages, is_deleted, coalesce(extract(day FROM last_active_at AT TIME ZONE 'UTC')::text, '-'))
				FROM analytics.chats ORDER BY organization_id, network, chat_id`,
			[]string{
				"a  1 channel #plan Ann Ames 50 f 3", "a  2 conversation Lunch - 5 t 1", "a  c3 channel #quiet - 0 f -", "a n 1 conversation Partners - 2 f -",
				"b  1 conversation Other - 9 f 1",
			},
		},
		"weeks": { // first week from the 10 of its first known day, then 18 - 16, then nothing new
			`SELECT concat_ws(' ', organization_id, chat_id, week - (date_trunc('week', now() AT TIME ZONE 'UTC')::date - 21), messages_to_date, messages, is_complete)
				FROM analytics.chat_weeks ORDER BY organization_id, week`,
			[]string{"a 1 0 16 6 f", "a 1 7 18 2 t", "a 1 14 18 0 t", "a 1 21 18 0 f", "b 1 14 9 0 f", "b 1 21 9 0 f"},
		},
		"own fields": { // the label of f2 is known from the payment, in this organization alone; 30 February is no day
			`SELECT concat_ws(' ', organization_id, resource, record_id, line, coalesce(nullif(module, ''), '-'), coalesce(field_id, '-'), coalesce(label, '-'), coalesce(value, 'null'),
				coalesce(number::text, '-'), coalesce(day::text, '-')) FROM analytics.custom_fields ORDER BY 1`,
			[]string{
				"a accounting.chart_of_accounts 1 0 - f1 - 2026-02-28 - 2026-02-28", "a accounting.custom_module_records 1 0 cm_cars cf_seats - 5 5 -",
				"a accounting.vendor_payments 1 0 - f2 Cost centre North - -", `a inventory.bills 1 0 - f4 Colour {"x": 1} - -`,
				"a inventory.composite_items 1 0 - f4 Colour null - -", "a inventory.credit_notes 1 0 - - Reason true - -",
				"a inventory.items 1 0 - f2 Cost centre -12.50 -12.50 -", "a inventory.items 1 1 - f2 Cost centre 2026-02-30 - -", "b inventory.items 1 0 - f2 - 7 7 -",
			},
		},
	} {
		if diff := cmp.Diff(test.want, list(t, url, test.ask)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	keys(t, url, "chats", "chat_weeks", "custom_fields")
}

// TestMaskedReaders: a role that may see organization b alone, and persons masked.
func TestMaskedReaders(t *testing.T) {
	t.Parallel()
	owner := warehousetest.Owner(t)
	role, reader := warehousetest.Worker(t, owner)
	reader = interpreted(t, reader)
	must(t, migrations.Migrate(t.Context(), owner, migrations.Options{}))
	list(t, owner, sqlPeople)
	script(t, owner, `GRANT USAGE ON SCHEMA analytics TO `+role+`; GRANT SELECT ON ALL TABLES IN SCHEMA analytics TO `+role)
	views := list(t, owner, `SELECT name FROM sluice.views WHERE to_regclass('analytics.' || name) IS NOT NULL ORDER BY name`)
	for _, organization := range []string{"", "b"} {
		script(t, owner, `DELETE FROM analytics.readers`)
		if organization != "" {
			script(t, owner, `INSERT INTO analytics.readers VALUES ('`+role+`', '`+organization+`')`)
		}
		rows := 0
		for _, view := range views {
			if view == "catalog" { // tells of columns, and has no rows of organizations
				continue
			}
			for _, row := range list(t, reader, `SELECT organization_id || ' ' || v::text FROM analytics.`+view+` AS v`) {
				rows++
				if of, _, _ := strings.Cut(row, " "); of != organization {
					t.Errorf("who may see %q sees in %s: %s", organization, view, row)
				}
			}
		}
		if (rows == 0) != (organization == "") {
			t.Errorf("who may see %q sees %d rows", organization, rows)
		}
	}
	script(t, owner, `UPDATE analytics.readers SET organization_id = 'a'`)
	got := list(t, reader, `SELECT concat_ws(' ', coalesce(title, '-'), creator_name) FROM analytics.chats WHERE chat_id = '1' AND network = ''
		UNION ALL SELECT concat_ws(' ', resource, coalesce(value, '-'), coalesce(number::text, '-'), coalesce(day::text, '-')) FROM analytics.custom_fields WHERE record_id = '1' AND resource ~ 'accounting'
		UNION ALL SELECT concat_ws(' ', email, count(DISTINCT email_token), length(min(email_token))) FROM analytics.credit_notes GROUP BY email ORDER BY 1`)
	want := []string{"***@customer.example 1 64", "- A.", "accounting.chart_of_accounts - - -", "accounting.custom_module_records - - -", "accounting.vendor_payments - - -"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("masked (-want +got):\n%s", diff)
	}
}
