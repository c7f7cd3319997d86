import { describe, expect, it } from "vitest";
import { parseVerifyOptions } from "../../src/verify/options.ts";

const NEEDED = ["--url", "http://127.0.0.1:1", "--namespace", "default"];

function parse(args: readonly string[], environmentKey?: string) {
  return parseVerifyOptions([...NEEDED, ...args], environmentKey);
}

function optionsOf(args: readonly string[], environmentKey?: string) {
  const parsed = parse(args, environmentKey);
  if (parsed.kind !== "options") throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

describe("the options of verify", () => {
  it("have defaults", () => {
    expect(optionsOf([])).toEqual({
      url: "http://127.0.0.1:1",
      namespace: "default",
      key: undefined,
      dialect: "edgeflake",
      rate: 100,
      seconds: 10,
      count: 1,
      mix: "both",
      order: "fresh",
      shard: undefined,
      preset: undefined,
      skewMs: undefined,
      timeoutMs: 10_000,
      connections: 256,
      json: false,
    });
  });

  it("take the key from the environment unless one is given", () => {
    expect(optionsOf([], "efk_env").key).toBe("efk_env");
    expect(optionsOf(["--key", "efk_arg"], "efk_env").key).toBe("efk_arg");
    expect(optionsOf([], "").key).toBeUndefined();
  });

  it("mix only where there are keys to mix with", () => {
    expect(optionsOf(["--shard", "3"]).mix).toBe("plain");
    expect(optionsOf(["--dialect", "tinyid"]).mix).toBe("plain");
    expect(optionsOf(["--mix", "keys"]).mix).toBe("keys");
  });

  it("take the URL without its last slash, with a path", () => {
    const [parsed] = [parseVerifyOptions(["--url", "https://a.b/x/", "--namespace", "n"], "")];
    expect(parsed).toMatchObject({ options: { url: "https://a.b/x" } });
  });

  it.each([
    [["--rate", "0"], "--rate must be"],
    [["--rate", "20001"], "--rate must be"],
    [["--rate", "1e3"], "--rate must be"],
    [["--rate=-5"], "--rate must be"],
    [["--seconds", "86401"], "--seconds must be"],
    [["--count", "10001"], "--count must be"],
    [["--count", "1.5"], "--count must be"],
    [["--rate", "20000", "--seconds", "1001"], "at most 20000000"],
    [["--shard", "1024"], "--shard must be"],
    [["--skew-ms", "86400001"], "--skew-ms must be"],
    [["--timeout-ms", "0"], "--timeout-ms must be"],
    [["--connections", "4097"], "--connections must be"],
    [["--mix", "all"], "--mix must be one of both, plain, keys"],
    [["--order", "none"], "--order must be one of fresh, strict"],
    [["--order", "toString"], "--order must be"],
    [["--preset", "uuid"], "--preset must be"],
    [["--dialect", "toString"], "--dialect must be one of edgeflake"],
    [["--dialect", "leaf-segment", "--count", "2"], "--count must be 1"],
    [["--dialect", "leaf-segment", "--mix", "keys"], "--mix must be plain"],
    [["--dialect", "tinyid", "--order", "strict"], "--order must be fresh"],
    [["--dialect", "tinyid", "--shard", "0"], "--shard is not available"],
    [["--shard", "0", "--mix", "both"], "each key has its own shard"],
    [["--key", "two words"], "--key (or EDGEFLAKE_KEY) must have"],
    [["--namespace", ""], "--namespace must have"],
    [["--url", "ftp://a"], "--url must be"],
    [["--url", "http://user:secret@a"], "--url must be"],
    [["--url", "http://a?x=1"], "--url must be"],
    [["--url", "http://a/?"], "--url must be"],
    [["--url", "http://a/#"], "--url must be"],
    [["--url", "a.b"], "--url must be"],
    [["--frequency", "1"], "--frequency"],
    [["--rate"], "--rate"],
    [["more"], "more"],
  ])("%j is bad usage: %s", (args, problem) => {
    const parsed = parse(args);
    if (parsed.kind !== "bad") throw new Error("it was taken");
    expect(parsed.problems.join("\n")).toContain(problem);
  });

  it("are all named at once where several are bad", () => {
    const parsed = parseVerifyOptions(["--rate", "0", "--dialect", "x"], undefined);
    expect(parsed).toMatchObject({ kind: "bad" });
    expect(parsed.kind === "bad" && parsed.problems).toHaveLength(4);
  });

  it("never say the key in what is wrong", () => {
    const parsed = parse(["--key", "sécret"]);
    expect(JSON.stringify(parsed)).not.toContain("sécret");
  });
});
