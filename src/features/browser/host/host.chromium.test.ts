// The browser host with a real Chromium: what it reads and does, and what pages that mean no good get out of it.
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { kill } from "../../../../test/support/kill.ts";
import { until } from "../../../../test/support/until.ts";
import { webServer, type WebServer } from "../../../../test/support/servers/web-server.ts";
import { startHost, type TestHost } from "./test-support.ts";
import { MAX_TABS } from "./tabs.ts";

const HOST = "127.0.0.1";
const PAGES: Record<string, string> = {
  "/form": `<title>Form</title><h1>Deck</h1><a href="/form?two">Two</a>
    <form action="/sent"><label>Name <input name=n></label><label>Word <input type=password name=p value=hunter2></label>
    <select name=c aria-label=Colour><option>red<option>blue</select><button>Go</button></form>
    <button disabled>Not now</button><button class=many>a</button><button class=many>b</button>`,
  "/huge": `<h1>Huge</h1><script>for (let i = 0; i < 30000; i += 1) {
    const p = document.createElement("p"); p.textContent = "word " + i; document.body.append(p); }</script>`,
  "/alerts": `<script>alert("hello")</script><h1>After</h1><button onclick="for(;;) alert('again')">Ask</button>`,
  "/popups": `<h1>Popups</h1><button onclick="for (let i = 0; i < 3; i += 1) window.open('/form?' + i)">More</button>
    <button onclick="for (let i = 0; i < 60; i += 1) window.open('/form?' + i)">Many</button>`,
  "/loop": `<h1>Loop</h1><button onclick="for(;;);">Hang</button>`,
  "/inside": `<h1>Inside</h1><img src="http://127.0.0.2:8080/x.png"><iframe src="http://169.254.169.254/"></iframe>`,
  "/late-click": `<h1>Late</h1><button id=t>Go</button><script>t.onmousemove = () => {
    t.animate([{ marginLeft: "0" }, { marginLeft: "400px" }], 60000);
    setTimeout(() => (location.href = "http://localhost:" + location.port + "/theirs"), 200); };</script>`,
  "/late-enter": `<h1>Late</h1><input id=t><script>
    t.oninput = () => { t.remove(); location.href = "http://localhost:" + location.port + "/theirs"; };</script>`,
  "/theirs": `<form action="/acted"><button>Pay</button></form>
    <script>document.forms[0].firstChild.id = "t"</script>`,
  "/blank": `<h1>Blank</h1><button onclick="document.documentElement.remove()">Clear</button>`,
  "/tall": `<div style="height: 200000px; background: linear-gradient(red, blue)">tall</div>`,
};

function answer({ url = "" }: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(url, "http://x");
  const to = (location: string) => response.writeHead(302, { location }).end();
  if (pathname === "/to-private") return void to("http://127.0.0.2/secret");
  if (pathname === "/to-file") return void to("file:///etc/passwd");
  if (pathname === "/to-localhost") return void to(`http://localhost:${web.port}/form`);
  if (pathname === "/download") {
    return void response
      .writeHead(200, { "content-disposition": "attachment; filename=evil.sh" })
      .end("x");
  }
  if (pathname === "/cookie") response.setHeader("set-cookie", "secret=1");
  response.setHeader("content-type", "text/html");
  response.end(
    PAGES[pathname] ??
      `<h1>At ${pathname}</h1><a href="http://localhost:${web.port}/form">away</a>`,
  );
}

