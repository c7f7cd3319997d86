import { parseArgs } from "node:util";
import { PRESETS } from "../core/layout/presets.ts";
import { SHARDS_MAX } from "../core/limits.ts";
import { DIALECTS, type DialectName, isDialectName } from "./dialects.ts";
import {
  CONNECTIONS_DEFAULT,
  CONNECTIONS_MAX,
  COUNT_MAX,
  IDS_MAX,
  KEY_CHARS_MAX,
  NAMESPACE_CHARS_MAX,
  RATE_DEFAULT,
  RATE_MAX,
  SECONDS_DEFAULT,
  SECONDS_MAX,
  SKEW_MAX_MS,
  TIMEOUT_DEFAULT_MS,
  TIMEOUT_MAX_MS,
  URL_CHARS_MAX,
} from "./limits.ts";

const MIXES = ["both", "plain", "keys"] as const;
const ORDERS = ["fresh", "strict"] as const;
const PRESET_NAMES = [...PRESETS.keys(), "none"];

export const VERIFY_USAGE = `usage: edgeflake verify --url URL --namespace NAME [options]

Requests IDs from a deployment at a steady rate, and checks that its answers keep its promises.

  --url URL            URL of the deployment, http or https
  --namespace NAME     the namespace; Leaf's key, TinyID's bizType
  --key KEY            the API key or token; prefer the variable EDGEFLAKE_KEY, which process lists do not show
  --dialect NAME       ${Object.keys(DIALECTS).join(", ")} (default edgeflake)
  --rate N             requests per second, 1 to ${RATE_MAX} (default ${RATE_DEFAULT})
  --seconds N          duration, 1 to ${SECONDS_MAX} (default ${SECONDS_DEFAULT})
  --count N            IDs per request, 1 to ${COUNT_MAX} (default 1)
  --mix NAME           plain requests, keys (requests with an ordering key), or both in turn (default, if the dialect
                       has keys and --shard is not given)
  --order NAME         fresh (default), or strict, which also checks the order of each shard
  --shard N            requests IDs of this shard only
  --preset NAME        the layout of the IDs, instead of the one the service reports: ${PRESET_NAMES.join(", ")}
                       (none: do not decode IDs)
  --skew-ms N          how far an ID's time may be from its request, before or after, 0 to ${SKEW_MAX_MS}
                       (default: the bounds of the namespace, plus 5 s of clock difference)
  --timeout-ms N       timeout of a request, 1 to ${TIMEOUT_MAX_MS} (default ${TIMEOUT_DEFAULT_MS})
  --connections N      maximum requests in flight, 1 to ${CONNECTIONS_MAX} (default ${CONNECTIONS_DEFAULT})
  --json               prints one JSON document instead of the table

At most ${IDS_MAX.toLocaleString("en-US")} IDs in all (rate × seconds × count). Ctrl+C ends the run early, with a verdict on the answers so
far; a second Ctrl+C abandons open requests.

Exit status: 0 every promise held, 1 a promise was broken, 2 bad usage, 3 nothing proved: no ID was acknowledged,
70 the command failed, or could not write its report, 130 interrupted before any ID was acknowledged.
`;

/** The options of a run, as VERIFY_USAGE describes them. */
export interface VerifyOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly namespace: string;
  readonly key: string | undefined;
  readonly dialect: DialectName;
  readonly rate: number;
  readonly seconds: number;
  readonly count: number;
  readonly mix: (typeof MIXES)[number];
  readonly order: (typeof ORDERS)[number];
  readonly shard: number | undefined;
  readonly preset: string | undefined;
  readonly skewMs: number | undefined;
  readonly timeoutMs: number;
  readonly connections: number;
  readonly json: boolean;
}

export type ParsedOptions =
  | { readonly kind: "options"; readonly options: VerifyOptions }
  | { readonly kind: "help" }
  /** Every problem, with the values allowed. */
  | { readonly kind: "bad"; readonly problems: readonly string[] };

/** Parses the arguments after `verify`. `environmentKey`: the key, if no option gives one. */
export function parseVerifyOptions(
  args: readonly string[],
  environmentKey: string | undefined,
): ParsedOptions {
  try {
    const values = valuesOf(args);
    return values.help === true ? { kind: "help" } : read(values, environmentKey);
  } catch (error) {
    // parseArgs throws for an unknown option, or one without its value.
    return { kind: "bad", problems: [error instanceof Error ? error.message : String(error)] };
  }
}

type Values = ReturnType<typeof valuesOf>;

function valuesOf(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = {
    url: text,
    namespace: text,
    key: text,
    dialect: text,
    rate: text,
    seconds: text,
    count: text,
    mix: text,
    order: text,
    shard: text,
    preset: text,
    "skew-ms": text,
    "timeout-ms": text,
    connections: text,
    json: flag,
    help: { ...flag, short: "h" },
  } as const;
  return parseArgs({ args: [...args], options, strict: true }).values;
}

