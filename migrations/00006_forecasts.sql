-- +goose Up
-- What each run was expected to cost when it began, beside what it cost (docs/decisions/0011).

CREATE TABLE sluice.forecasts (
    run_id bigint PRIMARY KEY REFERENCES sluice.runs ON DELETE CASCADE,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    calls bigint NOT NULL CHECK (calls >= 0),
    basis text NOT NULL CHECK (basis IN ('declared', 'measured', 'assumed')),
    rows bigint NOT NULL CHECK (rows >= 0)
);
COMMENT ON TABLE sluice.forecasts IS 'What runs were expected to cost when they began; a run of which nothing was known has none.';
COMMENT ON COLUMN sluice.forecasts.run_id IS 'The run.';
COMMENT ON COLUMN sluice.forecasts.made_at IS 'When the forecast was made: after the run began and before it loaded anything.';
COMMENT ON COLUMN sluice.forecasts.calls IS 'The calls that the run was expected to make.';
COMMENT ON COLUMN sluice.forecasts.basis IS 'What the figure rests on: declared by the documents, measured by earlier runs, or assumed.';
COMMENT ON COLUMN sluice.forecasts.rows IS 'Rows that all runs of the stream before this one inserted: the next forecast goes on from here.';
