import { parseArgs } from "node:util";

/** The service's address and data folder. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
}

export const SERVE_USAGE =
  "usage: npm run serve -- [--port N] [--host ADDRESS] [--data FOLDER]   (defaults: 8790, 127.0.0.1, ./.data)";

/** Reads the command line. Throws an Error that names the allowed values. */
export function parseServeOptions(args: readonly string[]): ServeOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "8790" },
      data: { type: "string", default: "./.data" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) throw new Error("Runs the production build under plain workerd.");
  const port = Number(values.port);
  if (!/^(0|[1-9]\d{0,4})$/.test(values.port) || port > 65_535) {
    throw new Error("--port must be an integer from 0 to 65535 (0: any free port)");
  }
  if (!/^[A-Za-z0-9.:[\]-]+$/.test(values.host))
    throw new Error("--host must be a host name or an address");
  if (values.data === "") throw new Error("--data must be a folder");
  return { host: values.host, port, dataFolder: values.data };
}
