// The terminals of the open session, reloaded when one changes, and messages about those that ended.
import { useEffect, useMemo, useState } from "react";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import { pause } from "../../../kernel/client/backoff.ts";
import { terminalCalls } from "../client/calls.ts";
import type { TerminalsView, TerminalView } from "../records.ts";
import { useApp } from "../../../web/app-context.ts";
import { rememberTerminals, vanishedFrom, type Vanished } from "./known-terminals.ts";

const SIZE = { cols: 80, rows: 24 }; // until the window has one
const AGAIN_MS = 1_000;

export type Terminals = {
  readonly view: TerminalsView | null;
  readonly vanished: Vanished | null;
  readonly problem: string | null;
  readonly busy: boolean;
  readonly open: () => Promise<TerminalView | null>;
  readonly close: (terminalId: string) => Promise<unknown>;
  readonly readAgain: () => void;
};

export function useTerminals(sessionId: string): Terminals {
  const { api } = useApp();
  const calls = useMemo(() => terminalCalls(api.calls), [api]);
  const { view, problem, vanished, forget, readAgain } = useList(calls, sessionId);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);

  const doing = async <Data>(work: () => Promise<Data>): Promise<Data | null> => {
    setBusy(true);
    setRefused(null);
    try {
      const done = await work();
      forget();
      return done;
    } catch (error) {
      setRefused(toApiFailure(error).message);
      return null;
    } finally {
      readAgain();
      setBusy(false);
    }
  };
  return {
    view,
    vanished,
    problem: refused ?? problem,
    busy,
    readAgain,
    open: () => doing(() => calls.openTerminal(sessionId, SIZE)),
    close: (terminalId) =>
      doing(async () => {
        await calls.closeTerminal(terminalId);
        if (!view) return;
        const rest = idsOf(view).filter((id) => id !== terminalId);
        rememberTerminals(sessionId, view.server_id, rest); // what the person did is no news to them
      }),
  };
}

function useList(calls: ReturnType<typeof terminalCalls>, sessionId: string) {
  const [view, setView] = useState<TerminalsView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [vanished, setVanished] = useState<Vanished | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const take = (found: TerminalsView) => {
      const gone = vanishedFrom(sessionId, found);
      if (gone) setVanished(gone);
      rememberTerminals(sessionId, found.server_id, idsOf(found));
      setView(found);
      setProblem(null);
    };
    const read = async () => {
      while (!stop.signal.aborted) {
        try {
          return take(await calls.terminals(sessionId, stop.signal));
        } catch (error) {
          if (stop.signal.aborted) return;
          setProblem(toApiFailure(error).message);
          await pause(AGAIN_MS, stop.signal); // a server that was restarted is back soon
        }
      }
    };
    void read();
    return () => stop.abort();
  }, [calls, sessionId, turn]);
  return {
    view,
    problem,
    vanished,
    forget: () => setVanished(null),
    readAgain: () => setTurn((before) => before + 1),
  };
}

function idsOf({ terminals }: TerminalsView): string[] {
  return terminals.map(({ terminal_id }) => terminal_id);
}
