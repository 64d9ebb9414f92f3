/**
 * Makes JavaScript functions the commands of a tool package.
 *
 *     import { InvalidArgs, main, tool } from "./agentctl-tool.mjs";
 *
 *     tool({
 *       name: "count-rows",
 *       description: "Count the rows of a CSV file.",
 *       parameters: {
 *         type: "object",
 *         properties: { path: { type: "string", description: "CSV file to read." } },
 *         required: ["path"],
 *       },
 *     }, async ({ path }) => ({ rows: 3 }));
 *
 *     await main();
 *
 * Arguments are checked against the schema before the function runs; properties
 * that it does not name are refused, and a default of it is filled in. The result
 * is printed as JSON, a string as it is, undefined as nothing.
 *
 * One file, no dependencies, Node 18 or newer; it is yours to keep.
 */

// The exit codes of contract v1.
const OK = 0, FAILED = 1, ARGUMENTS = 2, CONFIG = 3, TRANSIENT = 4;

/** An argument that fits the schema but not the world; others may work. */
export class InvalidArgs extends Error {
  constructor(field, message) {
    super(field ? `${field}: ${message}` : message);
    this.field = field;
    this.reason = message;
  }
}

/** A secret or a setting is missing: a person must act. */
export class NotConfigured extends Error {}

/** The same call may work later. */
export class Transient extends Error {}

const commands = new Map();

/** Registers a command. run gets the arguments as one object. */
export function tool({ name, description, parameters, annotations }, run) {
  if (!/^[a-z_][a-z0-9_.-]{0,63}$/.test(name)) {
    throw new Error(`command ${JSON.stringify(name)}: a name has up to 64 of a-z, 0-9, -, . and _, and starts with a letter or _`);
  }
  if (commands.has(name)) throw new Error(`command ${JSON.stringify(name)} is registered twice`);
  const schema = { type: "object", properties: {}, additionalProperties: false, ...parameters };
  commands.set(name, { about: { name, description, params_json_schema: schema, annotations }, schema, run });
}

/** Serves one call of the contract and exits. */
export async function main(argv = process.argv.slice(2)) {
  let refused = false;
  // A 2 of a library would mean that other arguments help.
  process.on("exit", (code) => { if (code === ARGUMENTS && !refused) process.exitCode = FAILED; });
  process.stdout.on("error", () => process.exit(FAILED)); // nobody reads any more
  const { code, out = "" } = await serve(argv);
  refused = code === ARGUMENTS;
  process.stdout.write(out, () => process.exit(code)); // what is still open must not keep us
}

async function serve(argv) {
  if (argv.length === 0) {
    return print([...commands.values()].map(({ about }) => ({ name: about.name, description: about.description })));
  }
  if (argv.length === 1 && argv[0] === "--describe-all") return print([...commands.values()].map(({ about }) => about));
  const command = commands.get(argv[0]);
  if (!command || argv.length > 2) {
    const reason = command ? `got ${argv.length} arguments` : `unknown command ${JSON.stringify(argv[0])}`;
    console.error(`${reason}; usage: launch [COMMAND [JSON or -]]; commands: ${[...commands.keys()].join(", ")}`);
    return { code: ARGUMENTS };
  }
  if (argv.length === 1) return print(command.about);
  try {
    const args = parse(argv[1] === "-" ? await stdin() : argv[1]);
    const result = await command.run(check(args, command.schema, ""));
    if (result === undefined || result === null) return { code: OK };
    return typeof result === "string" ? { code: OK, out: result.endsWith("\n") ? result : result + "\n" } : print(result);
  } catch (error) {
    return { code: report(error) };
  }
}

function report(error) {
  if (error instanceof InvalidArgs) {
    console.error(error.message);
    console.error("agentctl-error: " + JSON.stringify({ kind: "invalid_arguments", message: error.reason, field: error.field }));
    return ARGUMENTS;
  }
  if (error instanceof NotConfigured || error instanceof Transient) {
    console.error(error.message);
    return error instanceof Transient ? TRANSIENT : CONFIG;
  }
  console.error(error);
  return FAILED;
}

function print(value) {
  const text = JSON.stringify(value, (key, item) => {
    if (typeof item === "number" && !Number.isFinite(item)) throw new Error(`the result holds ${item} in ${key || "it"}, which is no JSON`);
    return item;
  });
  return { code: OK, out: text + "\n" };
}

async function stdin() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new InvalidArgs("", "arguments are no UTF-8");
  }
}

function parse(text) {
  if (text.trim() === "") return {};
  let args;
  try {
    args = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgs("", `arguments must be one JSON object: ${error.message}`);
  }
  if (kind(args) !== "object") throw new InvalidArgs("", `arguments must be one JSON object, got ${kind(args)}`);
  return args;
}

function kind(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const join = (path, name) => (path ? `${path}.${name}` : name);

const fits = {
  integer: (value) => Number.isInteger(value),
  number: (value) => Number.isFinite(value),
};

/** Checks a value against the plain parts of a schema and fills in defaults; the host checks the rest. */
function check(value, schema, path) {
  if (schema === true || schema === undefined) return value;
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => (fits[type] ? fits[type](value) : kind(value) === type))) {
    throw new InvalidArgs(path, `expected ${types.join(" or ")}, got ${kind(value)}`);
  }
  if (schema.enum && !schema.enum.includes(value)) {
    throw new InvalidArgs(path, `must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
  }
  if (typeof value === "number") checkNumber(value, schema, path);
  if (typeof value === "string" && [...value].length < (schema.minLength ?? 0)) {
    throw new InvalidArgs(path, schema.minLength === 1 ? "is empty" : `has fewer than ${schema.minLength} characters`);
  }
  if (Array.isArray(value)) return value.map((item, i) => check(item, schema.items, `${path}[${i}]`));
  return kind(value) === "object" ? checkObject(value, schema, path) : value;
}

function checkNumber(value, schema, path) {
  if (value < schema.minimum) throw new InvalidArgs(path, `must be at least ${schema.minimum}`);
  if (value > schema.maximum) throw new InvalidArgs(path, `must be at most ${schema.maximum}`);
}

function checkObject(value, schema, path) {
  const known = schema.properties ?? {};
  const out = Object.create(null);
  for (const [name, item] of Object.entries(value)) {
    if (!Object.hasOwn(known, name) && schema.additionalProperties === false) {
      throw new InvalidArgs(join(path, name), `unknown property; known: ${Object.keys(known).join(", ") || "none"}`);
    }
    out[name] = check(item, Object.hasOwn(known, name) ? known[name] : schema.additionalProperties, join(path, name));
  }
  for (const name of schema.required ?? []) {
    if (!(name in out)) throw new InvalidArgs(join(path, name), "is required");
  }
  for (const [name, property] of Object.entries(known)) {
    if (!(name in out) && property.default !== undefined) out[name] = property.default;
  }
  return out;
}
