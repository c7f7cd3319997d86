/** Objects that several responses have: the page shows each once, and links to it. */
import type { Document, Entry, JsonSchema } from "./document.ts";
import { nameOf } from "./document.ts";

/** Names of the schemas that are referred to in more than one place, in the order of the document. */
export function sharedNames(
  { components }: Document,
  entries: readonly Entry[],
): readonly string[] {
  const answers = entries.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.values(content).flatMap(({ schema }) => (schema ? refsIn(schema) : [])),
    ),
  );
  const nested = Object.values(components.schemas).flatMap(refsIn);
  const places = [...answers, ...nested];
  return Object.keys(components.schemas).filter((name) => {
    return places.filter((place) => place === name).length > 1;
  });
}

function refsIn(schema: JsonSchema): string[] {
  const { $ref, anyOf = [], oneOf = [], items, properties = {} } = schema;
  const parts = [...anyOf, ...oneOf, ...(items ? [items] : []), ...Object.values(properties)];
  return [...($ref === undefined ? [] : [nameOf($ref)]), ...parts.flatMap(refsIn)];
}
