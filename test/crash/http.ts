/** One request over a persistent connection, and its result, even if that is a partial response or none. */
import { type Agent, type IncomingHttpHeaders, request } from "node:http";

/** A response that takes longer counts as hanging, in ms. Waits inside the service end after seconds. */
const HANG_MS = 30_000;

export interface Input {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
}

export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
      /** False: the connection broke in the middle of the body. */
      readonly isWhole: boolean;
    }
  /** The connection broke before any answer. */
  | { readonly kind: "broken" }
  /** There was no connection: nobody listens. */
  | { readonly kind: "unreachable" }
  /** Neither an answer nor a broken connection within HANG_MS. */
  | { readonly kind: "hung" };

export function ask(url: string, { method, path, body }: Input, agent?: Agent): Promise<Reply> {
  return new Promise((resolve) => {
    const headers = body ? { "content-type": "application/json" } : {};
    const sent = request(url + path, { method, headers, ...(agent && { agent }) });
    const limit = setTimeout(() => {
      end({ kind: "hung" });
      sent.destroy();
    }, HANG_MS);
    const end = (reply: Reply): void => {
      clearTimeout(limit);
      resolve(reply);
    };
    sent.on("error", (error) => {
      const isRefused = "code" in error && error.code === "ECONNREFUSED";
      end({ kind: isRefused ? "unreachable" : "broken" });
    });
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      const answered = (): void => {
        const text = Buffer.concat(chunks).toString();
        const { statusCode: status = 0, headers, complete: isWhole } = response;
        end({ kind: "answer", status, headers, body: text, isWhole });
      };
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => undefined);
      response.on("close", answered);
    });
    sent.end(body && JSON.stringify(body));
  });
}
