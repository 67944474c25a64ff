import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCases } from '../../src/tools/testing/conformance/find-cases.js';
import { caseLists } from './list-cases.js';
import { type Mutant, mutateFixture, mutateVector } from './mutations.js';

const FIXTURES = fileURLToPath(new URL('../../spec-fixtures', import.meta.url));

type Entry = Readonly<Record<string, unknown>>;

async function readEntries(folder: string): Promise<readonly Entry[]> {
  const names = (await readdir(path.join(FIXTURES, folder))).filter((name) => name.endsWith('.json'));
  const files = await Promise.all(
    names.sort().map((name) => readFile(path.join(FIXTURES, folder, name), 'utf8')),
  );
  return files.flatMap((text): Entry[] => JSON.parse(text));
}

/** One mutant for every change of every place that a kind of run has. */
function mutantsOf(fixtures: readonly Entry[]): readonly (Mutant & { readonly kind: string })[] {
  const mutants = new Map<string, Mutant & { readonly kind: string }>();
  for (const fixture of fixtures) {
    const kind = String(fixture['kind']);
    for (const mutant of mutateFixture(fixture)) {
      const key = `${kind} ${mutant.place} ${mutant.what}`;
      if (!mutants.has(key)) mutants.set(key, { ...mutant, kind });
    }
  }
  return [...mutants.values()];
}

/** Members of expectations and scripted requests, from conformance/runtime/README.md. */
const MEMBERS = [
  ...['bundles', 'bundleCount', 'firstBundle', 'lastBundle', 'result', 'error.type', 'error.message'],
  ...['requestCount', 'waits', 'state', 'connection', 'metadata', 'uid', 'authorizeUrl.url'],
  ...['authorizeUrl.query', 'webhookData', 'verification', 'respond.status', 'respond.headers'],
  ...['respond.json', 'respond.text', 'recipients', 'logExcludes'],
  ...['active', 'errors', 'delayMs', 'stored', 'unresolved'].map((name) => `states.*.${name}`),
].map((name) => `expect.${name}`);

const ASKED = [
  ...['method', 'url', 'query', 'headers', 'headersMatch', 'headersAbsent', 'body', 'bodyText', 'form'],
  ...['parts.*.name', 'parts.*.text', 'parts.*.base64', 'parts.*.filename', 'parts.*.contentType'],
  'bodyAbsent',
].map((name) => `exchanges.*.request.${name}`);

const KINDS = [
  ...['action', 'search', 'trigger', 'rpc', 'epoch', 'connection', 'oauth1', 'oauth2', 'oauth2-refresh'],
  ...[
    'oauth2-invalidate',
    'webhook',
    'instant_trigger',
    'responder',
    'attach',
    'detach',
    'update',
    'scenario',
  ],
];

describe('a case with one wrong value fails', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mutants-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs wrong copies as the conformance runner does, and returns those that pass. */
  async function survivors(mutants: readonly Mutant[]): Promise<readonly string[]> {
    const file = path.join(folder, 'mutants.json');
    await writeFile(file, JSON.stringify(mutants.map(({ entry }) => entry)));
    const { cases, unreadable } = await findCases([file]);
    expect(unreadable).toEqual([]);
    expect(cases).toHaveLength(mutants.length);
    const passed: string[] = [];
    for (const [index, { run, title }] of cases.entries()) {
      const differences = await run().catch((error: unknown) => [String(error)]);
      if (differences.length === 0)
        passed.push(`${mutants[index]?.place}: ${mutants[index]?.what} (${title})`);
    }
    return passed;
  }

  it('in a fixture of any kind', { timeout: 120_000 }, async () => {
    const mutants = mutantsOf(await readEntries('runtime'));
    expect(new Set(mutants.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    const places = mutants.map(({ place }) => place);
    const isChanged = (member: string): boolean =>
      places.some((place) => place === member || place.startsWith(`${member}.`));
    expect([...MEMBERS, ...ASKED].filter((member) => !isChanged(member))).toEqual([]);
    expect(await survivors(mutants)).toEqual([]);
  });

  it('in a vector', { timeout: 120_000 }, async () => {
    // The expectation of a disputed vector is wrong, so a mutant of it can pass.
    const { disputed } = await caseLists();
    const vectors = (await readEntries('iml')).filter((vector) => !disputed.has(String(vector['id'])));
    const mutants = vectors.flatMap((vector) => [...mutateVector(vector)]);
    expect(mutants.length).toBeGreaterThan(1000);
    expect(await survivors(mutants)).toEqual([]);
  });
});
