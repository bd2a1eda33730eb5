// Certificates for tests, made by openssl: an authority, and server certificates that it signs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type Authority = Disposable & {
  readonly directory: string;
  readonly ca: string; // the path of its certificate
  /** For these names, e.g. "IP:127.0.0.1". */
  issue(name: string, names: readonly string[]): { cert: string; key: string };
};

export function newAuthority(): Authority {
  const directory = mkdtempSync(join(tmpdir(), "qd-tls-"));
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) =>
    void execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const about = ["-days", "2", "-subj", "/CN=a test of Quarterdeck"];
  openssl("req", "-x509", ...curve, ...about, "-keyout", "ca.key", "-out", "ca.pem");
  return {
    directory,
    ca: at("ca.pem"),
    issue(name, names) {
      writeFileSync(at(`${name}.ext`), `subjectAltName=${names.join(",")}\n`);
      openssl(
        "req",
        ...curve,
        "-subj",
        `/CN=${name}`,
        "-keyout",
        `${name}.key`,
        "-out",
        `${name}.csr`,
      );
      const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
      openssl(
        "x509",
        "-req",
        "-in",
        `${name}.csr`,
        ...signed,
        "-extfile",
        `${name}.ext`,
        "-out",
        `${name}.pem`,
      );
      return { cert: at(`${name}.pem`), key: at(`${name}.key`) };
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}
