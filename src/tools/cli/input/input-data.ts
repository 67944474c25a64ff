import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readErrno } from '../../../shared/files.js';
import { isPlainObject, type PlainObject } from '../../../shared/plain-object.js';
import { usageError } from '../command.js';
import type { Io } from '../io.js';

/**
 * The JSON value of an option: inline, from a file (`@file`), or from standard input (`@-`).
 *
 * @param option name of the option in messages: `--payload`
 * @throws EngineError (USAGE); does not quote the text, which may contain credentials
 */
export async function readData(text: string, option: string, io: Io): Promise<unknown> {
  const isFile = text.startsWith('@');
  const source = isFile ? decodeUtf8(await readSource(text.slice(1), option, io)) : text;
  const from = isFile ? `in "${text.slice(1)}"` : 'given';
  if (source === undefined) throw usageError(`${option}: the input ${from} is not UTF-8 text.`);
  try {
    return JSON.parse(source);
  } catch (error) {
    const hint = isFile ? '' : ' Pass a file as @file.';
    // V8 quotes the text in its message; only the position is safe.
    const position = /position \d+/.exec(String(error))?.[0];
    throw usageError(
      `${option}: the value ${from} is not valid JSON${position ? ` (at ${position})` : ''}.${hint}`,
    );
  }
}

/** `readData` for values that must be objects. */
export async function readDataObject(text: string, option: string, io: Io): Promise<PlainObject> {
  const value = await readData(text, option, io);
  if (isPlainObject(value)) return value;
  throw usageError(`${option}: expected a JSON object.`);
}

/**
 * The content of a file, or of standard input for `-`.
 *
 * @throws EngineError (USAGE) for a file that cannot be read
 */
export async function readSource(file: string, option: string, io: Io): Promise<Uint8Array> {
  if (file === '-') return io.readStdin();
  try {
    return await readFile(path.resolve(io.cwd, file));
  } catch (error) {
    throw usageError(`${option}: the file "${file}" cannot be read (${readErrno(error)}).`, error);
  }
}

/** `readSource` as text. */
export async function readText(file: string, option: string, io: Io): Promise<string> {
  return Buffer.from(await readSource(file, option, io)).toString('utf8');
}

/** Decodes UTF-8 without its byte order mark; undefined for invalid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
