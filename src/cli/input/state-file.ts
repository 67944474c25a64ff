import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readErrno } from '../../util/files/read-regular-file.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { writePrivateFile } from '../connections/private-file.js';
import type { Io } from '../io.js';
import { printJson } from '../output/json-output.js';
import { usageError } from '../usage-error.js';
import { decodeUtf8 } from './input-data.js';

/** A file with the state of a polling trigger. */
export interface StateFile {
  /** The stored state; undefined without a file. */
  readonly data: PlainObject | undefined;
  /** Concurrent readers see the old or the new state. */
  readonly write: (state: unknown) => Promise<void>;
}

/** @throws EngineError (USAGE) for a file that cannot be read or contains no state */
export async function openStateFile(file: string, io: Pick<Io, 'cwd'>): Promise<StateFile> {
  const target = path.resolve(io.cwd, file);
  return {
    data: await readState(target, file),
    write: async (state) => {
      await writePrivateFile(target, `${printJson(state)}\n`).catch((error: unknown) => {
        throw usageError(
          `--state: the file "${file}" cannot be written (${readErrno(error)}). The state after this run is ${printJson(state)}`,
          error,
        );
      });
    },
  };
}

async function readState(target: string, file: string): Promise<PlainObject | undefined> {
  const bytes = await readFile(target).catch((error: unknown) => {
    if (readErrno(error) === 'ENOENT') return undefined;
    throw usageError(`--state: the file "${file}" cannot be read (${readErrno(error)}).`, error);
  });
  if (bytes === undefined) return undefined;
  try {
    const state: unknown = JSON.parse(decodeUtf8(bytes) ?? '');
    if (isState(state)) return state;
  } catch {
    // Reported below.
  }
  throw usageError(
    `--state: the file "${file}" holds no state of a trigger, such as {"lastId":7} or {"lastDate":"2026-01-31T12:00:00Z"}. Remove it to start anew.`,
  );
}

function isState(value: unknown): value is PlainObject {
  return isPlainObject(value) && (Object.hasOwn(value, 'lastId') || Object.hasOwn(value, 'lastDate'));
}
