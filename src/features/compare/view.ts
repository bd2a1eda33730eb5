// How two runs side by side are named: in addresses and on the tab.
export const COMPARE_VIEW = { view: "compare", label: "Compare", icon: "columns" } as const;
