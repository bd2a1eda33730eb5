// What this build speaks. PROTOCOL_VERSION changes only when an old client would misread us;
// REDUCER_VERSION whenever a fold of the same events gives another state, so old snapshots are ignored.
export const VERSION = "0.1.0";
export const PROTOCOL_VERSION = 1;
export const REDUCER_VERSION = 8;
/** `schema_version` of the console seed's /api/gui/meta. */
export const CONSOLE_SCHEMA_VERSION = 1;
