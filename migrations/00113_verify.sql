-- +goose Up
-- Invariants and sums that hold at every instant, as views that must be empty, and what
-- verifications found (docs/decisions/0015-raw-records). Verifications are written by
-- pipeline/lineage, checks by migrations.
--
-- Every view sluice.check_<name> has the same five columns; sluice.checks says what a row in it
-- means. A later migration adds a check by a view and a row here.

CREATE VIEW sluice.checks AS SELECT name, severity, means FROM (VALUES
    ('orphans', 'violation', 'A row of an array belongs to no record: it was written or its record was deleted past the program.'),
    ('rows_without_call', 'violation', 'A row names a call that was never made: it was written past the program, or the call log was edited.'),
    ('details_unproven', 'violation', 'A row says that its single record is loaded, and no call brought it: it was edited.'),
    ('watermarks_ahead', 'violation', 'A stream claims to be complete up to an instant that is still to come: what changes until then may be passed over.'),
    ('watermarks_unproven', 'violation', 'A stream''s watermark is later than the last run that was done: it was moved by something else than a clean run.'),
    ('runs_adrift', 'violation', 'A run ended without an outcome, or is open without a stream that works on it.'),
    ('requests_overtaken', 'violation', 'A stream counts more requests served than were made: the next request may be passed over.'),
    ('calls_unended', 'notice', 'The end of a call was never reported: its process was killed or lost the database. The call stays counted.'),
    ('bill_lines', 'violation', 'The lines of a bill do not sum up to its sub_total: lines are missing, doubled, or of another version.'),
    ('bill_taxes', 'violation', 'The taxes of a bill do not sum up to its tax_total.'),
    ('bill_balances', 'violation', 'The balance of a bill is not its total (lines and tax) less payments and credits.'),
    ('payments_applied', 'violation', 'Bills got more of a payment than was paid.'),
    ('credits_applied', 'violation', 'Invoices and balance of a credit note have more than its total.'),
    ('opening_balances', 'violation', 'The debits of an opening balance are not its credits.'),
    ('history_open', 'violation', 'Versions are kept, and a live row has none that is open, or one is open and its row is gone.'),
    ('history_differs', 'violation', 'The open version of a record is not what its row and their arrays hold.'),
    ('history_overlaps', 'violation', 'A version begins before the one before ended, or holds the same as that.'),
    ('rows_without_raw', 'violation', 'A row''s raw record is not kept: it was deleted past the program, and only upstream can say again what the row was made of.')
) AS c (name, severity, means);
COMMENT ON VIEW sluice.checks IS 'The checks that sluice verify runs without a call: each is a view sluice.check_<name> that must be empty.';
COMMENT ON COLUMN sluice.checks.name IS 'Name of the check: the name of its view without check_.';
COMMENT ON COLUMN sluice.checks.severity IS 'violation: a row in the view is a fault. notice: it is worth a look and no fault by itself.';
COMMENT ON COLUMN sluice.checks.means IS 'What a row in the view means.';

-- Rows of arrays without what they belong to ------------------------------------------------------

-- The foreign keys say which table belongs to which, so tables of user-declared resources are
-- looked at, too. A foreign key alone does not do: restores and replication write without it, and
-- it can be dropped.
-- +goose StatementBegin
CREATE FUNCTION sluice.orphans()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole AS child, p.oid::regclass AS parent,
            coalesce(top.relname, p.relname, t.name) AS resource,
            (SELECT string_agg(format('p.%I = c.%I', pa.attname, ca.attname), ' AND ')
                FROM unnest(f.conkey, f.confkey) AS k (child, parent)
                JOIN pg_attribute ca ON ca.attrelid = f.conrelid AND ca.attnum = k.child
                JOIN pg_attribute pa ON pa.attrelid = f.confrelid AND pa.attnum = k.parent) AS joined
        FROM sluice.table_columns t
        LEFT JOIN pg_constraint f ON f.conrelid = t.whole AND f.contype = 'f'
        LEFT JOIN pg_class p ON p.oid = f.confrelid
        LEFT JOIN pg_constraint g ON g.conrelid = f.confrelid AND g.contype = 'f'
        LEFT JOIN pg_class top ON top.oid = g.confrelid
        WHERE t.column_name = '_parent_id'
        ORDER BY 1, 2
    LOOP
        IF v.parent IS NULL THEN
            RETURN QUERY SELECT ''::text, v.schema::text, v.resource::text, ''::text,
                format('table %s has no foreign key: whether its rows belong to anything is not known', v.child);
            CONTINUE;
        END IF;
        RETURN QUERY EXECUTE format($sql$SELECT c.organization_id::text, %L::text, %L::text, c._parent_id::text,
            %L || c._position || ' belongs to no row'
            FROM %s AS c WHERE NOT EXISTS (SELECT FROM %s AS p WHERE %s)$sql$,
            v.schema, v.resource, v.name || ', position ', v.child, v.parent, v.joined);
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.orphans IS 'Rows of arrays whose parent is not there, in all tables of all resources.';

