-- Who administers the database was careless, or it was made by Postgres 14 or restored from one.
CREATE ROLE STRANGER LOGIN PASSWORD 'canary';
DO $do$
BEGIN
    EXECUTE format('GRANT CREATE ON DATABASE %I TO STRANGER', current_database());
    EXECUTE format('ALTER DATABASE %I SET search_path = "$user", public', current_database());
END
$do$;
GRANT CREATE, USAGE ON SCHEMA public TO PUBLIC;
GRANT CREATE, USAGE ON SCHEMA accounting, inventory TO STRANGER;
GRANT SELECT ON ALL TABLES IN SCHEMA accounting, inventory TO STRANGER;

SET SESSION AUTHORIZATION STRANGER;
CREATE SCHEMA loot;
CREATE SCHEMA mart;
GRANT ALL ON SCHEMA loot TO PUBLIC;
CREATE SEQUENCE loot.times;
CREATE TABLE loot.taken (who name, what text);
GRANT ALL ON loot.taken, loot.times TO PUBLIC;
-- A sequence counts what is rolled back, too.
CREATE FUNCTION loot.take(what text) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog AS $f$
BEGIN
    IF current_user <> 'STRANGER' THEN
        PERFORM nextval('loot.times');
        INSERT INTO loot.taken VALUES (current_user, what);
    END IF;
    RETURN true;
END
$f$;

-- Copies of our tables, as analysts make them, of which the owner may read some and others not.
CREATE TABLE mart.x AS SELECT * FROM inventory.bills;
ALTER TABLE mart.x ADD PRIMARY KEY (organization_id, bill_id);
CREATE TABLE mart.bills AS SELECT * FROM inventory.bills;
CREATE TABLE mart.lines AS SELECT * FROM inventory.bills_line_items;
CREATE TABLE public.bills AS SELECT * FROM inventory.bills;
CREATE TABLE inventory.copied (LIKE inventory.bills INCLUDING ALL);
CREATE TABLE inventory.copied_lines (LIKE inventory.bills_line_items INCLUDING ALL);
CREATE MATERIALIZED VIEW mart.seen AS SELECT * FROM inventory.bills;
CREATE VIEW mart.looks AS SELECT *, loot.take('a view') FROM inventory.bills;

-- A table that looks like ours, of types whose casts and comparisons are functions.
CREATE TYPE mart.evil AS (n integer);
CREATE FUNCTION mart.cast_to_text(mart.evil) RETURNS text LANGUAGE plpgsql AS $f$
BEGIN
    PERFORM loot.take('a cast to text');
    RETURN ($1).n;
END
$f$;
CREATE CAST (mart.evil AS text) WITH FUNCTION mart.cast_to_text(mart.evil) AS IMPLICIT;
CREATE FUNCTION mart.cast_to_bigint(mart.evil) RETURNS bigint LANGUAGE plpgsql AS $f$
BEGIN
    PERFORM loot.take('a cast to bigint');
    RETURN ($1).n;
END
$f$;
CREATE CAST (mart.evil AS bigint) WITH FUNCTION mart.cast_to_bigint(mart.evil) AS IMPLICIT;
CREATE FUNCTION mart.watched(text) RETURNS boolean LANGUAGE plpgsql AS $f$
BEGIN
    PERFORM loot.take('the check of a domain');
    RETURN true;
END
$f$;
CREATE DOMAIN mart.tricky AS text CHECK (mart.watched(VALUE));
DO $do$
DECLARE
    place text;
