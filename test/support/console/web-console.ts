// The chat page of the Web Console as the real one behaves: it invents the session id, opens its stream before it sends
// and again after it, never with a cursor; a refused stream stays closed. Its reducer shows the transcript and the
// stream: deltas are added to the newest answer, and a completed message replaces it.
import { EventSource } from "eventsource";
import { call, type Server } from "../http.ts";

type Item = { role: "user" | "assistant" | "system"; content: string };
type Payload = { content?: string; error?: string };
type Emitted = { type: string; payload: Payload };
type Transcript = { items: { type: string; content: string }[] };

export class WebConsole implements Disposable {
  items: Item[] = [];
  status = "ready";
  readonly sessionId: string;
  readonly #server: Server;
  #source: EventSource | undefined;

  constructor(url: string, sessionId: string) {
    this.#server = { url, token: "" }; // a page has no token: its proxy adds it
    this.sessionId = sessionId;
  }

  /** Closed for good: the browser does not try again. */
  get isDead(): boolean {
    return this.#source?.readyState === EventSource.CLOSED;
  }

  /** What the person reads. */
  shown(role: Item["role"] = "assistant"): string[] {
    return this.items.filter((item) => item.role === role).map(({ content }) => content.trim());
  }

  /** `meanwhile`: what happens before a first stream, closed by then, is open again. */
  async send(prompt: string, meanwhile?: (runId: string) => Promise<unknown>): Promise<string> {
    this.items.push({ role: "user", content: prompt });
    const isFirst = !this.#source;
    if (isFirst) this.#subscribe();
    const { sessionId: session_id } = this;
    const { body } = await call(this.#server, "POST", "/api/gui/chat/send", { session_id, prompt });
    const { run_id } = body as unknown as { run_id: string };
    if (isFirst) this.#source?.close();
    await meanwhile?.(run_id);
    this.status = "running";
    if (isFirst) this.#subscribe(); // its effect on the session's id
    return run_id;
  }

  /** `meanwhile`: what happens between the answer with the transcript and the stream. */
  async reload(meanwhile?: () => Promise<unknown>): Promise<void> {
    this.#subscribe();
    const path = `/api/gui/sessions/${this.sessionId}/transcript`;
    const referer = `${this.#server.url}/app/`;
    const { body } = await call<Transcript>(this.#server, "GET", path, undefined, { referer });
    this.items = (body as unknown as Transcript).items.flatMap(({ type, content }): Item[] => {
      if (type === "human") return [{ role: "user", content }];
      return type === "assistant" ? [{ role: "assistant", content }] : [];
    });
    await meanwhile?.();
    this.status = "completed"; // it shows this, whatever the run does
    this.#subscribe();
  }

  #subscribe(): void {
    this.#source?.close();
    this.#source = new EventSource(
      `${this.#server.url}/api/gui/stream/session/${encodeURIComponent(this.sessionId)}`,
    );
    this.#source.onmessage = ({ data }) => this.#heard(JSON.parse(data as string) as Emitted);
  }

  #heard({ type, payload }: Emitted): void {
    const text = payload?.content ?? "";
    if (type === "message.assistant.delta") this.#say((before) => before + text);
    if (type === "message.assistant.completed") this.#say(() => text);
    if (type === "run.completed") this.status = "completed by the stream";
    if (type !== "run.failed") return;
    this.status = "failed";
    this.items.push({ role: "system", content: payload.error ?? "Run failed" });
  }

  /** The newest answer after the newest question, or a new one. */
  #say(change: (before: string) => string): void {
    const asked = this.items.findLastIndex(({ role }) => role === "user");
    const at = this.items.findLastIndex(({ role }) => role === "assistant");
    if (at > asked)
      this.items[at] = { role: "assistant", content: change(this.items[at]?.content ?? "") };
    else this.items.push({ role: "assistant", content: change("") });
  }

  [Symbol.dispose](): void {
    this.#source?.close();
  }
}
