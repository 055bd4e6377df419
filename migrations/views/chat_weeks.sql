CREATE OR REPLACE VIEW analytics.chat_weeks WITH (security_barrier) AS
SELECT
  w.organization_id,
  w.network,
  w.chat_id,
  w.week,
  w.kind,
  w.participants,
  e.total AS messages_to_date,
  e.total - coalesce(b.total, f.total) AS messages,
  b.total IS NOT NULL AND w.week + 6 < w.today AS is_complete
FROM (
  SELECT c.organization_id, c.network, c.chat_id, c.kind, c.participants, s.resource, s.record_id, s.first_day, o.today,
    date_trunc('week', s.first_day::timestamp)::date + 7 * n.n AS week
  FROM analytics.chats AS c
  JOIN analytics.organizations AS o ON o.organization_id = c.organization_id
  CROSS JOIN LATERAL (
    SELECT h.resource, h.record_id, min(h.day) AS first_day
    FROM history.days AS h
    WHERE h.service = 'chat' AND h.organization_id = c.organization_id AND h.content ? 'total_message_count'
      AND (h.resource = c.list AND h.record_id = c.record_id OR h.resource = c.channel_list AND h.record_id = c.channel_record_id)
    GROUP BY h.resource, h.record_id
    ORDER BY h.resource = c.list DESC
    LIMIT 1
  ) AS s
  CROSS JOIN LATERAL generate_series(0, (o.today - date_trunc('week', s.first_day::timestamp)::date) / 7) AS n (n)
) AS w
CROSS JOIN LATERAL (
  SELECT (h.content ->> 'total_message_count')::bigint AS total
  FROM history.days AS h
  WHERE h.service = 'chat' AND h.resource = w.resource AND h.organization_id = w.organization_id AND h.record_id = w.record_id AND h.day < w.week + 7
  ORDER BY h.day DESC
  LIMIT 1
) AS e
LEFT JOIN LATERAL (
  SELECT (h.content ->> 'total_message_count')::bigint AS total
  FROM history.days AS h
  WHERE h.service = 'chat' AND h.resource = w.resource AND h.organization_id = w.organization_id AND h.record_id = w.record_id AND h.day < w.week
  ORDER BY h.day DESC
  LIMIT 1
) AS b ON true
LEFT JOIN LATERAL (
  SELECT (h.content ->> 'total_message_count')::bigint AS total
  FROM history.days AS h
  WHERE h.service = 'chat' AND h.resource = w.resource AND h.organization_id = w.organization_id AND h.record_id = w.record_id AND h.day >= w.week
    AND h.day < w.week + 7 AND h.content IS NOT NULL
  ORDER BY h.day
  LIMIT 1
) AS f ON true
WHERE e.total IS NOT NULL AND EXISTS (
  SELECT FROM analytics.past_periods AS p
  WHERE p.organization_id = w.organization_id AND p.resource = 'chat.' || w.resource AND 'total_message_count' = ANY (p.daily)
    AND p.days_from < w.week + 7 AND w.week <= p.days_to
);

COMMENT ON VIEW analytics.chat_weeks IS 'One row for each chat and week; key: (organization_id, network, chat_id, week). Messages are the difference of totals by day, so deleted messages count against new ones, and below zero. Only where the configuration keeps the totals by day, daily: [total_message_count], and only since then.';
COMMENT ON COLUMN analytics.chat_weeks.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.chat_weeks.network IS 'Network that the organization shares with partners; empty for its own chats.';
COMMENT ON COLUMN analytics.chat_weeks.chat_id IS 'Identifier of the chat, as in analytics.chats.';
COMMENT ON COLUMN analytics.chat_weeks.week IS 'Monday of the week, by the days of the organization.';
COMMENT ON COLUMN analytics.chat_weeks.kind IS 'channel or conversation.';
COMMENT ON COLUMN analytics.chat_weeks.participants IS 'Present number of participants.';
COMMENT ON COLUMN analytics.chat_weeks.messages_to_date IS 'Number of messages ever written, at the end of the week.';
COMMENT ON COLUMN analytics.chat_weeks.messages IS 'Messages of the week.';
COMMENT ON COLUMN analytics.chat_weeks.is_complete IS 'Whether the week is over and the total before it is known; in the first week messages count from the first known day.';
