import type * as v from "valibot";
import type { ProblemCode } from "../core/problem.ts";
import type { ParamEntries } from "../service/params.ts";
import type { Schema } from "./shapes.ts";
import type { Example } from "./texts.ts";

interface Answer {
  readonly schema?: string;
  readonly also?: string;
  readonly example?: Example;
  readonly headers?: Schema;
}

/** One method of a route, as the OpenAPI document describes it. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: ParamEntries;
  /** Header parameters. */
  readonly headers?: readonly Schema[];
  readonly body?: v.GenericSchema;
  readonly bodyExample?: Example;
  /** Content types of the body, if not JSON alone. */
  readonly bodyTypes?: readonly string[];
  /** Status and the schema of its JSON body; undefined if it has no JSON body. */
  readonly answers: Readonly<Record<string, Answer>>;
  readonly errors: readonly ProblemCode[];
  /** True if the route needs no key. */
  readonly open?: boolean;
}

/** Operations by path and method. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Makes an operation. */
export function op(
  id: string,
  tag: string,
  summary: string,
  rest: Omit<Operation, "id" | "tag" | "summary">,
): Operation {
  return { id, tag, summary, ...rest };
}
