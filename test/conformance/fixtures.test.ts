import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { APP_ERROR_TYPES } from '../../src/index.js';
import { findCases } from '../../src/tools/testing/conformance/find-cases.js';
import { caseLists, listCases } from './list-cases.js';

const FIXTURES = fileURLToPath(new URL('../../spec-fixtures', import.meta.url));

/** The runs of published apps stay outside the repository, because the apps have licences of their own. */
const APP_RUNS = fileURLToPath(new URL('../../../shared/conformance/apps', import.meta.url));

describe('fixtures of the runtime', async () => {
  await listCases(`${FIXTURES}/runtime`);
});

describe('runs of published apps', async () => {
  // The apps are not part of the repository; CI fails if this test is skipped.
  if (existsSync(APP_RUNS)) await listCases(APP_RUNS);
  else it.skip('are not here: they need ../shared/conformance/apps beside the repository', () => {});
});

it('every type of error ends a scenario run of a fixture', async () => {
  const names = (await readdir(`${FIXTURES}/runtime`)).filter((name) => name.startsWith('scenario-'));
  const texts = await Promise.all(names.map((name) => readFile(`${FIXTURES}/runtime/${name}`, 'utf8')));
  const events = texts.flatMap((text): { error?: string }[] => JSON.parse(text).input.events);
  const types = new Set(events.map(({ error }) => error));
  expect(APP_ERROR_TYPES.filter((type) => !types.has(type))).toEqual([]);
});

it('no gap is known', async () => {
  expect([...(await caseLists()).gaps]).toEqual([]);
});

it('every listed case is there', async () => {
  const folders = [`${FIXTURES}/iml`, `${FIXTURES}/runtime`, ...(existsSync(APP_RUNS) ? [APP_RUNS] : [])];
  const ids = new Set((await findCases(folders)).cases.map(({ id }) => id));
  const { gaps, disputed } = await caseLists();
  const listed = [...gaps.keys(), ...disputed.keys()];
  const isNamed = (id: string): boolean => ids.has(id) || (id.startsWith('apps/') && !existsSync(APP_RUNS));
  expect(listed.filter((id) => !isNamed(id))).toEqual([]);
});
