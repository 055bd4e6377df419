-- +goose Up
-- Records that are proven gone upstream (docs/decisions/0010-deletions), and what lists were
-- measured to do (docs/decisions/0008-keyset-paging). Written by pipeline/warehouse/tombstones and
-- pipeline/warehouse/capabilities. How long what is gone is kept, and which lists under parents
-- were read whole: docs/decisions/0029-personal-data and 0010-deletions.

-- Evidence ----------------------------------------------------------------------------------------

CREATE TABLE sluice.sightings (
    run_id bigint NOT NULL REFERENCES sluice.runs ON DELETE CASCADE,
    call_id bigint NOT NULL,
    ids text[] COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, call_id)
);
COMMENT ON TABLE sluice.sightings IS 'Which records the open scan of a whole list was shown, page by page; emptied when the run ends.';
COMMENT ON COLUMN sluice.sightings.run_id IS 'The run that scans.';
COMMENT ON COLUMN sluice.sightings.call_id IS 'The call that showed them.';
COMMENT ON COLUMN sluice.sightings.ids IS 'Identifiers of the records, those in quarantine included.';

CREATE TABLE sluice.tombstones (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    record_id text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN ('suspected', 'needs_review', 'deleted', 'restored')),
    shrunken boolean NOT NULL DEFAULT false,
    suspected_run_id bigint NOT NULL,
    suspected_first_call bigint NOT NULL,
    suspected_last_call bigint NOT NULL,
    suspected_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    suspected_clock timestamptz NOT NULL,
    proof text CHECK (proof IN ('scan', 'not_found')),
    proof_run_id bigint,
    proof_first_call bigint,
    proof_last_call bigint,
    proof_at timestamptz,
    deleted_at timestamptz,
    decided_by text CHECK (decided_by IN ('rule', 'person')),
    decided_at timestamptz,
    restored_at timestamptz,
    restored_call bigint,
    restores integer NOT NULL DEFAULT 0,
    pruned_at timestamptz,
    PRIMARY KEY (organization_id, service, resource, record_id),
    CHECK ((state IN ('needs_review', 'deleted')) <= (proof IS NOT NULL AND proof_run_id IS NOT NULL AND deleted_at IS NOT NULL))
);
CREATE INDEX tombstones_in_review ON sluice.tombstones (organization_id, service, resource, proof_run_id) WHERE state = 'needs_review';
CREATE INDEX tombstones_unpruned ON sluice.tombstones (decided_at) WHERE state = 'deleted' AND pruned_at IS NULL;
-- What sluice tombstones list and its page show first: the evidence that changed last. Without it
-- the whole table is sorted for a hundred rows.
CREATE INDEX tombstones_newest ON sluice.tombstones
    ((greatest(suspected_at, proof_at, decided_at, restored_at)) DESC, organization_id, service, resource, record_id);
COMMENT ON TABLE sluice.tombstones IS 'What is known of records that a whole list did not show: the evidence, and what was decided.';
COMMENT ON COLUMN sluice.tombstones.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.tombstones.service IS 'The service of the resource.';
COMMENT ON COLUMN sluice.tombstones.resource IS 'The resource whose row it is about.';
COMMENT ON COLUMN sluice.tombstones.record_id IS 'Identifier of the record.';
COMMENT ON COLUMN sluice.tombstones.state IS 'suspected (one scan did not show it, which proves nothing), needs_review (a person decides), deleted (the row has its tombstone) or restored (it came back).';
COMMENT ON COLUMN sluice.tombstones.shrunken IS 'Whether the scan that did not show it left out too many records at once to be believed: such a scan can only lead to a person.';
COMMENT ON COLUMN sluice.tombstones.suspected_run_id IS 'The clean scan that first did not see it.';
COMMENT ON COLUMN sluice.tombstones.suspected_first_call IS 'First call of that scan; what an earlier call showed says nothing against it.';
COMMENT ON COLUMN sluice.tombstones.suspected_last_call IS 'Last call of that scan.';
COMMENT ON COLUMN sluice.tombstones.suspected_at IS 'When that scan ended.';
COMMENT ON COLUMN sluice.tombstones.suspected_clock IS 'Upstream''s clock when that scan began: two answers out of one cache are one observation.';
COMMENT ON COLUMN sluice.tombstones.proof IS 'What confirmed it: scan (a second clean scan) or not_found (upstream does not know the single record); null while nothing has.';
COMMENT ON COLUMN sluice.tombstones.proof_run_id IS 'The run that confirmed it.';
COMMENT ON COLUMN sluice.tombstones.proof_first_call IS 'First call of the second scan, or the call for the single record.';
COMMENT ON COLUMN sluice.tombstones.proof_last_call IS 'Last call of the second scan, or the call for the single record.';
COMMENT ON COLUMN sluice.tombstones.proof_at IS 'When it was confirmed.';
COMMENT ON COLUMN sluice.tombstones.deleted_at IS 'Upstream''s clock when the second scan began, or the database''s when the single record was asked for: the tombstone of the row.';
COMMENT ON COLUMN sluice.tombstones.decided_by IS 'Who put the tombstone: the rule, or a person who accepted what needed review.';
COMMENT ON COLUMN sluice.tombstones.decided_at IS 'When that was.';
COMMENT ON COLUMN sluice.tombstones.restored_at IS 'When the record was last seen again after a tombstone; null if never.';
COMMENT ON COLUMN sluice.tombstones.restored_call IS 'The call that showed it then.';
COMMENT ON COLUMN sluice.tombstones.restores IS 'How often it came back.';
COMMENT ON COLUMN sluice.tombstones.pruned_at IS 'When its row was deleted because the tombstone was older than retention.gone; null while that is not so.';

