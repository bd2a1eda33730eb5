// The behaviour that every journal must have (PROTOCOL.md, rules E, J, C and W), written only against the `Journal`
// interface. sqlite.test.ts and postgres.test.ts run it, so the two implementations cannot drift apart.
import { answersContract } from "./contract/answers.contract.ts";
import { channelContract } from "./contract/channel.contract.ts";
import { claimsContract } from "./contract/claims.contract.ts";
import { commandsContract } from "./contract/commands.contract.ts";
import { cronContract } from "../../features/schedules/store/cron.contract.ts";
import { deletedContract } from "./contract/deleted.contract.ts";
import { gatewayContract } from "../../features/messengers/store/gateway.contract.ts";
import { homeFilesContract } from "./contract/home-files.contract.ts";
import { systemLogContract } from "./contract/system-log.contract.ts";
import { eventsContract } from "./contract/events.contract.ts";
import { importContract } from "../../features/share/store/import.contract.ts";
import { inboxContract } from "./contract/inbox.contract.ts";
import { interleavingsContract } from "./contract/interleavings.contract.ts";
import { insightsContract } from "../../features/insights/store/insights.contract.ts";
import { tracesContract } from "../../features/telemetry/store/traces.contract.ts";
import { listsContract } from "./contract/lists.contract.ts";
import { meanwhileContract, stillWritingContract } from "./contract/meanwhile.contract.ts";
import { filesContract } from "./contract/files.contract.ts";
import { manualCommandsContract } from "./contract/own.contract.ts";
import { pushContract } from "../../features/push/store/push.contract.ts";
import { projectsContract } from "./contract/projects.contract.ts";
import { rewindContract } from "./contract/rewind.contract.ts";
import { searchContract } from "./contract/search.contract.ts";
import { sharedContract } from "../../features/share/store/shared.contract.ts";
import { startsContract } from "./contract/starts.contract.ts";
import { steeringContract } from "./contract/steering.contract.ts";
import { summariesContract } from "./contract/summaries.contract.ts";
import { typedContract } from "./contract/typed.contract.ts";
import { permissionsContract } from "./contract/permissions.contract.ts";
import type { OpenStore } from "./contract/store.contract.ts";

/** `open` makes an empty store; every `connect` opens a journal on it, as another process would. */
export function journalContract(name: string, open: OpenStore): void {
  eventsContract(name, open);
  claimsContract(name, open);
  commandsContract(name, open);
  answersContract(name, open);
  permissionsContract(name, open);
  listsContract(name, open);
  steeringContract(name, open);
  typedContract(name, open);
  rewindContract(name, open);
  projectsContract(name, open);
  filesContract(name, open);
  manualCommandsContract(name, open);
  startsContract(name, open);
  summariesContract(name, open);
  deletedContract(name, open);
  channelContract(name, open);
  inboxContract(name, open);
  importContract(name, open);
  pushContract(name, open);
  sharedContract(name, open);
  systemLogContract(name, open);
  insightsContract(name, open);
  tracesContract(name, open);
  searchContract(name, open);
  cronContract(name, open);
  gatewayContract(name, open);
  homeFilesContract(name, open);
  interleavingsContract(name, open);
  meanwhileContract(name, open);
  stillWritingContract(name, open);
}
