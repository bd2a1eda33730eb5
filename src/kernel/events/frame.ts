// One event as a run's stream sends it. The journal's checksums run over these bytes, so that a
// replay can be read, checked and sent without being taken apart (rule E11).
export function frameOf(logId: string, seq: number, body: string): string {
  return `id: ${logId}:${seq}\ndata: ${body}\n\n`;
}
