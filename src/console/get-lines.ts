/** The lines that get the same IDs from a shell, a program and another Worker. */

/** What is asked for. */
export interface Input {
  readonly name: string;
  readonly count: string;
  readonly encoding: string;
  /** A text whose IDs strictly increase; empty for none. */
  readonly key: string;
}

/** The encoding as a JSON number, of layouts of 53 bits at most. */
export const NUMBER = "number";

/** In a program, not of this one. */
const IMPORT = `import { Edgeflake } from ${JSON.stringify("edgeflake/client")};`;

const BINDING = '// IDS: a service binding with entrypoint = "Edgeflake"';

/** The query of /v1/ids. */
export function queryOf({ count, encoding, key }: Input): string {
  const query = new URLSearchParams({ count });
  if (encoding !== "decimal") query.set("encoding", encoding);
  if (key !== "") query.set("key", key);
  return query.toString();
}

/** Said where a line gives other texts than those that were chosen. */
const DECIMAL_ONLY = " // decimal texts";

/** Pairs of a title and what does the same there. The client gives decimal texts, whatever was chosen. */
export function linesOf(input: Input, origin: string, withKey: boolean): [string, string][] {
  const { name, count, encoding, key } = input;
  const url = `${origin}/v1/ids/${encodeURIComponent(name.toWellFormed())}?${queryOf(input)}`;
  const authorization = withKey ? ' -H "Authorization: Bearer $KEY"' : "";
  const ofClient = [
    `url: ${JSON.stringify(origin)}`,
    ...(withKey ? ["key: process.env.KEY"] : []),
    `namespace: ${JSON.stringify(name)}`,
  ];
  const keyed = key === "" ? [] : [`key: ${JSON.stringify(key)}`];
  const isText = encoding !== "decimal" && encoding !== NUMBER;
  const encoded = isText ? [`encoding: ${JSON.stringify(encoding)}`] : [];
  const isOne = count === "1";
  const client = isOne
    ? `await ids.next(${optionsOf(keyed)});`
    : `await ids.take(${argumentsOf(count, keyed)});`;
  const named = JSON.stringify(name);
  const rpc = isOne
    ? `await env.IDS.nextId(${argumentsOf(named, [...keyed, ...encoded])});`
    : `await env.IDS.nextIds(${argumentsOf(`${named}, ${count}`, [...keyed, ...encoded])});`;
  return [
    ["curl", `curl${authorization} "${url}"`],
    [
      "client",
      `${IMPORT}\nconst ids = new Edgeflake({ ${ofClient.join(", ")} });\n${client}${encoding === "decimal" ? "" : DECIMAL_ONLY}`,
    ],
    ["RPC", `${BINDING}\n${rpc}${encoding === NUMBER ? DECIMAL_ONLY : ""}`],
  ];
}

function optionsOf(options: readonly string[]): string {
  return options.length === 0 ? "" : `{ ${options.join(", ")} }`;
}

function argumentsOf(first: string, options: readonly string[]): string {
  return options.length === 0 ? first : `${first}, ${optionsOf(options)}`;
}
