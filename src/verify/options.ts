import { parseArgs } from "node:util";
import { textOf } from "../core/json.ts";
import { PRESETS } from "../core/layout/presets.ts";
import { IDS_COUNT_MAX, SHARDS_MAX } from "../core/limits.ts";
import { DIALECT_NAMES, DIALECTS } from "./dialects.ts";
import { IDS_MAX, KEY_CHARS_MAX, NAMESPACE_CHARS_MAX, URL_CHARS_MAX } from "./limits.ts";

const MIXES = ["both", "plain", "keys"] as const;
const ORDERS = ["fresh", "strict"] as const;
const PRESET_NAMES = [...PRESETS.keys(), "none"];

/** Bounds (inclusive) and default of each option with an integer. */
const INTEGERS = {
  /** At most over twice the 8,000 that one process was measured to send. The default suits every deployment. */
  rate: { least: 1, most: 20_000, otherwise: 100 },
  /** At most a day. IDS_MAX bounds the memory. */
  seconds: { least: 1, most: 86_400, otherwise: 10 },
  /** At most the IDs of a JSON answer of /v1/ids. */
  count: { least: 1, most: IDS_COUNT_MAX, otherwise: 1 },
  shard: { least: 0, most: SHARDS_MAX - 1, otherwise: undefined },
  /** At most a day: a namespace's clock may step back as far, and be forgiven. */
  "skew-ms": { least: 0, most: 86_400_000, otherwise: undefined },
  /** At most the usual timeout of proxies. The default is longer than the service's longest wait with its retries. */
  "timeout-ms": { least: 1, most: 60_000, otherwise: 10_000 },
  /** At most the file descriptors of most systems. The default is enough for 1,000 requests/s at 250 ms each. */
  connections: { least: 1, most: 4096, otherwise: 256 },
} as const;

type IntegerName = keyof typeof INTEGERS;

function range(name: IntegerName): string {
  const { least, most, otherwise } = INTEGERS[name];
  return `${least} to ${most}${otherwise === undefined ? "" : ` (default ${otherwise})`}`;
}

/** The help. It declares the options: a line of two spaces, two dashes, a name, and a word in capitals for a value. */
export const VERIFY_USAGE = `usage: edgeflake verify --url URL --namespace NAME [options]

Requests IDs from a deployment at a steady rate, and checks that its answers keep its promises.

  --url URL            URL of the deployment, http or https
  --namespace NAME     the namespace; Leaf's key, TinyID's bizType
  --key KEY            the API key or token; prefer the variable EDGEFLAKE_KEY, which process lists do not show
  --dialect NAME       ${DIALECT_NAMES.join(", ")} (default edgeflake)
  --rate N             requests per second, ${range("rate")}
  --seconds N          duration, ${range("seconds")}
  --count N            IDs per request, ${range("count")}
  --mix NAME           plain requests, keys (requests with an ordering key), or both in turn (default, if the dialect
                       has keys and --shard is not given)
  --order NAME         fresh (default), or strict, which also checks the order of each shard
  --shard N            requests IDs of this shard only
  --preset NAME        the layout of the IDs, instead of the one the service reports: ${PRESET_NAMES.join(", ")}
                       (none: do not decode IDs)
  --skew-ms N          how far an ID's time may be from its request, before or after, ${range("skew-ms")}
                       (default: the bounds of the namespace, plus 5 s of clock difference)
  --timeout-ms N       timeout of a request, ${range("timeout-ms")}
  --connections N      maximum requests in flight, ${range("connections")}
  --json               prints one JSON document instead of the table

At most ${IDS_MAX.toLocaleString("en-US")} IDs in all (rate × seconds × count). Ctrl+C ends the run early, with a verdict on the answers so
far; a second Ctrl+C abandons open requests.

Exit status: 0 every promise held, 1 a promise was broken, 2 bad usage, 3 nothing proved: no ID was acknowledged,
70 the command failed, or could not write its report, 130 interrupted before any ID was acknowledged.
`;

const OPTIONS = Object.fromEntries(
  [...VERIFY_USAGE.matchAll(/^ {2}--(\S+)( [A-Z]+)?/gm)].map(([, name, value]) => [
    name,
    { type: value === undefined ? "boolean" : "string" } as const,
  ]),
);

/** The options of a run, as VERIFY_USAGE describes them. */
export type VerifyOptions = ReturnType<typeof read>["options"];

type Values = ReturnType<typeof parseArgs>["values"];

