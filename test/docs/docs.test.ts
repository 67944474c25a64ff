import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import ts from '@typescript/typescript6';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../shared/find-free-port.js';
import { type CodeBlock, listCodeBlocks } from './code-blocks.js';
import { listDocExamples } from './doc-examples.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LANGUAGES: ReadonlySet<string> = new Set(['ts', 'js', 'typescript', 'javascript', 'mts', 'mjs']);

const blocks = listCodeBlocks(ROOT);
const examples = listDocExamples(ROOT);
const code = [
  ...blocks.filter(({ language, mark }) => LANGUAGES.has(language) && mark === undefined),
  ...examples,
];

/** Commands and the files they need, by page. */
const tutorials = new Map<string, CodeBlock[]>();
for (const block of blocks) {
  if (block.mark === undefined || block.mark.startsWith('unchecked')) continue;
  const steps = tutorials.get(block.page) ?? [];
  tutorials.set(block.page, [...steps, block]);
}

/** Common starting points, each with an example in its docstring. */
const MAIN_EXPORTS = [
  ...[
    'loadApp',
    'defineApp',
    'createEngine',
    'createEnginePool',
    'validateParameters',
    'toJsonSchema',
    'compile',
    'evaluate',
  ],
  ...['runFlow', 'nextState', 'createHost', 'createRest', 'runFixtures', 'mockTransport', 'recordTransport'],
];

/** Blocks that do not type-check yet, by page and first line of code; the list may only shrink. */
const KNOWN = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'known-failures.json'), 'utf8'),
) as Readonly<Record<string, readonly string[]>>;

let home: string;

beforeAll(() => {
  if (!existsSync(path.join(ROOT, 'dist/index.d.ts')))
    execFileSync('npm', ['run', '-s', 'build'], { cwd: ROOT });
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'docs-')));
  writeFileSync(path.join(home, 'package.json'), '{"private":true,"type":"module"}');
  mkdirSync(path.join(home, 'node_modules/@types'), { recursive: true });
  symlinkSync(ROOT, path.join(home, 'node_modules/iml-runtime'));
  for (const name of ['vitest', 'bullmq', '@temporalio']) {
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(home, 'node_modules', name));
  }
  const bookshop = path.join(ROOT, 'spec-fixtures/bookshop');
  const cli = path.join(ROOT, 'dist/bin/iml.js');
  execFileSync(process.execPath, [cli, 'types', bookshop, '-o', path.join(home, 'bookshop.ts')]);
  mkdirSync(path.join(home, 'node_modules/.bin'));
  symlinkSync('../vitest/vitest.mjs', path.join(home, 'node_modules/.bin/vitest'));
  symlinkSync(path.join(ROOT, 'node_modules/@types/node'), path.join(home, 'node_modules/@types/node'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const firstLineOf = ({ code: text }: CodeBlock): string =>
  text.split('\n').find((line) => line.trim() !== '') ?? '';

/** Compiler errors by block: each block is a file with the declarations of `context.ts`. */
function listProblems(): ReadonlyMap<CodeBlock, readonly string[]> {
  const files = new Map(code.map((block, index) => [path.join(home, `block-${index + 1}.ts`), block]));
  for (const [file, { code: text }] of files) writeFileSync(file, `${text}\nexport {};\n`);
  const context = path.join(home, 'context.ts');
  writeFileSync(context, readFileSync(path.join(import.meta.dirname, 'context.txt'), 'utf8'));
  const program = ts.createProgram([context, ...files.keys()], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  });
  const problems = new Map<CodeBlock, string[]>(code.map((block) => [block, []]));
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    const text = ts.flattenDiagnosticMessageText(messageText, ' ');
    const block = file && files.get(path.normalize(file.fileName));
    if (block === undefined) throw new Error(`${file?.fileName}: ${text}`);
    const line = block.line + (file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0);
    problems.get(block)?.push(`${block.page}:${line} ${text}`);
  }
  return problems;
}

describe('code of the public pages', () => {
  it('type-checks under strict and nodenext against the built package, including docstring examples', () => {
    expect(code.length).toBeGreaterThan(0);
    const failing = [...listProblems()].filter(([, problems]) => problems.length > 0);
    const unknown = failing.filter(([block]) => KNOWN[block.page]?.includes(firstLineOf(block)) !== true);
    expect(unknown.flatMap(([, problems]) => problems)).toEqual([]);
    const fixed = Object.entries(KNOWN).flatMap(([page, lines]) =>
      lines.filter((line) => !failing.some(([block]) => block.page === page && firstLineOf(block) === line)),
    );
    expect(fixed).toEqual([]);
  });

  it('shows an example of each main export', () => {
    const shown = new Set(examples.map(({ name }) => name));
    expect(MAIN_EXPORTS.filter((name) => !shown.has(name))).toEqual([]);
  });

  it.each(blocks.filter(({ language }) => language === 'json'))(
    'is valid JSON: $page:$line',
    ({ code: text, mark }) => {
      if (mark === undefined || mark.startsWith('file: ')) expect(() => JSON.parse(text)).not.toThrow();
    },
  );
});

/** The port of servers in the pages. */
const PAGE_PORT = '18417';

describe('commands of the public pages', () => {
  it.each([...tutorials])('work in the order of the page: %s', async (page, steps) => {
    const bin = path.join(home, 'bin');
    mkdirSync(bin, { recursive: true });
    const script = `#!/bin/sh\nexec node ${ROOT}/dist/bin/iml.js "$@"\n`;
    writeFileSync(path.join(bin, 'iml'), script, { mode: 0o755 });
    const cwd = path.join(home, path.basename(page, '.md'));
    mkdirSync(cwd);
    const env = { ...process.env, HOME: cwd, PATH: `${bin}:${process.env['PATH']}` };
    const started: ChildProcess[] = [];
    // Pages use a fixed port; the test replaces it by a free one.
    const port = String(await findFreePort());
    try {
      for (const { mark = '', code, line } of steps) {
        const text = code.replaceAll(PAGE_PORT, port);
        if (mark.startsWith('file: ')) {
          const file = path.join(cwd, mark.slice('file: '.length));
          mkdirSync(path.dirname(file), { recursive: true });
          writeFileSync(file, `${text}\n`);
        } else if (mark === 'start') {
          const child = spawn('sh', ['-euc', `exec ${text}`], {
            cwd,
            env,
            stdio: ['ignore', 'pipe', 'inherit'],
          });
          started.push(child);
          await once(child.stdout as Readable, 'data');
        } else {
          const { status, stdout, stderr } = spawnSync('sh', ['-euc', text], { cwd, env, encoding: 'utf8' });
          expect(status, `${page}:${line}\n${stdout}\n${stderr}`).toBe(0);
        }
      }
    } finally {
      for (const child of started) child.kill('SIGKILL');
    }
  });
});
