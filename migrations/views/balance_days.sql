CREATE OR REPLACE VIEW analytics.balance_days WITH (security_barrier) AS
SELECT
  d.organization_id,
  d.record_id AS account_id,
  d.day,
  a.account_name,
  a.account_type,
  a.currency_code,
  coalesce(c.content ->> 'current_balance', c.content ->> 'closing_balance')::numeric AS balance,
  d.day <> c.day AS is_carried
FROM (
  SELECT f.organization_id, f.record_id, f.first_day + n.n AS day
  FROM (
    SELECT h.organization_id, h.record_id, min(h.day) AS first_day
    FROM history.days AS h
    WHERE h.service = 'accounting' AND h.resource = 'chart_of_accounts'
      AND h.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations))
    GROUP BY h.organization_id, h.record_id
  ) AS f
  JOIN analytics.organizations AS o ON o.organization_id = f.organization_id
  CROSS JOIN LATERAL generate_series(0, o.today - f.first_day) AS n (n)
) AS d
CROSS JOIN LATERAL (
  SELECT h.day, h.content
  FROM history.days AS h
  WHERE h.service = 'accounting' AND h.resource = 'chart_of_accounts' AND h.organization_id = d.organization_id AND h.record_id = d.record_id
    AND h.day <= d.day
  ORDER BY h.day DESC
  LIMIT 1
) AS c
LEFT JOIN accounting.chart_of_accounts AS a ON a.organization_id = d.organization_id AND a.account_id = d.record_id
WHERE c.content ?| ARRAY['current_balance', 'closing_balance']
  AND EXISTS (
    SELECT FROM analytics.past_periods AS p
    WHERE p.organization_id = d.organization_id AND p.resource = 'accounting.chart_of_accounts' AND d.day BETWEEN p.days_from AND p.days_to
  );

COMMENT ON VIEW analytics.balance_days IS 'One row for each account and day; key: (organization_id, account_id, day). Balance at the end of the day, in the currency of the account: never add up accounts of different currencies. Only where the configuration keeps it by day, daily: [current_balance] or [closing_balance], and only since then.';
COMMENT ON COLUMN analytics.balance_days.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.balance_days.account_id IS 'Identifier of the account.';
COMMENT ON COLUMN analytics.balance_days.day IS 'Day of the organization.';
COMMENT ON COLUMN analytics.balance_days.account_name IS 'Present name of the account.';
COMMENT ON COLUMN analytics.balance_days.account_type IS 'Present kind of the account, such as bank.';
COMMENT ON COLUMN analytics.balance_days.currency_code IS 'ISO code of the currency of the account.';
COMMENT ON COLUMN analytics.balance_days.balance IS 'Balance as a run saw it last on that day, in the currency of the account.';
COMMENT ON COLUMN analytics.balance_days.is_carried IS 'Whether the balance is that of an earlier day, because no run saw another since.';
