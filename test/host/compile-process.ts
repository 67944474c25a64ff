import { rmSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';

const ROOT: string = path.resolve(import.meta.dirname, '../..');
/** Inside of node_modules, so that what is compiled finds the packages, and no tool takes it for source. */
const OUT: string = path.join(ROOT, 'node_modules/.cache/iml-host-processes', String(process.pid));

// A folder of each test process: workers that are started later must not meet sources that have changed meanwhile.
process.once('exit', () => rmSync(OUT, { recursive: true, force: true }));

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  verbatimModuleSyntax: true,
  inlineSourceMap: true,
};

const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g;

/**
 * Makes a script in TypeScript, with all it imports, one that a process of plain Node can run.
 * Only types are taken away, nothing is checked.
 *
 * @param script relative to this folder or one beside it, without extension
 * @returns its path
 */
export async function compileProcess(script: string): Promise<string> {
  const first = path.join(import.meta.dirname, `${script}.ts`);
  const seen = new Set([first]);
  await mkdir(OUT, { recursive: true });
  await write(path.join(OUT, 'package.json'), '{"type":"module"}\n');
  for (const file of seen) {
    const source = await readFile(file, 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions: OPTIONS, fileName: file });
    await write(outputOf(file), outputText);
    for (const [, target] of outputText.matchAll(IMPORT)) {
      seen.add(path.join(path.dirname(file), `${target}.ts`));
    }
  }
  return outputOf(first);
}

function outputOf(file: string): string {
  return path.join(OUT, path.relative(ROOT, file)).replace(/\.ts$/, '.js');
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
