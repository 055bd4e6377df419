CREATE OR REPLACE VIEW analytics.vendor_duplicates WITH (security_barrier) AS
WITH name AS (
  SELECT organization_id, vendor_id, vendor_name AS name
  FROM inventory.bills
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, vendor_id, vendor_name
  UNION
  SELECT organization_id, vendor_id, vendor_name
  FROM accounting.vendor_payments
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, vendor_id, vendor_name
), sign AS (
  SELECT
    organization_id, vendor_id, 'name' AS kind,
    -- Without punctuation and the form of the company.
    regexp_replace(
      regexp_replace(lower(name), '[[:punct:][:space:]]+', ' ', 'g'),
      '( (pvt|private|ltd|limited|inc|incorporated|llc|llp|plc|corp|corporation|co|company|gmbh|ag|sa|sarl|bv))+ ?$|[[:space:]]+', '', 'g'
    ) AS value
  FROM name
  UNION
  SELECT organization_id, vendor_id, 'tax number', upper(gst_no)
  FROM inventory.bills
  WHERE _deleted_at IS NULL AND organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  GROUP BY organization_id, vendor_id, gst_no
  UNION
  SELECT p.organization_id, p.contact_id, 'e-mail', lower(p.email)
  FROM accounting.contact_persons AS p
  WHERE p._deleted_at IS NULL AND p.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    AND EXISTS (SELECT FROM name AS n WHERE n.organization_id = p.organization_id AND n.vendor_id = p.contact_id)
), telling AS (
  -- What many share is a placeholder and tells nothing.
  SELECT organization_id, kind, value
  FROM sign
  WHERE value <> '' AND vendor_id <> ''
  GROUP BY organization_id, kind, value
  HAVING count(*) BETWEEN 2 AND 10
)
SELECT
  a.organization_id,
  a.vendor_id,
  b.vendor_id AS other_vendor_id,
  string_agg(DISTINCT t.kind, ', ' ORDER BY t.kind) AS reason,
  CASE
    WHEN count(DISTINCT t.kind) > 1 THEN 0.95
    WHEN min(t.kind) = 'tax number' THEN 0.9
    WHEN min(t.kind) = 'name' THEN 0.8
    ELSE 0.5
  END AS score
FROM telling AS t
JOIN sign AS a ON a.organization_id = t.organization_id AND a.kind = t.kind AND a.value = t.value AND a.vendor_id <> ''
JOIN sign AS b ON b.organization_id = t.organization_id AND b.kind = t.kind AND b.value = t.value AND b.vendor_id > a.vendor_id
GROUP BY a.organization_id, a.vendor_id, b.vendor_id;

COMMENT ON VIEW analytics.vendor_duplicates IS 'One row for each pair of vendors that may be one; key: (organization_id, vendor_id, other_vendor_id). Vendors are those of bills and payments. A value that more than ten vendors share counts as a placeholder. It is a hint: a person decides.';
COMMENT ON COLUMN analytics.vendor_duplicates.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.vendor_duplicates.vendor_id IS 'Identifier of the one vendor, the lesser of both.';
COMMENT ON COLUMN analytics.vendor_duplicates.other_vendor_id IS 'Identifier of the other vendor.';
COMMENT ON COLUMN analytics.vendor_duplicates.reason IS 'What both share: tax number, name (without punctuation and the form of the company), e-mail of a person.';
COMMENT ON COLUMN analytics.vendor_duplicates.score IS 'How telling that is, from 0 to 1, by a fixed rule: 0.5 e-mail, 0.8 name, 0.9 tax number, 0.95 several.';
