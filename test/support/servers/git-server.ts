// A real git repository behind git's own HTTP backend, on this machine only.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const WHO = ["-c", "user.name=test", "-c", "user.email=test@example.org"];

export async function gitServer() {
  const root = mkdtempSync(join(tmpdir(), "qd-git-"));
  const work = join(root, "work");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: work, stdio: "pipe" });
  mkdirSync(work);
  git("init", "-q", "-b", "main");
  const server = createServer((request, response) => void answer(root, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    root,
    url: `http://127.0.0.1:${port}/work/.git`,
    commit(files: Readonly<Record<string, string>>) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, name)), { recursive: true });
        writeFileSync(join(work, name), text);
      }
      git("add", "-A");
      git(...WHO, "commit", "-q", "-m", "change");
    },
    git,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** CGI: its head, an empty line, its body. */
async function answer(root: string, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname.startsWith("/elsewhere")) {
    response
      .writeHead(302, { location: url.pathname.replace("/elsewhere", "") + url.search })
      .end();
    return;
  }
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"],
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
      GIT_PROTOCOL: request.headers["git-protocol"] as string | undefined,
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(child.stdin);
  const parts: Buffer[] = [];
  for await (const part of child.stdout) parts.push(part as Buffer);
  const all = Buffer.concat(parts);
  const end = all.indexOf("\r\n\r\n");
  const head = all.subarray(0, end).toString().split("\r\n");
  const fields = head.map((line) => line.split(": ") as [string, string]);
  const status = fields.find(([name]) => name === "Status")?.[1] ?? "200";
  const headers = fields.filter(([name]) => name !== "Status");
  response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers));
  response.end(all.subarray(end + 4));
}
