import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Arguments, inGroup, type OptionSpecs, usageError } from '../command.js';
import type { Io } from '../io.js';
import { findOutputRoot } from '../output/output-file.js';

/** Options of commands that record their run. */
export const RECORD_OPTIONS: OptionSpecs = inGroup('Output', {
  record: {
    value: 'FILE',
    help: 'Writes the run as a case for iml test (tests/NAME/CASE.test.json), with placeholders for secrets.',
  },
  har: {
    value: 'FILE',
    help: 'Writes requests and responses as HAR 1.2, with placeholders for secrets.',
  },
});

/** Files that record a run. */
export interface RecordSettings {
  readonly caseFile: NamedFile | undefined;
  readonly harFile: NamedFile | undefined;
}

export interface NamedFile {
  /** Absolute path. */
  readonly path: string;
  /** As the user typed it. */
  readonly shown: string;
  /** Absolute folder that files must be in: see `FolderWriter`. */
  readonly root: string;
}

/** A file of an option. */
function nameFile(shown: string, cwd: string): NamedFile {
  const target = path.resolve(cwd, shown);
  return { path: target, shown, root: findOutputRoot(cwd, path.dirname(target)) };
}

/** Undefined without recording. @throws EngineError (USAGE) */
export async function readRecordSettings(args: Arguments, io: Io): Promise<RecordSettings | undefined> {
  const [record, har] = [args.text('record'), args.text('har')];
  if (record === undefined && har === undefined) return undefined;
  if (args.isSet('limit')) {
    throw usageError(
      '--limit and --record or --har exclude each other: a case needs a complete run. Use parameters that return fewer bundles.',
    );
  }
  return {
    caseFile: record === undefined ? undefined : nameCaseFile(record, io),
    harFile: har === undefined ? undefined : nameFile(har, io.cwd),
  };
}

/** Existing cases are never overwritten: use `iml test --update`. */
function nameCaseFile(given: string, io: Io): NamedFile {
  const shown = withEnding(given);
  const file = nameFile(shown, io.cwd);
  if (existsSync(file.path)) {
    throw usageError(`--record: the file "${shown}" already exists. Remove it, or choose another name.`);
  }
  return file;
}

function withEnding(given: string): string {
  if (given.endsWith('.test.json')) return given;
  if (/\.[A-Za-z]+$/.test(path.basename(given))) {
    throw usageError(`--record: "${given}" does not end in .test.json, so iml test would not find it.`);
  }
  return `${given}.test.json`;
}
