import path from 'node:path';
import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { App, ModuleComponent } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { CaseError, EngineError } from '../../../shared/errors/engine-error.js';
import { relativePath } from '../../../shared/files.js';
import { makeSkeleton } from '../cases/make-skeleton.js';
import { type ReadCase, readCase } from '../cases/read-case.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import { createVirtualClock } from '../exchanges/virtual-clock.js';
import type { Fixture } from '../fixtures/fixture.js';
import { toRunInput } from '../fixtures/kind-runners.js';
import { readTagged } from '../matching/tagged-values.js';
import { findTests, openCase, TEST_FOLDER } from '../suite/find-tests.js';
import { type GeneratedRun, generatePages, type PageOptions } from './generate-pages.js';
import { createStandingClock } from './page-stopwatch.js';
import { playRecorded, type RecordedRun } from './recorded-run.js';

/** What is measured: an input with the responses to its requests. */
export interface Workload {
  /** The case; `live` for the API. */
  readonly name: string;
  readonly input: RunInput;
  /** Options of the engine besides app and transport. */
  readonly engine: Omit<EngineOptions, 'app'>;
  /** Responses of the mock service in order; undefined for the API. */
  readonly responses?: readonly ScriptedResponse[];
  /** Bundles of the case; undefined if nothing was recorded for this run. */
  readonly bundles?: readonly unknown[] | undefined;
  /** Generated pages, with the spec of their request. */
  readonly generated?: Pick<GeneratedRun, 'pages' | 'spec' | 'countsRecords'>;
}

/** A case that cannot be measured. */
export interface SkippedCase {
  readonly name: string;
  readonly reason: string;
}

export interface Workloads {
  readonly workloads: readonly Workload[];
  readonly skipped: readonly SkippedCase[];
}

/** A module with the folder of its app. */
export interface BenchSubject {
  readonly app: App;
  /** Folder of the app, absolute. */
  readonly root: string;
  readonly module: ModuleComponent;
}