let web: WebServer;
let host: TestHost;
before(async () => {
  web = await webServer(answer);
  host = await startHost();
});
after(async () => {
  await host[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
});
const open = (path: string) => ({ action: "open", url: `${web.origin}${path}` }) as const;
const click = (target: string) => ({ action: "click", host: HOST, target }) as const;
const read = (selector?: string) => ({ action: "read", selector }) as const;
const refOf = (text: string | null, what: string) =>
  new RegExp(`${what}.*?\\[ref=(\\w+)\\]`).exec(text ?? "")?.[1] ??
  assert.fail(`no ${what} in ${text}`);

test("[BR5] a page is read with refs, typed into and clicked by them; passwords stay in it", async () => {
  const page = await host.sees(open("/form"));
  assert.deepEqual([page.title, page.host, page.status], ["Form", HOST, 200]);
  assert.doesNotMatch(page.text ?? "", /hunter2/);
  const field = refOf(page.text, 'textbox "Name"');
  const typed = { action: "type", host: HOST, target: field, text: "Ada", submit: false } as const;
  assert.match((await host.sees(typed)).text ?? "", /textbox "Name".*: Ada/);
  const colour = refOf(page.text, 'combobox "Colour"');
  await host.sees({ ...typed, target: colour, text: "blue" });
  const sent = await host.sees(click(refOf(page.text, 'button "Go"')));
  assert.match(sent.url, /\/sent\?n=Ada&p=hunter2&c=blue$/);
  await host.sees(open("/form"));
  const entered = await host.sees({ ...typed, target: "input[name=n]", submit: true });
  assert.match(entered.url, /\/sent\?n=Ada/);
});

test("[BR5] what is not there, not one, or not to be clicked is refused, and nothing was sent", async () => {
  const { text } = await host.sees(open("/form"));
  const before_ = web.requests.length;
  for (const target of ["e999", ".many", "#nothing", ">>>", 'button:has-text("Not now")']) {
    assert.equal((await host.refuses(click(target))).code, "no_element", target);
  }
  const heading = refOf(text, 'heading "Deck"');
  const into = { action: "type", host: HOST, target: heading, text: "x", submit: true } as const;
  assert.equal((await host.refuses(into)).code, "no_element");
  assert.equal((await host.refuses(read("#nothing"))).code, "no_element");
  assert.equal(web.requests.length, before_);
  assert.match((await host.sees(read("form"))).text ?? "", /button "Go"/);
});

test("[BR3b] nothing of a host that no call was allowed for is read or touched", async () => {
  const led = await host.sees(open("/to-localhost"));
  assert.deepEqual([led.host, led.text, led.title], ["localhost", null, null]);
  assert.match(led.notes.join(), /led to localhost/);
  for (const request of [read(), click("button"), { ...shot, full_page: false }]) {
    assert.equal((await host.refuses(request)).code, "other_host");
  }
  await host.sees(open("/plain"));
  const away = await host.sees(click("a"));
  assert.deepEqual([away.host, away.text], ["localhost", null]);
  assert.equal((await host.refuses(read())).code, "other_host");
  const allowed = await host.sees({ action: "click", host: "localhost", target: "a" });
  assert.match(allowed.url, /localhost:\d+\/form\?two$/);
  assert.match(allowed.text ?? "", /Deck/, "a call was allowed there");
  await host.sees(read());
});
const shot = { action: "screenshot" } as const;

test("[BR3a] a page that leaves for another host in the middle of an action takes the action nowhere", async () => {
  const typing = { action: "type", host: HOST, text: "x", submit: true } as const;
  for (const [path, request] of [
    ["/late-click", click("#t")],
    ["/late-enter", { ...typing, target: "#t" }],
  ] as const) {
    await host.sees(open(path));
    const reply = await host.ask(request);
    const asked = () => web.requests.map(({ url }) => url ?? "");
    await until(() => asked().includes("/theirs"));
    assert.equal(reply.ok ? "done" : reply.error.code, "no_answer", path);
    assert.deepEqual(
      asked().filter((url) => url.startsWith("/acted")),
      [],
      path,
    );
  }
});

test("[BR4c] no page, redirect or subresource reaches what is private; no scheme but the web's is opened", async () => {
  assert.equal((await host.refuses(open("/to-private"))).code, "address_refused");
  assert.equal((await host.refuses(open("/to-file"))).code, "navigation_failed");
  for (const url of ["http://127.0.0.2/", "http://[::1]/", "http://169.254.169.254/"]) {
    assert.equal((await host.refuses({ action: "open", url })).code, "address_refused", url);
  }
  for (const url of [
    "file:///etc/passwd",
    "chrome://version",
    "data:text/html,x",
    "javascript:1",
    "view-source:http://127.0.0.1/",
    "http://me:pw@127.0.0.1/",
    "nonsense",
  ]) {
    assert.equal((await host.refuses({ action: "open", url })).code, "invalid_url", url);
  }
  const { notes, text } = await host.sees(open("/inside"));
  assert.match(text ?? "", /Inside/);
  assert.match(notes.join("\n"), /127\.0\.0\.2 is not on the public internet/);
  assert.match(notes.join("\n"), /169\.254\.169\.254 is not on the public internet/);
});

test("[BR4a] a page that talks past the proxy (WebRTC) finds no way out", async () => {
  const udp = createSocket("udp4");
  let packets = 0;
  udp.on("message", () => (packets += 1));
  await new Promise<void>((resolve) => void udp.bind(0, HOST, resolve));
  PAGES["/calls"] = `<h1 id=emitted></h1><script>(async () => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${udp.address().port}" }] });
    peer.onicecandidate = ({ candidate }) => { emitted.textContent += candidate?.candidate ?? "over"; };
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
  })();</script>`;
  await host.sees(open("/calls"));
  const emitted = async () => (await host.sees(read())).text ?? "";
  const text = await until(async () => {
    const now = await emitted();
    return now.includes("over") ? now : null;
  }, "the end of its search");
  udp.close();
  assert.doesNotMatch(text, /candidate/);
  assert.equal(packets, 0);
});

test("[BR6] a huge page is bounded, and a tall one's picture too", async () => {
  const { text, truncated } = await host.sees(open("/huge"));
  assert.ok(truncated && (text ?? "").length < 41_000);
  const part = await host.sees(read("p:last-of-type"));
  assert.match(part.text ?? "", /word 29999/);
  await host.sees(open("/tall"));
  const { png = "", truncated: cut } = await host.sees({ ...shot, full_page: true });
  const bytes = Buffer.from(png, "base64");
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20), cut], [1280, 8_000, true]);
});

