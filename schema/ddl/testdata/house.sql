CREATE SCHEMA IF NOT EXISTS "house";
COMMENT ON SCHEMA "house" IS 'What the house holds.';

CREATE TABLE "house"."rates" (
  "organization_id" text COLLATE "C" NOT NULL,
  "rate_id" text COLLATE "C" NOT NULL,
  "amount" numeric,
  "from_day" date,
  "kind" text,
  "unit" text,
  "changed" timestamp with time zone,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_payload_hash" bigint,
  "_deleted_at" timestamp with time zone,
  "_detail_state" text NOT NULL DEFAULT 'none_needed' CHECK ("_detail_state" IN ('none_needed', 'pending', 'current', 'stale', 'failed')),
  "_detail_hash" bytea,
  "_detail_call_id" bigint,
  "_detail_raw_position" integer,
  "_detail_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "rate_id")
);
COMMENT ON TABLE "house"."rates" IS 'One rate of the house.';
COMMENT ON COLUMN "house"."rates"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "house"."rates"."rate_id" IS 'Identifier of the rate.';
COMMENT ON COLUMN "house"."rates"."amount" IS 'What it amounts to.';
COMMENT ON COLUMN "house"."rates"."from_day" IS 'From which day on.';
COMMENT ON COLUMN "house"."rates"."kind" IS 'Which kind it is.';
COMMENT ON COLUMN "house"."rates"."unit" IS 'What it is counted in.';
COMMENT ON COLUMN "house"."rates"."changed" IS 'When it changed.';
COMMENT ON COLUMN "house"."rates"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "house"."rates"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "house"."rates"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "house"."rates"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "house"."rates"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "house"."rates"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "house"."rates"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "house"."rates"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "house"."rates"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
COMMENT ON COLUMN "house"."rates"."_detail_state" IS 'What is known of the single record: none_needed (the list had it all), pending (not read yet), current, stale (the list record changed since), failed (to be tried again).';
COMMENT ON COLUMN "house"."rates"."_detail_hash" IS 'Content hash of the single record that was last loaded; null if none was.';
COMMENT ON COLUMN "house"."rates"."_detail_call_id" IS 'Call that brought the single record; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "house"."rates"."_detail_raw_position" IS 'Place of the single record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "house"."rates"."_detail_at" IS 'When the single record was last loaded or tried.';
CREATE INDEX "rates_details" ON "house"."rates" ("organization_id", "changed" DESC)
  WHERE "_detail_state" IN ('pending', 'stale', 'failed');

CREATE TABLE "house"."rates_history" (
  "organization_id" text COLLATE "C" NOT NULL,
  "rate_id" text COLLATE "C" NOT NULL,
  "amount" numeric,
  "from_day" date,
  "_call_id" bigint NOT NULL,
  "_seen_at" timestamp with time zone NOT NULL,
  PRIMARY KEY ("organization_id", "rate_id", "_call_id")
);
COMMENT ON TABLE "house"."rates_history" IS 'What amount, from_day of rates held over time, one row for each change that was seen.';
COMMENT ON COLUMN "house"."rates_history"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "house"."rates_history"."rate_id" IS 'Identifier of the rate.';
COMMENT ON COLUMN "house"."rates_history"."amount" IS 'What it amounts to.';
COMMENT ON COLUMN "house"."rates_history"."from_day" IS 'From which day on.';
COMMENT ON COLUMN "house"."rates_history"."_call_id" IS 'Call that first brought these values.';
COMMENT ON COLUMN "house"."rates_history"."_seen_at" IS 'When these values were first loaded.';

CREATE TABLE "house"."rates_steps" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "height" bigint,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "house"."rates" ("organization_id", "rate_id") ON DELETE CASCADE
);
COMMENT ON TABLE "house"."rates_steps" IS 'One step of it.';
COMMENT ON COLUMN "house"."rates_steps"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "house"."rates_steps"."_parent_id" IS 'Key of the record that the row belongs to, in rates.';
COMMENT ON COLUMN "house"."rates_steps"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "house"."rates_steps"."height" IS 'How "high" it is.';
COMMENT ON COLUMN "house"."rates_steps"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "house"."rates_fields" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "key" text COLLATE "C",
  "value" jsonb,
  "text" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "house"."rates" ("organization_id", "rate_id") ON DELETE CASCADE
);
COMMENT ON TABLE "house"."rates_fields" IS 'One field of it.';
COMMENT ON COLUMN "house"."rates_fields"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "house"."rates_fields"."_parent_id" IS 'Key of the record that the row belongs to, in rates.';
COMMENT ON COLUMN "house"."rates_fields"."_position" IS 'Place of the key among those of the record, sorted by name, from 0.';
COMMENT ON COLUMN "house"."rates_fields"."key" IS 'Key of the field.';
COMMENT ON COLUMN "house"."rates_fields"."value" IS 'JSON because it''s open \ free.';
COMMENT ON COLUMN "house"."rates_fields"."text" IS 'As it is shown.';
COMMENT ON COLUMN "house"."rates_fields"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "house"."rooms" (
  "organization_id" text COLLATE "C" NOT NULL,
  "room_key" text COLLATE "C" NOT NULL,
  "room_id" text COLLATE "C",
  "floor" text COLLATE "C",
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_payload_hash" bigint,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "room_key")
) WITH (fillfactor = 90);
COMMENT ON TABLE "house"."rooms" IS 'One room of a floor.';
COMMENT ON COLUMN "house"."rooms"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "house"."rooms"."room_key" IS 'Floor and identifier.';
COMMENT ON COLUMN "house"."rooms"."room_id" IS 'Identifier on the floor.';
COMMENT ON COLUMN "house"."rooms"."floor" IS 'The floor of it.';
COMMENT ON COLUMN "house"."rooms"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "house"."rooms"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "house"."rooms"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "house"."rooms"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "house"."rooms"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "house"."rooms"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "house"."rooms"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "house"."rooms"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "house"."rooms"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';

CREATE SCHEMA IF NOT EXISTS "custom";
COMMENT ON SCHEMA "custom" IS 'Lists that users declared in their configuration.';

CREATE TABLE "custom"."opening" (
  "organization_id" text COLLATE "C" NOT NULL,
  "opening_id" text COLLATE "C" NOT NULL,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_payload_hash" bigint,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "opening_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "custom"."opening" IS 'What was there first.';
COMMENT ON COLUMN "custom"."opening"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "custom"."opening"."opening_id" IS 'Identifier of the opening.';
COMMENT ON COLUMN "custom"."opening"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "custom"."opening"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "custom"."opening"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "custom"."opening"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "custom"."opening"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "custom"."opening"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "custom"."opening"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "custom"."opening"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "custom"."opening"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';
