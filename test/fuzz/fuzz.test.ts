import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { hostileAnswers } from './answers.js';
import { checks, documents } from './documents.js';
import { evaluators } from './evaluators.js';
import { createFolders } from './folders.js';
import { createSandboxCode } from './sandbox-code.js';
import type { Target } from './target.js';
import { templates } from './templates.js';

/** Of each target; `npm run fuzz` sets another number. */
const CASES = Number(process.env['IML_FUZZ_CASES'] ?? 10_000);

/** An input that once came through, as the target printed it. */
interface Found {
  readonly target: string;
  readonly title: string;
  readonly input: unknown;
}

const FOUND = JSON.parse(
  readFileSync(new URL('../../spec-fixtures/hostile/found.json', import.meta.url), 'utf8'),
) as readonly Found[];

const folders = createFolders();
const sandbox = await createSandboxCode();
afterAll(() => {
  folders[Symbol.dispose]();
  sandbox[Symbol.dispose]();
});

fuzz(templates);
fuzz(evaluators);
fuzz(documents);
fuzz(checks);
fuzz(folders);
fuzz(hostileAnswers);
fuzz(sandbox);

function fuzz<Input>({ name, input, survive }: Target<Input>): void {
  describe(name, () => {
    const found = FOUND.filter(({ target }) => target === name);
    if (found.length > 0) {
      it.each(found)('survives: $title', async (kept) => {
        await survive(kept.input as Input);
      });
    }

    it(
      'survives whatever is made up',
      async () => {
        const property = fc.asyncProperty(input, async (made) => {
          await survive(made);
        });
        const details = await fc.check(property, { numRuns: CASES });
        console.info(`${name}: ${details.numRuns} cases, seed ${details.seed}`);
        if (details.failed)
          throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
        expect(details.numRuns).toBe(CASES);
      },
      Math.max(120_000, CASES * 100),
    );
  });
}

it('kept inputs belong to a target', () => {
  const names = [templates, evaluators, documents, checks, folders, hostileAnswers, sandbox].map(
    ({ name }) => name,
  );
  expect(FOUND.filter(({ target }) => !names.includes(target))).toEqual([]);
});
