// Every setting of config.json with its labels, and whether it may be changed over the network. What widens access to
// the server, or what agents can access, is changed only where the program is started.
import type { SettingRecord } from "../../kernel/api/records/settings.ts";
import type { Settings } from "../../settings.ts";

type Kind = SettingRecord["kind"];
export type Known = {
  readonly name: keyof Settings;
  readonly kind: Kind;
  readonly about: string;
  readonly choices?: readonly string[];
  readonly why?: string; // it cannot be changed here
  readonly secret?: true; // only whether it is set is told
};
export type Section = {
  readonly section: string;
  readonly title: string;
  readonly known: readonly Known[];
};

const REACH = "It decides who or what can be reached. Change it where the server is started.";
const fixed = (name: keyof Settings, kind: Kind, about: string): Known => ({
  name,
  kind,
  about,
  why: REACH,
});

export const SECTIONS: readonly Section[] = [
  {
    section: "models",
    title: "Models",
    known: [
      { name: "model", kind: "text", about: "Of new sessions: provider/model." },
      { name: "base_url", kind: "text", about: "Any OpenAI-compatible endpoint." },
      { name: "base_urls", kind: "table", about: "Other addresses of providers, by provider." },
      { name: "titles", kind: "switch", about: "Ask the model for a title of each session." },
      { name: "model_idle_timeout_ms", kind: "number", about: "How long a model may be silent." },
      { name: "model_attempts", kind: "number", about: "How often a failed call is tried." },
      { name: "model_retry_base_ms", kind: "number", about: "The first wait between tries." },
    ],
  },
  {
    section: "runs",
    title: "Runs",
    known: [
      { name: "profile", kind: "text", about: "Of new sessions." },
      { name: "workspace", kind: "text", about: "Of new sessions: where tools work." },
      { name: "max_runs", kind: "number", about: "At once, per runner." },
      {
        name: "resume",
        kind: "choice",
        choices: ["auto", "ask", "never"],
        about: "What happens to a run whose runner died.",
      },
      {
        name: "resume_max_age_s",
        kind: "number",
        about: "Older runs are not resumed by themselves.",
      },
      {
        name: "resume_attempts",
        kind: "number",
        about: "Recoveries without progress before it ends.",
      },
      {
        name: "drain_ms",
        kind: "number",
        about: "How long a runner that stops waits for a turn's end.",
      },
      { name: "lease_ms", kind: "number", about: "How long a silent runner keeps its runs." },
    ],
  },
  {
    section: "tools",
    title: "Tools",
    known: [
      { name: "web_search_url", kind: "text", about: "Where web_search asks." },
      { name: "tool_memory_mb", kind: "number", about: "Of the tools of one workspace." },
      { name: "tool_processes", kind: "number", about: "Of the tools of one workspace." },
      { name: "tool_output_mb", kind: "number", about: "Kept of what one call prints." },
      { name: "session_output_mb", kind: "number", about: "Kept of what a session's calls print." },
      fixed("sandbox", "choice", "Whether tools run in bubblewrap."),
      fixed("readable_paths", "list", "What sandboxed commands may read beside the workspace."),
      fixed("allow_private_hosts", "list", "Private addresses that web_fetch may reach."),
      fixed("browser_executable", "text", "The Chrome or Chromium that agents' browser is."),
    ],
  },
  {
    section: "media",
    title: "Voice",
    known: [
      {
        name: "transcription_url",
        kind: "text",
        about: "Where speech becomes text: any OpenAI-compatible endpoint, as https://host/v1.",
      },
      { name: "transcription_model", kind: "text", about: "That listens there." },
      {
        name: "speech_url",
        kind: "text",
        about: "Where text becomes speech: any OpenAI-compatible endpoint, as https://host/v1.",
      },
      { name: "speech_model", kind: "text", about: "That speaks there." },
      { name: "speech_voice", kind: "text", about: "With which voice." },
      { name: "media_timeout_ms", kind: "number", about: "How long either may take." },
    ],
  },
  {
    section: "access",
    title: "Access",
    known: [
      fixed("host", "text", "The address it listens on."),
      fixed("port", "number", "The port it listens on."),
      fixed("no_auth", "switch", "Nobody has to log in (loopback only)."),
      fixed("public_url", "text", "Its address as browsers know it, behind a proxy."),
      fixed("allowed_hosts", "list", "Other names it answers to."),
      fixed("allowed_origins", "list", "Pages elsewhere that may ask with a token."),
      fixed("tls_cert", "text", "Its certificate."),
      fixed("channels", "table", "Doors for text-only devices."),
    ],
  },
  {
    section: "storage",
    title: "Storage",
    known: [
      { ...fixed("database", "text", "Postgres instead of SQLite."), secret: true },
      { ...fixed("blobs", "text", "Where large contents are kept."), secret: true },
      fixed("volumes", "table", "Where this machine has what others know by the same name."),
    ],
  },
];