CREATE VIEW sluice.check_orphans AS SELECT organization_id, service, resource, record_id, detail FROM sluice.orphans();
COMMENT ON VIEW sluice.check_orphans IS 'Rows of arrays whose parent is not there; must be empty.';

-- Rows without a past -----------------------------------------------------------------------------

-- Calls are kept for a while, in blocks that are dropped whole from the oldest on: a call that is
-- not older than the oldest one that is kept has to be there.
-- +goose StatementBegin
CREATE FUNCTION sluice.rows_without_call()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
    v_oldest bigint := (SELECT min(id) FROM sluice.calls);
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole, k.column_name AS key
        FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
        JOIN sluice.table_columns k ON k.whole = t.whole AND k.column_number = i.indkey[1]
        WHERE t.column_name = '_raw_position'
        ORDER BY 1, 2
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %L::text, %L::text, t.%I::text,
            'call ' || t._call_id || ', which brought the row, is not in the call log'
            FROM %s AS t WHERE t._call_id >= $1 AND NOT EXISTS (SELECT FROM sluice.calls AS c WHERE c.id = t._call_id)
                AND NOT EXISTS (SELECT FROM sluice.imports AS i WHERE i.call_id = t._call_id)$sql$,
            v.schema, v.name, v.key, v.whole) USING v_oldest;
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.rows_without_call IS 'Rows whose call is not in the call log although it is not older than the log, and that were not imported.';

CREATE VIEW sluice.check_rows_without_call AS SELECT organization_id, service, resource, record_id, detail FROM sluice.rows_without_call();
COMMENT ON VIEW sluice.check_rows_without_call IS 'Rows whose call is not in the call log although it is not older than the log; must be empty.';

-- sluice.rows_without_raw looks at the list record and at the single record of each row: a rebuild
-- needs both.
-- +goose StatementBegin
CREATE FUNCTION sluice.rows_without_raw()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole, k.column_name AS key, t.column_name AS position,
            replace(t.column_name, 'raw_position', 'call_id') AS call
        FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
        JOIN sluice.table_columns k ON k.whole = t.whole AND k.column_number = i.indkey[1]
        WHERE t.column_name IN ('_raw_position', '_detail_raw_position')
        ORDER BY 1, 2, 5 DESC
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %1$L::text, %2$L::text, t.%3$I::text,
            'the raw record ' || t.%5$I || ' of call ' || t.%6$I || ', which made the row, is not kept'
            FROM %4$s AS t WHERE t.%6$I IS NOT NULL AND NOT EXISTS (
                SELECT FROM sluice.raw_records AS r WHERE r.call_id = t.%6$I AND r.first_position <= t.%5$I
                    AND t.%5$I < r.first_position + coalesce(r.record_count, json_array_length(r.records::json)))$sql$,
            v.schema, v.name, v.key, v.whole, v.position, v.call);
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.rows_without_raw IS 'Rows whose raw record is not kept: they cannot be rebuilt without a call.';

CREATE VIEW sluice.check_rows_without_raw AS SELECT organization_id, service, resource, record_id, detail FROM sluice.rows_without_raw();
COMMENT ON VIEW sluice.check_rows_without_raw IS 'Rows whose raw record is not kept; must be empty.';

