// What the fields of the prompt form mean: the document for POST /v1/pipelines, and the same as command lines.

import { jsonError } from "../../parts/json-error.js";

/** The parameters of the form. `option` is that of `millrace work`; those without one go by --param. */
export const PARAMETERS = [
  { name: "max_tokens", label: "Max tokens", usual: "2048", whole: true, min: 1, option: "--max-tokens" },
  { name: "temperature", label: "Temperature", usual: "0.8", min: 0, max: 100, option: "--temp" },
  { name: "top_k", label: "Top k", usual: "40", whole: true, min: 0, option: "--top-k" },
  { name: "top_p", label: "Top p", usual: "0.9", above: 0, max: 1, option: "--top-p" },
  { name: "min_p", label: "Min p", usual: "0.05", min: 0, max: 1, option: "--min-p" },
  { name: "repeat_penalty", label: "Repeat penalty", usual: "1.1", above: 0, max: 100 },
  { name: "seed", label: "Seed", usual: "by the job", whole: true, option: "--seed" },
];

export const PRIORITIES = ["VERY_HIGH", "HIGH", "MEDIUM", "LOW", "VERY_LOW"];

/** Numbers that JSON and the command line read alike: no blanks, no 0x10. */
const WHOLE = /^-?\d+$/;
const DECIMAL = /^-?(\d+\.?\d*|\.\d+)$/;

/** What is wrong with a parameter's text, or undefined. The rules are those of the server, said at once. */
export function parameterError(parameter, text) {
  if (text === "") {
    return undefined;
  }
  const value = (parameter.whole ? WHOLE : DECIMAL).test(text) ? Number(text) : NaN; // Number(" ") would be 0
  if (!Number.isFinite(value) || (parameter.whole && !Number.isSafeInteger(value))) {
    return parameter.whole ? "a whole number, at most 2^53 - 1" : "a number";
  }
  if (parameter.min !== undefined && value < parameter.min) {
    return `at least ${parameter.min}`;
  }
  if (parameter.above !== undefined && value <= parameter.above) {
    return `more than ${parameter.above}`;
  }
  return parameter.max !== undefined && value > parameter.max ? `at most ${parameter.max}` : undefined;
}

/** The schema as JSON: { schema } or { error }; {} if there is none. */
export function parseSchema(text) {
  if (text.trim() === "") {
    return {};
  }
  try {
    const schema = JSON.parse(text);
    return typeof schema === "object" && schema !== null && !Array.isArray(schema)
      ? { schema }
      : { error: "A schema is a JSON object." };
  } catch (failure) {
    return { error: `Not JSON: ${jsonError(failure, text)}` };
  }
}

const TAG = /^[A-Za-z0-9_-]{1,64}$/;

/** What is wrong with the tags, or undefined: what the server says of them has no place in a form. */
export function tagsError(text) {
  const wrong = tagsOf(text).find((tag) => !TAG.test(tag));
  return wrong === undefined ? undefined : `"${wrong}" is no tag: 1 to 64 of A-Z a-z 0-9 _ -`;
}

/** Whether all fields have what they need to be sent, but for a prompt that is not written yet. */
export function fieldsRight(form) {
  return !parseSchema(form.schema).error && !tagsError(form.tags)
    && PARAMETERS.every((parameter) => !parameterError(parameter, form[parameter.name]));
}

export function tagsOf(text) {
  return text.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
}

/** The job document of the form. Fields that say nothing are left out, so that the server's defaults hold. */
export function promptDocument(form) {
  const data = {};
  if (form.model) {
    data.model = form.model;
  }
  if (form.system.trim()) {
    data.system = form.system;
  }
  for (const parameter of PARAMETERS) {
    const text = form[parameter.name];
    if (text !== "" && parameterError(parameter, text) === undefined) {
      data[parameter.name] = Number(text);
    }
  }
  const { schema } = parseSchema(form.schema);
  if (schema !== undefined) {
    data.json_schema = schema;
  }
  const stage = { type: "generate", ...(Object.keys(data).length > 0 ? { data } : {}), tasks: [form.prompt] };
  const tags = tagsOf(form.tags);
  return {
    ...(form.name.trim() ? { name: form.name.trim() } : {}),
    ...(form.priority === "MEDIUM" ? {} : { priority: form.priority }),
    ...(form.hold ? { hold: true } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    stages: [stage],
  };
}

/** A word for a POSIX shell. */
export function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function curlLine(server, document, keysOn) {
  const key = keysOn ? ' \\\n  -H "Authorization: Bearer $MILLRACE_API_KEY"' : "";
  const body = typeof document === "string" ? document : JSON.stringify(document, null, 2);
  return `curl -s ${server}/v1/pipelines \\\n  -H 'Content-Type: application/json'${key} \\\n  -d ${quoted(body)}`;
}

/** The same prompt by `millrace work`. A schema is a file there. */
export function workLine(server, form) {
  const words = ["millrace work", server];
  const dash = form.prompt.startsWith("-");
  if (!dash) {
    words.push(quoted(form.prompt));
  }
  // A value that begins with "-" would be read as the next option.
  const add = (option, text) =>
    text && words.push(...(text.startsWith("-") ? [quoted(`${option}=${text}`)] : [option, quoted(text)]));
  add("--model", form.model);
  add("--system", form.system.trim() && form.system);
  for (const parameter of PARAMETERS) {
    const { name, option } = parameter;
    const text = parameterError(parameter, form[name]) ? "" : form[name];
    add(option ?? "--param", text && (option ? text : `${name}=${text}`));
  }
  const { schema } = parseSchema(form.schema);
  if (schema !== undefined) {
    words.push("--json-schema schema.json");
  }
  add("--name", form.name.trim());
  tagsOf(form.tags).forEach((tag) => add("--tag", tag));
  add("--priority", form.priority === "MEDIUM" ? "" : form.priority);
  if (form.hold) {
    words.push("--hold");
  }
  if (dash) {
    words.push("--", quoted(form.prompt)); // a text that begins with "-" would be read as an option
  }
  return schema === undefined
    ? words.join(" ")
    : `${heredoc("schema.json", JSON.stringify(schema, null, 2))}\n${words.join(" ")}`;
}

export function workFileLine(server, text) {
  return `${heredoc("job.json", text)}\nmillrace work ${server} --job job.json`;
}

function heredoc(file, text) {
  return `cat > ${file} <<'END'\n${text.replace(/\n$/, "")}\nEND`;
}
