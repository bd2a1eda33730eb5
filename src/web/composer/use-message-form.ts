// Keys of the message field. Order matters: an open list first (Esc must not stop the run), then recall, then
// sending.
import { useReducer, useState, type KeyboardEvent } from "react";
import type { OutgoingFile } from "../../kernel/client/outbox/outbox.ts";
import { MAX_MESSAGE_CHARACTERS } from "../../kernel/events/attachment-limits.ts";
import { changeDraft, draftOf, useDraft, type Draft } from "./drafts.ts";
import { completeSlash, type Completion, type Offers, type Option } from "./slash/complete.ts";
import { parseSlash, type Parsed } from "../../kernel/text/parse-slash.ts";
import type { Slash } from "./slash/use-slash.ts";
import { isComposing } from "../keys/composing.ts";

/** The default, or the other one of queue and steer. */
export type How = "usual" | "other";
export type Written = { readonly text: string; readonly files: readonly OutgoingFile[] };

export type FormOptions = {
  readonly place: string;
  readonly onSend: (written: Written, how: How) => void;
  readonly onEscape?: (() => void) | undefined;
  /** The message sent `back` messages ago; null if there is none. */
  readonly recall?: ((back: number) => string | null) | undefined;
  readonly slash?: { readonly commands: Slash; readonly offers: Offers } | undefined;
};

export type MessageForm = {
  readonly draft: Draft;
  readonly problem: string | null;
  readonly completion: Completion | null;
  readonly active: number;
  readonly write: (text: string) => void;
  readonly complain: (problem: string | null) => void;
  readonly choose: (option: Option) => void;
  readonly submit: (how: How) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
};

export function useMessageForm(options: FormOptions): MessageForm {
  const { place, slash } = options;
  const draft = useDraft(place);
  // Redraws at once: before the field subscribes to its draft, React would reset each typed letter.
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const [problem, complain] = useState<string | null>(null);
  const [asked, setAsked] = useState<string | null>(null); // about this text, which is no command
  const list = useCompletion(draft.text, slash?.offers);
  const write = (text: string) => {
    complain(null);
    slash?.commands.forget();
    changeDraft(place, { text });
    redraw();
  };
  const send = (text: string, how: How) => {
    complain(null);
    setAsked(null);
    changeDraft(place, { text: "", files: [] });
    options.onSend({ text, files: draft.files }, how);
  };
  const submitText = (whole: string, how: How) => {
    const text = whole.trim();
    if (text === "" && draft.files.length > 0)
      return complain("Describe what to do with the files.");
    if (text === "") return;
    if (text.length > MAX_MESSAGE_CHARACTERS) return complain(tooLong(text.length));
    const parsed: Parsed = slash ? parseSlash(text) : { kind: "message" };
    if (parsed.kind === "wrong") return complain(parsed.problem);
    if (parsed.kind === "unknown" && asked !== text) {
      setAsked(text);
      return complain(
        `There is no command /${parsed.word}. Press Enter again to send it as a message.`,
      );
    }
    if (parsed.kind !== "command") return send(text, how);
    complain(null);
    slash?.commands.run(parsed.name, parsed.argument, () => {
      if (draftOf(place).text.trim() === text) changeDraft(place, { text: "" }); // else it is being written on
    });
  };
  const choose = (option: Option) => {
    write(option.text);
    const whole = list.completion?.of === "command" && option.complete;
    if (whole) submitText(option.text, "usual");
  };
  const submit = (how: How) => submitText(draft.text, how);
  const history = useRecall(draft.text, options.recall, write);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event.nativeEvent)) return; // Enter chooses a character, it does not send
    if (event.key === "Enter" && event.repeat && !event.shiftKey) return event.preventDefault(); // held: it answers nothing it has not read
    if (list.onKeyDown(event, { choose, write }) || history(event)) return event.preventDefault();
    if (event.key === "Escape") {
      event.preventDefault(); // the same press would close what it opens
      return options.onEscape?.();
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    submit(event.ctrlKey || event.metaKey ? "other" : "usual");
  };
  const { completion, active } = list;
  return { draft, problem, completion, active, write, complain, choose, submit, onKeyDown };
}

/** Refused here, the text stays in the field. */
function tooLong(length: number): string {
  const [has, most] = [length, MAX_MESSAGE_CHARACTERS].map((count) => count.toLocaleString("en"));
  return `This message has ${has} characters, and at most ${most} can be sent. Shorten it, or attach it as a file.`;
}

type ListActs = { choose: (option: Option) => void; write: (text: string) => void };
const MOVES: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** The selected option, and the text for which the list was closed. */
function useCompletion(text: string, offers: Offers | undefined) {
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const [moved, setMoved] = useState<{ text: string; index: number } | null>(null);
  const found = offers && closedFor !== text ? completeSlash(text, offers) : null;
  const usual = found?.of === "command" ? 0 : -1; // an argument can be anything: nothing is meant before it is chosen
  const active = moved?.text === text ? moved.index : usual;
  const onKeyDown = (event: KeyboardEvent, { choose, write }: ListActs): boolean => {
    if (!found || event.shiftKey || event.ctrlKey || event.metaKey) return false;
    const { length } = found.options;
    const step = MOVES[event.key];
    const meant = found.options[active];
    if (step !== undefined) {
      const from = active < 0 && step < 0 ? 0 : active;
      setMoved({ text, index: (from + step + length) % length });
    } else if (event.key === "Escape") setClosedFor(text);
    else if (event.key === "Tab") write((meant ?? found.options[0])?.text ?? text);
    else if (event.key === "Enter" && meant) choose(meant);
    else return false;
    return true;
  };
  return { completion: found, active, onKeyDown };
}

/** Arrow up in an empty field recalls earlier messages. */
function useRecall(
  text: string,
  recall: FormOptions["recall"],
  write: (text: string) => void,
): (event: KeyboardEvent<HTMLTextAreaElement>) => boolean {
  const [recalled, setRecalled] = useState({ back: 0, text: "" });
  return ({ key, shiftKey, currentTarget }) => {
    const step = key === "ArrowUp" ? 1 : key === "ArrowDown" ? -1 : 0;
    const untouched = text === recalled.text && currentTarget.selectionStart === text.length;
    if (step === 0 || shiftKey || !recall || !(text === "" || untouched)) return false;
    const back = (text === "" ? 0 : recalled.back) + step;
    const said = back <= 0 ? "" : recall(back);
    if (said === null || back < 0) return false;
    setRecalled({ back, text: said });
    write(said);
    return true;
  };
}
