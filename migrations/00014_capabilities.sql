-- +goose Up
-- What each list can do, and how it is known; and how late writes become visible in it (docs/decisions/0020).

CREATE TABLE sluice.capabilities (
    organization_id text COLLATE "C" NOT NULL,
    service text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    capability text COLLATE "C" NOT NULL CHECK (capability IN
        ('filter', 'filter_inclusive', 'sort_descending', 'sort_ascending', 'page', 'page_size', 'detail', 'batch_detail')),
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
COMMENT ON COLUMN sluice.capabilities.capability IS 'filter (by modification time), filter_inclusive (at the instant itself), sort_descending and sort_ascending (by modification time), page, page_size, detail, batch_detail.';
COMMENT ON COLUMN sluice.capabilities.verdict IS 'yes, no, or unknown.';
COMMENT ON COLUMN sluice.capabilities.value IS 'The figure or the path that belongs to it, such as the largest page; empty if there is none.';
COMMENT ON COLUMN sluice.capabilities.source IS 'documented (a document shows it), assumed (nobody but the declaration says so), probed (sluice check --probe measured it), observed (an answer to a run contradicted what was there, or a later one confirmed it).';
COMMENT ON COLUMN sluice.capabilities.evidence IS 'What the verdict rests on, in words.';
COMMENT ON COLUMN sluice.capabilities.seen_at IS 'When the verdict was last declared, measured or seen.';

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
CREATE FUNCTION sluice.faded(p_peak interval, p_at timestamptz) RETURNS interval LANGUAGE sql STABLE AS $function$
    SELECT CASE WHEN left_over < interval '1 second' THEN interval '0' ELSE left_over END
    FROM (SELECT p_peak * power(0.5, least(greatest(extract(epoch FROM clock_timestamp() - p_at), 0) / 604800, 64))::float8) AS f (left_over)
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.faded(interval, timestamptz) IS 'What is left of a peak of lateness: half of it after each week.';

ALTER TABLE sluice.streams ADD COLUMN read_until timestamptz;
COMMENT ON COLUMN sluice.streams.read_until IS 'Upstream''s clock when the last clean run began: what was modified before, it should have shown. The mark lags behind it. Null if no run ended cleanly since this column exists.';
