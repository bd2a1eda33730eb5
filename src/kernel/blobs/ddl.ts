// The tables of blobs in Postgres. A row without a hash is an upload that is not over: nobody can find
// it, and it is swept once nobody has touched it for a day. Its chunks go with it.
// EXTERNAL: contents are often compressed already, and a part of a chunk is read without the rest.

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
