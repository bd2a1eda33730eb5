import { holdsWithout } from "./support.ts";

holdsWithout("features/schedules");