/** Input of workloads. */
export interface WorkloadOptions extends PageOptions {
  /** Name of the only case. */
  readonly case?: string | undefined;
  /** Replaces parameters of a case whose pages are generated. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The recorded cases of a module, or generated pages of one case.
 *
 * @throws EngineError (USAGE) for an unknown case, and for options that do not fit the module; CaseError for a case that
 * is invalid or fails, or from which no pages can be made
 */
export async function listWorkloads(subject: BenchSubject, options: WorkloadOptions): Promise<Workloads> {
  try {
    return await openWorkloads(subject, options);
  } catch (error) {
    const file = error instanceof CaseError ? error.place?.file : undefined;
    if (!(error instanceof CaseError) || file === undefined || !path.isAbsolute(file)) throw error;
    // Locations are relative to the app.
    error.place = { ...error.place, file: relativePath(subject.root, file) };
    throw error;
  }
}

async function openWorkloads(subject: BenchSubject, options: WorkloadOptions): Promise<Workloads> {
  const { runs, skipped } = await playCases(subject, options.case);
  if (options.pages !== undefined || options.pageSize !== undefined) {
    const run = longest(runs) ?? (await playMadeUp(subject));
    const { responses, parameters, ...generated } = generatePages(run, options);
    const given = { ...parameters, ...options.parameters };
    const { bundles: _, ...workload } = toWorkload(run, subject.module, given);
    return { workloads: [{ ...workload, responses, generated }], skipped: [] };
  }
  if (runs.length === 0) {
    const why = skipped.map(({ name, reason }) => ` ${name}: ${reason}`).join('');
    throw new EngineError(
      'USAGE',
      `The module "${subject.module.name}" has no recorded case that can be measured.${why} Record one with iml run ... --record, or generate pages with --pages.`,
    );
  }
  return { workloads: runs.map((run) => toWorkload(run, subject.module)), skipped };
}

function longest(runs: readonly RecordedRun[]): RecordedRun | undefined {
  return runs.toSorted((a, b) => b.responses.length - a.responses.length)[0];
}

async function playCases(
  { app, root, module }: BenchSubject,
  wanted: string | undefined,
): Promise<{ readonly runs: readonly RecordedRun[]; readonly skipped: readonly SkippedCase[] }> {
  const [place] = await findTests([root]);
  const runs: RecordedRun[] = [];
  const skipped: SkippedCase[] = [];
  const names: string[] = [];
  for (const file of place?.caseFiles ?? []) {
    const reading = await openCase(file, place?.testFolders ?? []);
    if (!reading.ok) {
      // The other cases of the app are of no interest here, but an unreadable one may be the wanted one.
      if (wanted === reading.name) throw reading.errors[0];
      continue;
    }
    const read = reading.case;
    if (!isOfModule(read, module.name)) continue;
    names.push(read.name);
    if (wanted !== undefined && read.name !== wanted) continue;
    const reason = findObstacle(read);
    if (reason !== undefined) {
      skipped.push({ name: read.name, reason });
      continue;
    }
    const run = await playRecorded(read, app);
    if (run.outcome.error === undefined) runs.push(run);
    else skipped.push({ name: read.name, reason: 'It ends with an error.' });
  }
  if (wanted !== undefined && !names.includes(wanted)) {
    const known = names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`;
    throw new EngineError('USAGE', `The module "${module.name}" has no case "${wanted}". ${known}`);
  }
  return { runs, skipped };
}

function isOfModule({ played: { component, kind } }: ReadCase, name: string): boolean {
  if (kind === 'epoch') return false;
  if (typeof component === 'string') return component === `module:${name}`;
  return component?.type === 'module' && component.name === name;
}

/** Why a case cannot be measured; undefined if it can. */
function findObstacle({ written, played: { exchanges = [], server } }: ReadCase): string | undefined {
  if (written.record === true) return 'It is not recorded yet.';
  if (written.todo !== undefined) return 'It is unfinished (todo).';
  if (server !== undefined) return 'Its responses are generated.';
  if (exchanges.length === 0) return 'It sends no request.';
  const isBroken = exchanges.some(({ response }) => response?.networkError !== undefined);
  return isBroken ? 'It has a network error instead of a response.' : undefined;
}

/** A run with responses from the samples and directives of the module. */
async function playMadeUp({ app, root, module }: BenchSubject): Promise<RecordedRun> {
  const { text, file, error } = await makeSkeleton(app, { type: 'module', name: module.name }, undefined);
  const place = module.communication?.locationOf('') ?? {};
  if (error !== undefined) {
    throw new CaseError(
      `The module has no recorded case, and generated responses fail: ${error} Record a case: iml run ... --record FILE.`,
      { place },
    );
  }
  const reading = await readCase(text, {
    file: path.join(root, TEST_FOLDER, file),
    name: `${module.name} (made-up responses)`,
  });
  if (!reading.ok) throw reading.errors[0];
  const run = await playRecorded(reading.case, app, true);
  if (run.responses.length > 0) return run;
  throw new EngineError('USAGE', `The module "${module.name}" sends no request.`);
}

function toWorkload(
  { read, fixture, responses, outcome }: RecordedRun,
  { type }: ModuleComponent,
  parameters?: WorkloadOptions['parameters'],
): Workload {
  const input = readTagged(fixture.input) as Fixture['input'];
  const { now } = fixture.input;
  const given = { ...input, parameters: { ...input.parameters, ...parameters } };
  return {
    name: read.name,
    input: toRunInput(type, given),
    engine: {
      common: readTagged(fixture.common),
      checkParameters: fixture.input.checkParameters ?? true,
      timezone: fixture.input.timezone,
      clock: createStandingClock(createVirtualClock(now === undefined ? undefined : Date.parse(now)).now()),
      // Generated pages may exceed the limits of the platform.
      limits: {
        maxRequests: Number.POSITIVE_INFINITY,
        maxPages: Number.POSITIVE_INFINITY,
        maxRecords: Number.POSITIVE_INFINITY,
        timeoutMs: Number.POSITIVE_INFINITY,
        maxTimeoutMs: Number.POSITIVE_INFINITY,
      },
    },
    responses: responses.map(({ response }) => response),
    bundles: outcome.bundles,
  };
}
