-- +goose Up
-- The channels of change notifications, by which upstream tells of changes in a module. Written by
-- pipeline/warehouse/channels, as are the gaps.

CREATE TABLE sluice.channels (
    organization_id text COLLATE "C" NOT NULL,
    module text COLLATE "C" NOT NULL,
    channel_id bigint NOT NULL,
    wanted bytea NOT NULL,
    state text NOT NULL DEFAULT 'wanted' CHECK (state IN ('wanted', 'active', 'refused', 'denied', 'disabled')),
    code text NOT NULL DEFAULT '',
    path text NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT '',
    enabled_at timestamptz,
    expires_at timestamptz,
    renew_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    short boolean NOT NULL DEFAULT false,
    failures integer NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, module)
);
COMMENT ON TABLE sluice.channels IS 'One row per module of which upstream should tell: its channel, until when it was granted, and when it is renewed.';
COMMENT ON COLUMN sluice.channels.organization_id IS 'The organization upstream.';
COMMENT ON COLUMN sluice.channels.module IS 'The module upstream.';
COMMENT ON COLUMN sluice.channels.channel_id IS 'Number of the channel, as it was asked for: another deployment has another one.';
COMMENT ON COLUMN sluice.channels.wanted IS 'Digest of what the configuration asks for: events, address, values and secret. A channel is enabled anew when it changes.';
COMMENT ON COLUMN sluice.channels.state IS 'wanted (not asked for yet), active (granted), refused (upstream refused what was asked for), denied (the consent is missing) or disabled.';
COMMENT ON COLUMN sluice.channels.code IS 'Upstream''s code of the refusal.';
COMMENT ON COLUMN sluice.channels.path IS 'The place in the request that upstream refused.';
COMMENT ON COLUMN sluice.channels.reason IS 'Why the channel is refused or denied, or why the last call failed, in words.';
COMMENT ON COLUMN sluice.channels.enabled_at IS 'When upstream granted it last.';
COMMENT ON COLUMN sluice.channels.expires_at IS 'Until when upstream granted it; null if it never did.';
COMMENT ON COLUMN sluice.channels.renew_at IS 'When it is asked for next: at half of the time that was granted.';
COMMENT ON COLUMN sluice.channels.short IS 'Whether upstream grants an hour to a request for a week: then less than a day is asked for.';
COMMENT ON COLUMN sluice.channels.failures IS 'Calls in a row that failed.';
