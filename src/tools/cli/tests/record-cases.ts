import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { relativePath } from '../../../shared/files.js';
import { bodiesFolder } from '../../testing/cases/body-files.js';
import { fixtureOfCase } from '../../testing/cases/case-fixture.js';
import type { ReadCase } from '../../testing/cases/read-case.js';
import { recordCase, type WrittenCase } from '../../testing/recording/record-case.js';
import { readCommon } from '../../testing/recording/recorded-input.js';
import { openCase, type TestPlace } from '../../testing/suite/find-tests.js';
import { isLiveKind, runLive } from '../../testing/suite/run-live.js';
import { type Arguments, EXIT, readVersion, usageError } from '../command.js';
import type { Io } from '../io.js';
import { printError } from '../output/print-error.js';
import { printableLine } from '../output/terminal-text.js';
import { describeWritten, writeCaseFiles } from '../recording/write-case-files.js';
import { openService, type ServiceAccess } from './service-access.js';
import {
  type AskToWrite,
  assertCanAsk,
  assertNotCi,
  createAskToWrite,
  type FileChange,
} from './update-cases.js';

interface CaseToRecord {
  readonly read: ReadCase;
  readonly app: App;
}

interface Stage {
  readonly access: ServiceAccess;
  readonly ask: AskToWrite;
  readonly io: Io;
  readonly signal: AbortSignal;
}

/**
 * Runs cases with `"record": true` against the API and writes them after confirmation.
 *
 * @param isMeant filter by name
 * @returns the exit code: 1 if a case was not written
 * @throws EngineError (USAGE) in CI or without a terminal unless `--yes` is set, and without such cases
 */
export async function recordCases(
  places: readonly TestPlace[],
  isMeant: (name: string) => boolean,
  args: Arguments,
  io: Io,
): Promise<number> {
  assertNotCi('--record-cases', args, io);
  assertCanAsk('--record-cases', args, io);
  const access = await openService(args, io);
  const asking = await listAsking(places, isMeant, io);
  if (asking.cases.length + asking.unreadable === 0) {
    throw usageError('No case has "record": true.');
  }
  return io.interruptible(async (signal) => {
    const stage: Stage = { access, ask: createAskToWrite(args, io), io, signal };
    let missing = asking.unreadable;
    for (const asked of asking.cases) {
      if (!(await recordAsked(asked, stage))) missing++;
    }
    return missing === 0 ? EXIT.ok : EXIT.failed;
  });
}

interface AskingCases {
  readonly cases: readonly CaseToRecord[];
  /** Number of files that are not valid cases. */
  readonly unreadable: number;
}

async function listAsking(
  places: readonly TestPlace[],
  isMeant: (name: string) => boolean,
  io: Io,
): Promise<AskingCases> {
  const cases: CaseToRecord[] = [];
  let unreadable = 0;
  for (const { root, caseFiles, testFolders } of places) {
    const app = await loadApp(root);
    for (const file of caseFiles) {
      const reading = await openCase(file, testFolders);
      if (!isMeant(reading.ok ? reading.case.name : reading.name)) continue;
      if (reading.ok && reading.case.written.record === true) cases.push({ read: reading.case, app });
      if (reading.ok) continue;
      unreadable++;
      for (const error of reading.errors) await io.stderr.write(printError(error));
    }
  }
  return { cases, unreadable };
}

/** @returns whether the case was written */
async function recordAsked({ read, app }: CaseToRecord, stage: Stage): Promise<boolean> {
  const { access, io, signal } = stage;
  const shown = relativePath(io.cwd, read.file) || read.file;
  try {
    const { written, calls } = await runAndRecord(read, app, stage);
    const answer = await stage.ask(await listChanges(read, shown, written));
    if (answer !== true) return false;
    const file = { path: read.file, shown, root: path.dirname(read.file) };
    await writeCaseFiles(file, written);
    await io.stderr.write(describeWritten(file, written, calls));
    return true;
  } catch (error) {
    if (!(error instanceof EngineError) || signal.aborted) throw error;
    await io.stderr.write(`${printableLine(shown)} was not recorded.\n`);
    await io.stderr.write(printError(error, { redact: access.redact }));
    return false;
  }
}

interface RecordedRun {
  readonly written: WrittenCase;
  readonly calls: number;
}

/** @throws EngineError for a case that cannot be run or recorded */
async function runAndRecord(read: ReadCase, app: App, { access, signal }: Stage): Promise<RecordedRun> {
  const { kind, component } = fixtureOfCase(read, app);
  if (component === undefined || !isLiveKind(kind)) {
    const command = kind === 'webhook' ? 'webhook' : kind.startsWith('oauth') ? 'connect' : 'run';
    throw usageError(
      `--record-cases does not support runs of kind ${kind}. Use iml ${command} --record FILE.`,
    );
  }
  const filled = await access.fill(read, app);
  if (!filled.ok) throw usageError(filled.problem);
  const fixture = fixtureOfCase(filled.case, app);
  const { engine } = access;
  const run = await runLive(fixture, { app, engine, mayChange: true, signal });
  if (run.isIncomplete) throw usageError('The bodies of this run exceed the size limit of a recording.');
  const { error, bundles } = run.outcome;
  if (run.calls.length === 0) {
    const why = error === undefined ? '' : ` ${error.type}: ${error.message}`;
    throw usageError(`The run sent no request, so there is nothing to record.${why}`);
  }
  const written = await recordCase(
    {
      app,
      component,
      kind,
      secrets: filled.secrets,
      ...readCommon(app, fixture.common),
      input: { ...fixture.input, now: new Date(run.startedAtMs).toISOString() },
      calls: run.calls,
      digests: run.digests,
      addresses: run.addresses,
      ended: { error, ...(error === undefined && { bundleCount: bundles?.length }) },
    },
    {
      runtime: readVersion(),
      recordedAtMs: run.startedAtMs,
      into: read,
    },
  );
  return { written, calls: run.calls.length };
}

async function listChanges(
  read: ReadCase,
  shown: string,
  written: WrittenCase,
): Promise<readonly FileChange[]> {
  const folder = bodiesFolder(shown);
  const before = read.document.text ?? '';
  const changes = [...written.bodies].map(async ([name, content]): Promise<FileChange> => {
    const known = await readFile(path.join(bodiesFolder(read.file), name)).catch(() => Buffer.alloc(0));
    return {
      shown: `${folder}/${name}`,
      before: known.toString('utf8'),
      after: Buffer.from(content).toString('utf8'),
    };
  });
  return [{ shown, before, after: written.text }, ...(await Promise.all(changes))];
}
