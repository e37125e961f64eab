// Documents to begin with, from small to large.

export const EXAMPLES = [
  {
    name: "Many prompts",
    text: "One stage, whose tasks run at the same time.",
    document: {
      name: "two questions",
      stages: [
        {
          type: "generate",
          data: { max_tokens: 120 },
          maxAttempts: 3,
          tasks: ["What is a mill race?", "What is a sluice?"],
        },
      ],
    },
  },
  {
    name: "Each, then all",
    text: "A task for each result, then one over all of them.",
    document: {
      name: "shorten and join",
      stages: [
        { type: "generate", data: { max_tokens: 200 }, tasks: ["Describe a river.", "Describe a mill."] },
        { type: "generate", collect: true, tolerate: 0.5, each: "Shorten this: {{result}}" },
        { type: "generate", tasks: [{ template: "Join these: {{results}}" }] },
      ],
    },
  },
  {
    name: "With an approval",
    text: "The second stage waits until somebody approves it.",
    document: {
      name: "draft and final",
      tags: ["letters"],
      stages: [
        { type: "generate", data: { seed: 7 }, tasks: ["Draft a letter to the miller."] },
        { type: "generate", gate: true, each: "Make this letter polite: {{result}}" },
      ],
    },
  },
];
