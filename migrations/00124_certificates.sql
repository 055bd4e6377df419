-- +goose Up
-- Certificates: what was here at one instant, signed. Written by pipeline/warehouse/certificates.

CREATE TABLE sluice.certificates (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    taken_at timestamptz NOT NULL,
    cut timestamptz,
    verdict text NOT NULL CHECK (verdict IN ('complete', 'complete but for', 'incomplete')),
    but_for text[] NOT NULL,
    rows bigint NOT NULL CHECK (rows >= 0),
    tombstones bigint NOT NULL CHECK (tombstones >= 0),
    quarantined bigint NOT NULL CHECK (quarantined >= 0),
    public_key text NOT NULL,
    document text NOT NULL
);
CREATE INDEX certificates_organization ON sluice.certificates (organization_id, id);
COMMENT ON TABLE sluice.certificates IS 'Certificates that were issued: what of an organization was here at one instant. No process changes a row.';
COMMENT ON COLUMN sluice.certificates.id IS 'Number of the certificate.';
COMMENT ON COLUMN sluice.certificates.organization_id IS 'The organization that it is about.';
COMMENT ON COLUMN sluice.certificates.taken_at IS 'The instant of the snapshot, by the clock of the database.';
COMMENT ON COLUMN sluice.certificates.cut IS 'The greatest instant up to which all of its streams are complete, by upstream''s clock; null if one of them never was.';
COMMENT ON COLUMN sluice.certificates.verdict IS 'complete; complete but for what but_for names; or incomplete.';
COMMENT ON COLUMN sluice.certificates.but_for IS 'What is missing, one sentence each; empty if nothing is.';
COMMENT ON COLUMN sluice.certificates.rows IS 'Number of records without a tombstone.';
COMMENT ON COLUMN sluice.certificates.tombstones IS 'Number of records with one.';
COMMENT ON COLUMN sluice.certificates.quarantined IS 'Number of open entries in quarantine.';
COMMENT ON COLUMN sluice.certificates.public_key IS 'The key that its signature fits, in base64: Ed25519.';
COMMENT ON COLUMN sluice.certificates.document IS 'The file as it was written, with the signature.';

CREATE TABLE sluice.certified_rows (
    certificate_id bigint NOT NULL REFERENCES sluice.certificates ON DELETE CASCADE,
    resource text COLLATE "C" NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    number integer NOT NULL CHECK (number >= 0),
    keys text[] COLLATE "C" NOT NULL,
    deleted timestamptz[] NOT NULL,
    leaves bytea NOT NULL,
    PRIMARY KEY (certificate_id, resource, table_name, number),
    CHECK (octet_length(leaves) = 16 * cardinality(keys) AND cardinality(deleted) = cardinality(keys))
);
COMMENT ON TABLE sluice.certified_rows IS 'The digest of each record of the newest certificates, so that a check can name the record. The certificate has the digest of these digests.';
COMMENT ON COLUMN sluice.certified_rows.certificate_id IS 'Number of the certificate.';
COMMENT ON COLUMN sluice.certified_rows.resource IS 'Service and resource, as inventory.bills.';
COMMENT ON COLUMN sluice.certified_rows.table_name IS 'The table, with its schema.';
COMMENT ON COLUMN sluice.certified_rows.number IS 'Which part of the table it is, in the order of keys, from 0.';
COMMENT ON COLUMN sluice.certified_rows.keys IS 'Keys of the records, in their order; of elements, those of their records.';
COMMENT ON COLUMN sluice.certified_rows.deleted IS 'The tombstone of each; null where there is none.';
COMMENT ON COLUMN sluice.certified_rows.leaves IS 'Of each, the first 16 bytes of the SHA-256 of its values.';
