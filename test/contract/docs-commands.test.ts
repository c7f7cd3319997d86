/**
 * Every command of README and docs. Those that talk to a service are run, and their output is compared with the block
 * that follows them. The others are in one of a few classes, each checked without running: an unknown command fails.
 * Needs `npm run build` before.
 */
import { execFile } from "node:child_process";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { commandsOf, fencesOf, OUTPUTS, PAGES, PROJECT, proseOf } from "../support/pages.ts";
import { serviceOfFile } from "../support/processes/service-process.ts";

const ADMIN_KEY = "the-admin-key-of-this-file";
const open = serviceOfFile({ ACCESS: "open" });
const closed = serviceOfFile({ ADMIN_KEY });

/** In a block of any other language a command would hide from this test. */
const LANGUAGES = ["sh", "ts", "toml", "sql", "diagram", ...OUTPUTS];
/** Services of the pages with open access; `$URL` is one with keys. */
const OPEN_URL = /http:\/\/127\.0\.0\.1:(8787|8790)/g;
/** Commands of npm itself. */
const NPM_OWN = ["ci", "install", "pack", "test"];

const IS_RUN = /^(curl|npx edgeflake) ./;
/** Later options win: the real rate and time would be too much for a test. */
const SHORT = "--rate 200 --seconds 1";

/** The last created key and its id, for placeholders: a page shows no real key. */
const given = { key: "", id: "" };

function shell(script: string): Promise<string> {
  // In the locale C, sort is quick.
  const env = { ...process.env, LC_ALL: "C", URL: closed.url, KEY: ADMIN_KEY, ADMIN_KEY };
  const args = ["-o", "pipefail", "-c", script];
  return new Promise((resolve, reject) => {
    execFile("bash", args, { cwd: PROJECT, env }, (error, stdout) =>
      error ? reject(new Error(`${script}\n${stdout}`, { cause: error })) : resolve(stdout),
    );
  });
}

/** Runs it; rejects if it fails, unless `mayFail`. */
async function outputOf(command: string, mayFail: boolean): Promise<string> {
  const script = command
    .replaceAll(OPEN_URL, open.url)
    .replaceAll("efk_…", given.key)
    .replaceAll("KEY_ID", given.id)
    .replace(/^npx edgeflake verify (?!--help)(.*)/, `npx edgeflake verify $1 ${SHORT}`)
    .replace(/^npx edgeflake/, "node dist/cli/edgeflake.js")
    .replaceAll("curl ", `curl --silent --show-error ${mayFail ? "" : "--fail-with-body "}`);
  const output = await shell(script);
  given.key = /"key":"(efk_[\w-]+)"/.exec(output)?.[1] ?? given.key;
  given.id = /"id":"([\w-]+)","name"/.exec(output)?.[1] ?? given.id;
  return output.trimEnd();
}

/**
 * The output shown on a page, as a pattern. `…` is anything. A number of at least 10 digits is an ID or a time, unless
 * it is in the commands. A report has figures everywhere, in columns.
 */
function patternOf(shown: string, commands: string): RegExp {
  const isReport = commands.startsWith("npx edgeflake");
  const varying = isReport
    ? /(…|-?\d[\d.,]*|\s+)/
    : /(…|(?<="(?:createdAt|requestId|token)":")[^"…]+|\d{10,})/;
  const parts = shown.trim().replaceAll(OPEN_URL, open.url).split(varying);
  const patterns = parts.map((part, index) => {
    if (part === "…") return "[\\s\\S]*?";
    if (isReport && /^\s+$/.test(part)) return "\\s+";
    if (isReport && /^-?\d[\d.,]*$/.test(part)) return "-?\\d[\\d.,]*";
    // The split puts the parts that vary at odd indexes.
    if (index % 2 === 0 || commands.includes(part)) return RegExp.escape(part);
    return /^\d{10,}$/.test(part) ? "\\d{10,}" : '[^"]+';
  });
  return new RegExp(`^${patterns.join("")}$`);
}

