import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Arguments, OptionSpec } from '../command.js';
import type { Io } from '../io.js';
import { usageError } from '../usage-error.js';

/** Options of every command whose run can be kept as a case. */
export const RECORD_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  record: {
    value: 'FILE',
    help: 'Writes the run as a case for iml test (tests/NAME/CASE.test.json), secrets replaced by placeholders.',
  },
  har: {
    value: 'FILE',
    help: 'Writes what was sent and received as HAR 1.2, secrets replaced by placeholders.',
  },
};

/** Files a run is written to; paths absolute, `shown` as they were given. */
export interface RecordSettings {
  readonly caseFile: NamedFile | undefined;
  readonly harFile: NamedFile | undefined;
}

export interface NamedFile {
  readonly path: string;
  readonly shown: string;
}

/** Undefined where nothing is to be written. @throws EngineError (USAGE) */
export async function readRecordSettings(args: Arguments, io: Io): Promise<RecordSettings | undefined> {
  const [record, har] = [args.text('record'), args.text('har')];
  if (record === undefined && har === undefined) return undefined;
  if (args.isSet('limit')) {
    throw usageError(
      '--limit and --record or --har exclude each other: a case runs a module to its end. Give the module less to do by its parameters.',
    );
  }
  return {
    caseFile: record === undefined ? undefined : await nameCaseFile(record, io),
    harFile: har === undefined ? undefined : { path: path.resolve(io.cwd, har), shown: har },
  };
}

/** What is recorded is never replaced without being asked: `iml test --update` shows the difference first. */
async function nameCaseFile(given: string, io: Io): Promise<NamedFile> {
  const shown = withEnding(given);
  const target = path.resolve(io.cwd, shown);
  if (await exists(target)) {
    throw usageError(`--record: the file "${shown}" is there already. Remove it, or choose another name.`);
  }
  return { path: target, shown };
}

function withEnding(given: string): string {
  if (given.endsWith('.test.json')) return given;
  if (/\.[A-Za-z]+$/.test(path.basename(given))) {
    throw usageError(`--record: "${given}" does not end in .test.json, and iml test would not find it.`);
  }
  return `${given}.test.json`;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
