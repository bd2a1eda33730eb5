// Hostile content, put wherever content can stand: nothing of it runs, loads, styles, covers or hides
// anything. A listener outside the page must never hear of it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { overflow, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";
import { openGroups } from "./support/transcript.ts";

const heard: string[] = [];
const canary = createServer((request, response) => {
  heard.push(request.url ?? "");
  response.end("<script>globalThis.pwned = 1</script>");
});
inBrowser({}, async () => {
  canary.listen(0, "127.0.0.1");
  await once(canary, "listening");
});
after(() => void canary.close());

function corpus(name: string): string[] {
  const text = readFileSync(new URL(`corpus/${name}`, import.meta.url), "utf8");
  const rows = name.endsWith(".json")
    ? (JSON.parse(text) as string[])
    : text.split("\n").filter(Boolean);
  const host = `127.0.0.1:${(canary.address() as AddressInfo).port}`;
  return rows.map((row) =>
    row.replaceAll("{{canary}}", `http://${host}`).replaceAll("{{host}}", host),
  );
}

/** What a script directive can carry: one line. */
const oneLine = (text: string) => text.replaceAll(/[\r\n]/g, " ");

/** A message of its own: what is said in one turn is one message, and a call ends the turn. */
const apart = (text: string) => [`say ${text}`, "todo go on"];

async function everyWidth(flow: (window: Window) => Promise<void>): Promise<void> {
  const widths: BrowserContextOptions[] = [{}, PHONE];
  for (const options of widths) {
    const window = await openWindow(browser, program, options);
    const dialogs: string[] = [];
    window.page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await flow(window);
    await unfoldAll(window.page);
    await assertHarmless(window);
    assert.deepEqual(dialogs, []);
    await window.page.context().close();
  }
}

/** Everything on the screen, and everything open. */
async function unfoldAll(page: Page): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 1280 };
  await page.setViewportSize({ width, height: 16_000 });
  await openGroups(page);
  await page.evaluate(`{
    for (const details of document.querySelectorAll('[role="log"] details')) details.open = true;
    for (const button of document.querySelectorAll('[role="log"] [aria-expanded="false"]')) button.click();
  }`);
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
}

async function assertHarmless({ page, problems }: Window): Promise<void> {
  const found = await page.evaluate<Record<string, unknown>>(`(() => {
    const log = document.querySelector('[role="log"]');
    const all = [...log.querySelectorAll("*")];
    const names = (elements) => elements.map((element) => element.outerHTML.slice(0, 160));
    return {
      pwned: globalThis.pwned ?? null,
      active: names([...document.querySelectorAll("body script, object, embed, base, meta[http-equiv], video, audio, style")]),
      elsewhere: names([...document.querySelectorAll("link[href]")].filter(({ href }) => new URL(href).origin !== location.origin)),
      frames: [...document.querySelectorAll("iframe")].map((frame) => [new URL(frame.src).pathname, frame.getAttribute("sandbox")].join(" ")),
      images: names(all.filter((e) => e.tagName === "IMG" && !e.src.startsWith("data:image/svg+xml"))),
      links: names(all.filter((e) => e.tagName === "A" && !/^(https?:|mailto:|\\/s\\/|\\/api\\/)/.test(e.getAttribute("href") ?? "/s/"))),
      handlers: names(all.filter((e) => [...e.attributes].some(({ name }) => name.startsWith("on")))),
      styled: names(all.filter((e) => e.closest('[data-part="text"]') && e.hasAttribute("style"))),
      forms: names(all.filter((e) => e.tagName === "FORM" || (e.tagName === "INPUT" && e.closest('[data-part="text"]') && !(e.type === "checkbox" && e.disabled)))),
      fixed: names(all.filter((e) => ["fixed", "sticky"].includes(getComputedStyle(e).position))),
      hidden: [...document.querySelectorAll("body *")]
        .filter((e) => [...e.childNodes].some((node) => node.nodeType === 3 && /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u2060\\ufeff\\u{e0000}-\\u{e007f}]/u.test(node.data)))
        .map((e) => e.tagName + " " + e.className + " in " + (e.closest("[data-item]")?.dataset.item ?? "the page")),
      title: /[\\u202a-\\u202e\\u200b]/.test(document.title),
    };
  })()`);
  assert.deepEqual(
    { ...found, frames: null },
    {
      pwned: null,
      active: [],
      elsewhere: [],
      frames: null,
      images: [],
      links: [],
      handlers: [],
      styled: [],
      forms: [],
      fixed: [],
      hidden: [],
      title: false,
    },
  );
  const frames = found["frames"] as string[];
  assert.ok(
    frames.every((frame) => frame === "/diagram allow-scripts"),
    frames.join(),
  );
  // The bar above and the field below are still what a finger would reach.
  await page.getByRole("textbox", { name: "Message" }).click({ trial: true });
  await page.getByRole("button", { name: "Session settings" }).click({ trial: true });
  assert.deepEqual(await overflow(page), []);
  assert.deepEqual(problems, []);
  assert.deepEqual(heard, []);
}

