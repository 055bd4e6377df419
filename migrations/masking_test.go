package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestWhoMayReadWhat tries every table and view as a reader of each kind and as a stranger, after a
// migration and after the plan of a declared list.
func TestWhoMayReadWhat(t *testing.T) {
	t.Parallel()
	f := newReadable(t)
	f.mayRead()
	const plan = `CREATE SCHEMA IF NOT EXISTS "custom";
CREATE TABLE "custom"."lists" (organization_id text, _raw_position integer);
COMMENT ON TABLE "custom"."lists" IS 'A list.';
`
	check.Must(t, migrations.Execute(t.Context(), f.url, migrations.Options{}, func(context.Context) (string, error) { return plan, nil }))
	check.FatalIf(t, !slices.Contains(f.objects(), "custom.lists"), "the plan made no table")
	f.mayRead()
}

// mayRead fails the test where a role may read what it must not, or must read what it may not, and
// where a reader may write or make anything.
func (f *readable) mayRead() {
	f.Helper()
	all, raw := []string{f.masked, f.unmasked, f.raw}, []string{f.raw}
	special := map[string][]string{
		"analytics.readers": nil, "sluice.organizations": raw, "sluice.raw_records": raw, "sluice.tombstones": raw, "sluice.columns": raw, "notifications.events": raw,
	}
	bySchema := map[string][]string{"analytics": all, "history": raw, "as_of": raw, "sluice": nil, "river": nil, "notifications": nil}
	services := list(f.T, f.url, `SELECT name FROM sluice.service_schemas`)
	for _, service := range services {
		bySchema[service] = raw
	}
	objects := f.objects()
	check.FatalIf(f, len(objects) < 120, "there are %d tables and views only", len(objects))
	for _, role := range append(all, f.stranger) {
		conn := f.as(role, nil)
		for _, object := range objects {
			schema, _, _ := strings.Cut(object, ".")
			may, isSpecial := special[object]
			if !isSpecial {
				may = bySchema[schema]
			}
			_, err := conn.Exec(f.Context(), "SELECT FROM "+object+" LIMIT 0")
			want := slices.Contains(may, role)
			check.ErrorIf(f, (err == nil) != want, "%s reads %s: %v, want that it may: %t", role, object, err, want)
			pg, ok := errors.AsType[*pgconn.PgError](err)
			check.ErrorIf(f, err != nil && (!ok || pg.Code != "42501"), "%s reads %s: %v", role, object, err)
		}
		for what, ask := range map[string]string{
			"write to": `SELECT c.oid::regclass::text FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v') AND c.oid >= 16384
				AND has_table_privilege('` + role + `', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES')`,
			"make things in": `SELECT n.nspname::text FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'public' AND has_schema_privilege('` + role + `', n.oid, 'CREATE')`,
		} {
			check.Empty(f, fmt.Sprintf("%s may %s", role, what), list(f.T, f.url, ask))
		}
	}
	for ask, want := range map[string]string{
		`SELECT count(*)::text FROM history.inventory_bills_as_of(now() - interval '1 hour')`: "2", `SELECT count(*)::text FROM history.on_day(NULL::inventory.bills, current_date)`: "2",
		`SELECT sluice.raw_record(1, 0) ->> 'name'`: "PERSONAL",
	} {
		var got string
		err := f.as(f.raw, nil).QueryRow(f.Context(), ask).Scan(&got)
		check.ErrorIf(f, err != nil || got != want, "a raw reader asks %s: %q, %v, want %q", ask, got, err, want)
		check.ErrorIf(f, f.as(f.unmasked, nil).QueryRow(f.Context(), ask).Scan(&got) == nil, "another reader gets an answer to %s: %q", ask, got)
	}
}

// TestMaskedReadersSeeNothingPersonal searches every cell of every view for the marks of personal
// columns, as text and as JSON. An organization that a reader may not see has no row in any.
func TestMaskedReadersSeeNothingPersonal(t *testing.T) {
	t.Parallel()
	f := newReadable(t)
	masked, unmasked, raw := f.as(f.masked, nil), f.as(f.unmasked, nil), f.as(f.raw, nil)
	var empty, shown []string
	for _, answer := range f.answers() {
		rows := f.rows(masked, answer)
		if len(rows) == 0 {
			empty = append(empty, answer)
		}
		for _, row := range rows {
			if found := marks.FindAllString(row, -1); len(found) > 0 {
				slices.Sort(found)
				t.Errorf("a masked reader sees in %s: %q", answer, slices.Compact(found))
			}
		}
		open := f.rows(unmasked, answer)
		if slices.ContainsFunc(open, marks.MatchString) {
			shown = append(shown, answer)
		}
		for _, row := range append(rows, open...) {
			check.ErrorIf(t, strings.Contains(row, `"organization_id":"b"`), "a reader of organization a sees in %s: %s", answer, row)
		}
		both, limited := f.rows(raw, answer), slices.ContainsFunc(open, func(row string) bool { return strings.Contains(row, `"organization_id":"a"`) })
		check.ErrorIf(t, limited && len(both) <= len(open) && !strings.Contains(answer, "'a'"),
			"%s has %d rows of one organization and %d of two", answer, len(open), len(both))
	}
	t.Logf("without rows: %q, with something personal for those who may see it: %q", empty, shown)
	for _, bites := range []string{"analytics.bills", "analytics.spend_lines", "analytics.organizations", "analytics.freshness", "analytics.deleted"} {
		check.ErrorIf(t, slices.Contains(empty, bites), "%s has no row, so nothing of it was searched", bites)
	}
	const contacts = "analytics.contacts"
	check.ErrorIf(t, slices.Contains(f.answers(), contacts) && !slices.Contains(shown, contacts),
		"a reader of persons sees none in %s", contacts)
}

