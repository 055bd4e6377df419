-- +goose Up
-- What sluice tombstones list and its page show first: the evidence that changed last. Without it
-- the whole table is sorted for a hundred rows.

CREATE INDEX tombstones_newest ON sluice.tombstones
    ((greatest(suspected_at, proof_at, decided_at, restored_at)) DESC, organization_id, service, resource, record_id);
