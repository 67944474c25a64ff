import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type App, formatLocation, SpecError } from '../../src/index.js';

/** Files by path: text as it is, anything else as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** Writes files to a new folder, which is deleted after the test, and returns the folder. */
export function writeApp(files: Files): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'app-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return folder;
}

export function link(target: string, at: string): void {
  symlinkSync(target, at);
}

/** Warnings as `code place`, in order. */
export function warningsOf(app: App): string[] {
  return app.warnings.map((warning) => `${warning.code} ${formatLocation(warning.place)}`);
}

/** The SpecError of a rejected promise or failed call. */
export async function specErrorOf(run: () => unknown): Promise<SpecError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SpecError) return error;
    throw error;
  }
  throw new Error('Expected a SpecError, but nothing was thrown.');
}
