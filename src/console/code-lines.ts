/** Code that gets the same IDs from a shell, a program and another Worker. */

/** The form of the section Request IDs. */
export interface Input {
  readonly name: string;
  readonly count: string;
  readonly encoding: string;
  /** The ordering key; empty for none. */
  readonly key: string;
}

/** The encoding as a JSON number, of layouts of 53 bits at most. */
export const NUMBER = "number";

/** A line of the shown program, not an import of this file. */
const IMPORT = `import { Edgeflake } from ${JSON.stringify("edgeflake/client")};`;

const BINDING = '// IDS: a service binding with entrypoint = "Edgeflake"';

/** The query of /v1/ids. */
export function queryOf({ count, encoding, key }: Input): string {
  const query = new URLSearchParams({ count });
  if (encoding !== "decimal") query.set("encoding", encoding);
  if (key !== "") query.set("key", key);
  return query.toString();
}

/** Added to a line that returns another encoding than the chosen one. */
const DECIMAL_ONLY = " // decimal texts";

/** Pairs of a title and the code. The client always returns decimal texts. */
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
