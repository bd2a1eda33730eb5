// H70 to H79: how the panel shows it, as a browser draws it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { until } from "../../support/until.ts";
import { of } from "./frames.ts";
import { callOf } from "./tools.ts";
import { seen, type Panel } from "./window.ts";
import type { Fields, World } from "./world.ts";
import type { Row } from "../suite.ts";

type Branch = { readonly type: string; readonly below: readonly Branch[] };
/** One part of a row from left to right: what it is, where it begins, how wide it is, what it says. */
type Part = {
  readonly tag: string;
  readonly left: number;
  readonly width: number;
  readonly text: string;
};
type ShownRow = {
  readonly type: string;
  readonly status: string;
  readonly isPast: boolean; // it stands in the group of what was replayed
  readonly opacity: number;
  readonly pulses: boolean;
  readonly colour: string; // of its dot
  readonly icon: string;
  readonly parts: readonly Part[];
};

/** What happens before the window's eyes: a message, its turn, 30 reads and a command. */
const NEWS = 33;

/** Every row of the feed as it is drawn. */
const rowsOf = ({ page }: Panel) =>
  page.evaluate<
    ShownRow[]
  >(`[...document.querySelectorAll("[data-hud] [data-row][data-type]")].map((row) => {
    const [dot, icon] = row.children;
    const endless = (each) => each.playState === "running" && each.effect.getTiming().iterations === Infinity;
    return {
      type: row.dataset.type,
      status: row.dataset.status,
      isPast: row.closest("section[aria-label^=Before]") !== null,
      opacity: Number(getComputedStyle(row).opacity),
      pulses: row.getAnimations({ subtree: true }).some(endless),
      colour: getComputedStyle(dot).backgroundColor,
      icon: icon.innerHTML,
      parts: [...row.children].filter((part) => !part.matches(".visually-hidden")).map((part) => {
        const { left, width } = part.getBoundingClientRect();
        return { tag: part.localName, left, width, text: part.textContent };
      }),
    };
  })`);
const labelled = (rows: readonly ShownRow[], words: string) => {
  const row = rows.find(({ parts }) => parts[2]?.text === words);
  assert.ok(row, words);
  return row;
};
const toolRow = ({ page }: Panel, words: string) =>
  page.locator('[data-hud] [data-type="tool"]').filter({ hasText: words });
const opened = ({ page }: Panel, name: "Arguments" | "Result") =>
  page.locator("[data-hud]").getByRole("group", { name });

