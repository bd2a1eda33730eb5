// The one route of the HUD window.
import type { DialectRoute } from "../../../kernel/dialect/dialect.ts";

export const HUD_ROUTES: readonly DialectRoute[] = [
  {
    method: "WS",
    path: "/api/hud/ws",
    summary: "The activity of the session ?session_id=: history with `replay: true`, then live",
  },
];
