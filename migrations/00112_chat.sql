-- +goose Up
-- The tables of service chat, as `sluice-dev draft` writes them from connectors/chat: one per resource,
-- and one per array of its records. Written by pipeline/warehouse/rows.
--
-- Tables with a fill factor have no index but the key: an update that stays on its page writes none
-- (docs/decisions/0017-loading).
--
-- Columns that live services send beyond the API documents stand last in their table
-- (docs/upstream.md U310 to U389).

CREATE SCHEMA IF NOT EXISTS "chat";
COMMENT ON SCHEMA "chat" IS 'Conversations of the organization''s team chat: who talks where, and how much.';

CREATE TABLE "chat"."channels" (
  "organization_id" text COLLATE "C" NOT NULL,
  "channel_id" text COLLATE "C" NOT NULL,
  "name" text,
  "unique_name" text,
  "description" text,
  "level" text,
  "status" text,
  "joined" boolean,
  "pinned" boolean,
  "participant_count" bigint,
  "total_message_count" bigint,
  "creator_id" text COLLATE "C",
  "creator_name" text,
  "chat_id" text COLLATE "C",
  "creation_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "chat_organization_id" text COLLATE "C",
  "invite_only" boolean,
  "current_user_role" text,
  "teams" jsonb,
  "unread_message_count" bigint,
  "unread_time" timestamp with time zone,
  "muted_interval" text,
  "admin_permission" jsonb,
  "moderator_permission" jsonb,
  "member_permission" jsonb,
  PRIMARY KEY ("organization_id", "channel_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "chat"."channels" IS 'A channel of the organization''s team chat: a named room for a group or for everybody.';
COMMENT ON COLUMN "chat"."channels"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."channels"."channel_id" IS 'Identifier of the channel, as the chat service gives it.';
COMMENT ON COLUMN "chat"."channels"."name" IS 'Name of the channel as its members see it.';
COMMENT ON COLUMN "chat"."channels"."unique_name" IS 'Name of the channel that does not change and that programs post by.';
COMMENT ON COLUMN "chat"."channels"."description" IS 'What the channel is for, in the words of its owner.';
COMMENT ON COLUMN "chat"."channels"."level" IS 'How far the channel reaches, such as organization, team or private.';
COMMENT ON COLUMN "chat"."channels"."status" IS 'Whether the channel is in use, such as created or archived.';
COMMENT ON COLUMN "chat"."channels"."joined" IS 'Whether the user whose credentials are used is a member of the channel.';
COMMENT ON COLUMN "chat"."channels"."pinned" IS 'Whether that user keeps the channel at the top of the list.';
COMMENT ON COLUMN "chat"."channels"."participant_count" IS 'Number of members at the time of the last read.';
COMMENT ON COLUMN "chat"."channels"."total_message_count" IS 'Number of messages ever written in it, at the time of the last read.';
COMMENT ON COLUMN "chat"."channels"."creator_id" IS 'Identifier of the user who made the channel.';
COMMENT ON COLUMN "chat"."channels"."creator_name" IS 'Name of the user who made the channel.';
COMMENT ON COLUMN "chat"."channels"."chat_id" IS 'Identifier of the channel''s conversation, the key of conversations.';
COMMENT ON COLUMN "chat"."channels"."creation_time" IS 'When the channel was made.';
COMMENT ON COLUMN "chat"."channels"."last_modified_time" IS 'When the channel last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."channels"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."channels"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."channels"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."channels"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."channels"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."channels"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."channels"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "chat"."channels"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "chat"."channels"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "chat"."channels"."chat_organization_id" IS 'Identifier of the chat''s organization; another number than that of the other services.';
COMMENT ON COLUMN "chat"."channels"."invite_only" IS 'Whether members come by invitation alone.';
COMMENT ON COLUMN "chat"."channels"."current_user_role" IS 'Role in the channel of the user whose credentials are used, such as super_admin.';
COMMENT ON COLUMN "chat"."channels"."teams" IS 'Teams that the channel belongs to, kept as JSON because their identifiers are the keys.';
COMMENT ON COLUMN "chat"."channels"."unread_message_count" IS 'Number of messages that the same user did not read yet.';
COMMENT ON COLUMN "chat"."channels"."unread_time" IS 'Since when messages are unread by the same user.';
COMMENT ON COLUMN "chat"."channels"."muted_interval" IS 'How long the same user muted the channel.';
COMMENT ON COLUMN "chat"."channels"."admin_permission" IS 'What administrators may do, kept as JSON because the switches are many and tell nothing of messages.';
COMMENT ON COLUMN "chat"."channels"."moderator_permission" IS 'What moderators may do, kept as JSON because the switches are many and tell nothing of messages.';
COMMENT ON COLUMN "chat"."channels"."member_permission" IS 'What members may do, kept as JSON because the switches are many and tell nothing of messages.';

CREATE TABLE "chat"."channels_last_message_info" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "sender_id" text COLLATE "C",
  "sender_name" text,
  "message_type" text,
  "time" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "chat"."channels" ("organization_id", "channel_id") ON DELETE CASCADE
);
COMMENT ON TABLE "chat"."channels_last_message_info" IS 'Who wrote the newest message of a channel and when, without the message.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."_parent_id" IS 'Key of the record that the row belongs to, in channels.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."sender_id" IS 'Identifier of the user who wrote the message.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."sender_name" IS 'Name of the user who wrote the message.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."message_type" IS 'Kind of the message, such as text.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."time" IS 'When the message was written.';
COMMENT ON COLUMN "chat"."channels_last_message_info"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "chat"."conversations" (
  "organization_id" text COLLATE "C" NOT NULL,
  "chat_id" text COLLATE "C" NOT NULL,
  "title" text,
  "creation_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "participant_count" bigint,
  "total_message_count" bigint,
  "creator_id" text COLLATE "C",
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  PRIMARY KEY ("organization_id", "chat_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "chat"."conversations" IS 'A chat, channel or bot conversation of the organization, with its size and age but not its messages.';
COMMENT ON COLUMN "chat"."conversations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."conversations"."chat_id" IS 'Identifier of the conversation; unique within the organization.';
COMMENT ON COLUMN "chat"."conversations"."title" IS 'Title as its participants see it; free text, not unique, may hold line breaks.';
COMMENT ON COLUMN "chat"."conversations"."creation_time" IS 'When the conversation was opened.';
COMMENT ON COLUMN "chat"."conversations"."last_modified_time" IS 'When the conversation last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."conversations"."participant_count" IS 'Number of participants at the time of the export.';
COMMENT ON COLUMN "chat"."conversations"."total_message_count" IS 'Number of messages ever written in it; falling figures point at deletions.';
COMMENT ON COLUMN "chat"."conversations"."creator_id" IS 'Identifier of the user who opened the conversation.';
COMMENT ON COLUMN "chat"."conversations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."conversations"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."conversations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."conversations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."conversations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."conversations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."conversations"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "chat"."conversations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "chat"."conversations"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';

CREATE TABLE "chat"."network_channels" (
  "organization_id" text COLLATE "C" NOT NULL,
  "network_channel_id" text COLLATE "C" NOT NULL,
  "network" text COLLATE "C",
  "channel_id" text COLLATE "C",
  "name" text,
  "unique_name" text,
  "description" text,
  "level" text,
  "status" text,
  "joined" boolean,
  "pinned" boolean,
  "participant_count" bigint,
  "total_message_count" bigint,
  "creator_id" text COLLATE "C",
  "creator_name" text,
  "chat_id" text COLLATE "C",
  "creation_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  "chat_organization_id" text COLLATE "C",
  "invite_only" boolean,
  "current_user_role" text,
  "teams" jsonb,
  "unread_message_count" bigint,
  "unread_time" timestamp with time zone,
  "muted_interval" text,
  "admin_permission" jsonb,
  "moderator_permission" jsonb,
  "member_permission" jsonb,
  PRIMARY KEY ("organization_id", "network_channel_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "chat"."network_channels" IS 'A channel of a network: a chat space that the organization shares with partners.';
COMMENT ON COLUMN "chat"."network_channels"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."network_channels"."network_channel_id" IS 'Network and identifier of the channel with a slash between them.';
COMMENT ON COLUMN "chat"."network_channels"."network" IS 'Name or identifier of the network, as the configuration lists it.';
COMMENT ON COLUMN "chat"."network_channels"."channel_id" IS 'Identifier of the channel, as the chat service gives it.';
COMMENT ON COLUMN "chat"."network_channels"."name" IS 'Name of the channel as its members see it.';
COMMENT ON COLUMN "chat"."network_channels"."unique_name" IS 'Name of the channel that does not change and that programs post by.';
COMMENT ON COLUMN "chat"."network_channels"."description" IS 'What the channel is for, in the words of its owner.';
COMMENT ON COLUMN "chat"."network_channels"."level" IS 'How far the channel reaches, such as organization, team or private.';
COMMENT ON COLUMN "chat"."network_channels"."status" IS 'Whether the channel is in use, such as created or archived.';
COMMENT ON COLUMN "chat"."network_channels"."joined" IS 'Whether the user whose credentials are used is a member of the channel.';
COMMENT ON COLUMN "chat"."network_channels"."pinned" IS 'Whether that user keeps the channel at the top of the list.';
COMMENT ON COLUMN "chat"."network_channels"."participant_count" IS 'Number of members at the time of the last read.';
COMMENT ON COLUMN "chat"."network_channels"."total_message_count" IS 'Number of messages ever written in it, at the time of the last read.';
COMMENT ON COLUMN "chat"."network_channels"."creator_id" IS 'Identifier of the user who made the channel.';
COMMENT ON COLUMN "chat"."network_channels"."creator_name" IS 'Name of the user who made the channel.';
COMMENT ON COLUMN "chat"."network_channels"."chat_id" IS 'Identifier of the channel''s conversation, the key of conversations.';
COMMENT ON COLUMN "chat"."network_channels"."creation_time" IS 'When the channel was made.';
COMMENT ON COLUMN "chat"."network_channels"."last_modified_time" IS 'When the channel last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."network_channels"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."network_channels"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."network_channels"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."network_channels"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."network_channels"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."network_channels"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."network_channels"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "chat"."network_channels"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "chat"."network_channels"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "chat"."network_channels"."chat_organization_id" IS 'Identifier of the chat''s organization; another number than that of the other services.';
COMMENT ON COLUMN "chat"."network_channels"."invite_only" IS 'Whether members come by invitation alone.';
COMMENT ON COLUMN "chat"."network_channels"."current_user_role" IS 'Role in the channel of the user whose credentials are used, such as super_admin.';
COMMENT ON COLUMN "chat"."network_channels"."teams" IS 'Teams that the channel belongs to, kept as JSON because their identifiers are the keys.';
COMMENT ON COLUMN "chat"."network_channels"."unread_message_count" IS 'Number of messages that the same user did not read yet.';
COMMENT ON COLUMN "chat"."network_channels"."unread_time" IS 'Since when messages are unread by the same user.';
COMMENT ON COLUMN "chat"."network_channels"."muted_interval" IS 'How long the same user muted the channel.';
COMMENT ON COLUMN "chat"."network_channels"."admin_permission" IS 'What administrators may do, kept as JSON because the switches are many and tell nothing of messages.';
COMMENT ON COLUMN "chat"."network_channels"."moderator_permission" IS 'What moderators may do, kept as JSON because the switches are many and tell nothing of messages.';
COMMENT ON COLUMN "chat"."network_channels"."member_permission" IS 'What members may do, kept as JSON because the switches are many and tell nothing of messages.';

CREATE TABLE "chat"."network_channels_last_message_info" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "sender_id" text COLLATE "C",
  "sender_name" text,
  "message_type" text,
  "time" timestamp with time zone,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "chat"."network_channels" ("organization_id", "network_channel_id") ON DELETE CASCADE
);
COMMENT ON TABLE "chat"."network_channels_last_message_info" IS 'Who wrote the newest message of a channel and when, without the message.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."_parent_id" IS 'Key of the record that the row belongs to, in network_channels.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."sender_id" IS 'Identifier of the user who wrote the message.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."sender_name" IS 'Name of the user who wrote the message.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."message_type" IS 'Kind of the message, such as text.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."time" IS 'When the message was written.';
COMMENT ON COLUMN "chat"."network_channels_last_message_info"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "chat"."network_conversations" (
  "organization_id" text COLLATE "C" NOT NULL,
  "network_chat_id" text COLLATE "C" NOT NULL,
  "network" text COLLATE "C",
  "chat_id" text COLLATE "C",
  "title" text,
  "creation_time" timestamp with time zone,
  "last_modified_time" timestamp with time zone,
  "participant_count" bigint,
  "total_message_count" bigint,
  "creator_id" text COLLATE "C",
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_deleted_at" timestamp with time zone,
  "_payload_hash" bigint,
  PRIMARY KEY ("organization_id", "network_chat_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "chat"."network_conversations" IS 'A conversation of a network, with its size and age but not its messages.';
COMMENT ON COLUMN "chat"."network_conversations"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "chat"."network_conversations"."network_chat_id" IS 'Network and identifier of the conversation with a slash between them.';
COMMENT ON COLUMN "chat"."network_conversations"."network" IS 'Name or identifier of the network, as the configuration lists it.';
COMMENT ON COLUMN "chat"."network_conversations"."chat_id" IS 'Identifier of the conversation; unique within its network.';
COMMENT ON COLUMN "chat"."network_conversations"."title" IS 'Title as its participants see it; free text, not unique, may hold line breaks.';
COMMENT ON COLUMN "chat"."network_conversations"."creation_time" IS 'When the conversation was opened.';
COMMENT ON COLUMN "chat"."network_conversations"."last_modified_time" IS 'When the conversation last changed, such as by a new message.';
COMMENT ON COLUMN "chat"."network_conversations"."participant_count" IS 'Number of participants at the time of the export.';
COMMENT ON COLUMN "chat"."network_conversations"."total_message_count" IS 'Number of messages ever written in it; falling figures point at deletions.';
COMMENT ON COLUMN "chat"."network_conversations"."creator_id" IS 'Identifier of the user who opened the conversation.';
COMMENT ON COLUMN "chat"."network_conversations"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "chat"."network_conversations"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "chat"."network_conversations"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "chat"."network_conversations"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "chat"."network_conversations"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "chat"."network_conversations"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "chat"."network_conversations"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "chat"."network_conversations"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "chat"."network_conversations"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
