CREATE OR REPLACE VIEW analytics.certificate WITH (security_barrier) AS
SELECT
  c.organization_id,
  c.id AS certificate,
  c.taken_at,
  c.cut AS complete_up_to,
  c.verdict,
  c.but_for,
  c.rows AS records,
  c.tombstones AS deleted_records,
  c.quarantined AS in_quarantine,
  c.public_key,
  c.document
FROM sluice.certificates AS c
WHERE c.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.certificate IS 'One row for each certificate that an operator had issued; key: certificate. What of an organization was here at one instant, and what was missing.';
COMMENT ON COLUMN analytics.certificate.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.certificate.certificate IS 'Number of the certificate.';
COMMENT ON COLUMN analytics.certificate.taken_at IS 'The instant that it is about.';
COMMENT ON COLUMN analytics.certificate.complete_up_to IS 'Every change until this instant is in the tables, by upstream''s clock; null if a first copy was not complete.';
COMMENT ON COLUMN analytics.certificate.verdict IS 'complete; complete but for (what but_for names); incomplete.';
COMMENT ON COLUMN analytics.certificate.but_for IS 'What was missing, one sentence each; empty if nothing was.';
COMMENT ON COLUMN analytics.certificate.records IS 'Number of records in all tables, deleted ones left out.';
COMMENT ON COLUMN analytics.certificate.deleted_records IS 'Number of records that were marked as deleted.';
COMMENT ON COLUMN analytics.certificate.in_quarantine IS 'Number of records that did not fit the tables and were kept aside.';
COMMENT ON COLUMN analytics.certificate.public_key IS 'The key that the signature fits, in base64: Ed25519.';
COMMENT ON COLUMN analytics.certificate.document IS 'The certificate as it was written, with its signature.';
