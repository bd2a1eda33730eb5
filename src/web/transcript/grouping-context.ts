import { createContext } from "react";
import { createGrouping, type Grouping } from "./groups.ts";

export const GroupingContext = createContext<Grouping>(createGrouping());