-- prune_gone deletes rows whose tombstone is older than it is kept, and with them their arrays. The
-- evidence stays and says so. All streams that write to the table are locked meanwhile, as a
-- rebuild locks them, so a record that comes back has a row before or after it. A list that is
-- being written has its turn next time. The log of changes says deleted once more, for those who
-- follow it and have the row.
-- +goose StatementBegin
CREATE FUNCTION sluice.prune_gone(p_keep interval, p_batch integer DEFAULT 1000) RETURNS integer LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_before timestamptz := clock_timestamp() - p_keep;
    v_list record;
    v_table record;
    v_ids text[];
    v_dropped text[];
    v_left text[];
    v_locked bigint;
    v_count integer := 0;
BEGIN
    IF p_keep < interval '2 days' THEN
        RAISE EXCEPTION 'rows with a tombstone are kept for %: keep them for two days at least', p_keep;
    END IF;
    IF NOT sluice.take_turn('gone') THEN
        RETURN NULL;
    END IF;
    FOR v_list IN
        SELECT DISTINCT k.organization_id, k.service, k.resource FROM sluice.tombstones k
        WHERE k.state = 'deleted' AND k.pruned_at IS NULL AND k.decided_at < v_before AND k.deleted_at < v_before ORDER BY 1, 2, 3
    LOOP
        EXIT WHEN v_count >= p_batch;
        -- A list that the configuration declares is in schema custom, and of any service.
        SELECT c.whole, c.schema || '.' || c.name AS name, a.attname AS key_column INTO v_table
        FROM sluice.table_columns c JOIN pg_index i ON i.indrelid = c.whole AND i.indisprimary
        JOIN pg_attribute a ON a.attrelid = c.whole AND a.attnum = ANY (i.indkey) AND a.attname <> 'organization_id'
        WHERE c.column_name = '_raw_position' AND c.name = v_list.resource
            AND (c.schema = v_list.service OR c.schema = 'custom' AND to_regclass(format('%I.%I', v_list.service, v_list.resource)) IS NULL);
        CONTINUE WHEN NOT FOUND;
        SELECT count(*) INTO v_locked FROM (
            SELECT FROM sluice.streams s
            WHERE (s.organization_id, s.service) = (v_list.organization_id, v_list.service)
                AND (s.resource = v_list.resource OR starts_with(s.resource, v_list.resource || '.'))
            ORDER BY s.resource FOR UPDATE SKIP LOCKED) AS locked;
        CONTINUE WHEN v_locked < (SELECT count(*) FROM sluice.streams s
            WHERE (s.organization_id, s.service) = (v_list.organization_id, v_list.service)
                AND (s.resource = v_list.resource OR starts_with(s.resource, v_list.resource || '.')));
        v_ids := ARRAY (SELECT k.record_id FROM sluice.tombstones k
            WHERE (k.organization_id, k.service, k.resource) = (v_list.organization_id, v_list.service, v_list.resource)
                AND k.state = 'deleted' AND k.pruned_at IS NULL AND k.decided_at < v_before AND k.deleted_at < v_before
            ORDER BY k.record_id LIMIT p_batch - v_count FOR UPDATE SKIP LOCKED);
        BEGIN
            EXECUTE format($sql$WITH old AS MATERIALIZED (
                    SELECT t.%2$I AS id FROM %1$s AS t
                    WHERE t.organization_id = $1 AND t.%2$I = ANY ($2) AND t._deleted_at < $3 ORDER BY t.%2$I FOR UPDATE SKIP LOCKED
                ), dropped AS (
                    DELETE FROM %1$s AS t WHERE t.organization_id = $1 AND t.%2$I IN (SELECT o.id FROM old o) RETURNING t.%2$I AS id
                )
                SELECT coalesce(array_agg(d.id ORDER BY d.id), '{}') FROM dropped d$sql$, v_table.whole, v_table.key_column)
            INTO v_dropped USING v_list.organization_id, v_ids, v_before;
        EXCEPTION WHEN foreign_key_violation THEN
            CONTINUE; -- another table names one of them: these stay
        END;
        INSERT INTO sluice.changes (organization_id, table_name, op, record_ids)
        SELECT v_list.organization_id, v_table.name, 'deleted', v_dropped WHERE v_dropped <> '{}';
        EXECUTE format('SELECT coalesce(array_agg(t.%2$I), ''{}'') FROM %1$s AS t WHERE t.organization_id = $1 AND t.%2$I = ANY ($2)',
            v_table.whole, v_table.key_column)
        INTO v_left USING v_list.organization_id, v_ids;
        UPDATE sluice.tombstones k SET pruned_at = clock_timestamp()
        WHERE (k.organization_id, k.service, k.resource) = (v_list.organization_id, v_list.service, v_list.resource)
            AND k.record_id = ANY (v_ids) AND k.record_id <> ALL (v_left);
        v_count := v_count + cardinality(v_dropped);
    END LOOP;
    RETURN v_count;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.prune_gone IS 'Deletes rows whose tombstone is older than it is kept, with their arrays, and says how many; null if another process is at it.';

