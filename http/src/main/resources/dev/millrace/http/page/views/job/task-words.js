// What a task was asked, in one line.

const MOST = 160;

/** The start of the prompt, of the last message or of the input; empty if there are no words. */
export function taskWords(data) {
  const last = Array.isArray(data.messages)
    ? data.messages.findLast(({ content }) => typeof content === "string")
    : undefined;
  const words = [data.prompt, last?.content, data.input].find((text) => typeof text === "string") ?? "";
  const line = words.trim().replace(/\s+/g, " ");
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
}