BEGIN
    FOREACH place IN ARRAY ARRAY['mart.trap', 'public.trap', 'inventory.trap', 'mart.vendor_payments'] LOOP
        EXECUTE format('CREATE TABLE %s (organization_id mart.evil, trap_id mart.evil, _parent_id mart.evil, _position mart.evil,
            _content_hash bytea, _call_id bigint, _raw_position integer, _detail_call_id bigint, _detail_raw_position integer,
            _detail_state text, _detail_hash bytea, note mart.tricky, PRIMARY KEY (organization_id, trap_id))', place);
        EXECUTE format('INSERT INTO %s SELECT row(n)::mart.evil, row(n)::mart.evil, row(n)::mart.evil, row(n)::mart.evil,
            NULL, 9000000000000 + n, n, 9000000000000 + n, n, ''current'', NULL, ''note'' FROM generate_series(1, 3) AS n', place);
        EXECUTE format('GRANT ALL ON %s TO PUBLIC', place);
    END LOOP;
END
$do$;
GRANT ALL ON SCHEMA mart TO PUBLIC;

-- Functions and operators that suit a call better than those of pg_catalog: of the types themselves where those take any type, of name
-- and varchar where those take text, and of whole numbers where those take others.
DO $do$
DECLARE
    v record;
    v_left text;
    v_right text;
    v_count integer := 0;
BEGIN
    FOR v IN
        WITH exchanged (kind, array_of, instead) AS (
            SELECT k, a, t FROM unnest(ARRAY['anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray', '"any"'], ARRAY['anyarray',
                'anyarray', 'anycompatiblearray', 'anycompatiblearray', 'anyarray']) AS k (k, a), unnest(ARRAY['text', 'name', 'bigint', 'integer',
                'smallint', 'oid', 'boolean', 'numeric', 'jsonb', 'bytea', 'date', 'timestamptz', 'interval', 'regclass', 'pg_lsn', '"char"']) AS t
            UNION ALL SELECT 'text', 'text[]', unnest(ARRAY['name', 'varchar'])
            UNION ALL SELECT k, k || '[]', t FROM unnest(ARRAY['numeric', 'double precision']) AS k, unnest(ARRAY['integer', 'bigint']) AS t
        ), calls AS (
            SELECT p.proname AS name, p.proretset, format_type(p.prorettype, NULL) AS gives,
                (SELECT array_agg(format_type(a, NULL) ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (a, n)) AS takes
            FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind IN ('f', 'a') AND p.provariadic = 0 AND p.pronargs > 0
            UNION ALL
            SELECT p.proname, p.proretset, format_type(p.prorettype, NULL),
                (SELECT array_agg(format_type(a, NULL) ORDER BY n) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (a, n) WHERE n < p.pronargs)
                    || array_fill('"any"'::text, ARRAY[more])
            FROM pg_proc p, generate_series(1, 4) AS more
            WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND p.provariadic = '"any"'::regtype
        )
        SELECT DISTINCT c.name, c.proretset, replace(replace(c.gives, e.array_of, e.instead || '[]'), e.kind, e.instead) AS gives,
            array_to_string(ARRAY (SELECT CASE a WHEN e.kind THEN e.instead WHEN e.array_of THEN e.instead || '[]' ELSE a END
                FROM unnest(c.takes) WITH ORDINALITY AS t (a, n) ORDER BY n), ', ') AS takes
        FROM calls c JOIN exchanged e ON e.kind = ANY (c.takes) OR e.array_of = ANY (c.takes)
        WHERE NOT EXISTS (SELECT FROM unnest(c.takes || c.gives) AS t WHERE t IN ('internal', 'cstring', 'trigger', 'event_trigger', 'anyenum',
            'anyrange', 'anymultirange', 'anycompatiblerange', 'anycompatiblemultirange', 'language_handler', 'table_am_handler', 'index_am_handler'))
    LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s%s LANGUAGE plpgsql AS %L', v.name, v.takes,
                CASE WHEN v.proretset THEN 'SETOF ' ELSE '' END, v.gives,
                format('BEGIN PERFORM loot.take(%L); RETURN%s; END', v.name || '(' || v.takes || ')', CASE WHEN v.proretset OR v.gives = 'void' THEN '' ELSE ' NULL' END));
            v_count := v_count + 1;
        EXCEPTION WHEN OTHERS THEN
            NULL; -- a combination that Postgres does not take
        END;
    END LOOP;
    FOR v IN
        SELECT DISTINCT o.oprname AS name, format_type(o.oprleft, NULL) AS takes_left, format_type(o.oprright, NULL) AS takes_right,
            CASE WHEN o.oprresult = 'boolean'::regtype THEN 'boolean' ELSE 'text' END AS gives
        FROM pg_operator o WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprkind = 'b'
    LOOP
        FOREACH v_left IN ARRAY CASE WHEN v.takes_left IN ('anynonarray', 'anycompatible', 'anyelement') THEN ARRAY['bigint', 'integer', 'name', 'jsonb', 'timestamptz']
            WHEN v.takes_left LIKE 'any%array' THEN ARRAY['text[]', 'bigint[]', 'name[]'] WHEN v.takes_left = 'text' THEN ARRAY['text', 'varchar', 'name']
            WHEN v.takes_left = 'numeric' THEN ARRAY['numeric', 'bigint'] ELSE ARRAY[v.takes_left] END
        LOOP
            FOREACH v_right IN ARRAY CASE WHEN v.takes_right IN ('anynonarray', 'anycompatible', 'anyelement') THEN ARRAY['bigint', 'integer', 'name', 'jsonb', 'timestamptz']
                WHEN v.takes_right LIKE 'any%array' THEN ARRAY['text[]', 'bigint[]', 'name[]'] WHEN v.takes_right = 'text' THEN ARRAY['text', 'varchar', 'name']
                WHEN v.takes_right = 'numeric' THEN ARRAY['numeric', 'bigint'] ELSE ARRAY[v.takes_right] END
            LOOP
                CONTINUE WHEN v_left = v.takes_left AND v_right = v.takes_right;
                BEGIN
                    EXECUTE format('CREATE FUNCTION public.planted_operator_%s(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L', v_count, v_left, v_right, v.gives,
                        format('BEGIN PERFORM loot.take(%L); RETURN NULL; END', 'operator ' || v.name || '(' || v_left || ', ' || v_right || ')'));
                    EXECUTE format('CREATE OPERATOR public.%s (FUNCTION = public.planted_operator_%s, LEFTARG = %s, RIGHTARG = %s)', v.name, v_count, v_left, v_right);
                    v_count := v_count + 1;
                EXCEPTION WHEN OTHERS THEN
                    NULL;
                END;
            END LOOP;
        END LOOP;
    END LOOP;
END
$do$;
RESET SESSION AUTHORIZATION;
