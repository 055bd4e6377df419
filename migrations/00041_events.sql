-- +goose Up
-- Who is told what changed in the copied tables, and how far. Written by
-- pipeline/warehouse/receivers. Why it is as it is: docs/decisions/0070-events.

CREATE TABLE sluice.event_receivers (
    name text COLLATE "C" PRIMARY KEY,
    state text NOT NULL DEFAULT 'ok' CHECK (state IN ('ok', 'failing', 'disabled')),
    cursor text NOT NULL,
    acknowledged text[] NOT NULL DEFAULT '{}',
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    claim bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    next_attempt timestamptz,
    last_error text,
    failed_at timestamptz,
    delivered bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    delivered_at timestamptz,
    configured_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((state = 'ok') = (failures = 0)),
    CHECK ((state = 'failing') = (next_attempt IS NOT NULL)),
    CHECK (state = 'ok' OR last_error IS NOT NULL)
);
COMMENT ON TABLE sluice.event_receivers IS 'The receivers of events of the configuration, one row each, and how far each was told what changed. The row of a receiver that the configuration no longer has stays for 30 days.';
COMMENT ON COLUMN sluice.event_receivers.name IS 'Its name in the configuration.';
COMMENT ON COLUMN sluice.event_receivers.state IS 'ok; failing: the last attempt failed, and there is a next one; disabled: it answered 410, and gets nothing until sluice events enable.';
COMMENT ON COLUMN sluice.event_receivers.cursor IS 'The cursor in the log of changes behind which it was told nothing, but the messages in acknowledged.';
COMMENT ON COLUMN sluice.event_receivers.acknowledged IS 'Identifiers of the messages behind the cursor that it acknowledged before another one failed. They are not sent again.';
COMMENT ON COLUMN sluice.event_receivers.moved_at IS 'When the cursor was stored.';
COMMENT ON COLUMN sluice.event_receivers.claim IS 'Number of the last claim. A process that delivers stores its progress only while the claim is its own.';
COMMENT ON COLUMN sluice.event_receivers.failures IS 'Failed attempts since the last message that was acknowledged.';
COMMENT ON COLUMN sluice.event_receivers.next_attempt IS 'When it is tried again; null if it does not fail.';
COMMENT ON COLUMN sluice.event_receivers.last_error IS 'Why the last attempt failed, without secrets. It stays when the receiver works again.';
COMMENT ON COLUMN sluice.event_receivers.failed_at IS 'When the last attempt failed; null if none did.';
COMMENT ON COLUMN sluice.event_receivers.delivered IS 'Messages that it acknowledged since it was first configured.';
COMMENT ON COLUMN sluice.event_receivers.failed IS 'Attempts that failed since it was first configured.';
COMMENT ON COLUMN sluice.event_receivers.delivered_at IS 'When it last acknowledged a message; null if it never did.';
COMMENT ON COLUMN sluice.event_receivers.configured_at IS 'When a process last had it in its configuration.';
