import { holdsWithout } from "./support.ts";

holdsWithout("features/compare");
