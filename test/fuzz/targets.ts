import { readFileSync } from 'node:fs';
import { hostileAnswers } from './answers.js';
import { documents } from './documents.js';
import { evaluators } from './evaluators.js';
import { createFolders } from './folders.js';
import { functions } from './functions.js';
import { createSandboxCode } from './sandbox-code.js';
import type { Target } from './target.js';
import { templates } from './templates.js';

/** An input that failed once, as the target printed it. */
interface Found {
  readonly target: string;
  readonly title: string;
  readonly input: unknown;
}

export const FOUND: readonly Found[] = JSON.parse(
  readFileSync(new URL('../../spec-fixtures/hostile/found.json', import.meta.url), 'utf8'),
);

interface Targets extends Disposable {
  // biome-ignore lint/suspicious/noExplicitAny: each has inputs of its own, which nobody else looks at.
  readonly all: readonly Target<any>[];
}

/** Every target, the cheapest first. */
export async function openTargets(): Promise<Targets> {
  const folders = createFolders();
  const sandbox = await createSandboxCode();
  return {
    all: [functions, evaluators, templates, hostileAnswers, folders, sandbox, documents],
    [Symbol.dispose]: () => {
      folders[Symbol.dispose]();
      sandbox[Symbol.dispose]();
    },
  };
}
