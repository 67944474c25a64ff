import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Document } from '../../engine/document/document.js';
import { described, type KeyShape, type Shape } from '../../engine/document/shape.js';
import { readHostMap, readHosts } from '../../engine/http/host-policy.js';
import { createNetworkGuard } from '../../engine/http/network-guard.js';
import { problemOfPath } from '../../engine/loading/app-folder.js';
import { isSecretName } from '../../engine/redaction/secret-names.js';
import { findZone } from '../../language/date/zone.js';
import { isEngineError, SpecError } from '../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';

/** An option of commands that `iml.config.json` and the environment can set. */
interface ProjectOption {
  readonly about: string;
  /** `pairs` are FROM=TO; `input` is a name or `@FILE`, `file` is `@FILE` only. */
  readonly kind: 'flag' | 'text' | 'number' | 'list' | 'pairs' | 'input' | 'file';
  readonly words?: readonly string[];
  /** Why a text of the command line is invalid; undefined if it is valid. */
  readonly problem?: (text: string) => string | undefined;
  /** What a value does, as a sentence, where the user has to confirm that a file of the app may do it. */
  readonly wants?: (text: string) => string;
}

const LOOP_WORDS = ['warn', 'stop', 'error'];

/** By long name, as on the command line. */
export const PROJECT_OPTIONS: Readonly<Record<string, ProjectOption>> = {
  connection: {
    kind: 'input',
    about: 'Name of a stored connection, or @FILE with the data of one.',
    wants: (text) => `use the connection ${text}`,
  },
  common: {
    kind: 'file',
    about: "@FILE that replaces the app's common data.",
    wants: (text) => `use the common data ${text}`,
  },
  map: {
    kind: 'pairs',
    about: 'Servers that receive the requests for other servers, by address.',
    problem: problemOfPair,
    wants: (text) => `send requests to another server: ${text}`,
  },
  allow: {
    kind: 'list',
    about: 'Private hosts, addresses or CIDR blocks that may be called.',
    problem: (text) => messageOf(() => createNetworkGuard({ allow: [text] })),
    wants: (text) => `call the private host ${text}`,
  },
  'allow-local': {
    kind: 'flag',
    about: 'Whether this machine may be called.',
    wants: () => 'call this machine',
  },
  'only-declared': { kind: 'flag', about: 'Whether only hosts that the app names may be called.' },
  'app-host': {
    kind: 'list',
    about: 'Other hosts of the app, such as files.example.com.',
    problem: (text) => messageOf(() => readHosts([text], 'app-host')),
  },
  'cross-host-secrets': {
    kind: 'flag',
    about: 'Whether credentials go to hosts that the app does not name, as in Make.',
    wants: () => 'send credentials to hosts that the app does not name',
  },
  'base-url': { kind: 'text', about: 'Replaces baseUrl of the base.', problem: problemOfAddress },
  timezone: {
    kind: 'text',
    about: 'Timezone of the scenario, such as Europe/Prague.',
    problem: (text) =>
      findZone(text) === undefined ? `"${text}" is not a timezone such as Europe/Prague.` : undefined,
  },
  'timeout-ms': {
    kind: 'number',
    about: 'Time limit of a run in milliseconds.',
    problem: (text) =>
      /^[1-9]\d{0,14}$/.test(text) ? undefined : 'a whole number of at least 1 is expected.',
  },
  'on-page-loop': {
    kind: 'text',
    about: 'Reaction to a page that repeats an earlier one.',
    words: LOOP_WORDS,
    problem: (text) =>
      LOOP_WORDS.includes(text) ? undefined : `Expected one of ${LOOP_WORDS.join(', ')}; got "${text}".`,
  },
  defaults: { kind: 'flag', about: 'Whether empty fields are filled with their defaults.' },
  resolve: { kind: 'flag', about: 'Whether RPCs are called for fields of rpc:// references.' },
};

/** What values of an option do that the user has to confirm, as sentences. */
export function sentencesOf(name: string, texts: readonly string[]): readonly string[] {
  const wants = Object.hasOwn(PROJECT_OPTIONS, name) ? PROJECT_OPTIONS[name]?.wants : undefined;
  return wants === undefined ? [] : texts.map(wants);
}

/** Options that weaken a protection for every later run. */
const COMMAND_LINE_ONLY: readonly string[] = ['trust-functions', 'no-check'];

const NO_SECRETS = 'Credentials do not belong in this file. iml connect stores them, encrypted';

const TYPES: Readonly<Record<ProjectOption['kind'], NonNullable<KeyShape['types']>>> = {
  flag: ['boolean'],
  text: ['string'],
  number: ['number'],
  list: ['string', 'array'],
  pairs: ['object'],
  input: ['string'],
  file: ['string'],
};

/** Shape of the options, for editors. */
export const OPTIONS_SHAPE: Shape = {
  title: 'options',
  keys: Object.fromEntries(
    Object.entries(PROJECT_OPTIONS).map(([name, { about, kind, words }]): [string, KeyShape] => [
      name,
      described(about, { types: TYPES[kind] }, words),
    ]),
  ),
};

/** Options as texts of the command line, by long name; a flag has one text, or none if it is off. */
export type ProjectOptions = ReadonlyMap<string, readonly string[]>;

/**
 * Reads the options at a pointer of `iml.config.json`. `@FILE` is relative to the file.
 *
 * @param at.folder absolute folder of the file
 * @throws SpecError (SPEC_INVALID) for an unknown option, an invalid value, and a secret
 */
