// The connection to the database is encrypted where that is configured, and only its own certificate is accepted.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { after, test } from "node:test";
import { newAuthority } from "../../support/servers/certificates.ts";
import { startPostgres } from "../../support/postgres/postgres.ts";
import { owned, userForPostgres } from "../../support/postgres/binaries.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";

const authority = newAuthority();
const stranger = newAuthority();
after(() => {
  authority[Symbol.dispose]();
  stranger[Symbol.dispose]();
});
const here = authority.issue("here", ["IP:127.0.0.1", "DNS:localhost"]);
const elsewhere = authority.issue("elsewhere", ["DNS:elsewhere.example"]);

test("[S] the way to the database is encrypted, and checked against the authority that was named", async () => {
  const user = userForPostgres();
  for (const path of [authority.directory, here.cert, here.key]) owned(path, user);
  chmodSync(here.key, 0o600);
  const settings = { ssl: "on", ssl_cert_file: here.cert, ssl_key_file: here.key };
  await using postgres = await startPostgres({ fsync: false, settings });
  using place = newTestHome({ database_patience_ms: 2_000 });
  const database = await postgres.database();
  const status = (parameters: string, url = database) =>
    quarterdeck(["doctor", "--home", place.home], {
      env: { QUARTERDECK_DATABASE_URL: `${url}?${parameters}` },
    });
  const trusted = await status(`sslmode=verify-full&sslrootcert=${authority.ca}`);
  assert.match(trusted.stdout, /ok {7}database: connected with TLS/, trusted.stdout);
  const plain = await status("sslmode=disable");
  assert.match(plain.stdout, /connected without TLS/);
  const blind = await status("sslmode=no-verify");
  assert.match(blind.stdout, /connected with TLS/);
  for (const [parameters, url] of [
    [`sslmode=verify-full&sslrootcert=${stranger.ca}`, database],
    ["sslmode=verify-full", database],
  ] as const) {
    const refused = await status(parameters, url);
    assert.match(
      refused.stdout,
      /PROBLEM {2}database: The certificate of the database .* not trusted/,
    );
  }
});

test("[S] a certificate of another host is not the database's", async () => {
  const user = userForPostgres();
  for (const path of [authority.directory, elsewhere.cert, elsewhere.key]) owned(path, user);
  chmodSync(elsewhere.key, 0o600);
  const settings = { ssl: "on", ssl_cert_file: elsewhere.cert, ssl_key_file: elsewhere.key };
  await using postgres = await startPostgres({ fsync: false, settings });
  using place = newTestHome({ database_patience_ms: 2_000 });
  const url = `${postgres.url}?sslmode=verify-full&sslrootcert=${authority.ca}`;
  const env = { QUARTERDECK_DATABASE_URL: url };
  for (const command of ["serve", "work"]) {
    const refused = await quarterdeck([command, "--home", place.home, "--port", "0"], { env });
    assert.equal(refused.code, 3, "it is not waited for");
    assert.match(
      refused.stderr,
      /^The certificate of the database at .* \(ERR_TLS_CERT_ALTNAME_INVALID\): /,
    );
  }
});
