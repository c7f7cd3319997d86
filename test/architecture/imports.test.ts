/** The house plan as a test: who may import whom, and what the pure core may not touch. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

interface Import {
  readonly from: string;
  /** A path below src for own modules, the bare name for packages. */
  readonly to: string;
  readonly typeOnly: boolean;
}

/** A module's code without comments, so that prose about the rules does not break them. */
function codeOf(file: string): string {
  const text = readFileSync(path.join(SOURCE, file), "utf8");
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function importsOf(file: string): Import[] {
  const statements = /\b(import|export)\s+(type\s+)?([^;"']*?\bfrom\s+)?["']([^"']+)["']/g;
  const dynamic = /\bimport\(\s*["']([^"']+)["']/g;
  const code = codeOf(file);
  const found: Import[] = [];
  const add = (target: string, typeOnly: boolean): void => {
    const own = target.startsWith(".");
    const to = own ? path.posix.join(path.posix.dirname(file), target) : target;
    found.push({ from: file, to, typeOnly });
  };
  for (const [, , type, , target = ""] of code.matchAll(statements)) {
    add(target, type !== undefined);
  }
  for (const [, target = ""] of code.matchAll(dynamic)) add(target, false);
  return found;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(path.sep).join("/"))
  .filter((file) => /\.tsx?$/.test(file));
const imports = files.flatMap(importsOf);
const folderOf = (file: string) => (file.includes("/") ? (file.split("/")[0] ?? "") : file);

/** Own folders that each folder may import from. A folder that is missing here may import nothing. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: ["core"],
  objects: ["core", "objects"],
  service: ["core", "service"],
  http: ["core", "service", "http"],
  selfhost: ["core", "selfhost"],
  openapi: ["core", "service", "http", "openapi", "assets"],
  assets: ["openapi"],
  console: ["core", "console", "assets"],
  "rpc.ts": ["core", "service"],
  client: ["core", "client"],
  "client-node": ["client"],
  verify: ["core", "verify"],
  cli: ["verify"],
  "index.ts": ["http", "objects", "rpc.ts"],
};

/** Packages that each folder may import. */
const MAY_USE: Readonly<Record<string, RegExp>> = {
  core: /^$/,
  objects: /^(cloudflare:workers|valibot)$/,
  service: /^valibot$/,
  http: /^(hono(\/[a-z-]+)*|valibot)$/,
  selfhost: /^(node:[a-z_]+|valibot)$/,
  openapi: /^(@valibot\/to-json-schema|hono\/html|valibot)$/,
  assets: /^(node:[a-z_]+|esbuild)$/,
  console: /^(preact(\/hooks)?|d3-array)$/,
  "rpc.ts": /^cloudflare:workers$/,
  client: /^$/,
  "client-node": /^node:[a-z_/]+$/,
  verify: /^node:[a-z_/]+$/,
  cli: /^node:[a-z_/]+$/,
  "index.ts": /^$/,
};

/** Rooms of the larger folders, the lowest first; a folder's own files are the room "". A room imports no higher one. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  core: ["", "layout", "blocks", "line", "segment", "lease", "namespace"],
  service: ["", "registry", "calls", "issue"],
  http: ["reply", "parse", "middleware", "routes", "dialects", ""],
};
const roomOf = (file: string) => file.split("/").slice(1, -1).join("/");

describe("imports", () => {
  it("are found (or this test would prove nothing)", () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual({
      from: "core/line/line.ts",
      to: "core/line/lanes.ts",
      typeOnly: false,
    });
    expect(
      imports.filter(({ to }) => /\.tsx?$/.test(to)).every(({ to }) => files.includes(to)),
    ).toBe(true);
  });

  it("follow the plan", () => {
    const broken = imports.filter(({ from, to, typeOnly }) => {
      const folder = folderOf(from);
      if (!/\.(tsx?|json)$/.test(to)) return !(MAY_USE[folder] ?? /^$/).test(to);
      // The router knows the objects by their types only.
      if (folderOf(to) === "objects" && typeOnly && ["service", "http"].includes(folder))
        return false;
      return !(MAY_IMPORT[folder] ?? []).includes(folderOf(to));
    });
    expect(broken).toEqual([]);
  });

  it("go only from higher folders of core to lower ones", () => {
    const upward = imports.filter(({ from, to }) => {
      const rooms = ROOMS[folderOf(from)];
      if (!rooms || folderOf(to) !== folderOf(from)) return false;
      const [own, other] = [rooms.indexOf(roomOf(from)), rooms.indexOf(roomOf(to))];
      return own < 0 || other < 0 || other > own;
    });
    expect(upward).toEqual([]);
  });

  it("have no cycles, not even of types", () => {
    const onPath: string[] = [];
    const done = new Set<string>();
    const cycles: string[][] = [];
    const visit = (file: string): void => {
      if (onPath.includes(file)) cycles.push([...onPath.slice(onPath.indexOf(file)), file]);
      if (done.has(file) || onPath.includes(file)) return;
      onPath.push(file);
      for (const { from, to } of imports) if (from === file) visit(to);
      onPath.pop();
      done.add(file);
    };
    for (const file of files) visit(file);
    expect(cycles).toEqual([]);
  });

  it("never name index", () => {
    expect(imports.filter(({ to }) => to === "index.ts")).toEqual([]);
  });
});

describe("the core", () => {
  it("is pure: no clock, randomness, waiting or platform", () => {
    const impure =
      /Date\.now|new Date\(\)|Math\.random|\bawait\b|\basync\b|\bPromise\b|crypto\b|setTimeout|scheduler|fetch\(|process\.|globalThis|cloudflare:/;
    const broken = files
      .filter((file) => file.startsWith("core/"))
      .filter((file) => impure.test(codeOf(file)));
    expect(broken).toEqual([]);
  });
});

describe("files", () => {
  it("have at most 250 lines", () => {
    const long = files.filter(
      (file) => readFileSync(path.join(SOURCE, file), "utf8").split("\n").length > 251,
    );
    expect(long).toEqual([]);
  });
});
