-- +goose Up
-- What upstream does to tokens: it replaces the refresh token, and lets access tokens die before their time.

ALTER TABLE sluice.tokens
	ADD COLUMN refresh bytea NOT NULL DEFAULT '',
	ADD COLUMN died_young integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN sluice.tokens.refresh IS 'The refresh token that upstream sent in place of the configured one, encrypted; empty if it sent none.';
COMMENT ON COLUMN sluice.tokens.died_young IS 'How many access tokens in a row were refused before their time: another program may use the same refresh token.';