test("[BR6] dialogs are dismissed and emitted; a page that asks without end is closed", async () => {
  const page = await host.sees(open("/alerts"));
  assert.match(page.notes.join(), /A dialog \(alert\) was dismissed: hello/);
  const { code, message } = await host.refuses(click("button"));
  assert.equal(code, "no_answer");
  assert.match(message, /may have had its effect.*one dialog after another/);
  assert.equal((await host.refuses(read())).code, "page_gone");
});

test("[BR6] other tabs are closed and emitted, downloads refused", async () => {
  await host.sees(open("/popups"));
  const few = await host.sees(click('button:text-is("More")'));
  assert.match(few.notes.join(), /opened another tab \(http.*\/form\?0\), which was closed/);
  const many = await host.ask(click('button:text-is("Many")'));
  assert.ok(!many.ok || many.answer.notes.length <= 11);
  const { code, message } = await host.refuses(open("/download"));
  assert.equal(code, "navigation_failed");
  assert.match(message, /a download, which is refused/);
});

test("[BR6b] an action that was done is emitted as done, also where the page cannot be read afterwards", async () => {
  await host.sees(open("/blank"));
  const { text, notes } = await host.sees(click("button"));
  assert.equal(text, null);
  assert.match(notes.join(), /could not be read afterwards/);
});

test("[BR6a] a page that hangs costs its own session only", async () => {
  await host.sees(open("/loop"), "hanging");
  await host.sees(open("/form"), "other");
  const { code } = await host.refuses(click("button"), "hanging");
  assert.equal(code, "no_answer");
  assert.match((await host.sees(read(), "other")).text ?? "", /Deck/);
});

test("[BR2c] sessions share nothing; there are only so many tabs, and who lost one is emitted", async () => {
  assert.equal((await host.refuses(read(), "never opened")).code, "page_gone");
  await host.sees(open("/cookie"), "tab 0");
  await host.sees(open("/plain"), "tab 0");
  const cookieAt = (path: string) =>
    web.requests.findLast(({ url }) => url === path)?.headers.cookie;
  assert.equal(cookieAt("/plain"), "secret=1");
  const others = Array.from({ length: MAX_TABS }, (_, at) => `tab ${at + 1}`);
  await Promise.all(others.map((name) => host.sees(open("/plain"), name)));
  assert.equal(cookieAt("/plain"), undefined, "another session has other cookies");
  const { code, message } = await host.refuses(read(), "tab 0");
  assert.equal(code, "page_gone");
  assert.match(message, /Its tab was closed.*Open it again/);
  for (const name of others) await host.sees(read(), name);
});

test("[BR2] a call whose claim ran out does nothing, and one that is stopped leaves no page behind", async () => {
  await host.sees(open("/form"));
  const { connection } = host;
  const count = web.requests.length;
  const { signal } = new AbortController();
  const late = { tab: "s", request: click("button:text-is('Go')"), notAfter: 0n, signal };
  const reply = await connection.call(late);
  assert.ok(!reply.ok && reply.error.code === "claim_expired");
  const stopped = await host.ask(click("button:text-is('Go')"), "s", AbortSignal.abort());
  assert.ok(!stopped.ok && stopped.error.code === "aborted");
  assert.equal(web.requests.length, count);
});

test("[BR2a] when the host or its browser is killed, nothing of them is left, and what ran is unknown", async () => {
  const mine = `qd-browser-${process.pid}-`;
  const places = () => readdirSync(tmpdir()).filter((name) => name.startsWith(mine));
  const before_ = places();
  const old = join(tmpdir(), "qd-browser-999999999-x"); // nobody has this pid
  mkdirSync(old, { recursive: true });
  for (const what of ["host", "browser"] as const) {
    await using other = await startHost();
    const { pid = 0 } = other.connection;
    await other.sees(open("/loop"));
    const clicked = other.ask(click("button"));
    const victim = what === "host" ? pid : await until(() => chromeOf(pid), "its browser");
    kill(victim, "SIGKILL");
    const reply = await clicked;
    assert.ok(!reply.ok && reply.error.code === "host_died", JSON.stringify(reply));
    await other.connection.ended;
    assert.ok(!existsSync(`/proc/${pid}`));
  }
  assert.deepEqual(places(), before_, "what it wrote is gone");
  assert.ok(!existsSync(old), "and what others left when they were killed");
});

function chromeOf(pid: number): number | undefined {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
  return children[0];
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
