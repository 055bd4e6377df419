-- +goose Up
-- Calls are counted by whole minutes, and upstream's day begins within one. Its minute counts as
-- the day's: before, calls of sluice in it counted as those of others.

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION sluice.external_calls(p_organization text, p_service text) RETURNS integer LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $function$
SELECT greatest(0, d.limit_seen - d.remaining_seen - coalesce(d.seen_place, 0) - (
    SELECT coalesce(sum(s.reserved), 0) FROM sluice.spent s
    WHERE s.organization_id = d.organization_id AND s.service = d.service AND s.span = 'minute'
        AND s.began_at >= date_bin('1 minute', d.reset_at - interval '24 hours', 'epoch') AND s.began_at < d.seen_bucket))::integer
FROM sluice.day_budgets d
WHERE d.organization_id = p_organization AND d.service = p_service AND d.limit_seen > 0
$function$;
-- +goose StatementEnd
