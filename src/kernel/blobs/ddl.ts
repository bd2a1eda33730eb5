// The tables of blobs in Postgres. A row without a hash is an unfinished upload: no reader can find it, and it is deleted
// with its chunks when no process has touched it for a day.

export const BLOBS_DDL = `
create table blobs (
  upload_id uuid primary key,
  sha256 text unique check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint,
  chunk_bytes integer not null check (chunk_bytes > 0),
  touched_at timestamptz not null default now(),
  check ((sha256 is null) = (bytes is null))
);
create index blobs_unfinished on blobs (upload_id) where sha256 is null;
create table blob_chunks (
  upload_id uuid not null references blobs (upload_id) on delete cascade,
  part integer not null check (part >= 0),
  bytes bytea not null,
  primary key (upload_id, part)
);
alter table blob_chunks alter column bytes set storage external;
`;
