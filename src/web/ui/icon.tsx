// The small drawings of the interface, all in one stroke and one size. Decorative: a name that matters
// is always written beside them or given to the control.
import styles from "./icon.module.css";

const PATHS = {
  menu: "M2 4h12M2 8h12M2 12h12",
  plus: "M8 3v10M3 8h10",
  close: "m4 4 8 8M12 4l-8 8",
  stop: "M4 4h8v8H4z",
  send: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  copy: "M6 6h7v7H6zM10 6V3H3v7h3",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.5V8l2.5 1.5",
  columns: "M2.5 3h11v10h-11zM8 3v10",
  panel: "M2.5 3h11v10h-11zM9.5 3v10",
  inbox: "M2.5 9 4 3h8l1.5 6v4h-11zM2.5 9H6l1 1.5h2L10 9h3.5",
  gear: "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4",
  pin: "M6 2h4l-.5 4.5 2 2.5h-7l2-2.5zM8 9v5",
  play: "M4.5 3v10L13 8z",
  folder: "M2 4h4l1.5 1.5H14V13H2z",
  right: "m6 3 5 5-5 5",
  clip: "m12.5 7-5 5a3 3 0 0 1-4.2-4.2l5.5-5.5a2 2 0 0 1 2.8 2.8l-5.3 5.3a1 1 0 0 1-1.4-1.4L9.5 4.5",
  bars: "M2.5 13.5h11M4.5 11V8M8 11V3M11.5 11V6",
  bell: "M4 11V7.5a4 4 0 0 1 8 0V11l1 1.5H3zM6.5 13.5a1.6 1.6 0 0 0 3 0",
  check: "m3 8.5 3.5 3.5L13 4.5",
  alert: "M8 2 1.5 13.5h13zM8 6.5v3.5M8 12v.01",
  terminal: "m3 5 3 3-3 3M8 11h5",
  prompt: "M1.5 2.5h13v11h-13zM4 6l2 2-2 2M8 10.5h3.5",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  pencil: "m3 13 .7-3L10.5 3 13 5.5 6 12.3z",
  people:
    "M6 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM2 13c.3-2.6 1.8-4 4-4s3.7 1.4 4 4M10.5 3.4a2 2 0 0 1 0 3.9M11.5 9.3c1.5.4 2.3 1.7 2.5 3.7",
  question:
    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.3 6.3a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.9.6-.9 1.3M8 11.3v.01",
  list: "M6 4h8M6 8h8M6 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  tool: "M9.5 6.5 3 13M9 3.5a3 3 0 0 1 3.8 3.8L11 9 7 5l2-1.5Z",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5 14 14",
  globe: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c-4 3.6-4 8.4 0 12M8 2c4 3.6 4 8.4 0 12",
  book: "M3 3h4.5v10H3zM13 3H8.5v10H13z",
  plug: "M5.5 2v3M10.5 2v3M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.5",
  back: "M3 6.5h6.5a3.5 3.5 0 0 1 0 7H5M6 3.5l-3 3 3 3",
  again: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
  branch:
    "M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 5.5c0 2.5-2 3-4 3.5s-3 1-3 1.5",
  sliders:
    "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  flag: "M4 14V2.5h7.5L10 5.5l1.5 3H4",
  shield: "M8 1.8 13 3.6v4c0 3.2-2 5.4-5 6.6-3-1.2-5-3.4-5-6.6v-4z",
  squeeze: "M8 1.5v4M5.8 3.6 8 5.6l2.2-2M8 14.5v-4M5.8 12.4 8 10.4l2.2 2M2.5 8h11",
  bolt: "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z",
  thought: "M8 13.5c3.3 0 6-2.2 6-5.2s-2.7-5.3-6-5.3-6 2.3-6 5.3c0 1.4.6 2.6 1.6 3.5L3 14z",
  wheel:
    "M8 12.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM8 9.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4ZM8 1v5.8M8 9.2V15M1 8h5.8M9.2 8H15M3.05 3.05l4.1 4.1M8.85 8.85l4.1 4.1M12.95 3.05l-4.1 4.1M7.15 8.85l-4.1 4.1",
  eye: "M1.5 8s2.3-4.5 6.5-4.5S14.5 8 14.5 8 12.2 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  trash: "M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.5 9h6l.5-9",
  minus: "M3 8h10",
  mic: "M8 1.8a2 2 0 0 0-2 2v4a2 2 0 0 0 4 0v-4a2 2 0 0 0-2-2ZM3.8 7.5a4.2 4.2 0 0 0 8.4 0M8 11.8v2.4M5.8 14.2h4.4",
  speaker: "M2.5 6v4H5l3.5 3V3L5 6zM11 5.8a3 3 0 0 1 0 4.4M12.8 4a5.6 5.6 0 0 1 0 8",
  link: "M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.6-2.6a2.5 2.5 0 0 0-3.6-3.6l-.9.9M9.5 6.5a2.5 2.5 0 0 0-3.6 0L3.3 9.1a2.5 2.5 0 0 0 3.6 3.6l.9-.9",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className={styles.icon} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
