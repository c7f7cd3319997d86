import type { RequestIdVariables } from "hono/request-id";
import type { ApiKeyRecord } from "../core/api-key.ts";
import type { Namespace } from "../service/namespaces.ts";

/** Hono's environment: bindings, and what middleware leaves for handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: RequestIdVariables & {
    /** Whose request it is. */
    caller: ApiKeyRecord;
  };
}

/** Below a route with a namespace in its path. */
export interface NamespaceEnv {
  Bindings: Env;
  Variables: AppEnv["Variables"] & { namespace: Namespace };
}
