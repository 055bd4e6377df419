CREATE OR REPLACE VIEW analytics.catalog WITH (security_barrier) AS
SELECT
  n.nspname::text AS schema_name,
  t.relname::text AS table_name,
  a.attname::text AS column_name,
  row_number() OVER (PARTITION BY t.oid ORDER BY a.attnum) AS place,
  t.relkind = 'v' AS is_view,
  coalesce(c.kind, format_type(a.atttypid, a.atttypmod)) AS kind,
  e.class,
  coalesce(e.class NOT IN ('plain', 'company'), false) AS is_personal,
  c.is_assumed,
  nullif(c.wire, '') AS source_key,
  coalesce(c.sentence, col_description(t.oid, a.attnum)) AS sentence,
  obj_description(t.oid, 'pg_class') AS table_sentence
FROM pg_catalog.pg_class AS t
JOIN pg_catalog.pg_namespace AS n ON n.oid = t.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN sluice.columns AS c ON c.schema_name = n.nspname AND c.table_name = t.relname AND c.column_name = a.attname
CROSS JOIN LATERAL (SELECT coalesce(c.class, CASE WHEN t.relkind = 'r' AND a.attname = '_extra' THEN 'free text' END) AS class) AS e
WHERE t.relkind IN ('r', 'v') AND t.relowner = (SELECT w.role FROM sluice.owner AS w)
  AND (n.nspname = 'analytics' OR n.nspname IN (SELECT s.name FROM sluice.service_schemas AS s));

COMMENT ON VIEW analytics.catalog IS 'One row for each column of the views for analysts and of the copied tables; key: (schema_name, table_name, column_name). It says what there is, and not who may read it: masked readers read schema analytics alone.';
COMMENT ON COLUMN analytics.catalog.schema_name IS 'Schema: analytics for views, otherwise the service, or custom.';
COMMENT ON COLUMN analytics.catalog.table_name IS 'Name of the view or table.';
COMMENT ON COLUMN analytics.catalog.column_name IS 'Name of the column.';
COMMENT ON COLUMN analytics.catalog.place IS 'Its place in the view or table, from 1.';
COMMENT ON COLUMN analytics.catalog.is_view IS 'Whether it is of a view.';
COMMENT ON COLUMN analytics.catalog.kind IS 'Kind of a declared column: id, text, bool, int, decimal, date, time or json; otherwise the type of the database.';
COMMENT ON COLUMN analytics.catalog.class IS 'What its values may tell about people: plain, company, person, contact, address, tax number, bank or free text; null for columns of views and of the program, but _extra, which is free text.';
COMMENT ON COLUMN analytics.catalog.is_personal IS 'Whether masked readers must not see its values as they are; views mask them.';
COMMENT ON COLUMN analytics.catalog.is_assumed IS 'Whether another source than the vendor''s API documents names it; null for columns of views and of the program.';
COMMENT ON COLUMN analytics.catalog.source_key IS 'Key upstream; null where the program supplies the value.';
COMMENT ON COLUMN analytics.catalog.sentence IS 'What it means.';
COMMENT ON COLUMN analytics.catalog.table_sentence IS 'What a row of the view or table is.';
