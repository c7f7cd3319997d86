import type { RequestIdVariables } from "hono/request-id";
import type { ApiKeyRecord } from "../../core/api-key.ts";
import type { Namespace } from "../../service/registry/namespaces.ts";

/** Hono's environment: bindings, and what middleware leaves for handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: RequestIdVariables & {
    /** Whose request it is; on gated routes only. */
    caller: ApiKeyRecord;
    /** The code of the problem that was answered. */
    problemCode?: string;
    /** Why a dialect refused, whatever status it answers. */
    dialectCode?: string;
    /** What was thrown inside, where the handler answered it itself. */
    failure?: Error;
  };
}

/** Below a route with a namespace in its path. */
export interface NamespaceEnv {
  Bindings: Env;
  Variables: AppEnv["Variables"] & { namespace: Namespace };
}
