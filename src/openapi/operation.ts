import type * as v from "valibot";
import type { Scope } from "../core/api-key.ts";
import type { ProblemCode } from "../core/problem.ts";
import type { ParamEntries } from "../service/params.ts";
import type { Example } from "./examples.ts";
import type { Schema, Schemas } from "./shapes.ts";

interface Answer {
  /** Name of the schema of its JSON body. */
  readonly schema?: string;
  /** Another content type of the body. */
  readonly also?: string;
  /** A body of that type. */
  readonly alsoExample?: string;
  readonly headers?: Schema;
}

/** One method of a route, as the OpenAPI document describes it. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  /** The scope that a key needs; undefined if the route needs no key. */
  readonly scope?: Scope;
  readonly description: string;
  readonly query?: ParamEntries;
  /** Header parameters. */
  readonly headers?: readonly Schema[];
  readonly body?: v.GenericSchema;
  readonly isBodyOptional?: boolean;
  readonly bodyExample?: Example;
  /** Examples by kind, if there are several kinds of body. */
  readonly bodyVariants?: Schemas;
  /** Content types of the body, if not JSON alone. */
  readonly bodyTypes?: readonly string[];
  /** Responses that are no problems, by status. */
  readonly answers: Readonly<Record<string, Answer>>;
  readonly errors: readonly ProblemCode[];
  /** True if access control adds no problems: the route needs no key, or rejects it in the words of a dialect. */
  readonly open?: boolean;
}

/** Operations by path and method. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Makes an operation. */
export function op(
  id: string,
  tag: string,
  description: string,
  rest: Omit<Operation, "id" | "tag" | "description">,
): Operation {
  return { id, tag, description, ...rest };
}
