CREATE OR REPLACE VIEW analytics.chats WITH (security_barrier) AS
WITH conversations AS NOT MATERIALIZED (
  SELECT organization_id, '' AS network, 'conversations' AS list, chat_id AS record_id, chat_id, title, creation_time, last_modified_time,
    participant_count, total_message_count, creator_id, _deleted_at
  FROM chat.conversations
  UNION ALL
  SELECT organization_id, coalesce(network, '?'), 'network_conversations', network_chat_id, coalesce(chat_id, network_chat_id), title, creation_time,
    last_modified_time, participant_count, total_message_count, creator_id, _deleted_at
  FROM chat.network_conversations
),
channels AS NOT MATERIALIZED (
  SELECT DISTINCT ON (organization_id, network, chat_id) organization_id, network, list, record_id, channel_id, chat_id, name, level, status,
    participant_count, total_message_count, creator_id, creator_name, creation_time, last_modified_time, _deleted_at
  FROM (
    SELECT organization_id, '' AS network, 'channels' AS list, channel_id AS record_id, channel_id, coalesce(chat_id, channel_id) AS chat_id, name, level,
      status, participant_count, total_message_count, creator_id, creator_name, creation_time, last_modified_time, _deleted_at
    FROM chat.channels
    UNION ALL
    SELECT organization_id, coalesce(network, '?'), 'network_channels', network_channel_id, channel_id, coalesce(chat_id, channel_id, network_channel_id), name,
      level, status, participant_count, total_message_count, creator_id, creator_name, creation_time, last_modified_time, _deleted_at
    FROM chat.network_channels
  ) AS u
  ORDER BY organization_id, network, chat_id, _deleted_at IS NOT NULL, record_id
)
SELECT
  a.organization_id,
  a.network,
  a.chat_id,
  a.channel_id,
  CASE WHEN a.channel_id IS NULL THEN 'conversation' ELSE 'channel' END AS kind,
  CASE WHEN (SELECT sees_personal FROM sluice.viewer) THEN a.title END AS title,
  a.level,
  a.status,
  a.creator_id,
  CASE WHEN (SELECT sees_personal FROM sluice.viewer) THEN a.creator_name ELSE left(a.creator_name, 1) || '.' END AS creator_name,
  a.participants,
  a.messages,
  a.created_at,
  a.last_active_at,
  a.is_deleted,
  a.list,
  a.record_id,
  a.channel_list,
  a.channel_record_id
FROM (
  SELECT
    v.organization_id, v.network, v.chat_id, c.channel_id, coalesce(c.name, v.title) AS title, c.level, c.status,
    coalesce(v.creator_id, c.creator_id) AS creator_id, c.creator_name, coalesce(v.participant_count, c.participant_count) AS participants,
    coalesce(v.total_message_count, c.total_message_count) AS messages, coalesce(v.creation_time, c.creation_time) AS created_at,
    greatest(v.last_modified_time, c.last_modified_time) AS last_active_at, v._deleted_at IS NOT NULL AS is_deleted,
    v.list, v.record_id, c.list AS channel_list, c.record_id AS channel_record_id
  FROM conversations AS v
  LEFT JOIN channels AS c ON c.organization_id = v.organization_id AND c.network = v.network AND c.chat_id = v.chat_id
  UNION ALL
  SELECT
    c.organization_id, c.network, c.chat_id, c.channel_id, c.name, c.level, c.status, c.creator_id, c.creator_name, c.participant_count,
    c.total_message_count, c.creation_time, c.last_modified_time, c._deleted_at IS NOT NULL, c.list, c.record_id, c.list, c.record_id
  FROM channels AS c
  WHERE NOT EXISTS (SELECT FROM conversations AS v WHERE v.organization_id = c.organization_id AND v.network = c.network AND v.chat_id = c.chat_id)
) AS a
WHERE a.organization_id = ANY (ARRAY(SELECT organization_id FROM sluice.visible_organizations));

COMMENT ON VIEW analytics.chats IS 'One row for each conversation and channel of the team chat; key: (organization_id, network, chat_id). A channel and its conversation are one row. Messages themselves are not copied. Figures are totals to the time of the last read: the view chat_weeks has what came week by week.';
COMMENT ON COLUMN analytics.chats.organization_id IS 'Key of the organization.';
COMMENT ON COLUMN analytics.chats.network IS 'Network that the organization shares with partners; empty for its own chats.';
COMMENT ON COLUMN analytics.chats.chat_id IS 'Identifier of the conversation, unique within the network; of a channel that names none, that of the channel.';
COMMENT ON COLUMN analytics.chats.channel_id IS 'Identifier of the channel; null if it is none, or if the list of channels is not copied.';
COMMENT ON COLUMN analytics.chats.kind IS 'channel or conversation.';
COMMENT ON COLUMN analytics.chats.title IS 'Title as its participants see it; null for masked readers.';
COMMENT ON COLUMN analytics.chats.level IS 'How far the channel reaches, such as organization, team or private.';
COMMENT ON COLUMN analytics.chats.status IS 'Whether the channel is in use, such as created or archived.';
COMMENT ON COLUMN analytics.chats.creator_id IS 'Identifier of the user who made it.';
COMMENT ON COLUMN analytics.chats.creator_name IS 'Name of the user who made the channel; masked readers see an initial.';
COMMENT ON COLUMN analytics.chats.participants IS 'Number of participants at the time of the last read.';
COMMENT ON COLUMN analytics.chats.messages IS 'Number of messages ever written, at the time of the last read.';
COMMENT ON COLUMN analytics.chats.created_at IS 'When it was made.';
COMMENT ON COLUMN analytics.chats.last_active_at IS 'When it last changed, such as by a new message.';
COMMENT ON COLUMN analytics.chats.is_deleted IS 'Whether it is gone upstream.';
COMMENT ON COLUMN analytics.chats.list IS 'Table of schema chat that the row comes from.';
COMMENT ON COLUMN analytics.chats.record_id IS 'Key of the row in that table.';
COMMENT ON COLUMN analytics.chats.channel_list IS 'Table of schema chat that has its channel; null if there is none.';
COMMENT ON COLUMN analytics.chats.channel_record_id IS 'Key of the channel in that table.';
