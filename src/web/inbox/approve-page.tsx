// One request by its link: the same card as in the transcript, and afterwards who answered.
import { useEffect } from "react";
import type { RequestView } from "../../kernel/api/records/records.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { useApp } from "../app-context.ts";
import { PlainTitle, TopBar } from "../session/top-bar.tsx";
import { Link } from "../ui/link.tsx";
import { Time } from "../ui/time.tsx";
import { useQuery } from "../use-query.ts";
import styles from "./approve-page.module.css";
import { RequestInSession } from "./request-in-session.tsx";

const AGAIN_MS = 1_500;

const HEADING: Record<RequestView["request"]["kind"], string> = {
  approval: "Approval",
  clarify: "Question",
  unknown_outcome: "Unknown outcome",
};

export function ApprovePage({ requestId }: { requestId: string }) {
  const asked = useRequestView(requestId);
  const heading = asked.state === "found" ? HEADING[asked.view.request.kind] : "Request";
  useEffect(() => {
    document.title = `${heading} · Quarterdeck`;
  }, [heading]);
  return (
    <>
      <TopBar title={<PlainTitle text={heading} />} />
      <div className={styles.page} data-page="approve" data-status={asked.state}>
        <div className={styles.column}>
          <Content asked={asked} />
        </div>
      </div>
    </>
  );
}

type Asked =
  | { readonly state: "asking" }
  | { readonly state: "found"; readonly view: RequestView }
  | { readonly state: "away"; readonly message: string }
  | { readonly state: "missing"; readonly message: string };

function Content({ asked }: { asked: Asked }) {
  if (asked.state === "asking") return <p className="muted appear">Loading…</p>;
  if (asked.state === "away") return <p role="status">{asked.message} Trying again…</p>;
  if (asked.state === "missing") {
    return (
      <>
        <h2>Nothing to answer here</h2>
        <p role="alert">{asked.message}</p>
        <p>
          <Link to={{ page: "inbox" }}>What needs you now</Link>
        </p>
      </>
    );
  }
  const { request } = asked.view;
  const { session_id: sessionId, run_id: runId, request_id: requestId } = request;
  return (
    <RequestInSession
      sessionId={sessionId}
      runId={runId}
      requestId={requestId}
      gone={<Gone view={asked.view} />}
      after={
        <p className={styles.links}>
          <Link to={{ page: "session", sessionId, runId }}>Open the session</Link>
          <Link to={{ page: "inbox" }}>Inbox</Link>
        </p>
      }
    />
  );
}

const WORDS: Record<RequestView["status"], string> = {
  pending: "It is waiting.",
  approved: "It was allowed.",
  denied: "It was denied.",
  answered: "It was answered.",
  expired: "It expired without an answer; nothing was run.",
  cancelled: "No longer needed, because the run was stopped.",
};

/** A newer request for the same call has replaced it. */
function Gone({ view: { request, status, answer } }: { view: RequestView }) {
  return (
    <>
      <p>{visibleLine(request.title)}</p>
      <p className="pre-wrap">{visibleText(request.prompt)}</p>
      <p>
        {WORDS[status]}
        {answer && (
          <>
            {" "}
            By {answer.by}, <Time at={answer.at} />.
          </>
        )}
      </p>
    </>
  );
}

/** Retries until answered: the server may be restarting. */
function useRequestView(requestId: string): Asked {
  const { api, loggedOut } = useApp();
  const { value, failure } = useQuery([requestId], (signal) => api.request(requestId, signal), {
    retryMs: AGAIN_MS,
    onDenied: loggedOut,
  });
  if (value) return { state: "found", view: value };
  if (!failure || failure.status === 401) return { state: "asking" };
  const { message, retryable } = failure;
  return retryable ? { state: "away", message } : { state: "missing", message };
}
