import type { RequestIdVariables } from "hono/request-id";
import type { ApiKeyRecord } from "../../core/api-key.ts";
import type { Namespace } from "../../service/registry/namespaces.ts";

/** Hono's environment: bindings, and values that middleware sets for handlers. */
export interface AppEnv {
  Bindings: Env;
  Variables: RequestIdVariables & {
    /** The caller; only on routes with access control. */
    caller: ApiKeyRecord;
    /** The code of the problem in the response. */
    problemCode?: string;
    /** The code of a dialect's problem, for any status of its response. */
    dialectCode?: string;
    /** An internal error that the handler turned into a response itself. */
    failure?: Error;
  };
}

/** The environment of routes with a namespace in their path. */
export interface NamespaceEnv {
  Bindings: Env;
  Variables: AppEnv["Variables"] & { namespace: Namespace };
}
