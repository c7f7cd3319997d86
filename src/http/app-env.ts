import type { RequestIdVariables } from "hono/request-id";
import type { Namespace } from "../service/namespaces.ts";

/** Hono's environment: bindings, and what middleware leaves for handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: RequestIdVariables;
}

/** Below a route with a namespace in its path. */
export interface NamespaceEnv {
  Bindings: Env;
  Variables: RequestIdVariables & { namespace: Namespace };
}
