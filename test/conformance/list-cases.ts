import { expect, test } from 'vitest';
import { findCases } from '../../src/testing/conformance/find-cases.js';
import { type KnownGaps, readKnownGaps } from '../../src/testing/conformance/known-gaps.js';
import { runCases } from '../../src/testing/conformance/run-cases.js';

const GAPS = new URL('../../spec-fixtures/known-gaps.json', import.meta.url);

/** The cases listed as failing, with the reason for each. */
export function knownGaps(): Promise<KnownGaps> {
  return readKnownGaps(GAPS);
}

/**
 * Makes a test of every case in a folder. A known gap is run and its test says why it fails; one that passes
 * fails, so the list of gaps can only shrink.
 *
 * @returns the ids of the cases
 */
export async function listCases(folder: string): Promise<readonly string[]> {
  const { cases, unreadable } = await findCases([folder]);
  const gaps = await knownGaps();
  test('every file can be read', () => {
    expect(unreadable).toEqual([]);
    expect(cases.length).toBeGreaterThan(0);
  });
  test('ids are unique', () => {
    const ids = cases.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
  for (const conformanceCase of cases) {
    const gap = gaps.get(conformanceCase.id);
    test(
      gap === undefined ? conformanceCase.id : `${conformanceCase.id} fails, as known: ${gap}`,
      async () => {
        for await (const { status, differences } of runCases([conformanceCase], gaps)) {
          if (status === 'gap' || status === 'disputed') return;
          if (status === 'closed') expect.fail('It passes, but is listed in known-gaps.json: take it out.');
          expect(differences, conformanceCase.title).toEqual([]);
        }
      },
    );
  }
  return cases.map(({ id }) => id);
}