const FINE = "```mermaid\\ngraph TD\\nA[Start] --> B[End]\\n```";
const PROSE = ["markdown.txt", "html.txt", "svg.txt", "links.txt", "hidden.json"];

test("[S] in answers, thoughts and messages", async () => {
  await everyWidth(async (window) => {
    const rows = PROSE.flatMap(corpus).map(oneLine);
    await say(
      window,
      ["pace 0", ...rows.flatMap((row) => [`think ${row}`, ...apart(row)])].join("\n"),
    );
    await runIs(window.page, "completed");
    await unfoldAll(window.page);
    const text = (await window.page.getByRole("log").textContent()) ?? "";
    assert.ok(text.includes("<script>globalThis.pwned=1</script>"), "shown as what it is");
  });
});

test("[S] in formulas and diagrams", async () => {
  await everyWidth(async (window) => {
    const { page } = window;
    const rows = ["maths.txt", "diagrams.txt"].flatMap(corpus);
    await say(
      window,
      ["pace 0", ...[...rows, FINE, String.raw`$x^2$ last`].flatMap(apart)].join("\n"),
    );
    await runIs(page, "completed");
    await page.setViewportSize({ width: page.viewportSize()?.width ?? 1280, height: 16_000 });
    await page.locator('[data-item="text"]').filter({ hasText: "last" }).locator("math").waitFor();
    // Each is given up, and its source is shown; the harmless one is a picture.
    await page.getByRole("img", { name: /^Diagram/ }).waitFor();
    const givenUp = page.getByText("This diagram cannot be drawn.");
    await givenUp.nth(corpus("diagrams.txt").length - 1).waitFor();
    assert.equal(await page.locator("figure img").count(), 1);
  });
});

test("[S] whatever reaches the frame diagrams are drawn in stays in it", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, `pace 0\nsay ${FINE}`);
  await page.getByRole("img", { name: /^Diagram/ }).waitFor();
  const texts = corpus("diagrams.txt").map((row) =>
    row.replaceAll(String.raw`\n`, "\n").replaceAll(/^.*\n|\n.*$/g, ""),
  );
  const drawn = await page.evaluate<(string | null)[]>(`(async () => {
    const frame = document.querySelector("iframe");
    const draw = (text, id) => new Promise((resolve) => {
      addEventListener("message", ({ source, data }) => {
        if (source === frame.contentWindow && data.id === id) resolve(data.svg);
      });
      frame.contentWindow.postMessage({ id, text, dark: false }, "*");
    });
    const drawn = [];
    for (const [at, text] of ${JSON.stringify(texts)}.entries()) drawn.push(await draw(text, 1_000 + at));
    return drawn;
  })()`);
  assert.ok(drawn.filter((svg) => svg !== null).length >= 3, "some are drawn after all");
  await page.evaluate(
    `Promise.all(${JSON.stringify(drawn.filter(Boolean))}.map((svg) => {
      const image = new Image();
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
      document.body.append(image);
      return image.decode().catch(() => {});
    }))`,
  );
  assert.deepEqual(heard, [], "nothing left the frame, nor the pictures");
  assert.equal(await page.evaluate("globalThis.pwned ?? null"), null);
  await assert.rejects(
    page
      .frames()
      .find((frame) => frame.url().includes("/diagram"))
      ?.evaluate("parent.document.title") ?? Promise.resolve(),
    /cross-origin|SecurityError/i,
  );
  await page.context().close();
});