/**
 * Parses the arguments after `verify`. `environmentKey`: the key, if no option gives one. `bad`: every problem, with the
 * values allowed.
 */
export function parseVerifyOptions(args: readonly string[], environmentKey: string | undefined) {
  let values: Values;
  try {
    const options = { ...OPTIONS, help: { type: "boolean", short: "h" } } as const;
    values = parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    // For an unknown option, or one without its value.
    const problem = error instanceof Error ? error.message : `${error}`;
    return { kind: "bad", problems: [problem] } as const;
  }
  if (values.help === true) return { kind: "help" } as const;
  const { options, problems } = read(values, environmentKey);
  return problems.length > 0
    ? ({ kind: "bad", problems } as const)
    : ({ kind: "options", options } as const);
}

/** The options that values stand for, right only without problems. */
function read(values: Values, environmentKey: string | undefined) {
  const problems: string[] = [];
  const demand = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const integer = <Name extends IntegerName>(
    name: Name,
  ): number | (typeof INTEGERS)[Name]["otherwise"] => {
    const { least, most, otherwise } = INTEGERS[name];
    const text = textOf(values[name]);
    const value = text === undefined ? otherwise : /^\d{1,9}$/.test(text) ? Number(text) : -1;
    const holds = value === undefined || (value >= least && value <= most);
    demand(holds, `--${name} must be an integer from ${least} to ${most}`);
    return holds ? value : otherwise;
  };
  const choice = <Text extends string>(name: string, texts: readonly Text[], otherwise: Text) => {
    const { [name]: given = otherwise } = values;
    const text = texts.find((one) => one === given);
    demand(text !== undefined, `--${name} must be one of ${texts.join(", ")}`);
    return text ?? otherwise;
  };
  const url = urlOf(textOf(values.url) ?? "");
  demand(url !== undefined, "--url must be an http or https URL without query or password");
  const namespace = textOf(values.namespace) ?? "";
  const isName = namespace.length >= 1 && namespace.length <= NAMESPACE_CHARS_MAX;
  demand(isName, `--namespace must have 1 to ${NAMESPACE_CHARS_MAX} characters`);
  const key = textOf(values.key) ?? (environmentKey || undefined);
  const isKey = key === undefined || (/^[\x21-\x7e]+$/.test(key) && key.length <= KEY_CHARS_MAX);
  const keyTakes = `1 to ${KEY_CHARS_MAX} visible ASCII characters`;
  demand(isKey, `--key (or EDGEFLAKE_KEY) must have ${keyTakes}`);
  const [rate, seconds, count] = [integer("rate"), integer("seconds"), integer("count")];
  const ids = rate * seconds * count;
  demand(ids <= IDS_MAX, `--rate × --seconds × --count must be at most ${IDS_MAX}, and is ${ids}`);
  const [timeoutMs, connections] = [integer("timeout-ms"), integer("connections")];
  const skewMs = integer("skew-ms");
  const preset = values.preset === undefined ? undefined : choice("preset", PRESET_NAMES, "none");
  const shard = integer("shard");
  const order = choice("order", ORDERS, "fresh");
  const dialect = choice("dialect", DIALECT_NAMES, "edgeflake");
  const { placed, countMax } = DIALECTS[dialect];
  const mix = choice("mix", MIXES, placed && shard === undefined ? "both" : "plain");
  const by = `with --dialect ${dialect}`;
  demand(placed || mix === "plain", `--mix must be plain ${by}`);
  demand(placed || order === "fresh", `--order must be fresh ${by}`);
  demand(placed || shard === undefined, `--shard is not available ${by}`);
  demand(count <= countMax, `--count must be ${countMax} ${by}`);
  const isApart = !placed || shard === undefined || mix === "plain";
  demand(isApart, "--mix must be plain with --shard: each key has its own shard");
  const target = { url: url ?? "", namespace, key, dialect, preset, shard };
  const load = { rate, seconds, count, mix, order, skewMs, timeoutMs, connections };
  return { options: { ...target, ...load, json: values.json === true }, problems };
}

/** Without a trailing slash. Undefined if the text is no URL to send requests to. */
function urlOf(text: string): string | undefined {
  if (text.length > URL_CHARS_MAX || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  // The URL parser drops an empty query, but keeps its question mark, after which no path can follow.
  if (username + password !== "" || /[?#]/.test(href)) return undefined;
  return href.replace(/\/+$/, "");
}