export function readProjectOptions(
  document: Document,
  { pointer, value, folder }: { readonly pointer: string; readonly value: unknown; readonly folder: string },
): ProjectOptions {
  if (!isPlainObject(value))
    throw invalid(document.locationOf(pointer), 'An object with options is expected.');
  const options = new Map<string, readonly string[]>();
  for (const [name, given] of Object.entries(value)) {
    const at = childPointer(pointer, name);
    const option = Object.hasOwn(PROJECT_OPTIONS, name) ? PROJECT_OPTIONS[name] : undefined;
    if (option === undefined) throw invalid(document.locationOf(at, undefined, 'key'), describeUnknown(name));
    const texts = readTexts(option, given);
    const problem =
      typeof texts === 'string' ? texts : (problemOf(option, texts) ?? problemOfFile(option, texts, folder));
    if (problem !== undefined) throw invalid(document.locationOf(at), `"${name}": ${problem}`);
    const isFile = option.kind === 'input' || option.kind === 'file';
    options.set(
      name,
      (texts as readonly string[]).map((text) =>
        isFile && text.startsWith('@') ? `@${path.resolve(folder, text.slice(1))}` : text,
      ),
    );
  }
  return options;
}

/**
 * Reads an option from an environment variable: `1`, `true`, `0` or `false` for a flag; items of lists and pairs are
 * separated by spaces.
 *
 * @returns the texts, or a sentence about what is wrong
 */
export function readVariable(name: string, value: string): readonly string[] | string {
  const option = PROJECT_OPTIONS[name];
  if (option === undefined) return [];
  if (option.kind === 'flag') {
    if (/^(?:1|true)$/i.test(value)) return [''];
    return /^(?:0|false)$/i.test(value) ? [] : 'Expected one of 1, true, 0, false.';
  }
  const isList = option.kind === 'list' || option.kind === 'pairs';
  const texts = isList ? value.split(/\s+/).filter((text) => text !== '') : [value];
  return option.kind === 'input' || option.kind === 'file' ? texts : (problemOf(option, texts) ?? texts);
}

function describeUnknown(name: string): string {
  if (COMMAND_LINE_ONLY.includes(name)) return `"${name}" can be set on the command line only.`;
  if (isSecretName(name, 'header')) return `${NO_SECRETS}; write its name as "connection".`;
  return `There is no option "${name}" here.${didYouMean(name, Object.keys(PROJECT_OPTIONS))} Expected: ${Object.keys(PROJECT_OPTIONS).join(', ')}.`;
}

/** @returns the texts, or a sentence with the error */
function readTexts({ kind }: ProjectOption, given: unknown): readonly string[] | string {
  switch (kind) {
    case 'flag':
      return typeof given === 'boolean' ? (given ? [''] : []) : 'expected true or false.';
    case 'number':
      return typeof given === 'number' ? [String(given)] : 'a number is expected.';
    case 'list': {
      const items: readonly unknown[] = Array.isArray(given) ? given : [given];
      return items.every((item) => typeof item === 'string')
        ? items
        : 'a text or a list of texts is expected.';
    }
    case 'pairs': {
      const isObject = isPlainObject(given) && Object.values(given).every((to) => typeof to === 'string');
      return isObject
        ? Object.entries(given).map(([from, to]) => `${from}=${String(to)}`)
        : 'expected an object such as {"https://api.example.com": "http://127.0.0.1:8080"}.';
    }
    case 'input':
    case 'file':
      if (typeof given === 'string' && /^@./.test(given)) return [given];
      if (isPlainObject(given) || (typeof given === 'string' && /^\s*[{[]/.test(given))) {
        return `${NO_SECRETS}, or write @FILE with the path of a file.`;
      }
      if (kind === 'file') return '@FILE is expected: the path of a JSON file.';
      return typeof given === 'string' && given !== ''
        ? [given]
        : 'the name of a connection or @FILE is expected.';
    case 'text':
      return typeof given === 'string' ? [given] : 'expected a text.';
  }
}

function problemOf({ problem }: ProjectOption, texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const found = problem?.(text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Other files belong on the command line, where the user names them. */
function problemOfFile(
  { kind }: ProjectOption,
  texts: readonly string[],
  folder: string,
): string | undefined {
  if (kind !== 'input' && kind !== 'file') return undefined;
  for (const text of texts.filter((one) => one.startsWith('@'))) {
    const file = text.slice(1);
    const problem = problemOfPath(file) ?? (leadsOut(folder, file) ? 'leads through a link' : undefined);
    if (problem === undefined) continue;
    return `the file ${file} ${problem.replace("the app's folder", 'the folder of this file')}. Name other files on the command line.`;
  }
  return undefined;
}

function leadsOut(folder: string, file: string): boolean {
  const target = path.resolve(folder, file);
  return existsSync(target) && realpathSync(target) !== path.join(realpathSync(folder), path.normalize(file));
}

function problemOfPair(text: string): string | undefined {
  const at = text.indexOf('=');
  const [from, to] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (at < 1) return 'FROM=TO is expected, such as https://api.example.com=http://127.0.0.1:8080.';
  return problemOfSecret(to) ?? messageOf(() => readHostMap({ [from]: to }));
}

function problemOfAddress(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'an address that starts with http:// or https:// is expected.';
  }
  return problemOfSecret(text);
}

/** Credentials in an address are refused. */
function problemOfSecret(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { username, password, searchParams } = new URL(text);
  const hasSecret =
    username !== '' ||
    password !== '' ||
    [...searchParams.keys()].some((name) => isSecretName(name, 'query'));
  return hasSecret ? `${NO_SECRETS}; remove them from the address.` : undefined;
}

function messageOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (isEngineError(error)) return error.message;
    throw error;
  }
}

function invalid(place: SourceLocation, message: string): SpecError {
  return new SpecError('SPEC_INVALID', message, { place });
}
