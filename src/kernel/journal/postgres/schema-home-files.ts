// As ../migrations/012-home-files.ts.
export const homeFiles = `
CREATE TABLE home_notes (
  home text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  profile text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  hash text NOT NULL,
  at double precision NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  source text,
  installed_hash text,
  PRIMARY KEY (home, kind, profile, name)
);
CREATE TABLE skill_uses (
  profile text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  uses bigint NOT NULL,
  last_at double precision NOT NULL,
  PRIMARY KEY (profile, name)
);
ALTER TABLE sessions ADD COLUMN skills text NOT NULL DEFAULT '{}';
`;
