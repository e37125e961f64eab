// Uses a running server through clients that know nothing of Millrace: the npm packages `openai` and `ai`.
// usage: node check.mjs BASE_URL, with the house model served there
import assert from "node:assert/strict";
import OpenAI from "openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, streamText, tool } from "ai";
import { z } from "zod";

const baseURL = process.argv[2];
const client = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
const provider = createOpenAICompatible({ name: "millrace", baseURL, includeUsage: true, supportsStructuredOutputs: true });
const question = [{ role: "user", content: "Once upon a time" }];
const weather = {
  name: "get_weather",
  parameters: {
    type: "object",
    properties: { city: { type: "string", enum: ["Paris", "Rome"] } },
    required: ["city"],
    additionalProperties: false,
  },
};

const checks = {
  async "openai: models"() {
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    assert.ok(ids.length > 0);
    assert.equal((await client.models.retrieve(ids[0])).id, ids[0]);
    await assert.rejects(client.models.retrieve("no-such-model"), OpenAI.NotFoundError);
  },

  async "openai: chat"() {
    const request = { model: "default", messages: question, max_tokens: 12, seed: 7, temperature: 0.7 };
    const first = await client.chat.completions.create(request);
    const again = await client.chat.completions.create(request);
    assert.equal(first.object, "chat.completion");
    assert.equal(first.choices[0].message.role, "assistant");
    assert.equal(first.choices[0].message.content, again.choices[0].message.content);
    assert.equal(first.usage.total_tokens, first.usage.prompt_tokens + first.usage.completion_tokens);
  },

  async "openai: chat stream"() {
    const request = { model: "default", messages: question, max_tokens: 12, temperature: 0 };
    const whole = await client.chat.completions.create(request);
    const stream = await client.chat.completions.create({ ...request, stream: true, stream_options: { include_usage: true } });
    let text = "";
    let usage = null;
    let finish = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta?.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    assert.equal(text, whole.choices[0].message.content);
    assert.equal(finish, whole.choices[0].finish_reason);
    assert.equal(usage.completion_tokens, whole.usage.completion_tokens);
  },

  async "openai: a forced tool call, whole and streamed"() {
    const request = {
      model: "default",
      messages: question,
      max_tokens: 100,
      temperature: 0,
      tools: [{ type: "function", function: weather }],
      tool_choice: { type: "function", function: { name: "get_weather" } },
    };
    const answer = await client.chat.completions.create(request);
    assert.equal(answer.choices[0].finish_reason, "tool_calls");
    assert.equal(answer.choices[0].message.tool_calls.length, 1);
    const call = answer.choices[0].message.tool_calls[0];
    assert.equal(call.function.name, "get_weather");
    assert.ok(["Paris", "Rome"].includes(JSON.parse(call.function.arguments).city));
    const runner = client.chat.completions.stream(request);
    const streamed = (await runner.finalChatCompletion()).choices[0].message.tool_calls[0];
    assert.deepEqual(streamed.function.arguments, call.function.arguments);
  },

  async "openai: errors"() {
    await assert.rejects(
      client.chat.completions.create({ model: "default", messages: question, temperature: 9 }),
      (error) => error instanceof OpenAI.BadRequestError && error.param === "temperature",
    );
    await assert.rejects(
      client.chat.completions.create({ model: "default", messages: [{ role: "user", content: "word ".repeat(200_000) }] }),
      (error) => error instanceof OpenAI.BadRequestError && error.code === "context_length_exceeded",
    );
  },

  async "openai: completions"() {
    const answer = await client.completions.create({ model: "default", prompt: ["Once", "There was"], max_tokens: 5, n: 2 });
    assert.deepEqual(answer.choices.map((choice) => choice.index), [0, 1, 2, 3]);
  },

  async "openai: embeddings"() {
    const answer = await client.embeddings.create({ model: "default", input: ["a cat", "a dog"] });
    assert.equal(answer.data.length, 2);
    const length = Math.hypot(...answer.data[0].embedding);
    assert.ok(Math.abs(length - 1) < 1e-3, "the vector's length is " + length);
  },

  async "openai: responses"() {
    const first = await client.responses.create({ model: "default", input: "Once upon a time", max_output_tokens: 16 });
    assert.equal(first.object, "response");
    const kept = await client.responses.retrieve(first.id);
    assert.equal(kept.output_text ?? kept.output.at(-1).content[0].text, first.output_text);
    const next = await client.responses.create({ model: "default", input: "And then?", previous_response_id: first.id, max_output_tokens: 16 });
    const items = [];
    for await (const item of client.responses.inputItems.list(next.id)) items.push(item);
    assert.ok(items.length >= 1);
    await client.responses.delete(first.id);
    await assert.rejects(client.responses.retrieve(first.id), OpenAI.NotFoundError);
  },

  async "openai: a response in the background, and its stream from the middle"() {
    const begun = await client.responses.create({ model: "default", input: "Once upon a time", background: true, max_output_tokens: 24, temperature: 0 });
    assert.ok(["queued", "in_progress"].includes(begun.status));
    const all = [];
    for await (const event of await client.responses.retrieve(begun.id, { stream: true })) all.push(event);
    assert.equal(all.at(-1).response.id, begun.id);
    const middle = all[Math.floor(all.length / 2)].sequence_number;
    const rest = [];
    for await (const event of await client.responses.retrieve(begun.id, { stream: true, starting_after: middle })) rest.push(event);
    assert.deepEqual(rest, all.filter((event) => event.sequence_number > middle));
  },

  async "openai: a streamed response"() {
    const stream = client.responses.stream({ model: "default", input: "Once upon a time", max_output_tokens: 16, store: false });
    const kinds = [];
    for await (const event of stream) kinds.push(event.type);
    assert.equal(kinds[0], "response.created");
    assert.ok(kinds.includes("response.output_text.delta"));
    assert.ok(["response.completed", "response.incomplete"].includes(kinds.at(-1)));
  },

  async "ai: text, whole and streamed"() {
    const request = { model: provider("default"), prompt: "Once upon a time", maxOutputTokens: 12, temperature: 0 };
    const whole = await generateText(request);
    let text = "";
    const stream = streamText(request);
    for await (const piece of stream.textStream) text += piece;
    assert.equal(text, whole.text);
    assert.equal((await stream.usage).outputTokens, whole.usage.outputTokens);
  },

  async "ai: a tool call"() {
    const answer = await generateText({
      model: provider("default"),
      prompt: "Once upon a time",
      maxOutputTokens: 100,
      temperature: 0,
      tools: { get_weather: tool({ inputSchema: z.object({ city: z.enum(["Paris", "Rome"]) }) }) },
      toolChoice: "required",
    });
    assert.ok(["Paris", "Rome"].includes(answer.toolCalls[0].input.city));
  },

  async "ai: an object"() {
    const { object } = await generateObject({
      model: provider("default"),
      prompt: "Once upon a time",
      maxOutputTokens: 100,
      schema: z.object({ mood: z.enum(["happy", "sad"]), size: z.enum(["big", "small"]) }),
    });
    assert.ok(["happy", "sad"].includes(object.mood));
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log("ok    " + name);
  } catch (error) {
    failed++;
    console.log("FAIL  " + name + "\n" + (error.stack ?? error));
  }
}
console.log(`npm clients: ${Object.keys(checks).length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