-- Capabilities ------------------------------------------------------------------------------------

CREATE TABLE sluice.capabilities (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    capability text COLLATE "C" NOT NULL CHECK (capability IN
        ('filter', 'filter_inclusive', 'sort_descending', 'sort_ascending', 'page', 'page_size', 'detail', 'batch_detail', 'total', 'sums')),
    verdict text NOT NULL CHECK (verdict IN ('yes', 'no', 'unknown')),
    value text NOT NULL DEFAULT '',
    source text NOT NULL CHECK (source IN ('documented', 'assumed', 'probed', 'observed')),
    evidence text NOT NULL DEFAULT '',
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, service, resource, capability)
);
COMMENT ON TABLE sluice.capabilities IS 'What the list of a resource can do, as far as reading it depends on that, and how that is known.';
COMMENT ON COLUMN sluice.capabilities.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.capabilities.service IS 'The service of the resource.';
COMMENT ON COLUMN sluice.capabilities.resource IS 'The resource whose list it is about; its sweeps and details read by the same verdicts.';
COMMENT ON COLUMN sluice.capabilities.capability IS 'filter (by modification time), filter_inclusive (at the instant itself), sort_descending and sort_ascending (by modification time), page, page_size, detail, batch_detail, total (it says how many records it has).';
COMMENT ON COLUMN sluice.capabilities.verdict IS 'yes, no, or unknown.';
COMMENT ON COLUMN sluice.capabilities.value IS 'The figure or the path that belongs to it, such as the largest page; empty if there is none.';
COMMENT ON COLUMN sluice.capabilities.source IS 'documented (a document shows it), assumed (only the declaration says so), probed (sluice check --probe measured it), observed (an answer to a run contradicted what was there, or a later one confirmed it).';
COMMENT ON COLUMN sluice.capabilities.evidence IS 'What the verdict rests on, in words.';
COMMENT ON COLUMN sluice.capabilities.seen_at IS 'When the verdict was last declared, measured or seen.';

-- How late writes become visible ------------------------------------------------------------------

CREATE TABLE sluice.lateness (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    records bigint NOT NULL DEFAULT 0,
    beyond bigint NOT NULL DEFAULT 0,
    peak interval NOT NULL DEFAULT interval '0' CHECK (peak >= interval '0'),
    peak_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (organization_id, service, resource)
);
COMMENT ON TABLE sluice.lateness IS 'How much later than its modification time a record became visible in the list of a resource. No row: none ever did.';
COMMENT ON COLUMN sluice.lateness.organization_id IS 'The organization.';
COMMENT ON COLUMN sluice.lateness.service IS 'The service of the resource.';
COMMENT ON COLUMN sluice.lateness.resource IS 'The resource whose list showed them late, to whichever of its streams.';
COMMENT ON COLUMN sluice.lateness.records IS 'Records that a clean run of the list should have shown by their modification time, and that came later, within the bound of the lag.';
COMMENT ON COLUMN sluice.lateness.beyond IS 'Records that came later than that bound: no lag waits for them, only scans of the whole list find them.';
COMMENT ON COLUMN sluice.lateness.peak IS 'The largest proven lateness as it was at peak_at; it is halved every week from then on.';
COMMENT ON COLUMN sluice.lateness.peak_at IS 'When it was that.';
COMMENT ON COLUMN sluice.lateness.seen_at IS 'When a record was last seen late.';

-- What is left of a peak: half of it after each week, and nothing below a second.
-- +goose StatementBegin
CREATE FUNCTION sluice.faded(p_peak interval, p_at timestamptz) RETURNS interval LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN left_over < interval '1 second' THEN interval '0' ELSE left_over END
    FROM (SELECT p_peak * power(0.5, least(greatest(extract(epoch FROM clock_timestamp() - p_at), 0) / 604800, 64))::float8) AS f (left_over)
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.faded(interval, timestamptz) IS 'What is left of a peak of lateness: half of it after each week.';
