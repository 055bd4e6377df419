CREATE OR REPLACE VIEW analytics.custom_fields WITH (security_barrier) AS
SELECT
  f.organization_id,
  f.resource,
  f.record_id,
  f.line,
  f.module,
  f.field_id,
  coalesce(f.label, l.label) AS label,
  v.value,
  CASE WHEN v.value ~ '^-?[0-9]{1,100}([.][0-9]{1,100})?$' THEN v.value::numeric END AS number,
  CASE WHEN to_char(d.day, 'YYYY-MM-DD') = v.value THEN d.day END AS day,
  f.is_deleted,
  f.data_type
FROM (
  SELECT organization_id, 'accounting.chart_of_accounts' AS resource, _parent_id AS record_id, _position AS line, '' AS module,
    customfield_id AS field_id, NULL::text AS label, NULL::text AS data_type, value, _deleted_at IS NOT NULL AS is_deleted
  FROM accounting.chart_of_accounts_custom_fields
  UNION ALL
  SELECT organization_id, 'accounting.vendor_payments', _parent_id, _position, '', custom_field_id, label, NULL, value, _deleted_at IS NOT NULL
  FROM accounting.vendor_payments_custom_fields
  UNION ALL
  SELECT organization_id, 'inventory.items', _parent_id, _position, '', customfield_id, label, data_type, value, _deleted_at IS NOT NULL
  FROM inventory.items_custom_fields
  UNION ALL
  SELECT organization_id, 'inventory.composite_items', _parent_id, _position, '', coalesce(customfield_id, custom_field_id), label, data_type, value, _deleted_at IS NOT NULL
  FROM inventory.composite_items_custom_fields
  UNION ALL
  SELECT organization_id, 'inventory.bills', _parent_id, _position, '', customfield_id, label, data_type, value, _deleted_at IS NOT NULL
  FROM inventory.bills_custom_fields
  UNION ALL
  SELECT organization_id, 'inventory.credit_notes', _parent_id, _position, '', customfield_id, label, data_type, value, _deleted_at IS NOT NULL
  FROM inventory.credit_notes_custom_fields
  UNION ALL
  SELECT organization_id, 'accounting.contact_persons', _parent_id, _position, '', customfield_id, label, data_type, value, _deleted_at IS NOT NULL
  FROM accounting.contact_persons_contactperson_custom_fields
  UNION ALL
  SELECT organization_id, 'invoicing.contact_persons', _parent_id, _position, '', customfield_id, label, data_type, value, _deleted_at IS NOT NULL
  FROM invoicing.contact_persons_contactperson_custom_fields
  UNION ALL
  SELECT p.organization_id, 'accounting.custom_module_records', p._parent_id, p._position, coalesce(m.module_name, ''), p.field, NULL, NULL, p.value,
    p._deleted_at IS NOT NULL
  FROM accounting.custom_module_records_fields AS p
  JOIN accounting.custom_module_records AS m ON m.organization_id = p.organization_id AND m.module_record_id = p._parent_id
) AS f
LEFT JOIN (
  SELECT organization_id, field_id, max(label) AS label
  FROM (
    SELECT organization_id, custom_field_id AS field_id, label FROM accounting.vendor_payments_custom_fields
    UNION ALL
    SELECT organization_id, coalesce(customfield_id, custom_field_id), label FROM inventory.composite_items_custom_fields
    UNION ALL
    SELECT organization_id, customfield_id, label FROM inventory.items_custom_fields
    UNION ALL
    SELECT organization_id, customfield_id, label FROM inventory.bills_custom_fields
    UNION ALL
    SELECT organization_id, customfield_id, label FROM inventory.credit_notes_custom_fields
  ) AS named
  GROUP BY organization_id, field_id
) AS l ON l.organization_id = f.organization_id AND l.field_id = f.field_id
CROSS JOIN LATERAL (SELECT CASE WHEN (SELECT sees_personal FROM sluice.viewer) THEN f.value #>> '{}' END AS value) AS v
CROSS JOIN LATERAL (
  SELECT CASE WHEN v.value ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])-[0-3][0-9]$' THEN (left(v.value, 8) || '01')::date + (right(v.value, 2)::integer - 1) END AS day
) AS d
WHERE f.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.custom_fields IS 'One row for each value of a field that the organization added to its records or made in a module of its own; key: (organization_id, resource, record_id, line). Values come with single records: where those are not loaded yet, they are missing. Masked readers see that there is a value, and not which.';
COMMENT ON COLUMN analytics.custom_fields.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.custom_fields.resource IS 'Service and resource of the record, as inventory.bills.';
COMMENT ON COLUMN analytics.custom_fields.record_id IS 'Identifier of the record.';
COMMENT ON COLUMN analytics.custom_fields.line IS 'Place of the field on the record, from 0.';
COMMENT ON COLUMN analytics.custom_fields.module IS 'Name of the organization''s own module; empty for records of the service.';
COMMENT ON COLUMN analytics.custom_fields.field_id IS 'Identifier of the field, the same on every record; of an own module its key. Null where upstream names none, as on some credit notes: take label.';
COMMENT ON COLUMN analytics.custom_fields.label IS 'Name of the field as the organization shows it, from any record that shows one; null if none does.';
COMMENT ON COLUMN analytics.custom_fields.value IS 'Value as text; null if the field is empty, and for masked readers.';
COMMENT ON COLUMN analytics.custom_fields.number IS 'Value as a number, where it is written as one.';
COMMENT ON COLUMN analytics.custom_fields.day IS 'Value as a day, where it is written as one: 2026-10-31.';
COMMENT ON COLUMN analytics.custom_fields.is_deleted IS 'Whether the record is gone upstream.';
COMMENT ON COLUMN analytics.custom_fields.data_type IS 'Type of the field by upstream''s word, such as string, date or dropdown; null where upstream says none.';