test("[S] the frame's page has no origin and no network, and takes no file but its two", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, `pace 0\nsay ${FINE}`);
  await page.getByRole("img", { name: /^Diagram/ }).waitFor();
  const address = await page.evaluate<string>("document.querySelector('iframe').src");
  const answer = await fetch(address);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+'; style-src/);
  assert.match(policy, /frame-ancestors 'self'; sandbox allow-scripts$/);
  assert.ok(!/connect-src|img-src|\*|http|'self'(?<!ancestors 'self')/.test(policy), policy);
  for (const name of [
    "../index.html",
    "index-abc.js",
    "mermaid.tiny-none.js",
    "x%22%3E%3Cscript%3E",
  ]) {
    const other = address.replace(/library=[^&]*/, `library=${name}`);
    assert.equal((await fetch(other)).status, 404, name);
  }
  await page.context().close();
});

test("[S] in commands, their output, files and their names", async () => {
  await writeFile(join(program.workspace, "ansi.txt"), corpus("ansi.json").join("\n"));
  await writeFile(
    join(program.workspace, "rows.txt"),
    [...PROSE.flatMap(corpus), ...corpus("maths.txt")].join("\n"),
  );
  await everyWidth(async (window) => {
    const { page } = window;
    const names = corpus("file-names.json");
    const script = [
      "read rows.txt",
      "read ansi.txt",
      "search pwned",
      ...names.flatMap((name) => [`write ${name} ${name}`, `read ${name}`]),
      "list .",
      `edit rows.txt | nowhere | ${oneLine(corpus("html.txt").join(" "))}`,
      "exec cat ansi.txt rows.txt",
    ];
    await say(window, ["pace 0", ...script].join("\n"));
    await page.getByRole("button", { name: "Allow once" }).click();
    await runIs(page, "completed");
    const output = page.getByLabel("Output").last();
    await output.getByText("over everything").first().waitFor();
    const shown = (await output.textContent()) ?? "";
    assert.ok(
      !shown.includes("\u001b") && !shown.includes("]8;;") && !shown.includes("pwned title"),
    );
    assert.equal(await output.locator("a").count(), 0, "no links out of a terminal");
    assert.equal(await output.locator('[data-color="red"]').first().textContent(), "red");
  });
});

test("[S] in titles, plans, lists, questions and approvals", async () => {
  await everyWidth(async (window) => {
    const { page } = window;
    const rows = [
      ...corpus("titles.json"),
      ...corpus("hidden.json"),
      ...corpus("svg.txt").slice(0, 2),
    ]
      .map(oneLine)
      .map((row) => row.replaceAll(/[;|:]/g, " "));
    const [first = "", second = "", third = ""] = rows;
    const script = [
      `say ${first}`,
      `plan ${rows.join(" ; ")}`,
      "step 1",
      `todo ${rows.join(" ; ")}`,
      `remember ${second}`,
      `delegate ${third}: say ${first} ;; think ${second}`,
    ];
    await say(
      window,
      [...script, `clarify ${rows.slice(0, 8).join(" ")} | ${first} | yes`].join("\n"),
    );
    await page.getByRole("button", { name: "yes", exact: true }).click({ timeout: 60_000 });
    await runIs(page, "completed");
    for (const row of corpus("titles.json")) {
      await say(window, `exec echo ${oneLine(row)}`);
      const approval = page.getByRole("region", { name: "Approval" });
      await approval.waitFor();
      assert.ok(!/[\u202e\u200b]/.test((await approval.textContent()) ?? ""));
      await approval.getByRole("button", { name: "Deny" }).click();
      await runIs(page, "completed");
    }
  });
});

test("[S] [B] too deep, too wide and too long is shown without taking the page's breath away", async () => {
  await everyWidth(async (window) => {
    const { page } = window;
    const rows = [
      ">".repeat(2_000) + " deep",
      `${"[".repeat(3_000)}x`,
      "*".repeat(3_000),
      "`".repeat(3_001) + "x",
      "_a*b".repeat(600),
      "$".repeat(2_000),
      String.raw`|${"a|".repeat(200)}\n|${"-|".repeat(200)}\n` +
        String.raw`|${"a|".repeat(200)}\n`.repeat(8),
      String.raw`- x\n`.repeat(500),
    ];
    await say(window, ["pace 0", ...rows.flatMap(apart), "say the end"].join("\n"));
    await runIs(page, "completed");
    await page.getByText("the end", { exact: true }).waitFor();
  });
});
