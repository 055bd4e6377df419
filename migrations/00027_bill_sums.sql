-- +goose Up
-- Discounts, adjustments, tax withheld and the like have columns by now and are no longer in
-- _extra: bills with them are left out of the equations, as before. The sums are looked up bill by
-- bill, so that a question about one month reads one month.

CREATE OR REPLACE VIEW sluice.bill_sums AS
SELECT b.organization_id, b.bill_id, b.status, b.sub_total, b.tax_total, b.balance, b.is_reverse_charge_applied,
    l.total AS lines, x.total AS taxes, coalesce(p.total, 0) AS paid, coalesce(c.total, 0) AS credits,
    (l.number + x.number + 1) * power(10::numeric, -coalesce(b.price_precision, 2)) AS tolerance
FROM inventory.bills b
CROSS JOIN LATERAL (SELECT sum(item_total) AS total, count(*) AS number, count(*) FILTER (WHERE item_total IS NULL) AS unknown,
        count(*) FILTER (WHERE tds_tax_id <> '') AS withheld
    FROM inventory.bills_line_items i WHERE (i.organization_id, i._parent_id) = (b.organization_id, b.bill_id)) l
CROSS JOIN LATERAL (SELECT sum(tax_amount) AS total, count(*) AS number
    FROM inventory.bills_taxes t WHERE (t.organization_id, t._parent_id) = (b.organization_id, b.bill_id)) x
CROSS JOIN LATERAL (SELECT sum(amount) AS total
    FROM inventory.bills_payments y WHERE (y.organization_id, y._parent_id) = (b.organization_id, b.bill_id)) p
CROSS JOIN LATERAL (SELECT sum(amount) AS total
    FROM inventory.bills_vendor_credits v WHERE (v.organization_id, v._parent_id) = (b.organization_id, b.bill_id)) c
WHERE b._detail_state IN ('current', 'none_needed') AND l.unknown = 0 AND l.withheld = 0
    AND CASE WHEN coalesce(b.discount_total, 0) <> 0 OR coalesce(b.discount_amount, 0) <> 0 OR coalesce(b.discount_percent, 0) <> 0
        OR coalesce(b.discount #>> '{}', '') ~ '[1-9]' OR coalesce(b.adjustment, 0) <> 0 OR b.is_inclusive_tax
        OR coalesce(b.tds_total, 0) <> 0 OR coalesce(b.tds_amount, 0) <> 0 OR coalesce(b.total_retention_amount, 0) <> 0
        THEN false ELSE true END
    AND NOT EXISTS (SELECT FROM jsonb_each_text(b._extra) AS e
        WHERE e.key ~ '(discount|adjustment|inclusive|tds|withh|retention)' AND e.value ~ '([1-9]|true)');
