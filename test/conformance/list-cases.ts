import { expect, it } from 'vitest';
import { findCases } from '../../src/tools/testing/conformance/find-cases.js';
import { type CaseLists, readCaseLists, runCases } from '../../src/tools/testing/conformance/run-cases.js';

const LISTS = new URL('../../spec-fixtures/', import.meta.url);

/** The cases listed as failing, with the reason for each. */
export function caseLists(): Promise<CaseLists> {
  return readCaseLists(LISTS);
}

/**
 * Makes a test of every case in a folder. A known gap or a disputed case is run and its test says why it fails; a
 * listed one that passes fails, so the lists can only shrink.
 *
 * @returns the ids of the cases
 */
export async function listCases(folder: string): Promise<readonly string[]> {
  const { cases, unreadable } = await findCases([folder]);
  const lists = await caseLists();
  it('every file can be read', () => {
    expect(unreadable).toEqual([]);
    expect(cases.length).toBeGreaterThan(0);
  });
  it('ids are unique', () => {
    const ids = cases.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
  for (const conformanceCase of cases) {
    const { id } = conformanceCase;
    const why = lists.gaps.get(id) ?? lists.disputed.get(id);
    it(why === undefined ? id : `${id} fails, as known: ${why}`, async () => {
      for await (const { status, differences } of runCases([conformanceCase], lists)) {
        if (status === 'gap' || status === 'disputed') return;
        if (status === 'closed') expect.fail('It passes, but is listed as one that does not: take it out.');
        expect(differences, conformanceCase.title).toEqual([]);
      }
    });
  }
  return cases.map(({ id }) => id);
}
