// One append-only list. A journal that any release wrote opens in every later one; a newer journal is refused and left
// untouched (D9).
import { initial } from "./001-initial.ts";
import { agent } from "./002-agent.ts";
import { windows } from "./003-windows.ts";
import { workbench } from "./004-workbench.ts";
import { manyMachines } from "./005-many-machines.ts";
import { handedOver } from "./006-handed-over.ts";
import { house } from "./007-house.ts";
import { search } from "./008-search.ts";
import { insights } from "./009-insights.ts";
import { cron } from "./010-cron.ts";
import { gateway } from "./011-gateway.ts";
import { homeFiles } from "./012-home-files.ts";
import { searchWords } from "./013-search-words.ts";
import { rowCopies } from "./014-row-copies.ts";

export const MIGRATIONS: readonly string[] = [
  initial,
  agent,
  windows,
  workbench,
  manyMachines,
  handedOver,
  house,
  search,
  insights,
  cron,
  gateway,
  homeFiles,
  searchWords,
  rowCopies,
];
