-- +goose Up
-- Calls whose arrival upstream is known to have been before their end free their slot of the minute that much sooner
-- (docs/decisions/0013).

-- finish_arrived_call is finish_call for a call that had arrived p_before its end, at the latest. The proof above reserve_call
-- needs that a slot is held until the window after the *arrival*; the end of the call only stands for it where nobody knows
-- better. What is taken off is never more than the call lasted. If upstream refused calls of this allowance for the minute within
-- the last day, what was taken for an arrival was none, and the end counts.
-- +goose StatementBegin
CREATE FUNCTION sluice.finish_arrived_call(
    p_call bigint, p_status integer, p_code text, p_kind text, p_detail text, p_bytes bigint, p_records integer,
    p_day_limit integer, p_day_remaining integer, p_day_reset interval, p_day interval, p_before interval
) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $function$
DECLARE
    v_free timestamptz;
BEGIN
    IF NOT sluice.finish_call(p_call, p_status, p_code, p_kind, p_detail, p_bytes, p_records, p_day_limit, p_day_remaining, p_day_reset, p_day) THEN
        RETURN false;
    END IF;
    UPDATE sluice.calls c SET free_at = c.free_at - least(p_before, c.finished_at - c.reserved_at)
    FROM sluice.budgets b
    WHERE c.id = p_call AND b.organization_id = c.organization_id AND b.shared = c.shared AND p_before > interval '0'
        AND (b.closed_until IS NULL OR b.closed_until < clock_timestamp() - interval '1 day')
    RETURNING c.free_at INTO v_free;
    IF FOUND THEN
        UPDATE sluice.live_calls SET free_at = v_free WHERE id = p_call;
    END IF;
    RETURN true;
END
$function$;
-- +goose StatementEnd
COMMENT ON FUNCTION sluice.finish_arrived_call IS 'Records how a call ended that is known to have arrived before its end.';
