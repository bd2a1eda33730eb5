// TLS files: the server's certificate, and what our own clients trust beside the system's authorities.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { type Config, UsageError } from "../config.ts";

export type Certificate = { readonly cert: string; readonly key: string };

/** Undefined: plain HTTP. Refused before anything listens, not at the first handshake. */
export function certificateOf({ tls_cert, tls_key }: Config): Certificate | undefined {
  if (tls_cert === undefined || tls_key === undefined) return undefined;
  const [cert, key] = [textOf("--tls-cert", tls_cert), textOf("--tls-key", tls_key)];
  let fits: boolean;
  try {
    fits = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    throw new UsageError("--tls-cert and --tls-key must be a certificate and its key, as PEM.", 3);
  }
  if (!fits) throw new UsageError("The key of --tls-key does not belong to --tls-cert.", 3);
  return { cert, key };
}

/**
 * For `attach` and `terminal`: the authority that was named, else the server's own certificate, which may have
 * signed itself. Everything they would trust anyway (NODE_EXTRA_CA_CERTS too) stays.
 */
export function trustOwnServer({ tls_ca, tls_cert }: Config): void {
  const path = tls_ca ?? tls_cert;
  if (path === undefined) return;
  const trusted = textOf(tls_ca === undefined ? "--tls-cert" : "--tls-ca", path);
  setDefaultCACertificates([...getCACertificates("default"), trusted]);
}

function textOf(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${flag} ${path} cannot be read (${code}).`, 3);
  }
}
