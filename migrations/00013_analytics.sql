-- +goose Up
-- Views for analysts over the tables of all services. They hold no rows.

CREATE SCHEMA IF NOT EXISTS "analytics";
COMMENT ON SCHEMA "analytics" IS 'Views for analysts over the tables of all services; they hold no rows of their own.';

-- What analysts ask first of a warehouse that is still being filled. Bills that are gone owe no
-- lines.
CREATE VIEW "analytics"."bill_lines_loaded" AS
SELECT
  "organization_id",
  "month",
  count(*) AS "bills",
  count(*) FILTER (WHERE "loaded") AS "bills_with_lines",
  round(count(*) FILTER (WHERE "loaded") / count(*)::numeric, 4) AS "share_of_bills",
  sum("value") AS "value",
  coalesce(sum("value") FILTER (WHERE "loaded"), 0) AS "value_with_lines",
  round(coalesce(sum("value") FILTER (WHERE "loaded"), 0) / nullif(sum("value"), 0), 4) AS "share_of_value",
  count(*) FILTER (WHERE "value" IS NULL) AS "bills_without_value"
FROM (
  SELECT
    "organization_id",
    date_trunc('month', "date"::timestamp)::date AS "month",
    "_detail_state" IN ('none_needed', 'current') AS "loaded",
    coalesce("sub_total" + coalesce("tax_total", 0), "balance") * coalesce("exchange_rate", 1) AS "value"
  FROM "inventory"."bills"
  WHERE "_deleted_at" IS NULL
) AS "bill"
GROUP BY "organization_id", "month";
COMMENT ON VIEW "analytics"."bill_lines_loaded" IS 'The share of bills and of bill value whose lines are loaded, by organization and month of the bill.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."organization_id" IS 'Identifier upstream of the organization that the bills belong to.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."month" IS 'First day of the month that the bills are dated in; null for bills without a date.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills" IS 'Number of bills that are dated in the month.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills_with_lines" IS 'Number of those whose lines are loaded and those of the newest version known.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."share_of_bills" IS 'Part of the bills whose lines are loaded, from 0 to 1.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."value" IS 'Sum of the bills with tax in the base currency; what is left to pay stands in where a list carried no sums, and a rate of 1 where it carried none.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."value_with_lines" IS 'Part of the value that lies on bills whose lines are loaded, in the base currency.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."share_of_value" IS 'The same part from 0 to 1; null if the value is zero or unknown.';
COMMENT ON COLUMN "analytics"."bill_lines_loaded"."bills_without_value" IS 'Number of bills that are in no value, as neither sums nor what is left to pay are known.';