export const PANEL_ROWS: readonly Row<World>[] = [
  {
    id: "H70",
    says: "The panel is a tree: turns at the root, tools and thoughts below them.",
    check: seen(async (panel, { snapshots }) => {
      await panel.open(snapshots.thinking.events[0]?.sessionId ?? "");
      const roots = await panel.page.evaluate<Branch[]>(`(() => {
        const branches = (list) => [...(list?.children ?? [])].map((item) => ({
          type: item.querySelector(":scope > button").dataset.type,
          below: branches(item.querySelector(":scope > ul")),
        }));
        return branches(document.querySelector("[data-hud] ul"));
      })()`);
      const [turn, ...more] = roots.filter(({ type }) => type !== "received");
      assert.deepEqual([turn?.type, more], ["turn", []]);
      const below = turn?.below.map(({ type }) => type);
      assert.deepEqual(below, ["think", "tool", "think"]);
    }),
  },
  {
    id: "H71",
    says: "Each row is a state dot, an icon, a label and a duration badge.",
    check: seen(async (panel, { work }) => {
      await panel.open(work);
      const rows = await rowsOf(panel);
      for (const { type, parts } of rows) {
        const badge = type === "received" ? [] : ["span"];
        const tags = parts.map(({ tag }) => tag);
        assert.deepEqual(tags, ["span", "svg", "span", ...badge]);
        assert.ok(parts.every(({ width }) => width > 0));
        assert.ok(parts.every(({ left }, at) => left > (parts[at - 1]?.left ?? 0)));
        assert.match(parts[3]?.text ?? "1 ms", /^[\d.,]+ (ms|s)$/);
      }
      const colours = new Set(rows.map(({ colour }) => colour));
      assert.equal(colours.size, 3, "of what was received, what went well and what failed");
    }),
  },
  {
    id: "H72",
    says: "Rows have the emoji of the table as icons.",
    difference:
      "The page draws an icon of its own for each of them (eye, pencil, bolt, globe, search). The emoji stay in `label`, for other clients.",
    check: seen(async (panel, { work }) => {
      await panel.open(work);
      const rows = await rowsOf(panel);
      const words = ["a.txt:L2–L4", "a.txt (overwrite)", "sleep 300", "a.txt:L2–L3"];
      const [read, write, exec, edit] = words.map((each) => labelled(rows, each).icon);
      assert.equal(new Set([read, write, exec]).size, 3);
      assert.equal(edit, write);
    }),
  },
  {
    id: "H73",
    says: "A click on a row shows its arguments and its result as formatted JSON.",
    check: seen(async (panel, { live, work }) => {
      await panel.open(work);
      const { args, result } = callOf(live, "read");
      const row = toolRow(panel, "a.txt:L2–L4");
      await row.click();
      const shown = (name: "Arguments" | "Result") =>
        opened(panel, name).locator("pre").textContent();
      assert.equal(await shown("Arguments"), JSON.stringify(args, null, 2));
      assert.equal(await shown("Result"), JSON.stringify(result, null, 2));
      await row.click();
      assert.equal(await opened(panel, "Arguments").count(), 0, "and another one hides them");
    }),
  },
  {
    id: "H74",
    says: "The whole output of a tool can be inspected from the panel.",
    check: seen(async (panel, { work }) => {
      await panel.open(work);
      const { page } = panel;
      const command = toolRow(panel, "head -c 40000").nth(1);
      await command.click();
      const download = page.waitForEvent("download");
      await opened(panel, "Result").getByRole("link", { name: "Download all 40.0 kB" }).click();
      assert.equal((await readFile(await (await download).path())).length, 40_000);
      await command.click();
      await toolRow(panel, "long.txt (overwrite)").click();
      await opened(panel, "Arguments")
        .getByRole("link", { name: /^Show all 4\d\.\d kB$/ })
        .click();
      const event = page.locator('[data-type="tool.intent"][aria-selected="true"]');
      await event.getByRole("button", { name: /^Whole event/ }).click();
      await event.getByRole("button", { name: /^Show all of it/ }).click();
      assert.ok(((await event.locator("pre").textContent()) ?? "").length > 40_000);
    }),
  },
  {
    id: "H75",
    says: "Rows that were replayed have a reduced opacity.",
    check: seen(async (panel, { work }) => {
      await panel.openAndGoOn(work);
      const rows = await rowsOf(panel);
      assert.ok(rows.some(({ isPast }) => isPast));
      for (const { isPast, opacity } of rows) assert.equal(opacity < 1, isPast);
      assert.equal(rows.filter(({ opacity }) => opacity === 1).length, NEWS);
    }),
  },
  {
    id: "H76",
    says: "Running rows pulse.",
    check: seen(async (panel, { work }) => {
      await panel.openAndGoOn(work);
      const pulsing = (await rowsOf(panel)).filter(({ pulses }) => pulses);
      const shown = pulsing.map(({ type, status }) => `${type} ${status}`);
      assert.deepEqual(shown, ["turn running", "tool running"]);
    }),
  },
  {
    id: "H77",
    says: "At most the last 50 nodes are visible, and how many is configurable.",
    check: seen(async (panel, { work }) => {
      await panel.openAndGoOn(work);
      const rows = await rowsOf(panel);
      assert.equal(rows.length, 50);
      assert.equal(rows.at(-1)?.parts[2]?.text, "sleep 300", "the last ones");
      const limit = panel.page.getByLabel("Show the last");
      const choices = (await limit.locator("option").allTextContents()).join();
      assert.equal(choices, "20,50,100,200,all");
      await limit.selectOption("20");
      await until(async () => (await rowsOf(panel)).length === 20, "20 rows");
      await limit.selectOption("all");
      await until(async () => (await rowsOf(panel)).length > 50, "all rows");
    }),
  },
  {
    id: "H78",
    says: "Replayed nodes can be folded as a group.",
    check: seen(async (panel, { work }) => {
      await panel.openAndGoOn(work);
      await panel.page.getByRole("button", { name: /^Replayed: \d+ rows/ }).click();
      const left = await rowsOf(panel);
      assert.equal(left.length, NEWS);
      assert.ok(left.every(({ isPast }) => !isPast));
    }),
  },
  {
    id: "H79",
    says: "Open questions: whether every message is emitted, whether thoughts are stored, how much text is kept.",
    difference:
      "Every message is told, with a preview of 80 characters; a thought's text is in its `think_end`; texts are kept up to 16 KiB, with a reference to the whole.",
    check: ({ live, talk, recorded: { thinking, plan } }) => {
      assert.equal(of(plan, "received", { subtype: "message" }).length, 2);
      const [message] = of(talk, "received", { subtype: "message" });
      const { preview } = (message?.["payload"] ?? {}) as Fields;
      assert.equal(String(preview).length, 80);
      assert.match(String(of(thinking, "think_end")[0]?.["text"]), /^The log should say/);
      const long = of(live, "tool_end", { tool: "exec" })
        .map(({ result }) => result as Fields)
        .find(({ full }) => full !== undefined);
      assert.ok(long?.["truncated"] === true && String(long["stdout"]).length < 17_000);
    },
  },
];