/** Records a problem if a condition does not hold. */
type Demand = (holds: boolean, problem: string) => void;

function read(values: Values, environmentKey: string | undefined): ParsedOptions {
  const problems: string[] = [];
  const demand: Demand = (holds, problem) => {
    if (!holds) problems.push(problem);
  };
  const target = targetOf(values, environmentKey, demand);
  const load = loadOf(values, demand);
  const skewMs = wholeOf(values, "skew-ms", 0, SKEW_MAX_MS, demand);
  const { preset, json = false } = values;
  const hasPreset = preset === undefined || PRESET_NAMES.includes(preset);
  demand(hasPreset, `--preset must be one of ${PRESET_NAMES.join(", ")}`);
  const placement = placementOf(values, load.count, demand);
  if (problems.length > 0 || !target || !placement) return { kind: "bad", problems };
  return { kind: "options", options: { ...target, ...placement, ...load, preset, skewMs, json } };
}

function targetOf(values: Values, environmentKey: string | undefined, demand: Demand) {
  const url = urlOf(values.url);
  demand(url !== undefined, "--url must be an http or https URL without query or password");
  const { namespace = "" } = values;
  const isName = namespace.length >= 1 && namespace.length <= NAMESPACE_CHARS_MAX;
  demand(isName, `--namespace must have 1 to ${NAMESPACE_CHARS_MAX} characters`);
  const key = values.key ?? (environmentKey || undefined);
  const isKey = key === undefined || (/^[\x21-\x7e]+$/.test(key) && key.length <= KEY_CHARS_MAX);
  demand(
    isKey,
    `--key (or EDGEFLAKE_KEY) must have 1 to ${KEY_CHARS_MAX} visible ASCII characters`,
  );
  return url === undefined ? undefined : { url, namespace, key };
}

function loadOf(values: Values, demand: Demand) {
  const rate = wholeOf(values, "rate", 1, RATE_MAX, demand) ?? RATE_DEFAULT;
  const seconds = wholeOf(values, "seconds", 1, SECONDS_MAX, demand) ?? SECONDS_DEFAULT;
  const count = wholeOf(values, "count", 1, COUNT_MAX, demand) ?? 1;
  const ids = rate * seconds * count;
  demand(ids <= IDS_MAX, `--rate × --seconds × --count must be at most ${IDS_MAX}, and is ${ids}`);
  return {
    rate,
    seconds,
    count,
    timeoutMs: wholeOf(values, "timeout-ms", 1, TIMEOUT_MAX_MS, demand) ?? TIMEOUT_DEFAULT_MS,
    connections: wholeOf(values, "connections", 1, CONNECTIONS_MAX, demand) ?? CONNECTIONS_DEFAULT,
  };
}

/** The source and order of the IDs, as far as the dialect has them. */
function placementOf(values: Values, count: number, demand: Demand) {
  const { dialect = "edgeflake", order = "fresh" } = values;
  const shard = wholeOf(values, "shard", 0, SHARDS_MAX - 1, demand);
  demand(isOneOf(ORDERS, order), `--order must be one of ${ORDERS.join(", ")}`);
  const isKnown = isDialectName(dialect);
  demand(isKnown, `--dialect must be one of ${Object.keys(DIALECTS).join(", ")}`);
  if (!isKnown || !isOneOf(ORDERS, order)) return undefined;
  const { placed, countMax = COUNT_MAX } = DIALECTS[dialect];
  const { mix = placed && shard === undefined ? "both" : "plain" } = values;
  demand(isOneOf(MIXES, mix), `--mix must be one of ${MIXES.join(", ")}`);
  if (!isOneOf(MIXES, mix)) return undefined;
  const by = `with --dialect ${dialect}`;
  demand(placed || mix === "plain", `--mix must be plain ${by}`);
  demand(placed || order === "fresh", `--order must be fresh ${by}`);
  demand(placed || shard === undefined, `--shard is not available ${by}`);
  demand(count <= countMax, `--count must be ${countMax} ${by}`);
  const isApart = !placed || shard === undefined || mix === "plain";
  demand(isApart, "--mix must be plain with --shard: each key has its own shard");
  return { dialect, mix, order, shard };
}

/** Undefined if the option is absent or invalid. */
function wholeOf(
  values: Values,
  name: keyof Values,
  least: number,
  most: number,
  demand: Demand,
): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const value = typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  const holds = value >= least && value <= most;
  demand(holds, `--${name} must be an integer from ${least} to ${most}`);
  return holds ? value : undefined;
}

function isOneOf<Text extends string>(texts: readonly Text[], text: string): text is Text {
  return texts.some((one) => one === text);
}

/** Undefined if the text is no URL to send requests to. */
function urlOf(text: string | undefined): string | undefined {
  if (text === undefined || text.length > URL_CHARS_MAX || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  // The URL parser drops an empty query, but keeps its question mark, after which no path can follow.
  if (username + password !== "" || /[?#]/.test(href)) return undefined;
  return href.replace(/\/+$/, "");
}