// TestAReadersFunctionSeesNoOtherRow: a function of the reader in a condition is called for the
// reader's own rows alone, and with masked values.
func TestAReadersFunctionSeesNoOtherRow(t *testing.T) {
	t.Parallel()
	f := newReadable(t)
	var heard []string
	conn := f.as(f.masked, func(said string) { heard = append(heard, said) })
	_, err := conn.Exec(t.Context(), `CREATE FUNCTION pg_temp.peek(organization text, value text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
		$$ BEGIN RAISE NOTICE 'peek %|%', organization, value; RETURN true; END $$`)
	check.Must(t, err)
	views := list(t, f.url, `SELECT format('SELECT count(*) FROM analytics.%I WHERE %s', c.relname,
			string_agg(format('pg_temp.peek(organization_id, %I::text)', a.attname), ' AND ' ORDER BY a.attnum))
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'v'
			AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'organization_id')
		GROUP BY c.relname ORDER BY c.relname`)
	check.FatalIf(t, len(views) < 7, "only these views have organizations: %q", views)
	for _, ask := range views {
		heard = nil
		check.Must(t, check.Failure(conn.Exec(t.Context(), ask)))
		for _, said := range heard {
			if !strings.HasPrefix(said, "peek a|") || marks.MatchString(said) {
				t.Errorf("%.60s… is called with %s", ask, said)
				break
			}
		}
	}
	// The same function on a view without the barrier hears of both: the test can hear.
	script(t, f.url, `CREATE VIEW analytics.leaky AS SELECT b.organization_id, b.status FROM inventory.bills b WHERE b.organization_id::text || '' = 'a' || repeat('', 1000);
		GRANT SELECT ON analytics.leaky TO `+f.masked)
	heard = nil
	check.Must(t, check.Failure(conn.Exec(t.Context(), `SELECT count(*) FROM analytics.leaky WHERE pg_temp.peek(organization_id, '')`)))
	check.ErrorIf(t, !slices.ContainsFunc(heard, func(said string) bool { return strings.HasPrefix(said, "peek b|") }),
		"a view without the barrier is as tight: %q", heard)
}

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
	url := parallel(t)
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
		check.Same(t, what, test.want, list(t, url, test.ask))
	}
	keys(t, url, "chats", "chat_weeks", "custom_fields")
}

// TestMaskedReaders: a role that may see organization b alone, and persons masked.
func TestMaskedReaders(t *testing.T) {
	t.Parallel()
	owner := warehousetest.Owner(t)
	role, reader := warehousetest.Worker(t, owner)
	reader = interpreted(t, reader)
	check.Must(t, migrations.Migrate(t.Context(), owner, migrations.Options{}))
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
				of, _, _ := strings.Cut(row, " ")
				check.ErrorIf(t, of != organization, "who may see %q sees in %s: %s", organization, view, row)
			}
		}
		check.ErrorIf(t, (rows == 0) != (organization == ""), "who may see %q sees %d rows", organization, rows)
	}
	script(t, owner, `UPDATE analytics.readers SET organization_id = 'a'`)
	got := list(t, reader, `SELECT concat_ws(' ', coalesce(title, '-'), creator_name) FROM analytics.chats WHERE chat_id = '1' AND network = ''
		UNION ALL SELECT concat_ws(' ', resource, coalesce(value, '-'), coalesce(number::text, '-'), coalesce(day::text, '-')) FROM analytics.custom_fields WHERE record_id = '1' AND resource ~ 'accounting'
		UNION ALL SELECT concat_ws(' ', email, count(DISTINCT email_token), length(min(email_token))) FROM analytics.credit_notes GROUP BY email ORDER BY 1`)
	want := []string{"***@customer.example 1 64", "- A.", "accounting.chart_of_accounts - - -", "accounting.custom_module_records - - -", "accounting.vendor_payments - - -"}
	check.Same(t, "masked", want, got)
}
