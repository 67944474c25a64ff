import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import type { Io } from '../io.js';
import { usageError } from '../usage-error.js';

/**
 * The JSON value an option gives: written in place, in a file (`@file`), or on standard input (`@-`).
 *
 * @param option how messages name the option: `--data`
 * @throws EngineError (USAGE). The text itself is not quoted, as it may be a connection.
 */
export async function readData(text: string, option: string, io: Io): Promise<unknown> {
  const source = text.startsWith('@') ? await readSource(text.slice(1), option, io) : text;
  try {
    return JSON.parse(source);
  } catch (error) {
    const from = text.startsWith('@') ? `in "${text.slice(1)}"` : 'given';
    const hint = text.startsWith('@') ? '' : ' A file is given as @file.';
    // V8 quotes the text in its message; only the position in it may be shown.
    const position = /position \d+/.exec(String(error))?.[0];
    throw usageError(`${option}: the value ${from} is no JSON${position ? ` (at ${position})` : ''}.${hint}`);
  }
}

/** The text an answer gives: typed in place, or in a file (`@file`). The text itself is not quoted in messages. */
export async function readDataText(text: string, option: string, io: Io): Promise<string> {
  return text.startsWith('@') ? readSource(text.slice(1), option, io) : text;
}

/** As `readData`, where only an object will do. */
export async function readDataObject(text: string, option: string, io: Io): Promise<PlainObject> {
  const value = await readData(text, option, io);
  if (isPlainObject(value)) return value;
  throw usageError(`${option}: a JSON object is expected.`);
}

async function readSource(file: string, option: string, io: Io): Promise<string> {
  if (file === '-') return io.readStdin();
  try {
    return await readFile(path.resolve(io.cwd, file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(`${option}: the file "${file}" cannot be read (${code ?? 'unknown error'}).`, error);
  }
}
