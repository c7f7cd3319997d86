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

Asks a deployment for IDs at a steady rate, and says whether what it answered keeps its promises.

  --url URL            of the deployment, http or https
  --namespace NAME     the namespace; Leaf's key, TinyID's bizType
  --key KEY            the API key or token; better in the variable EDGEFLAKE_KEY, which process lists do not show
  --dialect NAME       ${Object.keys(DIALECTS).join(", ")} (default edgeflake)
  --rate N             requests a second, 1 to ${RATE_MAX} (default ${RATE_DEFAULT})
  --seconds N          1 to ${SECONDS_MAX} (default ${SECONDS_DEFAULT})
  --count N            IDs per request, 1 to ${COUNT_MAX} (default 1)
  --mix NAME           plain requests, keys (IDs in the order of a key), or both by turns (default, where it can be)
  --order NAME         fresh (default), or strict: the order of each shard is checked
  --shard N            asks this shard only
  --preset NAME        how to read IDs, instead of asking the service: ${PRESET_NAMES.join(", ")}
                       (none: not read at all)
  --skew-ms N          how far an ID's time may be from its request, to either side, 0 to ${SKEW_MAX_MS}
                       (default: what the namespace promises, and 5 s for clocks that differ)
  --timeout-ms N       how long an answer may take, 1 to ${TIMEOUT_MAX_MS} (default ${TIMEOUT_DEFAULT_MS})
  --connections N      requests in flight at most, 1 to ${CONNECTIONS_MAX} (default ${CONNECTIONS_DEFAULT})
  --json               one JSON document instead of the table

At most ${IDS_MAX.toLocaleString("en-US")} IDs in all (rate × seconds × count). Exit status: 0 every promise held, 1 one was broken,
2 bad usage, 3 nothing proved: no ID was acknowledged, 70 a fault of this command, or its report could not be written,
130 interrupted before any ID was acknowledged.
Ctrl+C ends early, with the verdict on what was seen; a second one does not wait for open requests.
`;

/** What to verify and how; see VERIFY_USAGE. */
export interface VerifyOptions {
  /** Without a slash at the end. */
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
  /** All that is wrong, each with what is taken. */
  | { readonly kind: "bad"; readonly problems: readonly string[] };

/** Reads the command line behind `verify`. `environmentKey`: the key, where no option says one. */
export function parseVerifyOptions(
  args: readonly string[],
  environmentKey: string | undefined,
): ParsedOptions {
  try {
    const values = valuesOf(args);
    return values.help === true ? { kind: "help" } : read(values, environmentKey);
  } catch (error) {
    // What parseArgs says of an option that it does not know, or that lacks its value.
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

/** Notes a problem where something does not hold. */
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
  demand(hasPreset, `--preset takes ${PRESET_NAMES.join(", ")}`);
  const placement = placementOf(values, load.count, demand);
  if (problems.length > 0 || !target || !placement) return { kind: "bad", problems };
  return { kind: "options", options: { ...target, ...placement, ...load, preset, skewMs, json } };
}

function targetOf(values: Values, environmentKey: string | undefined, demand: Demand) {
  const url = urlOf(values.url);
  demand(url !== undefined, "--url takes an http or https address without query or password");
  const { namespace = "" } = values;
  const isName = namespace.length >= 1 && namespace.length <= NAMESPACE_CHARS_MAX;
  demand(isName, `--namespace takes 1 to ${NAMESPACE_CHARS_MAX} characters`);
  const key = values.key ?? (environmentKey || undefined);
  const isKey = key === undefined || (/^[\x21-\x7e]+$/.test(key) && key.length <= KEY_CHARS_MAX);
  demand(isKey, `--key (or EDGEFLAKE_KEY) takes 1 to ${KEY_CHARS_MAX} visible ASCII characters`);
  return url === undefined ? undefined : { url, namespace, key };
}

function loadOf(values: Values, demand: Demand) {
  const rate = wholeOf(values, "rate", 1, RATE_MAX, demand) ?? RATE_DEFAULT;
  const seconds = wholeOf(values, "seconds", 1, SECONDS_MAX, demand) ?? SECONDS_DEFAULT;
  const count = wholeOf(values, "count", 1, COUNT_MAX, demand) ?? 1;
  const ids = rate * seconds * count;
  demand(ids <= IDS_MAX, `--rate × --seconds × --count takes at most ${IDS_MAX}, and is ${ids}`);
  return {
    rate,
    seconds,
    count,
    timeoutMs: wholeOf(values, "timeout-ms", 1, TIMEOUT_MAX_MS, demand) ?? TIMEOUT_DEFAULT_MS,
    connections: wholeOf(values, "connections", 1, CONNECTIONS_MAX, demand) ?? CONNECTIONS_DEFAULT,
  };
}

/** Where the IDs come from, and in which order: not every dialect can say it. */
function placementOf(values: Values, count: number, demand: Demand) {
  const { dialect = "edgeflake", order = "fresh" } = values;
  const shard = wholeOf(values, "shard", 0, SHARDS_MAX - 1, demand);
  demand(isOneOf(ORDERS, order), `--order takes ${ORDERS.join(", ")}`);
  const isKnown = isDialectName(dialect);
  demand(isKnown, `--dialect takes ${Object.keys(DIALECTS).join(", ")}`);
  if (!isKnown || !isOneOf(ORDERS, order)) return undefined;
  const { placed, countMax = COUNT_MAX } = DIALECTS[dialect];
  const { mix = placed && shard === undefined ? "both" : "plain" } = values;
  demand(isOneOf(MIXES, mix), `--mix takes ${MIXES.join(", ")}`);
  if (!isOneOf(MIXES, mix)) return undefined;
  const by = `with --dialect ${dialect}`;
  demand(placed || mix === "plain", `--mix takes plain ${by}`);
  demand(placed || order === "fresh", `--order takes fresh ${by}`);
  demand(placed || shard === undefined, `--shard takes nothing ${by}`);
  demand(count <= countMax, `--count takes ${countMax} ${by}`);
  const isApart = !placed || shard === undefined || mix === "plain";
  demand(isApart, "--mix takes plain with --shard: a key has its own shard");
  return { dialect, mix, order, shard };
}

/** Undefined where the option is not given, or not taken. */
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
  demand(holds, `--${name} takes a whole number from ${least} to ${most}`);
  return holds ? value : undefined;
}

function isOneOf<Text extends string>(texts: readonly Text[], text: string): text is Text {
  return texts.some((one) => one === text);
}

/** Undefined where it is none that can be asked. */
function urlOf(text: string | undefined): string | undefined {
  if (text === undefined || text.length > URL_CHARS_MAX || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  // An empty query has a question mark all the same, and nothing can be put behind it.
  if (username + password !== "" || /[?#]/.test(href)) return undefined;
  return href.replace(/\/+$/, "");
}
