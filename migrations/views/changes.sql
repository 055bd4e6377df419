CREATE OR REPLACE FUNCTION analytics.changes(after text, tables text[] DEFAULT NULL, up_to integer DEFAULT 100000)
RETURNS TABLE (table_name text, organization_id text, record_id text, op text, at timestamptz, cursor text) LANGUAGE sql STABLE
BEGIN ATOMIC
SELECT p.table_name, p.organization_id, p.record_id, p.op, p.at, p.cursor
FROM sluice.change_step(changes.after) AS s
CROSS JOIN LATERAL sluice.change_page(s.timeline, s.seen, s.next, s.seq, s.last, changes.tables, changes.up_to) AS p;
END;

COMMENT ON FUNCTION analytics.changes(text, text[], integer) IS 'One row for each record that changed behind a cursor; key: (table_name, organization_id, record_id). It is called as analytics.changes(cursor, ARRAY[''inventory.bills'']). tables are schema and name; null stands for all. op: new, changed; completed: its single record with lines arrived; deleted: it got _deleted_at, or its row went a time after that; revived: it lost it; rewritten: made anew by a program. cursor is where to go on, the same in each row; read on until there is no row. About up_to records at once: what one transaction wrote of a table is not divided. Whatever the op, replace the record and all rows of its arrays by what the tables have. A cursor that cannot be followed is refused, with what to do: docs/analysts/following-changes.md.';
