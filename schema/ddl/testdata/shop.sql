CREATE SCHEMA IF NOT EXISTS "shop";
COMMENT ON SCHEMA "shop" IS 'What the shop''s shelves hold.';

CREATE TABLE "shop"."things" (
  "organization_id" text COLLATE "C" NOT NULL,
  "thing_id" text COLLATE "C" NOT NULL,
  "owner" text COLLATE "C",
  "name" text,
  "sold" boolean,
  "count" bigint,
  "price" numeric,
  "day" date,
  "changed" timestamp with time zone,
  "blob" jsonb,
  "_extra" jsonb,
  "_content_hash" bytea NOT NULL,
  "_call_id" bigint NOT NULL,
  "_raw_position" integer NOT NULL,
  "_run_id" bigint NOT NULL,
  "_first_seen_at" timestamp with time zone NOT NULL,
  "_changed_at" timestamp with time zone NOT NULL,
  "_payload_hash" bigint,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "thing_id")
) WITH (fillfactor = 90);
COMMENT ON TABLE "shop"."things" IS 'One thing for sale.';
COMMENT ON COLUMN "shop"."things"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "shop"."things"."thing_id" IS 'Identifier of the thing.';
COMMENT ON COLUMN "shop"."things"."owner" IS 'Who owns it.';
COMMENT ON COLUMN "shop"."things"."name" IS 'Name of the thing.';
COMMENT ON COLUMN "shop"."things"."sold" IS 'Whether it is sold.';
COMMENT ON COLUMN "shop"."things"."count" IS 'How many there are.';
COMMENT ON COLUMN "shop"."things"."price" IS 'What it costs.';
COMMENT ON COLUMN "shop"."things"."day" IS 'Since which day.';
COMMENT ON COLUMN "shop"."things"."changed" IS 'When it changed.';
COMMENT ON COLUMN "shop"."things"."blob" IS 'JSON because it is open.';
COMMENT ON COLUMN "shop"."things"."_extra" IS 'Keys that upstream sent and no declaration knows, by their path; null if there are none.';
COMMENT ON COLUMN "shop"."things"."_content_hash" IS 'Content hash of all that the record carried, arrays included.';
COMMENT ON COLUMN "shop"."things"."_call_id" IS 'Call that brought this version; its bytes are in sluice.raw_records.';
COMMENT ON COLUMN "shop"."things"."_raw_position" IS 'Place of the record''s bytes among those of its call, from 0.';
COMMENT ON COLUMN "shop"."things"."_run_id" IS 'Run that wrote this version.';
COMMENT ON COLUMN "shop"."things"."_first_seen_at" IS 'When the record was first loaded.';
COMMENT ON COLUMN "shop"."things"."_changed_at" IS 'When the row, or its tombstone, last changed here: the start of the transaction that wrote it, so rows can appear behind a later stamp.';
COMMENT ON COLUMN "shop"."things"."_payload_hash" IS 'Payload hash of the bytes that this version was made of, and of all that decided what they became; null if none was kept.';
COMMENT ON COLUMN "shop"."things"."_deleted_at" IS 'When the record was found to be gone upstream, by upstream''s clock; null while it exists. The evidence is in sluice.tombstones.';

CREATE TABLE "shop"."things_parts" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_position" integer NOT NULL,
  "name" text,
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id")
    REFERENCES "shop"."things" ("organization_id", "thing_id") ON DELETE CASCADE
);
COMMENT ON TABLE "shop"."things_parts" IS 'One part of it.';
COMMENT ON COLUMN "shop"."things_parts"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "shop"."things_parts"."_parent_id" IS 'Key of the record that the row belongs to, in things.';
COMMENT ON COLUMN "shop"."things_parts"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "shop"."things_parts"."name" IS 'Name of the part.';
COMMENT ON COLUMN "shop"."things_parts"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';

CREATE TABLE "shop"."things_parts_serials" (
  "organization_id" text COLLATE "C" NOT NULL,
  "_parent_id" text COLLATE "C" NOT NULL,
  "_parent_position" integer NOT NULL,
  "_position" integer NOT NULL,
  "serial" text COLLATE "C",
  "_deleted_at" timestamp with time zone,
  PRIMARY KEY ("organization_id", "_parent_id", "_parent_position", "_position"),
  FOREIGN KEY ("organization_id", "_parent_id", "_parent_position")
    REFERENCES "shop"."things_parts" ("organization_id", "_parent_id", "_position") ON DELETE CASCADE
);
COMMENT ON TABLE "shop"."things_parts_serials" IS 'The number of a part.';
COMMENT ON COLUMN "shop"."things_parts_serials"."organization_id" IS 'Identifier upstream of the organization that the row belongs to.';
COMMENT ON COLUMN "shop"."things_parts_serials"."_parent_id" IS 'Key of the record that the row belongs to, in things.';
COMMENT ON COLUMN "shop"."things_parts_serials"."_parent_position" IS 'Position of the element that the row belongs to, in things_parts.';
COMMENT ON COLUMN "shop"."things_parts_serials"."_position" IS 'Place of the element in its array upstream, from 0.';
COMMENT ON COLUMN "shop"."things_parts_serials"."serial" IS 'The number itself, as printed.';
COMMENT ON COLUMN "shop"."things_parts_serials"."_deleted_at" IS 'When the record that the row belongs to was found to be gone upstream; null while it exists.';
