CREATE OR REPLACE VIEW analytics.contacts WITH (security_barrier) AS
SELECT
  p.organization_id,
  p.service,
  p.contact_person_id,
  p.contact_id,
  CASE
    WHEN v.vendor_id IS NOT NULL AND c.customer_id IS NOT NULL THEN 'vendor and customer'
    WHEN v.vendor_id IS NOT NULL THEN 'vendor'
    WHEN c.customer_id IS NOT NULL THEN 'customer'
    ELSE 'unknown'
  END AS contact_kind,
  CASE WHEN w.sees_personal THEN p.first_name ELSE left(nullif(p.first_name, ''), 1) || '.' END AS first_name,
  CASE WHEN w.sees_personal THEN p.last_name ELSE left(nullif(p.last_name, ''), 1) || '.' END AS last_name,
  CASE WHEN w.sees_personal THEN p.email ELSE '***@' || split_part(nullif(p.email, ''), '@', 2) END AS email,
  encode(sha256(convert_to(w.token_key || lower(nullif(p.email, '')), 'UTF8')), 'hex') AS email_token,
  CASE WHEN w.sees_personal THEN p.phone END AS phone,
  CASE WHEN w.sees_personal THEN p.mobile END AS mobile,
  CASE WHEN w.sees_personal THEN p.designation END AS designation,
  CASE WHEN w.sees_personal THEN p.department END AS department,
  p.is_primary,
  p.is_in_portal,
  p.is_deleted
FROM (
  SELECT organization_id, 'accounting' AS service, contact_person_id, contact_id, first_name, last_name, email, phone, mobile, designation, department,
    is_primary_contact AS is_primary, is_added_in_portal AS is_in_portal, _deleted_at IS NOT NULL AS is_deleted
  FROM accounting.contact_persons
  WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  UNION ALL
  SELECT organization_id, 'invoicing', contact_person_id, contact_id, first_name, last_name, email, phone, mobile, designation, department,
    is_primary_contact, is_added_in_portal, _deleted_at IS NOT NULL
  FROM invoicing.contact_persons
  WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
  UNION ALL
  SELECT organization_id, 'billing', contactperson_id, customer_id, first_name, last_name, email, phone, mobile, NULL, NULL,
    NULL, NULL, _deleted_at IS NOT NULL
  FROM billing.contact_persons
  WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
) AS p
CROSS JOIN sluice.viewer AS w
LEFT JOIN (
  SELECT organization_id, vendor_id FROM inventory.bills WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations)) GROUP BY organization_id, vendor_id
  UNION
  SELECT organization_id, vendor_id FROM accounting.vendor_payments WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations)) GROUP BY organization_id, vendor_id
  UNION
  SELECT organization_id, vendor_id FROM inventory.items WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations)) GROUP BY organization_id, vendor_id
) AS v ON v.organization_id = p.organization_id AND v.vendor_id = p.contact_id
LEFT JOIN (
  SELECT organization_id, customer_id FROM inventory.credit_notes WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations)) GROUP BY organization_id, customer_id
  UNION
  SELECT organization_id, customer_id FROM accounting.expenses WHERE organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations)) GROUP BY organization_id, customer_id
) AS c ON c.organization_id = p.organization_id AND c.customer_id = p.contact_id;

COMMENT ON VIEW analytics.contacts IS 'One row for each person to talk to, of each service; key: (organization_id, service, contact_person_id). One human can be in several services: email_token joins them. Names, addresses and numbers are masked for readers who see no personal values. Deleted ones are in it.';
COMMENT ON COLUMN analytics.contacts.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.contacts.service IS 'Service that has the person: accounting, invoicing or billing.';
COMMENT ON COLUMN analytics.contacts.contact_person_id IS 'Identifier of the person; unique within the service.';
COMMENT ON COLUMN analytics.contacts.contact_id IS 'Identifier of the vendor or customer whom the person speaks for.';
COMMENT ON COLUMN analytics.contacts.contact_kind IS 'vendor, customer, vendor and customer, or unknown: by the documents that name it.';
COMMENT ON COLUMN analytics.contacts.first_name IS 'First name; masked: its first letter.';
COMMENT ON COLUMN analytics.contacts.last_name IS 'Family name; masked: its first letter.';
COMMENT ON COLUMN analytics.contacts.email IS 'Address; masked: its domain.';
COMMENT ON COLUMN analytics.contacts.email_token IS 'The same for equal addresses, and no way back to them: for joins and counts.';
COMMENT ON COLUMN analytics.contacts.phone IS 'Landline number; masked: null.';
COMMENT ON COLUMN analytics.contacts.mobile IS 'Mobile number; masked: null.';
COMMENT ON COLUMN analytics.contacts.designation IS 'Position at the vendor or customer; masked: null. billing has none.';
COMMENT ON COLUMN analytics.contacts.department IS 'Department there; masked: null. billing has none.';
COMMENT ON COLUMN analytics.contacts.is_primary IS 'Whether it is the person to talk to first; null in billing.';
COMMENT ON COLUMN analytics.contacts.is_in_portal IS 'Whether the person can see documents in the portal; null in billing.';
COMMENT ON COLUMN analytics.contacts.is_deleted IS 'Whether it is gone upstream.';