const usages = new Map<string, Promise<string>>();

/** The help text of a program. */
function usageOf(command: string): Promise<string> {
  const asked = usages.get(command) ?? shell(`${command} --help 2>&1 || true`);
  usages.set(command, asked);
  return asked;
}

/** The classes of commands that are not run: the pattern of each, and the check of its parts. */
const CLASSES: readonly [RegExp, (...words: string[]) => unknown][] = [
  [/^npm (?:run )?(\S+)(?: -- (.*))?$/, checkScript],
  [
    /^(?:npx )?wrangler ([a-z ]+?)(?: [A-Z_]+)?$/,
    async (words) => expect(await usageOf(`wrangler ${words}`)).toMatch(`wrangler ${words}`),
  ],
  [/^npx vitest run --project (\S+)$/, (project) => expect(["core"]).toContain(project)],
  // test/architecture/guarantees.test.ts finds the file and the title.
  [/^npx vitest run [\w/-]+(?: -t ".*")?$/, () => undefined],
  [/^npx (edgeflake)$/, (name) => expect(Object.keys(manifest.bin)).toContain(name)],
  [/^(?:export )?[A-Z_]+=\S*(?:\(openssl rand -base64 32\))?$/, () => undefined],
  [/^(?:openssl rand -base64 32|ulimit -n \d+|echo \$[A-Z_]+)$/, () => undefined],
  [/^(?:git clone REPOSITORY_URL edgeflake|cd edgeflake|git pull)$/, () => undefined],
];

/** A script of package.json that knows its options, or a command of npm itself. */
async function checkScript(name = "", options = ""): Promise<void> {
  const scripts: Readonly<Record<string, string>> = manifest.scripts;
  const script = scripts[name];
  if (script === undefined) return expect(NPM_OWN).toContain(name);
  const program = /\bnode \S+\.ts$|^wrangler dev\b/.exec(script)?.[0];
  for (const [option] of options.matchAll(/--[\w-]+/g)) {
    expect(program && (await usageOf(program))).toContain(option);
  }
}

async function checkUnrun(line: string): Promise<void> {
  for (const part of line.split(" && ")) {
    // Variables before a program are for its environment.
    const command = part.replace(/^(?:[A-Z_]+=\S+ )+(?=\S)/, "");
    const [pattern, check] = CLASSES.find(([each]) => each.test(command)) ?? [];
    if (!pattern || !check) throw new Error(`a command of no class: ${command}`);
    await check(...(pattern.exec(command)?.slice(1) ?? []));
  }
}

const INLINE = /`((?:[A-Z_]+=\S+ )*(?:npm|npx|wrangler|curl|openssl|ulimit|node) [^`\n]+)`/g;

describe.each(PAGES)("$name", (page) => {
  it("has no block of an unknown language, and no output without its command", () => {
    const languages = fencesOf(page).map(({ language }) => language);
    for (const [index, language] of languages.entries()) {
      expect(LANGUAGES).toContain(language);
      if (OUTPUTS.includes(language)) expect(languages[index - 1]).toBe("sh");
    }
  });

  const inline = [...proseOf(page).matchAll(INLINE)].map(([, command = ""]) => command);
  const blocks = [...commandsOf(page), { commands: [...new Set(inline)], shown: undefined }];
  const told = blocks.filter(({ commands }) => commands.length > 0);
  it.each(told.map((block) => [block.commands.join(" ; "), block] as const))(
    "%s",
    async (text, { commands, shown }) => {
      const outputs: string[] = [];
      for (const command of commands) {
        if (IS_RUN.test(command)) outputs.push(await outputOf(command, shown !== undefined));
        else await checkUnrun(command);
      }
      if (shown === undefined) return;
      const ran = commands.filter((command) => IS_RUN.test(command)).join("\n");
      expect(outputs.filter(Boolean).join("\n"), text).toMatch(patternOf(shown, ran));
    },
  );
});