-- A list record that shows no other values than the single record before it leaves the row current
-- and clears the hash of the single record, because the list made the row last.
-- +goose StatementBegin
CREATE FUNCTION sluice.details_unproven()
RETURNS TABLE (organization_id text, service text, resource text, record_id text, detail text) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.schema, t.name, t.whole, k.column_name AS key
        FROM sluice.table_columns t JOIN pg_index i ON i.indrelid = t.whole AND i.indisprimary
        JOIN sluice.table_columns k ON k.whole = t.whole AND k.column_number = i.indkey[1]
        WHERE t.column_name = '_detail_state'
        ORDER BY 1, 2
    LOOP
        RETURN QUERY EXECUTE format($sql$SELECT t.organization_id::text, %L::text, %L::text, t.%I::text,
            'the single record is said to be loaded, and no call is known that brought it'
            FROM %s AS t WHERE t._detail_state = 'current' AND t._detail_call_id IS NULL$sql$,
            v.schema, v.name, v.key, v.whole);
    END LOOP;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.details_unproven IS 'Rows whose single record is said to be loaded without a call that brought it.';

CREATE VIEW sluice.check_details_unproven AS SELECT organization_id, service, resource, record_id, detail FROM sluice.details_unproven();
COMMENT ON VIEW sluice.check_details_unproven IS 'Rows whose single record is said to be loaded without a call that brought it; must be empty.';

-- Marks, runs, calls ------------------------------------------------------------------------------

CREATE VIEW sluice.check_watermarks_ahead AS
SELECT organization_id, service, resource, ''::text AS record_id, 'the watermark is ' || watermark || ', which is still to come' AS detail
FROM sluice.streams WHERE watermark > clock_timestamp();
COMMENT ON VIEW sluice.check_watermarks_ahead IS 'Streams that claim to be complete up to an instant that is still to come (invariant 1); must be empty.';

CREATE VIEW sluice.check_watermarks_unproven AS
SELECT organization_id, service, resource, ''::text AS record_id,
    'the watermark is ' || watermark || ', and the last run that was done ended ' || coalesce(last_done_at::text, 'never') AS detail
FROM sluice.streams WHERE run_id IS NULL AND watermark > coalesce(last_done_at, '-infinity');
COMMENT ON VIEW sluice.check_watermarks_unproven IS 'Streams whose watermark is later than the end of the last run that was done (invariant 1); must be empty.';

CREATE VIEW sluice.check_runs_adrift AS
SELECT r.organization_id, r.service, r.resource, ''::text AS record_id,
    'run ' || r.id || CASE WHEN r.ended_at IS NULL THEN ' has no end and no stream works on it' ELSE ' has an end and no outcome' END AS detail
FROM sluice.runs r
WHERE r.ended_at IS NULL AND NOT EXISTS (SELECT FROM sluice.streams s WHERE s.run_id = r.id)
    OR r.ended_at IS NOT NULL AND r.outcome IS NULL
UNION ALL
SELECT s.organization_id, s.service, s.resource, '', 'the open run ' || r.id || ' has ended already'
FROM sluice.streams s JOIN sluice.runs r ON r.id = s.run_id WHERE r.ended_at IS NOT NULL;
COMMENT ON VIEW sluice.check_runs_adrift IS 'Runs that ended without an outcome, or that are open and belong to no stream; must be empty.';

CREATE VIEW sluice.check_requests_overtaken AS
SELECT organization_id, service, resource, ''::text AS record_id,
    'served up to request ' || served_gen || ' of ' || requested_gen AS detail
FROM sluice.streams WHERE served_gen > requested_gen;
COMMENT ON VIEW sluice.check_requests_overtaken IS 'Streams that served requests that were never made; must be empty.';

CREATE VIEW sluice.check_calls_unended AS
SELECT organization_id, service, resource, ''::text AS record_id,
    'call ' || id || ' left at ' || reserved_at || ' and its end was never reported' AS detail
FROM sluice.calls WHERE finished_at IS NULL AND lease_until + 10 * (lease_until - reserved_at) < clock_timestamp();
COMMENT ON VIEW sluice.check_calls_unended IS 'Calls without an end, long after the longest time that one takes: their process was killed. Not a fault: such a call stays counted.';

-- Sums --------------------------------------------------------------------------------------------

-- The equations hold for amounts that are all known and of the same version: the single record is
-- loaded and the list record did not change since. Left out are bills with what the documents do
-- not describe and what enters the sum (discount, adjustment, amounts that include tax, tax
-- withheld), in columns or in _extra. Each line and each tax is rounded by itself, so the sums may
-- be off by one unit of the last decimal for each of them and one more. The sums are looked up bill
-- by bill, so that a question about one month reads one month.
CREATE VIEW sluice.bill_sums AS
SELECT b.organization_id, b.bill_id, b.status, b.sub_total, b.tax_total, b.balance, b.is_reverse_charge_applied,
    l.total AS lines, x.total AS taxes, coalesce(p.total, 0) AS paid, coalesce(c.total, 0) AS credits,
    (l.number + x.number + 1) * power(10::numeric, -coalesce(b.price_precision, 2)) AS tolerance
