CREATE OR REPLACE FUNCTION analytics.changes_cursor()
RETURNS text LANGUAGE sql STABLE
BEGIN ATOMIC
SELECT sluice.new_changes_cursor();
END;

COMMENT ON FUNCTION analytics.changes_cursor() IS 'The cursor behind all changes that this query sees. Take it first, then copy the tables, then follow it by analytics.changes.';
