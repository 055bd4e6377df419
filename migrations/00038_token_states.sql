-- +goose Up
-- What status shows of tokens, for a role that may not read the sealed ones: that of the console.
CREATE VIEW sluice.token_states AS SELECT t.died_young, t.fell_back FROM sluice.tokens t;
COMMENT ON VIEW sluice.token_states IS 'One row for each credential: how its tokens fare, without the tokens.';
COMMENT ON COLUMN sluice.token_states.died_young IS 'How many access tokens in a row upstream refused before their time.';
COMMENT ON COLUMN sluice.token_states.fell_back IS 'Whether the configured refresh token is in use because upstream refused the one that replaced it.';
