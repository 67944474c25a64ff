import { readFile } from 'node:fs/promises';
import type { App } from '../../../engine/document/app.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { fixtureOfCase } from '../../testing/cases/case-fixture.js';
import { outputsOf, runWithResponse } from '../../testing/cases/make-skeleton.js';
import { MADE_UP_NOTE } from '../../testing/cases/test-case.js';
import { playFixture } from '../../testing/fixtures/play-fixture.js';
import { readHar } from '../../testing/recording/read-har.js';
import { findTests, openCase } from '../../testing/suite/find-tests.js';
import { endsLike } from '../match-address.js';
import type { InferTarget } from './infer-target.js';

/** What to learn from: bundles for an interface and samples, inputs for parameters. */
export type Wanted = 'bundles' | 'inputs';

/** Values of a component from one source. */
export interface Answers {
  readonly values: readonly unknown[];
  /** Why a response or case gave no value. */
  readonly problems: readonly string[];
}

/** A JSON document: the body of a response, or of a request for parameters. */
export interface JsonAnswer {
  /** Name in messages. */
  readonly source: string;
  readonly value: unknown;
}

/**
 * @throws EngineError (USAGE) for a file that cannot be read; SpecError (SPEC_JSON)
 */
export async function readJsonAnswer(file: string, shown: string): Promise<JsonAnswer> {
  return { source: shown, value: readDocument(await readText(file, shown), shown).value };
}

async function readText(file: string, shown: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new EngineError('USAGE', `The file "${shown}" cannot be read.`, { cause: error });
  });
}

/** Values of responses: the output of the component for each. For inputs: the bodies. */
export async function valuesOf(
  app: App,
  target: InferTarget,
  answers: readonly JsonAnswer[],
  wanted: Wanted,
): Promise<Answers> {
  if (wanted === 'inputs') return { values: answers.map(({ value }) => value), problems: [] };
  const values: unknown[] = [];
  const problems: string[] = [];
  for (const { source, value } of answers) {
    const { bundles, error } = await runWithResponse(app, target.subject, value);
    values.push(...bundles);
    if (bundles.length > 0) continue;
    const why =
      error === undefined ? `the ${target.kind} outputs nothing for it` : `the run ends with ${error}`;
    problems.push(`${source}: ${why.replace(/\.$/, '')}.`);
  }
  return { values, problems };
}

/** The JSON bodies of successful calls in a HAR whose method and path are those of the component. */
export async function readHarAnswers(
  app: App,
  target: InferTarget,
  { file, shown, wanted }: { readonly file: string; readonly shown: string; readonly wanted: Wanted },
): Promise<readonly JsonAnswer[]> {
  const { calls } = readHar(await readText(file, shown), shown);
  const request = lastRequest(target);
  const path = pathOf(ownMember(request, 'url'));
  const method =
    ownMember(request, 'method') ?? ownMember(isPlainObject(app.base?.value) ? app.base.value : {}, 'method');
  const expected = typeof method === 'string' && !method.includes('{{') ? method.toUpperCase() : 'GET';
  const answers = calls.flatMap(({ request: sent, response }, index): readonly JsonAnswer[] => {
    const url = new URL(sent.url);
    const isOfModule = sent.method === expected && endsLike(url.pathname, path);
    if (!isOfModule || response === undefined || response.status < 200 || response.status > 299) return [];
    const source = `${shown}, call ${index + 1}`;
    if (wanted === 'inputs') {
      const body = parseJson(sent.body);
      const value: PlainObject = {};
      for (const [name, text] of url.searchParams) setMember(value, name, text);
      for (const [name, member] of isPlainObject(body) ? Object.entries(body) : [])
        setMember(value, name, member);
      return [{ source, value }];
    }
    const value = parseJson(response.body);
    return value === undefined ? [] : [{ source, value }];
  });
  if (answers.length > 0) return answers;
  throw new EngineError(
    'USAGE',
    `${shown} has no successful ${expected} call with JSON whose path fits the ${target.kind} "${target.name}".`,
  );
}

function lastRequest({ communication }: InferTarget): object {
  const { value } = communication ?? { value: undefined };
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return isPlainObject(last) ? last : {};
}

/** The path of a request, without its host and query. */
function pathOf(url: unknown): string {
  return typeof url === 'string' ? url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') : '';
}

function parseJson(body: Uint8Array | undefined): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The values of recorded or hand-written cases of a component. Cases whose responses were made up are left out.
 *
 * @param paths files or folders of cases; empty for all of the app
 */
export async function readCaseAnswers(
  app: App,
  target: InferTarget,
  {
    root,
    paths,
    wanted,
  }: { readonly root: string; readonly paths: readonly string[]; readonly wanted: Wanted },
): Promise<Answers> {
  const values: unknown[] = [];
  const problems: string[] = [];
  const places = paths.length === 0 ? await findTests([root]) : await findTests(paths, root);
  for (const { caseFiles, testFolders } of places) {
    for (const file of caseFiles) {
      const reading = await openCase(file, testFolders);
      if (!reading.ok) continue;
      const { case: read } = reading;
      const { component, todo, input, exchanges = [] } = read.written;
      const name = isPlainObject(component) ? `${component.type}:${component.name}` : component;
      if (name !== `${target.kind}:${target.name}` || todo !== undefined) continue;
      if (read.document.text?.trimStart().startsWith(MADE_UP_NOTE) === true) {
        problems.push(`${read.name}: its responses are generated. Record it with iml test --record-cases.`);
        continue;
      }
      if (wanted === 'inputs') {
        const body = exchanges.at(-1)?.request?.body;
        values.push(isPlainObject(body) ? body : (input?.parameters ?? {}));
        continue;
      }
      const { outcome } = await playFixture(fixtureOfCase(read, app), { app });
      const { error } = outcome;
      const bundles = outputsOf(outcome);
      values.push(...bundles);
      if (bundles.length === 0) problems.push(`${read.name}: ${error?.message ?? 'the run has no bundle'}`);
    }
  }
  return { values, problems };
}
