-- +goose Up
-- A rebuild writes what differs, and no more.

COMMENT ON COLUMN sluice.rebuilds.scope IS 'all: every row is held against what its raw records make of it, and written if it differs. changed: those rows of which the declaration, or the rule of the content hash, makes something else.';
