// What a skill's folder may hold, wherever it comes from. Whoever unpacks one and whoever writes one ask the same.

export const SKILL_LIMITS = {
  files: 200,
  fileBytes: 1_048_576,
  bytes: 4_194_304, // of all files
  pathChars: 240,
  depth: 8,
  archiveBytes: 8_388_608,
  archiveEntries: 2_000,
  unpackedBytes: 33_554_432, // of an archive as a whole
} as const;

/** Of the skill itself: never part of what is installed or compared. */
export const SKILL_BACKUP = "SKILL.md.bak";
const FOREIGN = /[\p{Cc}\p{Cf}\\:*?"<>|]/u;

/** Why a path is one that nobody packs in good faith; undefined when it is not. */
export function hostilePathProblem(path: string): string | undefined {
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "an absolute path";
  if (path.split("/").includes("..")) return "a path that leads out of the folder";
  return FOREIGN.test(path) ? "a name with characters that are not allowed" : undefined;
}

/** Why a file of a skill may not be called so; undefined when it may. Links and the like are for others to refuse. */
export function skillPathProblem(path: string): string | undefined {
  const parts = path.split("/");
  const hostile = hostilePathProblem(path);
  if (hostile) return hostile;
  if (parts.some((part) => part === "" || part === ".")) return "a path with empty parts";
  if (path.length > SKILL_LIMITS.pathChars) return "a path that is too long";
  if (parts.length > SKILL_LIMITS.depth) return "a path that is too deep";
  return undefined;
}

/** What is there and is nobody's business: .git, editors' files, what we keep beside a skill. */
export function isLeftOutOfSkill(path: string): boolean {
  const parts = path.split("/");
  return parts.some((part) => part.startsWith(".")) || /^SKILL\.md\.(bak|lock)$/.test(path);
}
