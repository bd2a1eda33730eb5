// What the scripted model answers to side questions. It cannot judge or understand, and says so.

export function demoSideQuestion(kind: "title" | "summary" | "goal", text: string): string {
  if (kind === "title") return ""; // the first words say as much
  if (kind === "goal") {
    const reason = "The demo model cannot judge; it takes what was done for the goal.";
    return JSON.stringify({ decision: "met", reason });
  }
  const said = text.split("\n").filter((line) => /^(user|assistant): \S/.test(line));
  const lines = said.map((line) => `- ${line.slice(0, MAX_LINE)}`).slice(-MAX_LINES);
  return ["The demo model only lists what was said:", ...lines].join("\n");
}

const MAX_LINE = 200;
const MAX_LINES = 50;
