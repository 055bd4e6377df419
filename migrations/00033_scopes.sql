-- +goose Up
-- What a grant lets read, as the token endpoint said it last: a resource that is enabled later may
-- need more. Written by pipeline/warehouse/calls, with the token.

ALTER TABLE sluice.tokens ADD COLUMN scopes text[];
COMMENT ON COLUMN sluice.tokens.scopes IS 'The scopes that upstream named with the last access token; null if it named none.';