FROM inventory.bills b
CROSS JOIN LATERAL (SELECT sum(item_total) AS total, count(*) AS number, count(*) FILTER (WHERE item_total IS NULL) AS unknown,
        count(*) FILTER (WHERE tds_tax_id <> '') AS withheld
    FROM inventory.bills_line_items i WHERE (i.organization_id, i._parent_id) = (b.organization_id, b.bill_id)) l
CROSS JOIN LATERAL (SELECT sum(tax_amount) AS total, count(*) AS number
    FROM inventory.bills_taxes t WHERE (t.organization_id, t._parent_id) = (b.organization_id, b.bill_id)) x
CROSS JOIN LATERAL (SELECT sum(amount) AS total
    FROM inventory.bills_payments y WHERE (y.organization_id, y._parent_id) = (b.organization_id, b.bill_id)) p
CROSS JOIN LATERAL (SELECT sum(amount) AS total
    FROM inventory.bills_vendor_credits v WHERE (v.organization_id, v._parent_id) = (b.organization_id, b.bill_id)) c
WHERE b._detail_state IN ('current', 'none_needed') AND l.unknown = 0 AND l.withheld = 0
    AND CASE WHEN coalesce(b.discount_total, 0) <> 0 OR coalesce(b.discount_amount, 0) <> 0 OR coalesce(b.discount_percent, 0) <> 0
        OR coalesce(b.discount #>> '{}', '') ~ '[1-9]' OR coalesce(b.adjustment, 0) <> 0 OR b.is_inclusive_tax
        OR coalesce(b.tds_total, 0) <> 0 OR coalesce(b.tds_amount, 0) <> 0 OR coalesce(b.total_retention_amount, 0) <> 0
        THEN false ELSE true END
    AND NOT EXISTS (SELECT FROM jsonb_each_text(b._extra) AS e
        WHERE e.key ~ '(discount|adjustment|inclusive|tds|withh|retention)' AND e.value ~ '([1-9]|true)');
COMMENT ON VIEW sluice.bill_sums IS 'Bills whose amounts are all known, with the sums of their lines, taxes, payments and credits, in the bill''s currency.';
COMMENT ON COLUMN sluice.bill_sums.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.bill_sums.bill_id IS 'The bill.';
COMMENT ON COLUMN sluice.bill_sums.status IS 'Where the bill stands.';
COMMENT ON COLUMN sluice.bill_sums.sub_total IS 'Sum of the lines by the bill''s own word.';
COMMENT ON COLUMN sluice.bill_sums.tax_total IS 'Sum of the taxes by the bill''s own word.';
COMMENT ON COLUMN sluice.bill_sums.balance IS 'What is left to pay by the bill''s own word.';
COMMENT ON COLUMN sluice.bill_sums.is_reverse_charge_applied IS 'Whether the organization owes the tax in place of the vendor.';
COMMENT ON COLUMN sluice.bill_sums.lines IS 'Sum of item_total over the lines; null if there are none.';
COMMENT ON COLUMN sluice.bill_sums.taxes IS 'Sum of the taxes; null if there are none.';
COMMENT ON COLUMN sluice.bill_sums.paid IS 'Sum of the payments.';
COMMENT ON COLUMN sluice.bill_sums.credits IS 'Sum of the vendor credits used.';
COMMENT ON COLUMN sluice.bill_sums.tolerance IS 'What rounding may make of a difference.';

CREATE VIEW sluice.check_bill_lines AS
SELECT organization_id, 'inventory'::text AS service, 'bills'::text AS resource, bill_id AS record_id,
    'the lines sum up to ' || coalesce(lines, 0) || ', sub_total is ' || sub_total AS detail
FROM sluice.bill_sums WHERE abs(coalesce(lines, 0) - sub_total) > tolerance;
COMMENT ON VIEW sluice.check_bill_lines IS 'Bills whose lines do not sum up to their sub_total; must be empty.';

CREATE VIEW sluice.check_bill_taxes AS
SELECT organization_id, 'inventory'::text AS service, 'bills'::text AS resource, bill_id AS record_id,
    'the taxes sum up to ' || coalesce(taxes, 0) || ', tax_total is ' || tax_total AS detail
FROM sluice.bill_sums WHERE is_reverse_charge_applied IS NOT TRUE AND abs(coalesce(taxes, 0) - tax_total) > tolerance;
COMMENT ON VIEW sluice.check_bill_taxes IS 'Bills whose taxes do not sum up to their tax_total; must be empty.';

CREATE VIEW sluice.check_bill_balances AS
SELECT organization_id, 'inventory'::text AS service, 'bills'::text AS resource, bill_id AS record_id,
    'lines and taxes ' || (sub_total + tax_total) || ' less payments ' || paid || ' and credits ' || credits || ', the balance is ' || balance AS detail
FROM sluice.bill_sums
WHERE is_reverse_charge_applied IS NOT TRUE AND status NOT IN ('draft', 'void')
    AND abs(sub_total + tax_total - paid - credits - balance) > tolerance;
COMMENT ON VIEW sluice.check_bill_balances IS 'Bills whose balance is not their total (lines and tax) less payments and credits; must be empty.';

CREATE VIEW sluice.check_payments_applied AS
SELECT p.organization_id, 'accounting'::text AS service, 'vendor_payments'::text AS resource, p.payment_id AS record_id,
    'bills got ' || b.applied || ' of a payment of ' || p.amount AS detail
FROM accounting.vendor_payments p
JOIN (SELECT organization_id, _parent_id, sum(amount_applied) AS applied, sum(coalesce(tax_amount_withheld, 0)) AS withheld, count(*) AS number
    FROM accounting.vendor_payments_bills GROUP BY 1, 2) b ON (b.organization_id, b._parent_id) = (p.organization_id, p.payment_id)
WHERE p._detail_state IN ('current', 'none_needed')
    AND b.applied > p.amount + b.withheld + (b.number + 1) * 0.01;
COMMENT ON VIEW sluice.check_payments_applied IS 'Payments of which bills got more than was paid, withheld tax counted in; must be empty.';

CREATE VIEW sluice.check_credits_applied AS
SELECT n.organization_id, 'inventory'::text AS service, 'credit_notes'::text AS resource, n.creditnote_id AS record_id,
    'invoices got ' || i.applied || ', the balance is ' || n.balance || ', the total ' || n.total AS detail
FROM inventory.credit_notes n
JOIN (SELECT organization_id, _parent_id, sum(amount) AS applied, count(*) AS number
    FROM inventory.credit_notes_invoices GROUP BY 1, 2) i ON (i.organization_id, i._parent_id) = (n.organization_id, n.creditnote_id)
WHERE n._detail_state IN ('current', 'none_needed') AND n.status <> 'void'
    AND i.applied + greatest(n.balance, 0) > n.total + (i.number + 1) * 0.01;
COMMENT ON VIEW sluice.check_credits_applied IS 'Credit notes of which invoices and the balance have more than the total; must be empty.';

CREATE VIEW sluice.check_opening_balances AS
SELECT o.organization_id, 'accounting'::text AS service, 'opening_balances'::text AS resource, o.opening_balance_id AS record_id,
    'debits are ' || s.debits || ', credits are ' || s.credits || ', in the base currency' AS detail
FROM accounting.opening_balances o
JOIN (SELECT organization_id, _parent_id, count(*) AS number, count(*) FILTER (WHERE bcy_amount IS NULL) AS unknown,
        coalesce(sum(bcy_amount) FILTER (WHERE debit_or_credit = 'debit'), 0) AS debits,
        coalesce(sum(bcy_amount) FILTER (WHERE debit_or_credit = 'credit'), 0) AS credits
    FROM accounting.opening_balances_accounts GROUP BY 1, 2) s ON (s.organization_id, s._parent_id) = (o.organization_id, o.opening_balance_id)
WHERE s.unknown = 0 AND abs(s.debits - s.credits) > s.number * power(10::numeric, -coalesce(o.price_precision, 2));
COMMENT ON VIEW sluice.check_opening_balances IS 'Opening balances whose debits are not their credits; must be empty.';

-- Versions ----------------------------------------------------------------------------------------

CREATE VIEW sluice.check_history_open AS
SELECT organization_id, service, resource, record_id,
    CASE kind WHEN 'missing' THEN 'the row has no open version' ELSE 'a version is open, and the row is gone' END AS detail
FROM history.astray() WHERE kind <> 'differs';
COMMENT ON VIEW sluice.check_history_open IS 'Live rows without an open version, and open versions without a live row; must be empty.';

CREATE VIEW sluice.check_history_differs AS
SELECT organization_id, service, resource, record_id, 'the open version is not what the row and its arrays hold' AS detail
FROM history.astray() WHERE kind = 'differs';
COMMENT ON VIEW sluice.check_history_differs IS 'Rows whose open version holds something else than they and their arrays; must be empty.';

CREATE VIEW sluice.check_history_overlaps AS
SELECT organization_id, service, resource, record_id, 'the version of ' || valid_from || CASE WHEN same
    THEN ' is the same as the one before' ELSE ' begins before the one before ended' END AS detail
FROM (
    SELECT v.organization_id, v.service, v.resource, v.record_id, v.valid_from,
        v.valid_from < lag(v.valid_to) OVER w OR v.upstream_from < lag(v.upstream_to) OVER w AS early,
        v.valid_from = lag(v.valid_to) OVER w AND lag(v.ended) OVER w = 'replaced' AND v.arrays = lag(v.arrays) OVER w
            AND (v.record - history.own_columns()) = (lag(v.record) OVER w - history.own_columns()) AS same
    FROM history.versions v
    WINDOW w AS (PARTITION BY v.service, v.resource, v.organization_id, v.record_id ORDER BY v.valid_from)
) AS v WHERE early OR same;
COMMENT ON VIEW sluice.check_history_overlaps IS 'Versions that begin before the one before ended, or that changed nothing; must be empty.';

-- The five columns of all of them.
-- +goose StatementBegin
DO $block$
DECLARE
    v text;
BEGIN
    FOR v IN SELECT 'check_' || name FROM sluice.checks LOOP
        EXECUTE format('COMMENT ON COLUMN sluice.%I.organization_id IS ''The organization; empty if it is about a table.''', v);
        EXECUTE format('COMMENT ON COLUMN sluice.%I.service IS ''The service, or the schema of the table.''', v);
        EXECUTE format('COMMENT ON COLUMN sluice.%I.resource IS ''The resource.''', v);
        EXECUTE format('COMMENT ON COLUMN sluice.%I.record_id IS ''The record; empty if it is about none.''', v);
        EXECUTE format('COMMENT ON COLUMN sluice.%I.detail IS ''What was found, in words and figures.''', v);
    END LOOP;
END
$block$;
-- +goose StatementEnd

-- Verifications -----------------------------------------------------------------------------------

CREATE TABLE sluice.verifications (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    scope text NOT NULL DEFAULT '',
    calls_allowed integer NOT NULL,
    calls integer NOT NULL DEFAULT 0,
    checks integer NOT NULL DEFAULT 0,
    rows bigint NOT NULL DEFAULT 0,
    records bigint NOT NULL DEFAULT 0,
    not_due bigint NOT NULL DEFAULT 0,
    violations bigint NOT NULL DEFAULT 0,
    notices bigint NOT NULL DEFAULT 0,
    outcome text CHECK (outcome IN ('clean', 'found', 'budget', 'unreachable', 'failed')),
    note text NOT NULL DEFAULT ''
);
COMMENT ON TABLE sluice.verifications IS 'One row per execution of sluice verify.';
COMMENT ON COLUMN sluice.verifications.id IS 'Number of the verification.';
COMMENT ON COLUMN sluice.verifications.started_at IS 'When it began, by the clock of the database.';
COMMENT ON COLUMN sluice.verifications.ended_at IS 'When it ended; null if it is under way or was killed.';
COMMENT ON COLUMN sluice.verifications.scope IS 'What it was asked to look at: organization and resources; empty means all.';
COMMENT ON COLUMN sluice.verifications.calls_allowed IS 'The calls that it was allowed to make.';
COMMENT ON COLUMN sluice.verifications.calls IS 'The calls that it made.';
COMMENT ON COLUMN sluice.verifications.checks IS 'Checks that were run without a call.';
COMMENT ON COLUMN sluice.verifications.rows IS 'Rows that were held against the raw records that they were made of.';
COMMENT ON COLUMN sluice.verifications.records IS 'Records of upstream that were held against rows.';
COMMENT ON COLUMN sluice.verifications.not_due IS 'Those of them that differ because they changed upstream since the stream''s watermark: the next run brings them.';
COMMENT ON COLUMN sluice.verifications.violations IS 'Findings that are faults.';
COMMENT ON COLUMN sluice.verifications.notices IS 'Findings that are worth a look.';
COMMENT ON COLUMN sluice.verifications.outcome IS 'clean, found (violations), budget (calls were refused), unreachable (upstream did not answer) or failed; null until it ended.';
COMMENT ON COLUMN sluice.verifications.note IS 'What kept it from looking at everything, in words.';

CREATE TABLE sluice.verified_streams (
    verification_id bigint NOT NULL REFERENCES sluice.verifications ON DELETE CASCADE,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    rows bigint NOT NULL DEFAULT 0,
    calls integer NOT NULL DEFAULT 0,
    records bigint NOT NULL DEFAULT 0,
    complete boolean NOT NULL DEFAULT false,
    not_due bigint NOT NULL DEFAULT 0,
    violations bigint NOT NULL DEFAULT 0,
    notices bigint NOT NULL DEFAULT 0,
    note text NOT NULL DEFAULT '',
    PRIMARY KEY (verification_id, organization_id, service, resource)
);
CREATE INDEX verified_streams_last ON sluice.verified_streams (organization_id, service, resource, verification_id DESC) WHERE calls > 0;
-- What the last verification of each list found, for the metrics.
CREATE INDEX verified_streams_newest ON sluice.verified_streams (organization_id, service, resource, verification_id DESC);
COMMENT ON TABLE sluice.verified_streams IS 'What a verification looked at of each resource of each organization.';
COMMENT ON COLUMN sluice.verified_streams.verification_id IS 'The verification.';
COMMENT ON COLUMN sluice.verified_streams.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.verified_streams.service IS 'The service.';
COMMENT ON COLUMN sluice.verified_streams.resource IS 'The resource.';
COMMENT ON COLUMN sluice.verified_streams.rows IS 'Rows that were held against the raw records that they were made of.';
COMMENT ON COLUMN sluice.verified_streams.calls IS 'Calls that were made for it.';
COMMENT ON COLUMN sluice.verified_streams.records IS 'Records of upstream that were held against rows.';
COMMENT ON COLUMN sluice.verified_streams.complete IS 'Whether the whole list was read, so that rows without a record would have been found.';
COMMENT ON COLUMN sluice.verified_streams.not_due IS 'Records that changed upstream since the watermark.';
COMMENT ON COLUMN sluice.verified_streams.violations IS 'Findings that are faults.';
COMMENT ON COLUMN sluice.verified_streams.notices IS 'Findings that are worth a look.';
COMMENT ON COLUMN sluice.verified_streams.note IS 'What kept it from being looked at, in words.';

CREATE TABLE sluice.findings (
    verification_id bigint NOT NULL REFERENCES sluice.verifications ON DELETE CASCADE,
    number integer NOT NULL,
    severity text NOT NULL CHECK (severity IN ('violation', 'notice')),
    source text NOT NULL CHECK (source IN ('check', 'row', 'upstream')),
    code text NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL DEFAULT '',
    path text NOT NULL DEFAULT '',
    detail text NOT NULL,
    call_id bigint,
    PRIMARY KEY (verification_id, number)
);
COMMENT ON TABLE sluice.findings IS 'What verifications found, at most a thousand findings each.';
COMMENT ON COLUMN sluice.findings.verification_id IS 'The verification.';
COMMENT ON COLUMN sluice.findings.number IS 'Number of the finding within it, from 1.';
COMMENT ON COLUMN sluice.findings.severity IS 'violation: a fault. notice: worth a look, and no fault by itself.';
COMMENT ON COLUMN sluice.findings.source IS 'check: a view that must be empty. row: a row held against its raw record. upstream: a row held against upstream.';
COMMENT ON COLUMN sluice.findings.code IS 'Name of the check, or what is wrong in one word.';
COMMENT ON COLUMN sluice.findings.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.findings.service IS 'The service.';
COMMENT ON COLUMN sluice.findings.resource IS 'The resource.';
COMMENT ON COLUMN sluice.findings.record_id IS 'The record; empty if it is about none.';
COMMENT ON COLUMN sluice.findings.path IS 'The first value that differs; empty if it is about none.';
COMMENT ON COLUMN sluice.findings.detail IS 'What was found, in words; texts of records are not in it.';
COMMENT ON COLUMN sluice.findings.call_id IS 'The call that brought what the row was held against; null if there was none.';
