import { holdsWithout } from "./support.ts";

holdsWithout("windows/daemon");
