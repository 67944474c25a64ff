import { LineCounter, parseDocument } from 'yaml';
import { MAX_JSON_DEPTH } from '../../../engine/document/document.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { SpecError } from '../../../shared/errors/engine-error.js';
import { positionAt, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { type Referenced, rebaseReferences } from './references.js';

/** An OpenAPI document: plain data with its references unresolved. */
export interface OpenApiDocument {
  readonly root: PlainObject;
  /** As written: `3.1.0`. */
  readonly version: string;
  /** Reads a file that a reference names. */
  readonly open: (file: string) => Referenced;
}

/** Reads the text of a file below the folder of the document. */
export type ReadBeside = (file: string) => { readonly text: string } | { readonly problem: string };

/** Aliases of YAML may multiply a small text. */
const MAX_ALIASES = 10_000;

/** Values of a document after its aliases are followed. The largest public documents have a million. */
const MAX_VALUES = 5_000_000;

/** Files that a document may consist of. */
const MAX_FILES = 5000;

/**
 * Reads an OpenAPI 3.0 or 3.1 document in JSON or YAML.
 *
 * @param file as the user named it, for messages and its extension
 * @param readBeside reads files that references name. Default: none
 * @throws SpecError (SPEC_JSON) with line and column for a text that is neither; SPEC_INVALID for another document
 */
export function readOpenApi(text: string, file: string, readBeside?: ReadBeside): OpenApiDocument {
  const value = readValue(text, file);
  const found = describeDocument(value);
  if (found !== undefined || !isPlainObject(value)) {
    const message = `${file}: Found ${found}; expected an OpenAPI 3.0 or 3.1 document.${hintFor(value)}`;
    throw new SpecError('SPEC_INVALID', message, { place: { file } });
  }
  if (!isPlainObject(ownMember(value, 'paths'))) {
    const message = `${file}: The document has no paths, so there is nothing to import.`;
    throw new SpecError('SPEC_INVALID', message, { place: { file, pointer: '/paths' } });
  }
  return { root: value, version: String(ownMember(value, 'openapi')), open: openBeside(readBeside) };
}

function readValue(text: string, file: string): unknown {
  const isJson = /\.jsonc?$/i.test(file) || (!/\.ya?ml$/i.test(file) && /^\uFEFF?\s*[{[]/.test(text));
  return isJson ? readDocument(text, file).value : readYaml(text, file);
}

/** Reads each file once. */
function openBeside(readBeside: ReadBeside | undefined): OpenApiDocument['open'] {
  const known = new Map<string, Referenced>();
  return (written) => {
    const file = decodeFile(written);
    const found = known.get(file);
    if (found !== undefined) return found;
    const made = known.size >= MAX_FILES ? undefined : openFile(file, readBeside);
    const opened = made ?? { problem: `is in more than ${MAX_FILES} files` };
    known.set(file, opened);
    return opened;
  };
}

function openFile(file: string, readBeside: ReadBeside | undefined): Referenced {
  const read = readBeside?.(file) ?? {
    problem: 'is in another document. Bundle the documents into one first',
  };
  if ('problem' in read) return read;
  const value = readValue(read.text, file);
  rebaseReferences(value, file);
  return { value };
}

/** A file in a reference is a URI: `./users%20v2.yaml`. */
function decodeFile(written: string): string {
  const plain = written.replace(/^(?:\.\/)+/, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function readYaml(written: string, file: string): unknown {
  const text = written.replace(/^\uFEFF/, '');
  const lines = new LineCounter();
  try {
    // Names that occur twice are refused: YAML does not say which one counts.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      throw syntaxError(file, positionAt(text, error.pos[0]), error.message);
    }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    const size = measure(value);
    if (size.depth > MAX_JSON_DEPTH) {
      throw syntaxError(file, {}, `Nested deeper than ${MAX_JSON_DEPTH} levels.`);
    }
    if (size.values > MAX_VALUES) {
      throw syntaxError(file, {}, `Its aliases stand for more than ${MAX_VALUES} values.`);
    }
    return value;
  } catch (error) {
    if (error instanceof SpecError) throw error;
    // The parser recurses, and refuses aliases that multiply.
    const reason = error instanceof RangeError ? 'Nested too deeply.' : (error as Error).message;
    throw syntaxError(file, {}, reason, error);
  }
}

function syntaxError(
  file: string,
  at: Pick<SourceLocation, 'line' | 'column'>,
  reason: string,
  cause?: unknown,
): SpecError {
  const position = at.line === undefined ? '' : `:${at.line}:${at.column}`;
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return new SpecError('SPEC_JSON', `${file}${position}: Invalid YAML: ${sentence}`, {
    cause,
    place: { file, ...at },
  });
}

interface Size {
  readonly depth: number;
  readonly values: number;
}

/** Levels and values with aliases followed; endless for a value that contains itself. Visits each object once. */
function measure(value: unknown, known: Map<object, Size> = new Map(), level = 0): Size {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const before = known.get(value);
  if (before !== undefined) return before;
  const endless = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };
  if (level > MAX_JSON_DEPTH) return endless;
  known.set(value, endless);
  let depth = 0;
  let values = 1;
  for (const inner of Object.values(value)) {
    const size = measure(inner, known, level + 1);
    depth = Math.max(depth, size.depth);
    values += size.values;
  }
  const size = { depth: depth + 1, values };
  known.set(value, size);
  return size;
}

/** Kind of a document that cannot be imported. */
function describeDocument(value: unknown): string | undefined {
  if (!isPlainObject(value)) return Array.isArray(value) ? 'a list' : 'no object';
  const version = ownMember(value, 'openapi');
  if (version !== undefined) {
    return /^3\.[01](?:\.|$)/.test(String(version)) ? undefined : `OpenAPI ${String(version).slice(0, 20)}`;
  }
  const known = KNOWN_DOCUMENTS.find(([key]) => ownMember(value, key) !== undefined);
  if (known !== undefined) {
    const [key, name] = known;
    const written = ownMember(value, key);
    return typeof written === 'string' && key !== '$schema' ? `${name} ${written.slice(0, 20)}` : name;
  }
  const info = ownMember(value, 'info');
  if (isPlainObject(info) && ownMember(info, '_postman_id') !== undefined) return 'a Postman collection';
  return 'an object without the member "openapi"';
}

const KNOWN_DOCUMENTS = [
  ['swagger', 'Swagger'],
  ['asyncapi', 'AsyncAPI'],
  ['arazzo', 'Arazzo'],
  ['overlay', 'an OpenAPI Overlay'],
  ['log', 'a HAR file'],
  ['__schema', 'a GraphQL schema'],
  ['$schema', 'a JSON Schema'],
] as const;

function hintFor(value: unknown): string {
  const isSwagger = isPlainObject(value) && ownMember(value, 'swagger') !== undefined;
  return isSwagger ? ' Convert it first, for example with the package swagger2openapi.' : '';
}
